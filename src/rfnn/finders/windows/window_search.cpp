#include "rfnn/finders/windows/window_search.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "rfnn/finders/windows/tuning.hpp"

namespace rfnn::windows {
namespace {

/// Weighted sum over a window's own rows of the squares by leave-one-out.
double error_of(const rows::RowState& rows, const rows::WindowRows& cut, const rows::WindowFits& fits, std::size_t w) {
  double squares = 0.0;
  for (std::size_t i = cut.first[w]; i < cut.first[w] + cut.own[w]; ++i)
    for (std::size_t o = 0; o < rows.outputs(); ++o)
      squares += rows.weight(cut.places[i]) * fits.left_out(i, o) * fits.left_out(i, o);
  return std::isfinite(squares) ? squares : std::numeric_limits<double>::infinity();
}

/// A window that stands for others in a sum of errors.
struct Sampled {
  std::size_t window;
  double times;
};

/// Every so manieth.
std::vector<Sampled> spread_out(std::size_t windows, std::size_t wanted) {
  const std::size_t stride = std::max<std::size_t>(1, windows / wanted);
  std::vector<Sampled> sample;
  for (std::size_t w = 0; w < windows; w += stride) sample.push_back({w, static_cast<double>(stride)});
  return sample;
}

/// Those with the largest errors, and of the others every so manieth.
std::vector<Sampled> by_error(const std::vector<double>& errors, std::size_t wanted) {
  std::vector<std::size_t> order(errors.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return errors[a] > errors[b]; });
  const std::size_t largest = std::min(wanted, order.size());
  std::vector<Sampled> sample;
  for (std::size_t i = 0; i < largest; ++i) sample.push_back({order[i], 1.0});
  for (const Sampled& other : spread_out(order.size() - largest, wanted))
    if (order.size() > largest) sample.push_back({order[largest + other.window], other.times});
  return sample;
}

class Search {
 public:
  Search(rows::RowWork& work, const rows::RowState& rows, std::size_t others, const std::function<bool()>& go_on,
         Interrupt& interrupt)
      : work_(work), rows_(rows), others_(others), go_on_(go_on), interrupt_(interrupt) {}

  std::optional<WindowLaw> best(WindowLaw law, bool in_haste) {
    const auto with = [&](int order, double noise) {
      law.order = order;
      law.noise = noise;
      consider(law);
    };
    // How much noise there is matters more than the order.
    if (in_haste) {
      for (const int order : {1, 0, 2})
        for (const double noise : tuning::first_noises_in_haste) with(order, noise);
    } else {
      for (const double noise : tuning::first_noises)
        for (const int order : {1, 0, 2}) with(order, noise);
    }
    // How far the search goes from here is as the time for it allows.
    const bool all_tried = !cut_short_;
    if (best_ && go_on()) look_where_it_fails();
    double step = 1.0;
    for (int halving = 0; halving <= tuning::halvings; ++halving, step *= 0.5)
      while (go_round(step)) continue;
    if (best_) best_->searched = all_tried;
    return best_;
  }

 private:
  /// The error is that of the worst windows: they and some others judge from now on, as the windows are now.
  void look_where_it_fails() {
    aspect_.clear();
    sample_.clear();
    if (!fits_of(*best_)) return;
    std::vector<double> errors;
    for (std::size_t w = 0; w < cut_.windows.count(); ++w) errors.push_back(window_error(w));
    // By place: windows have other numbers where they are cut otherwise.
    sample_ = by_error(errors, tuning::windows_to_compare);
    worst_cut_ = cut_;
    error_ = sum_of_errors();
    WindowLaw other = *best_;
    for (const int order : {0, 1, 2}) {
      other.order = order;
      if (order != best_->order) consider(other);
    }
  }

