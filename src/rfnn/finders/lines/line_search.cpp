#include "rfnn/finders/lines/line_search.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <utility>
#include <vector>

#include "rfnn/finders/lines/tuning.hpp"
#include "rfnn/least_squares/markov.hpp"
#include "rfnn/rows/lattice/nufft.hpp"

namespace rfnn::lines {
namespace {

/// What is left, divided by the background's covariance: its power at a frequency is what a line there would explain,
/// up to a factor that changes slowly with the frequency.
Matrix unexplained(const Timeline& timeline, const Background& background, const Eigen::MatrixXd& left) {
  Matrix values(timeline.places(), timeline.outputs());
  for (std::size_t i = 0; i < timeline.places(); ++i)
    for (std::size_t o = 0; o < timeline.outputs(); ++o)
      values(i, o) = left(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(o));
  if (!background.wanders) {
    for (std::size_t i = 0; i < timeline.places(); ++i)
      for (std::size_t o = 0; o < timeline.outputs(); ++o) values(i, o) *= timeline.weight[i] / background.strength;
    return values;
  }
  Interrupt never;
  least_squares::MarkovSolution solution;
  least_squares::solve_markov(least_squares::MarkovProcess(background.law()), background.noise(), timeline.x,
                              timeline.weight, values.view(), never, solution);
  return std::move(solution.coefficients);
}

/// The power of what is left on a grid of frequencies, `oversampling` to a turn over the data.
class LinePower {
 public:
  LinePower(rows::RowWork& work, const Timeline& timeline)
      : spacing_(2.0 * std::numbers::pi / (timeline.extent() * static_cast<double>(tuning::oversampling))),
        count_(static_cast<std::size_t>(std::numbers::pi / timeline.spacing / spacing_)) {
    // No more than twice as many as rows can tell apart, however close some of them are.
    count_ = std::min(count_, tuning::oversampling * timeline.places());
    Matrix theta(timeline.places(), 1);
    for (std::size_t i = 0; i < timeline.places(); ++i) theta(i, 0) = timeline.x[i];
    points_ = work.lattice_points({count_, 0}, 1, rows::LatticeMap{{0.0}, {spacing_}}.phases(theta.view()));
  }

  /// The frequency that stands out most, not near one of the lines, and by how many times its surroundings' mean power.
  /// Nothing when interrupted.
  struct Peak {
    double frequency = 0.0, ratio = 0.0;
  };
  std::optional<Peak> highest(const Matrix& values, const std::vector<double>& lines, Interrupt& interrupt) {
    std::vector<double> power(count_ + 1, 0.0), strengths(values.rows());
    for (std::size_t o = 0; o < values.cols(); ++o) {
      for (std::size_t i = 0; i < strengths.size(); ++i) strengths[i] = values(i, o);
      if (!points_->gather(strengths, sums_, interrupt)) return std::nullopt;
      for (std::size_t k = 0; k <= count_; ++k)
        power[k] += sums_[k] * sums_[k] + sums_[count_ + 1 + k] * sums_[count_ + 1 + k];
    }
    const std::vector<double> around = surroundings(power);
    Peak best;
    const auto first = static_cast<std::size_t>(tuning::fewest_turns * static_cast<double>(tuning::oversampling));
    for (std::size_t k = first; k <= count_ && !around.empty(); ++k) {
      const double frequency = spacing_ * static_cast<double>(k), ratio = power[k] / around[k / tuning::oversampling];
      const bool near = std::any_of(lines.begin(), lines.end(), [&](double line) {
        return std::abs(line - frequency) < 0.5 * spacing_ * static_cast<double>(tuning::oversampling);
      });
      if (!near && ratio > best.ratio) best = {frequency, ratio};
    }
    return best;
  }

 private:
  /// Mean power about each turn over the data, by the median over its neighbours: lines among them do not count. Empty
  /// where there are too few to say.
  [[nodiscard]] static std::vector<double> surroundings(const std::vector<double>& power) {
    constexpr std::size_t fewest = 8;
    std::vector<double> turns;
    for (std::size_t k = 0; k < power.size(); k += tuning::oversampling) turns.push_back(power[k]);
    if (turns.size() < fewest) return {};
    const std::size_t count = std::min(turns.size() - 1, 2 * tuning::surroundings + 1);
    std::vector<double> around(turns.size()), some(count);
    for (std::size_t t = 0; t < turns.size(); ++t) {
      // From the first turn on: power at 0 is the trend's.
      const std::size_t from = std::clamp<std::size_t>(t, 1 + count / 2, turns.size() - count + count / 2) - count / 2;
      std::copy_n(turns.begin() + static_cast<std::ptrdiff_t>(from), count, some.begin());
      const auto middle = some.begin() + static_cast<std::ptrdiff_t>(count / 2);
      std::nth_element(some.begin(), middle, some.end());
      around[t] = std::max(*middle / std::numbers::ln2, std::numeric_limits<double>::min());
    }
    return around;
  }

  double spacing_;
  std::size_t count_;
  std::unique_ptr<rows::LatticePoints> points_;
  rows::Coefficients sums_;
};

/// A model with its background, made better step by step.
class LineGrowth {
 public:
  LineGrowth(const Timeline& timeline, Interrupt& interrupt) : timeline_(timeline), interrupt_(interrupt) {}

