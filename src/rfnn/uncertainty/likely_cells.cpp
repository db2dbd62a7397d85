#include "rfnn/uncertainty/likely_cells.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>

#include "rfnn/rows/stand_ins.hpp"

namespace rfnn::uncertainty {
namespace {

/// Numbers that are drawn of two columns go together by chance at the most.
void shuffle(std::vector<double>& values, std::size_t column) {
  const auto mixed = [&](std::size_t place) {
    std::uint64_t bits = (static_cast<std::uint64_t>(column) << 32U) + place + 0x9E3779B97F4A7C15U;
    bits = (bits ^ (bits >> 30U)) * 0xBF58476D1CE4E5B9U;
    bits = (bits ^ (bits >> 27U)) * 0x94D049BB133111EBU;
    return bits ^ (bits >> 31U);
  };
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return mixed(a) < mixed(b); });
  const std::vector<double> sorted = values;
  for (std::size_t j = 0; j < values.size(); ++j) values[j] = sorted[order[j]];
}

/// Places of levels, each as often as its share says.
std::vector<double> likely_levels(const std::vector<double>& shares) {
  std::vector<double> levels(drawn_cells);
  std::size_t level = 0;
  double up_to = shares[0];
  for (std::size_t j = 0; j < drawn_cells; ++j) {
    const double at = (static_cast<double>(j) + 0.5) / static_cast<double>(drawn_cells);
    while (at > up_to && level + 1 < shares.size()) up_to += shares[++level];
    levels[j] = static_cast<double>(level);
  }
  return levels;
}

std::vector<double> likely_numbers_of(const Column& column, const Standardised& scale) {
  if (!(scale.log_from > 0.0)) return likely_numbers(column.min, column.max, column.mean, column.sd, drawn_cells);
  std::vector<double> numbers = likely_numbers(std::log(scale.log_from), std::log(std::max(column.max, scale.log_from)),
                                               scale.mean, scale.sd, drawn_cells);
  for (double& number : numbers) number = std::exp(number);
  return numbers;
}

}  // namespace

std::vector<double> likely_numbers(double low, double high, double mean, double sd, std::size_t count) {
  const double range = high - low, share = std::clamp((mean - low) / range, 0.0, 1.0), spread = sd / range;
  std::vector<double> numbers(count, high);
  const double both = share * (1.0 - share) / (spread * spread) - 1.0;
  constexpr double least = 1e-3;
  const auto place = [&](std::size_t j) { return (static_cast<double>(j) + 0.5) / static_cast<double>(count); };
  if (!(both > least)) {
    for (std::size_t j = 0; j < count; ++j)
      if (place(j) < 1.0 - share) numbers[j] = low;
    return numbers;
  }
  // Of sin² t, whose density is sin^(2a − 1) t cos^(2b − 1) t, over so many standard deviations and on cells so wide
  // that at the ends of the range, where it may be infinite, the integral over the last cell is that of a power.
  constexpr std::size_t cells = 4096;
  constexpr double deviations = 8.0;
  const double a = share * both, b = (1.0 - share) * both;
  const auto angle = [](double x) { return std::asin(std::sqrt(std::clamp(x, 0.0, 1.0))); };
  const double first = angle(share - deviations * spread), last = angle(share + deviations * spread),
               width = (last - first) / static_cast<double>(cells);
  const auto middle = [&](std::size_t cell) { return first + (static_cast<double>(cell) + 0.5) * width; };
  std::vector<double> mass(cells);
  for (std::size_t cell = 0; cell < cells; ++cell)
    mass[cell] =
        (2.0 * a - 1.0) * std::log(std::sin(middle(cell))) + (2.0 * b - 1.0) * std::log(std::cos(middle(cell)));
  // ∫ t^(2a − 1) over the cell is its width times what it is in the middle times 2^(2a − 1)/(2a).
  const auto power = [](double exponent) { return (exponent - 1.0) * std::numbers::ln2 - std::log(exponent); };
  if (first == 0.0) mass.front() += power(2.0 * a);
  if (last == angle(1.0)) mass.back() += power(2.0 * b);
  const double most = *std::max_element(mass.begin(), mass.end());
  double sum = 0.0;
  for (double& of : mass) sum += of = std::exp(of - most);
  std::size_t cell = 0;
  double up_to = mass[0];
  for (std::size_t j = 0; j < count; ++j) {
    while (place(j) * sum > up_to && cell + 1 < cells) up_to += mass[++cell];
    const double sine = std::sin(middle(cell));
    numbers[j] = std::clamp(low + range * sine * sine, low, high);
  }
  return numbers;
}

