#include "rfnn/reproduction/measures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "rfnn/diagnostics/spectrum.hpp"
#include "rfnn/reproduction/statistics.hpp"
#include "rfnn/rows/predict.hpp"

namespace rfnn::reproduction {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

double bin_width(const Histogram& histogram) {
  return (histogram.high - histogram.low) / static_cast<double>(histogram.counts.size());
}

double bin_centre(const Histogram& histogram, std::size_t bin) {
  return histogram.low + (static_cast<double>(bin) + 0.5) * bin_width(histogram);
}

bool is_near(double frequency, double line) { return std::abs(frequency - line) <= near_line; }

double total(const Histogram& histogram) {
  return static_cast<double>(std::accumulate(histogram.counts.begin(), histogram.counts.end(), std::uint64_t{0}));
}

/// (counts + 1) / width of [low, high], by the bins whose centres are in it; where there are none nobody was.
double density(const Histogram& histogram, double low, double high) {
  double counts = 1.0, width = 0.0;
  for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
    if (bin_centre(histogram, i) < low || bin_centre(histogram, i) > high) continue;
    counts += static_cast<double>(histogram.counts[i]);
    width += bin_width(histogram);
  }
  return counts / (width > 0.0 ? width : high - low);
}

double overshoot_at(double jump, const std::function<Matrix(const Matrix&)>& function,
                    std::span<const double> training_inputs) {
  constexpr double reach = 0.1;
  constexpr std::size_t points = 1001;  // on either side
  double before = jump - reach, after = jump + reach;
  for (const double x : training_inputs) {
    if (x < jump) before = std::max(before, x);
    if (x >= jump) after = std::min(after, x);
  }
  Matrix inputs(2 * points, 1);
  for (std::size_t i = 0; i < points; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(points - 1);
    inputs(i, 0) = jump - reach + share * (before - (jump - reach));
    inputs(points + i, 0) = after + share * (jump + reach - after);
  }
  const Matrix values = function(inputs);
  const double below = evaluate(Target::stairstep, std::array{jump - reach});
  const double above = evaluate(Target::stairstep, std::array{jump + reach});
  double farthest = 0.0;
  for (std::size_t i = 0; i < values.rows(); ++i)
    farthest = std::max({farthest, below - values(i, 0), values(i, 0) - above});
  return farthest / stairstep_jump;
}

}  // namespace

const Histogram* accepted_input_frequencies(const Run& run, std::int64_t block) {
  for (const BlockRecord& record : run.model.history.blocks) {
    if (record.block != block) continue;
    for (const BranchRecord& branch : record.branches)
      if (branch.kind == BranchKind::input && !branch.accepted_frequencies.empty())
        return &branch.accepted_frequencies.front();
  }
  return nullptr;
}

double share_near(const Histogram& histogram, double line, double more) {
  double near = more;
  for (std::size_t i = 0; i < histogram.counts.size(); ++i)
    if (is_near(bin_centre(histogram, i), line)) near += static_cast<double>(histogram.counts[i]);
  const double all = total(histogram);
  return all > 0.0 ? near / all : unknown;
}

double rise_near(const Run& run, double line, std::int64_t block, std::span<const std::int64_t> earlier) {
  const auto share = [&](std::int64_t number) {
    const Histogram* histogram = accepted_input_frequencies(run, number);
    return histogram == nullptr ? unknown : share_near(*histogram, line, 1.0);
  };
  double before = 0.0;
  for (const std::int64_t number : earlier) before += share(number) / static_cast<double>(earlier.size());
  return share(block) / before;
}

double visibility(const Histogram& histogram, double line) {
  constexpr double from = 10.0, to = 25.0;  // where a line's sides begin and end
  if (!(total(histogram) > 0.0)) return unknown;
  double sides = density(histogram, line + from, line + to);
  if (line > to) sides = std::max(sides, density(histogram, line - to, line - from));
  return density(histogram, line - near_line, line + near_line) / sides;
}

double visibility_between_lines(const Histogram& histogram, double line) {
  if (!(total(histogram) > 0.0)) return unknown;
  double counts = 1.0, width = 0.0;
  for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
    const double centre = bin_centre(histogram, i);
    if (centre > multiscale_lines.back() || std::any_of(multiscale_lines.begin(), multiscale_lines.end(),
                                                        [&](double other) { return is_near(centre, other); }))
      continue;
    counts += static_cast<double>(histogram.counts[i]);
    width += bin_width(histogram);
  }
  return density(histogram, line - near_line, line + near_line) * width / counts;
}

double farthest_line(const Model& model) {
  constexpr double same = 0.5;
  constexpr std::size_t largest = 6;
  std::vector<SpectralLine> lines = merged_input_lines(spectrum(model), same);
  if (lines.size() > largest) lines.resize(largest);
  double farthest = 0.0;
  for (const double wanted : multiscale_lines) {
    double nearest = std::numeric_limits<double>::infinity();
    for (const SpectralLine& line : lines) nearest = std::min(nearest, std::abs(line.frequency.front() - wanted));
    farthest = std::max(farthest, nearest);
  }
  return farthest;
}

double error_slope(const Run& run) {
  std::vector<double> complexity, error;
  for (const RunBlock& block : run.blocks) {
    complexity.push_back(static_cast<double>(run.task.method.width() * block.block));
    error.push_back(block.test_mse);
  }
  return log_slope(complexity, error).value_or(unknown);
}

double test_error(const Run& run, std::int64_t block) {
  for (const RunBlock& candidate : run.blocks)
    if (candidate.block == block) return candidate.test_mse;
  return unknown;
}

double acceptance_of(const Run& run) {
  double proposed = 0.0, accepted = 0.0;
  for (const BlockRecord& record : run.model.history.blocks)
    for (const BranchRecord& branch : record.branches) {
      proposed += static_cast<double>(branch.proposed);
      accepted += static_cast<double>(branch.accepted);
    }
  return proposed > 0.0 ? accepted / proposed : unknown;
}

double adam_error_at(const Run& run, std::int64_t epoch) {
  double error = unknown;
  for (const AdamPoint& point : run.curve)
    if (point.epoch <= epoch) error = point.mse;
  return error;
}

double overshoot(const std::function<Matrix(const Matrix&)>& function, std::span<const double> training_inputs) {
  std::vector<double> of_jumps;
  for (const double jump : stairstep_jumps) of_jumps.push_back(overshoot_at(jump, function, training_inputs));
  return quartiles(of_jumps).median;
}

double overshoot(const Run& run) {
  const Dataset data = training_rows_of(run.task);
  return overshoot([&](const Matrix& inputs) { return predict(run.model, inputs.view()); },
                   {data.inputs.data(), data.inputs.size()});
}

}  // namespace rfnn::reproduction