  [[nodiscard]] const LineSeries& series() const { return series_; }
  void go_on_from(LineSeries series) { series_ = std::move(series); }

  /// False when interrupted, as all others.
  bool begin(int degree) {
    series_.model = {degree, {}};
    series_.background = {};
    return refine(0) && learn_background();
  }
  /// Lines until nothing stands out, or there are as many as may be.
  bool grow(LinePower& power, std::size_t most) {
    const double wanted = 0.5 * tuning::line_penalty * std::log(static_cast<double>(timeline_.places()));
    const double all = std::max(series_.model.squares, std::numeric_limits<double>::min());
    std::size_t learn_at = 1;
    while (series_.model.frequencies.size() < most && series_.model.squares > tuning::exact * all) {
      const Matrix values = unexplained(timeline_, series_.background, left_by(timeline_, series_.model));
      const auto peak = power.highest(values, series_.model.frequencies, interrupt_);
      if (!peak) return false;
      if (peak->ratio < wanted) break;
      series_.model.frequencies.push_back(peak->frequency);
      if (!refine(tuning::steps)) return false;
      if (series_.model.frequencies.size() < learn_at) continue;
      if (!learn_background()) return false;
      learn_at *= 2;
    }
    return drop_slow_lines();
  }
  bool finish() {
    return refine(tuning::last_steps) && learn_background() && refine(tuning::steps) && learn_background();
  }
  /// The same lines with another trend.
  bool change_degree(int degree) {
    series_.model.degree = degree;
    return refine(0) && learn_background() && refine(0);
  }

  [[nodiscard]] double score() const {
    const double coefficients = static_cast<double>(series_.model.degree) * static_cast<double>(timeline_.outputs());
    return series_.background.loss +
           0.5 * tuning::trend_penalty * coefficients * std::log(static_cast<double>(timeline_.places()));
  }

 private:
  bool refine(int steps) {
    return lines::refine(timeline_, Whitening(series_.background, timeline_), steps, series_.model, interrupt_);
  }
  bool learn_background() {
    const auto learnt =
        lines::learn_background(timeline_, left_by(timeline_, series_.model), &series_.background, interrupt_);
    if (!learnt) return false;
    series_.background = *learnt;
    return true;
  }
  /// Lines that have become slower than a line may be, on the way.
  bool drop_slow_lines() {
    const double slowest = 2.0 * std::numbers::pi * tuning::fewest_turns / timeline_.extent();
    const std::size_t before = series_.model.frequencies.size();
    std::erase_if(series_.model.frequencies,
                  [&](double frequency) { return frequency < tuning::still_a_line * slowest; });
    return series_.model.frequencies.size() == before || refine(0);
  }

  const Timeline& timeline_;
  Interrupt& interrupt_;
  LineSeries series_;
};

}  // namespace

std::optional<LineSeries> find_lines(rows::RowWork& work, const Timeline& timeline, int most_degree,
                                     std::size_t most_lines, Interrupt& interrupt,
                                     const std::function<void(std::string_view)>& tell) {
  if (timeline.places() < tuning::fewest_places || !(timeline.spacing > 0.0)) return std::nullopt;
  std::optional<LineSeries> best;
  const auto keep = [&](LineGrowth& growth, bool complete) {
    LineSeries series = growth.series();
    series.score = growth.score();
    series.complete = complete;
    if (!best || series.score < best->score) best = std::move(series);
  };
  tell("a trend and its background");
  for (int degree = 0; degree <= most_degree; ++degree) {
    LineGrowth growth(timeline, interrupt);
    if (!growth.begin(degree)) return std::nullopt;
    keep(growth, true);
  }
  LinePower power(work, timeline);
  // Lines are looked for beside the trend that is best without them; where another is better with them, once more.
  for (int round = 0; round < 2; ++round) {
    tell("lines one by one");
    const int degree = best->model.degree;
    LineGrowth growth(timeline, interrupt);
    if (round > 0 && !growth.begin(degree)) break;
    if (round == 0) growth.go_on_from(*best);
    const bool complete = growth.grow(power, most_lines) && growth.finish();
    best.reset();
    keep(growth, complete);
    if (!complete) break;
    const LineSeries found = *best;
    for (int other = 0; other <= most_degree; ++other) {
      if (other == degree) continue;
      LineGrowth changed(timeline, interrupt);
      changed.go_on_from(found);
      if (!changed.change_degree(other)) break;
      keep(changed, true);
    }
    if (best->model.degree == degree) break;
  }
  if (interrupt.stopped()) best->complete = false;
  return best;
}

std::optional<LineSeries> refit_lines(const Timeline& timeline, const LineSeries& found, Interrupt& interrupt) {
  LineGrowth growth(timeline, interrupt);
  growth.go_on_from(found);
  if (!growth.finish()) return std::nullopt;
  return growth.series();
}

Matrix background_coefficients(const Timeline& timeline, const LineSeries& series) {
  return unexplained(timeline, series.background, left_by(timeline, series.model));
}

}  // namespace rfnn::lines
