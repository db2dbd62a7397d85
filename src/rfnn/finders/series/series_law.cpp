#include "rfnn/finders/series/series_law.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "rfnn/finders/series/tuning.hpp"

namespace rfnn::series {
namespace {

/// A law of one part and variance 1, by the numbers that are searched for.
struct Point {
  int order = 0;
  double log_scale = 0.0;      ///< ln t
  double log_smoothing = 0.0;  ///< ln of the smoothing length in spacings
};

FrequencyLaw law_of(const Point& point, double strength = 1.0) {
  return {{{strength, {0.0}, {std::exp(point.log_scale)}, point.order, {}}}, {}};
}

struct Piece {
  std::size_t first = 0, count = 0;
};

class Search {
 public:
  Search(const Series& series, Interrupt& interrupt) : series_(series), interrupt_(interrupt) {
    const std::size_t places = series.places();
    if (places <= tuning::places_to_compare) {
      pieces_ = {{0, places}};
      return;
    }
    const std::size_t count = tuning::places_to_compare / tuning::pieces;
    for (std::size_t k = 0; k < tuning::pieces; ++k)
      pieces_.push_back({k * (places - count) / (tuning::pieces - 1), count});
  }

  /// False when interrupted; what is best by then is known.
  bool learn() {
    for (int order = 0; order <= 2; ++order) {
      begin();
      if (!compare(order) || !improve()) return false;
    }
    if (pieces_.size() == 1 || series_.places() > tuning::most_places_to_improve) return true;
    // The same on all places; until they have been looked at, the error is that of the pieces.
    pieces_ = {{0, series_.places()}};
    Search whole = *this;
    whole.begin();
    whole.best_error_ = std::numeric_limits<double>::infinity();
    const bool complete = whole.look(best_) && whole.improve();
    if (whole.found()) std::tie(best_, best_error_) = std::tie(whole.best_, whole.best_error_);
    return complete;
  }

  [[nodiscard]] bool found() const { return best_error_ < std::numeric_limits<double>::infinity(); }
  [[nodiscard]] const Point& best() const { return best_; }
  [[nodiscard]] double error() const { return best_error_; }

  /// σ² over the process's variance: the smoothing length l of a process of order p is reached where the noise is
  /// l^(2p+2) times what the process does from one place to the next. Negative: too little of both for the digits.
  [[nodiscard]] double noise_of(const Point& point) const {
    std::array<double, 9> q{};
    MarkovProcess(law_of(point)).noise(series_.spacing(), q.data());
    const double share = std::exp((2.0 * point.order + 2.0) * point.log_smoothing);
    const double noise = q[0] * std::max(share, tuning::least_noise);
    return q[0] + noise >= tuning::least_innovation ? noise : -1.0;
  }

 private:
  void begin() { here_error_ = std::numeric_limits<double>::infinity(); }

  [[nodiscard]] double least_log_smoothing(int order) const {
    return std::log(tuning::least_noise) / (2.0 * order + 2.0);
  }

  bool look(const Point& point) {
    const double noise = noise_of(point);
    if (noise < 0.0) return true;
    double squares = 0.0, weights = 0.0;
    for (const Piece& piece : pieces_) {
      if (!series_.solve(law_of(point), noise, piece.first, piece.count, interrupt_, solution_)) return false;
      squares += series_.left_out(solution_, noise, piece.first, piece.count);
      weights += series_.weight(piece.first, piece.count);
    }
    const double error = squares / (weights * static_cast<double>(series_.outputs()));
    if (error < (1.0 - tuning::better) * here_error_) {
      here_ = point;
      here_error_ = error;
    }
    if (error < (1.0 - tuning::better) * best_error_) {
      best_ = point;
      best_error_ = error;
    }
    return true;
  }

  /// A grid over scales and smoothing lengths. The roughest and least noisy come first: where others are no better,
  /// they stay.
  bool compare(int order) {
    const double most = std::log(static_cast<double>(pieces_.front().count) / 4.0);
    const double first = std::log(2.0 / series_.spacing());
    const double last = std::log(2.0 / series_.extent());
    for (double scale = first; scale > last; scale -= std::log(tuning::scale_factor)) {
      if (!look({order, scale, least_log_smoothing(order)})) return false;
      for (double smoothing = std::log(tuning::first_smoothing); smoothing < most;
           smoothing += std::log(tuning::smoothing_factor))
        if (!look({order, scale, smoothing})) return false;
    }
    return true;
  }

  /// From the best of the grid by steps along both axes, halved where none leads further.
  bool improve() {
    const double roughest = std::log(4.0 / series_.spacing()), smoothest = std::log(0.2 / series_.extent());
    for (double step = tuning::first_step; step > tuning::last_step; step *= 0.5) {
      for (bool moved = true; moved;) {
        const Point from = here_;
        const double before = here_error_;
        for (const auto [scale, smoothing] : {std::pair{1.0, 0.0}, {-1.0, 0.0}, {0.0, 1.0}, {0.0, -1.0}}) {
          Point next = from;
          next.log_scale = std::clamp(from.log_scale + scale * step, smoothest, roughest);
          next.log_smoothing = std::max(from.log_smoothing + smoothing * step, least_log_smoothing(from.order));
          if (next.log_scale == from.log_scale && next.log_smoothing == from.log_smoothing) continue;
          if (!look(next)) return false;
        }
        moved = here_error_ < before;
      }
    }
    return true;
  }

  const Series& series_;
  Interrupt& interrupt_;
  std::vector<Piece> pieces_;
  MarkovSolution solution_;
  Point here_, best_;  ///< of this order, of all
  double here_error_ = std::numeric_limits<double>::infinity(), best_error_ = here_error_;
};

}  // namespace

std::optional<SeriesLaw> learn_series_law(const Series& series, Interrupt& interrupt) {
  if (series.places() < tuning::fewest_places || !(series.mean_square() > 0.0)) return std::nullopt;
  Search search(series, interrupt);
  SeriesLaw learnt;
  learnt.complete = search.learn();
  if (!search.found()) return std::nullopt;
  learnt.left_out = search.error();
  const double noise = search.noise_of(search.best());
  Interrupt never;
  MarkovSolution solution;
  series.solve(law_of(search.best()), noise, 0, series.places(), never, solution);
  double quadratic = 0.0;
  for (const double one : solution.quadratic) quadratic += one;
  const double strength = quadratic / static_cast<double>(series.places() * series.outputs());
  learnt.law = law_of(search.best(), strength);
  learnt.noise = strength * noise;
  return learnt;
}

}  // namespace rfnn::series