  /// All numbers once, each in the direction that gains. Did any?
  bool go_round(double step) {
    if (!best_) return false;
    bool gained = along(step * tuning::step_of_noise, [](WindowLaw& law) -> double& { return law.noise; });
    gained = along(step * tuning::step_of_scale, [](WindowLaw& law) -> double& { return law.scale; }) || gained;
    if (others_ > 0)
      gained = along(step * tuning::step_of_scale, [](WindowLaw& law) -> double& { return law.state_scale; }) || gained;
    // Of the inputs' ratios one is free to choose.
    for (std::size_t k = 1; k < rows_.inputs(); ++k)
      gained = along(step * tuning::step_of_aspect, [k](WindowLaw& law) -> double& { return law.aspect[k]; }) || gained;
    return gained && go_on();
  }

  template <class Number>
  bool along(double step, const Number& number) {
    for (const double direction : {1.0, -1.0}) {
      WindowLaw other = *best_;
      number(other) *= std::exp(direction * step);
      if (consider(other)) return true;
    }
    return false;
  }

  [[nodiscard]] bool go_on() {
    cut_short_ = cut_short_ || interrupt_.stopped() || !go_on_();
    return !cut_short_;
  }

  /// Is it the best so far?
  bool consider(const WindowLaw& law) {
    if (law.noise < tuning::least_noise || law.noise > tuning::most_noise || (best_ && !go_on())) return false;
    if (!fits_of(law)) return false;
    const double error = sum_of_errors();
    if (!(error < (1.0 - (best_ ? tuning::counts_as_gain : 0.0)) * error_)) return false;
    error_ = error;
    best_ = law;
    return true;
  }

  /// Solutions of the windows that judge; of all where there are none yet.
  bool fits_of(const WindowLaw& law) {
    if (law.aspect != aspect_) {
      // The windows that judge keep their rows: errors are compared on the same ones. Scales follow the sides.
      if (worst_cut_) {
        cut_ = *worst_cut_;
        for (std::size_t w = 0; w < cut_.windows.count(); ++w) {
          double half = 0.0;
          for (std::size_t k = 0; k < law.aspect.size(); ++k)
            half = std::max(half, 0.5 * law.aspect[k] * (cut_.windows.high(w, k) - cut_.windows.low(w, k)));
          for (std::size_t k = 0; k < law.aspect.size(); ++k) cut_.windows.scale(w, k) = law.aspect[k] / half;
        }
      } else {
        cut_ = cut_rows(rows_, law, others_);
      }
      aspect_ = law.aspect;
      fits_ = {};
    }
    const std::size_t windows = cut_.windows.count();
    const bool all = best_ && sample_.empty();
    if (!best_ && sample_.empty()) sample_ = spread_out(windows, tuning::windows_to_compare);
    std::vector<std::size_t> listed(all ? windows : 0);
    std::iota(listed.begin(), listed.end(), std::size_t{0});
    for (const Sampled& one : sample_) listed.push_back(one.window);
    return work_.window_fits(rows_, law.law(others_), cut_, std::vector<double>(windows, law.noise), listed, fits_,
                             interrupt_);
  }

  [[nodiscard]] double window_error(std::size_t w) const { return error_of(rows_, cut_, fits_, w); }
  [[nodiscard]] double sum_of_errors() const {
    double sum = 0.0;
    for (const Sampled& one : sample_) sum += one.times * window_error(one.window);
    return sum;
  }

  rows::RowWork& work_;
  const rows::RowState& rows_;
  std::size_t others_;
  const std::function<bool()>& go_on_;
  Interrupt& interrupt_;
  std::vector<double> aspect_;
  rows::WindowRows cut_;
  std::optional<rows::WindowRows> worst_cut_;
  rows::WindowFits fits_;
  std::vector<Sampled> sample_;
  std::optional<WindowLaw> best_;
  double error_ = std::numeric_limits<double>::infinity();
  bool cut_short_ = false;
};

}  // namespace

FrequencyLaw WindowLaw::law(std::size_t others) const {
  FrequencyLaw::Part part;
  part.strength = 1.0;
  part.order = order;
  part.radial = true;
  part.rough.assign(aspect.size(), scale);
  part.rough.insert(part.rough.end(), others, state_scale);
  part.smooth.assign(part.rough.size(), 0.0);
  FrequencyLaw law;
  law.parts.push_back(std::move(part));
  return law;
}

