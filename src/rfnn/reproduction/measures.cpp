#include "rfnn/reproduction/measures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

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

/// Variance over the rows of what a branch of features over one input, or over one output's state, adds.
double branch_variance(const Model& model, const Branch& branch, const Matrix& inputs, const Matrix& before) {
  double mean = 0.0, squares = 0.0;
  for (std::size_t i = 0; i < inputs.rows(); ++i) {
    const double v = branch.kind == BranchKind::state
                         ? (before(i, 0) - model.scaler.output_mean[0]) / model.scaler.output_sd[0]
                         : model.scaler.input(0)(inputs(i, 0));
    double value = 0.0;
    for (std::size_t j = 0; j < branch.frequencies.rows(); ++j) {
      const double turn = branch.frequencies(j, 0) * v;
      value += branch.amplitudes(2 * j, 0) * std::cos(turn) - branch.amplitudes(2 * j + 1, 0) * std::sin(turn);
    }
    const double step = value - mean;
    mean += step / static_cast<double>(i + 1);
    squares += step * (value - mean);
  }
  return squares / static_cast<double>(inputs.rows());
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

double peak_distance(const Run& run, double line) {
  constexpr double around = 15.0, least = 0.01;
  double most = least, distance = unknown;
  for (std::int64_t block = 1; block <= 3; ++block) {
    const Histogram* histogram = accepted_input_frequencies(run, block);
    if (histogram == nullptr || !(total(*histogram) > 0.0)) continue;
    double near = 0.0;
    std::optional<std::size_t> densest;
    for (std::size_t i = 0; i < histogram->counts.size(); ++i) {
      if (std::abs(bin_centre(*histogram, i) - line) > around) continue;
      near += static_cast<double>(histogram->counts[i]);
      if (!densest || histogram->counts[i] > histogram->counts[*densest]) densest = i;
    }
    if (!densest || near / total(*histogram) < most) continue;
    most = near / total(*histogram);
    distance = std::abs(bin_centre(*histogram, *densest) - line);
  }
  return distance;
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
  for (const baselines::AdamPoint& point : run.curve)
    if (point.epoch <= epoch) error = point.mse;
  return error;
}

double adam_behind(const Run& adam, const Run& other, std::int64_t blocks) {
  double seconds = 0.0, error = unknown;
  for (const RunBlock& block : other.blocks) {
    if (block.block > blocks) break;
    seconds += block.seconds;
    if (block.block == blocks) error = block.train_mse;
  }
  if (adam.curve.empty() || !(adam.seconds > 0.0)) return unknown;
  const double epoch = static_cast<double>(adam.curve.back().epoch) * std::min(1.0, seconds / adam.seconds);
  return adam_error_at(adam, static_cast<std::int64_t>(epoch)) / error;
}

double error_at_tolerance(const Run& run, double tolerance) {
  for (const RunBlock& block : run.blocks)
    if (block.train_mse <= tolerance) return block.test_mse / tolerance;
  return run.blocks.empty() ? unknown : run.last().test_mse / tolerance;
}

double error_near_jumps(const Run& run) {
  constexpr double reach = 0.05;
  const Dataset data = test_rows_of(run.task);
  const Matrix predictions = predict(run.model, data.inputs.view());
  double near = 0.0, all = 0.0;
  for (std::size_t i = 0; i < predictions.rows(); ++i) {
    const double left = data.targets(i, 0) - predictions(i, 0);
    all += left * left;
    if (std::any_of(stairstep_jumps.begin(), stairstep_jumps.end(),
                    [&](double jump) { return std::abs(data.inputs(i, 0) - jump) <= reach; }))
      near += left * left;
  }
  return all > 0.0 ? near / all : unknown;
}

double state_share(const Run& run) {
  const Model& model = run.model;
  if (model.blocks() < 2) return unknown;
  const Dataset data = training_rows_of(run.task);
  double state = 0.0, all = 0.0;
  for (std::size_t l = 1; l < model.blocks(); ++l) {
    const Matrix before = predict(model, data.inputs.view(), {.blocks = l, .threads = 1});
    for (const Branch& branch : model.members.front().blocks[l].branches) {
      const double spread = branch_variance(model, branch, data.inputs, before);
      all += spread;
      if (branch.kind == BranchKind::state) state += spread;
    }
  }
  return all > 0.0 ? state / all : unknown;
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