LikelyCells::LikelyCells(const Model& model) : model_(model), code_(columns_of_table(model)) {
  std::vector<Standardised> scales(model.inputs.size());
  for (std::size_t k = 0, used = 0; k < scales.size(); ++k)
    if (model.inputs[k].used) scales[k] = model.scaler.input(used++);
  std::size_t input = 0;
  for (std::size_t k = 0; k < code_.inputs.size(); ++k) {
    const ColumnCode& column = code_.inputs[k];
    std::vector<double>& cells = cells_.emplace_back();
    bool needed = false;
    for (std::size_t j = 0; j < inputs_of(column); ++j) needed = needed || is_needed(model, input + j);
    const Column& known = model.inputs[input];
    if (needed && column.kind == ColumnKind::category) {
      cells = likely_levels(column.fill);
    } else if (needed && column.kind == ColumnKind::boolean) {
      cells = likely_levels({1.0 - known.mean, known.mean});
    } else if (needed && known.max > known.min) {
      cells = likely_numbers_of(known, scales[input]);
    }
    shuffle(cells, k);
    input += inputs_of(column);
  }
}

LikelyCells::Unknown LikelyCells::rows_of(ConstMatrixView inputs, std::size_t i, Matrix& rows) const {
  Unknown unknown = Unknown::none;
  rows::each_stand_in(model_, inputs, i, [&](std::size_t column, std::size_t input, StandIn why) {
    if (cells_[column].empty()) return;
    if (unknown == Unknown::none) {
      rows = Matrix(drawn_cells, inputs.cols());
      for (std::size_t j = 0; j < drawn_cells; ++j)
        for (std::size_t k = 0; k < inputs.cols(); ++k) rows(j, k) = inputs(i, k);
    }
    unknown = std::max(unknown, why == StandIn::learnt ? Unknown::learnt : Unknown::some);
    const ColumnCode& code = code_.inputs[column];
    for (std::size_t j = 0; j < drawn_cells; ++j) {
      const double cell = cells_[column][j];
      if (code.indicator) rows(j, input + inputs_of(code) - 1) = 0.0;
      if (code.kind != ColumnKind::category) {
        rows(j, input) = cell;
        continue;
      }
      for (std::size_t level = 0; level < code.levels.size(); ++level)
        rows(j, input + level) = cell == static_cast<double>(level) ? 1.0 : 0.0;
    }
  });
  return unknown;
}

double width_over(double own, double width, std::vector<double> others, const ScoreDistribution& scores, bool learnt) {
  if (learnt) {
    const double mean = std::accumulate(others.begin(), others.end(), 0.0) / static_cast<double>(others.size());
    for (double& other : others) other += own - mean;
  }
  double farthest = 0.0, squares = 0.0;
  for (const double other : others) {
    farthest = std::max(farthest, std::abs(other - own));
    squares += (other - own) * (other - own);
  }
  if (!(farthest > 0.0) || !std::isfinite(farthest) || !std::isfinite(width)) return width;
  const double low = scores.quantile(0.5 * (1.0 - share_held)), high = scores.quantile(0.5 * (1.0 + share_held));
  // Where errors have one sign only, intervals cannot hold what lies on the other: the variance does.
  if (!(low < 0.0 && high > 0.0))
    return std::sqrt(width * width +
                     squares / static_cast<double>(others.size()) / (scores.deviation() * scores.deviation()));
  constexpr double least = 1e-9;
  const double unit = std::max(width, least * farthest);
  const auto held = [&](double wide) {
    double sum = 0.0;
    for (const double other : others)
      sum += scores.probability((own + wide * high - other) / unit) -
             scores.probability((own + wide * low - other) / unit);
    return sum / static_cast<double>(others.size());
  };
  double below = width, above = unit;
  constexpr int doublings = 200, halvings = 60;
  for (int turn = 0; turn < doublings && held(above) < share_held; ++turn) {
    below = above;
    above *= 2.0;
  }
  for (int turn = 0; turn < halvings && below < above; ++turn) {
    const double middle = 0.5 * (below + above);
    (held(middle) < share_held ? below : above) = middle;
  }
  return std::max(above, width);
}

}  // namespace rfnn::uncertainty