rows::WindowRows cut_rows(const rows::RowState& rows, const WindowLaw& law, std::size_t others) {
  return rows::cut_windows(rows::theta_of(rows), law.aspect,
                           {law.own_rows, tuning::margin, tuning::rows_in_all * law.own_rows}, others);
}

rows::TiledColumns blended(const rows::RowState& rows, const FittedWindows& fitted) {
  const rows::WindowRows& cut = fitted.cut;
  rows::TiledColumns left(rows.count(), rows.outputs());
  std::vector<double> totals(rows.count(), 0.0), at(rows.inputs());
  for (std::size_t w = 0; w < cut.windows.count(); ++w)
    for (std::size_t i = cut.first[w]; i < cut.first[w + 1]; ++i) {
      const std::size_t row = cut.places[i];
      for (std::size_t k = 0; k < at.size(); ++k) at[k] = rows.variable_of(row, k);
      const double weight = window_weight(cut.windows, w, at.data());
      totals[row] += weight;
      for (std::size_t o = 0; o < rows.outputs(); ++o) left(row, o) += weight * fitted.fits.left_out(i, o);
    }
  for (std::size_t row = 0; row < rows.count(); ++row)
    for (std::size_t o = 0; o < rows.outputs(); ++o) left(row, o) /= totals[row];
  return left;
}

std::optional<WindowLaw> search_law(rows::RowWork& work, const rows::RowState& rows, const WindowLaw& start,
                                    std::size_t others, bool in_haste, const std::function<bool()>& go_on,
                                    Interrupt& interrupt) {
  return Search(work, rows, others, go_on, interrupt).best(start, in_haste);
}

std::optional<FittedWindows> fit_windows(rows::RowWork& work, const rows::RowState& rows, const WindowLaw& law,
                                         std::size_t others, std::size_t& moves, const std::function<bool()>& go_on,
                                         Interrupt& interrupt) {
  FittedWindows best;
  best.cut = cut_rows(rows, law, others);
  const std::size_t windows = best.cut.windows.count();
  best.noise.assign(windows, law.noise);
  const FrequencyLaw frequencies = law.law(others);
  std::vector<std::size_t> all(windows);
  std::iota(all.begin(), all.end(), std::size_t{0});
  if (!work.window_fits(rows, frequencies, best.cut, best.noise, all, best.fits, interrupt)) return std::nullopt;
  std::vector<double> errors;
  for (const std::size_t w : all) errors.push_back(error_of(rows, best.cut, best.fits, w));
  const std::size_t most = std::min(moves, std::size(tuning::moves));
  for (moves = 0; moves < most && go_on(); ++moves) {
    const tuning::Move& move = tuning::moves[moves];
    FittedWindows other = best;
    for (const std::size_t w : all) {
      other.noise[w] = std::clamp(move.noise * other.noise[w], tuning::least_noise, tuning::most_noise);
      for (std::size_t k = 0; k < rows.inputs(); ++k) other.cut.windows.scale(w, k) *= move.scale;
    }
    if (!work.window_fits(rows, frequencies, other.cut, other.noise, all, other.fits, interrupt)) return std::nullopt;
    for (const std::size_t w : all) {
      const double error = error_of(rows, other.cut, other.fits, w);
      if (!(error < tuning::gain_of_own * errors[w])) continue;
      errors[w] = error;
      best.noise[w] = other.noise[w];
      for (std::size_t k = 0; k < rows.inputs(); ++k) best.cut.windows.scale(w, k) = other.cut.windows.scale(w, k);
      for (std::size_t i = best.cut.first[w]; i < best.cut.first[w + 1]; ++i)
        for (std::size_t o = 0; o < rows.outputs(); ++o) {
          best.fits.coefficients(i, o) = other.fits.coefficients(i, o);
          best.fits.left_out(i, o) = other.fits.left_out(i, o);
        }
    }
  }
  return best;
}

}  // namespace rfnn::windows
