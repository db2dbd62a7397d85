// What is wrong with the frequencies that a network has learnt.

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "rfnn/diagnostics/problems.hpp"
#include "rfnn/diagnostics/spectrum.hpp"

namespace rfnn::diagnosis {
namespace {

double norm(const std::vector<double>& values) {
  double result = 0.0;
  for (const double value : values) result = std::hypot(result, value);
  return result;
}

/// Steps between distinct values of an input: those of the rows at hand, else all rows differ at best.
double steps_along(const Evidence& evidence, std::size_t input) {
  if (!evidence.seen || !evidence.seen->known) return static_cast<double>(std::max<std::size_t>(evidence.rows, 2) - 1);
  const Matrix& inputs = evidence.seen->inputs;
  std::vector<double> values;
  for (std::size_t i = 0; i < inputs.rows(); ++i) values.push_back(inputs(i, input));
  std::sort(values.begin(), values.end());
  const auto distinct = static_cast<double>(std::unique(values.begin(), values.end()) - values.begin());
  // Of very many rows some are kept: as many as there are, if they all differ.
  const bool all_differ = distinct == static_cast<double>(inputs.rows());
  return std::max(1.0, (all_differ ? static_cast<double>(std::max(evidence.rows, inputs.rows())) : distinct) - 1.0);
}

/// Levels, booleans and flags of missing cells: there is nothing between 0 and 1 that a wave could miss. What stands in
/// for a missing one may lie there.
bool is_yes_or_no(const Model& model, std::size_t input) {
  const ColumnCode* const column = column_of_input(model.table, input);
  if (column == nullptr) return false;
  return column->kind == ColumnKind::category || column->kind == ColumnKind::boolean ||
         (column->indicator && model.inputs[input].name != column->name);
}

/// Numbers that are one of two, 0 or 1 say: they are the same. The variance is (max − mean)(mean − min) then, and less
/// wherever a row lies between.
bool has_two_values(const Column& seen) {
  constexpr double rounding = 1e-12;
  const double range = seen.max - seen.min;
  const double lacks =
      (seen.max - seen.mean) / range * ((seen.mean - seen.min) / range) - (seen.sd / range) * (seen.sd / range);
  return lacks < rounding;
}

}  // namespace

std::optional<Problem> sampling_limit(const Evidence& evidence) {
  constexpr double worth_a_word = 0.1;
  if (evidence.model == nullptr) return std::nullopt;
  const Model& model = *evidence.model;
  const std::vector<Column> seen = columns_of_frequencies(model);
  std::vector<double> limit;
  std::size_t used = 0;
  for (std::size_t k = 0; k < model.inputs.size(); ++k) {
    if (!model.inputs[k].used) continue;
    const Column& column = seen[used++];
    const double range = column.max - column.min;
    const bool between = range > 0.0 && !is_yes_or_no(model, k) && !has_two_values(column);
    limit.push_back(between ? std::numbers::pi * steps_along(evidence, k) / range : INFINITY);
  }
  double beyond = 0.0, all = 0.0, farthest = 0.0;
  std::size_t count = 0, lines = 0, which = 0;
  for (const SpectralLine& line : spectrum(model)) {
    if (line.branch != BranchKind::input) continue;
    const double size = norm(line.amplitude);
    double reach = 0.0;
    for (std::size_t k = 0; k < line.frequency.size(); ++k) {
      const double here = std::abs(line.frequency[k]) / limit[k];
      if (here > reach) reach = here;
      if (here > 1.0 && here > farthest) farthest = here, which = k;
    }
    all += size * size;
    ++lines;
    if (reach <= 1.0) continue;
    beyond += size * size;
    ++count;
  }
  if (count == 0 || beyond < worth_a_word * worth_a_word * all) return std::nullopt;
  const double delta = evidence.options.delta.value_or(2.4 * 2.4 / static_cast<double>(std::max<std::size_t>(1, used)));
  return Problem{
      ProblemKind::sampling_limit,
      fmt::format("{} of {} frequencies are beyond what the rows can show: up to {:.2g} times half a turn per step "
                  "between values of {}, where waves cannot be told from slower ones",
                  count, lines, farthest, seen[which].name),
      evidence.options.preset == Preset::paper
          ? fmt::format("--delta {}{}, or more rows", round_number(delta / std::max(10.0, farthest * farthest)),
                        evidence.options.initial_spread > 1.0 ? " --initial-spread 1" : "")
          : "more rows, or a larger --ridge"};
}

std::optional<Problem> twins(const Evidence& evidence) {
  constexpr double cancelled = 10.0, large = 100.0;
  if (evidence.model == nullptr || evidence.options.preset != Preset::paper) return std::nullopt;
  const Model& model = *evidence.model;
  const std::vector<SpectralLine> all = spectrum(model);
  std::vector<double> deviations;
  for (const Column& target : model.targets) deviations.push_back(target.sd);
  const BlockRecord* worst = nullptr;
  std::size_t count = 0, sampled = 0, its_lines = 0, its_distinct = 0;
  double worst_ratio = cancelled;
  for (const BlockRecord& record : model.history.blocks) {
    if (!record.has_chain() || !is_kept(model, record)) continue;
    ++sampled;
    std::vector<SpectralLine> here;
    for (const SpectralLine& line : all)
      if (line.branch == BranchKind::input && static_cast<std::int64_t>(line.block) == record.block &&
          static_cast<std::int64_t>(line.member) == record.member)
        here.push_back(line);
    double before = 0.0, after = 0.0;
    for (const SpectralLine& line : here) before += norm(line.amplitude);
    const std::size_t lines = here.size();
    const std::vector<SpectralLine> distinct = distinguishable_lines(model, std::move(here), BranchKind::input);
    for (const SpectralLine& line : distinct) after += norm(line.amplitude);
    const double ratio = after > 0.0 ? before / after : 1.0;
    if (ratio <= cancelled || before <= large * norm(deviations)) continue;
    ++count;
    if (ratio > worst_ratio) worst = &record, worst_ratio = ratio, its_lines = lines, its_distinct = distinct.size();
  }
  if (worst == nullptr) return std::nullopt;
  return Problem{ProblemKind::twins,
                 fmt::format("frequencies are twins that cancel each other {}: {} of them are {} to the data, with "
                             "amplitudes {:.0f} times what they come to",
                             where(count, sampled, *worst), its_lines, its_distinct, worst_ratio),
                 fmt::format("--width {}, or --ridge {}", std::max<std::size_t>(1, its_distinct),
                             round_number(std::max(1e-4, 10.0 * worst->ridge)))};
}

}  // namespace rfnn::diagnosis
