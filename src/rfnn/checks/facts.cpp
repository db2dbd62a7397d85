#include "rfnn/checks/facts.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "rfnn/training/budget.hpp"
#include "rfnn/training/memory.hpp"

namespace rfnn::checks {
namespace {

/// The median distance of neighbouring values.
std::optional<double> median_spacing(const ColumnView& values, std::size_t rows) {
  const Distinct distinct = distinct_values(values, rows);
  if (distinct.values.size() < 2) return std::nullopt;
  std::vector<double> steps;
  for (std::size_t k = 0; k + 1 < distinct.values.size(); ++k)
    steps.push_back(distinct.values[k + 1] - distinct.values[k]);
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  return *middle;
}

/// Does every row have a larger value than the one before, or every row a smaller one?
bool in_order(const ColumnView& values, std::size_t rows) {
  constexpr std::size_t fewest = 20;  // of so many rows none stands so by chance
  if (rows < fewest) return false;
  const bool up = values[1] > values[0];
  for (std::size_t i = 1; i < rows; ++i)
    if (!(up ? values[i] > values[i - 1] : values[i] < values[i - 1])) return false;
  return true;
}

std::optional<std::size_t> sampled_along(const CheckedTable& table) {
  const auto first = [&](const auto& is_so) -> std::optional<std::size_t> {
    const auto found = std::find_if(table.inputs.begin(), table.inputs.end(), is_so);
    if (found == table.inputs.end()) return std::nullopt;
    return static_cast<std::size_t>(found - table.inputs.begin());
  };
  if (table.inputs.size() == 1 && inputs_of(table.inputs[0].code) == 1) return 0;
  if (const auto time = first([](const CheckedColumn& input) { return input.code.kind == ColumnKind::time; }))
    return time;
  return first([&](const CheckedColumn& input) {
    return input.code.kind == ColumnKind::number && in_order(input.values, table.rows);
  });
}

}  // namespace

TableFacts table_facts(const CheckedTable& table, const Options& options, double data_bytes) {
  TableFacts facts;
  facts.rows = table.rows;
  facts.targets = table.targets.size();
  for (const CheckedColumn& input : table.inputs) facts.inputs += inputs_of(input.code);
  facts.rows_per_input = static_cast<double>(facts.rows) / static_cast<double>(std::max<std::size_t>(1, facts.inputs));
  facts.sampled = sampled_along(table);
  if (facts.sampled) facts.spacing = median_spacing(table.inputs[*facts.sampled].values, table.rows);
  if (!facts.spacing) facts.sampled.reset();
  if (facts.spacing) facts.highest_frequency = 0.5 / *facts.spacing;
  facts.threads = training::threads_of(options);
  training::RunSizes sizes;
  sizes.rows = facts.rows;
  sizes.inputs = facts.inputs;
  sizes.outputs = facts.targets;
  sizes.data_bytes = data_bytes;
  sizes.threads = facts.threads;
  facts.memory_bytes = training::memory_needed(options, sizes).total();
  if (options.memory > 0.0) facts.memory_bytes = std::min(facts.memory_bytes, options.memory);
  facts.seconds = training::likely_seconds(options, facts.rows, facts.threads);
  return facts;
}

std::string sampling_text(const CheckedTable& table, const TableFacts& facts) {
  if (!facts.spacing) return {};
  const ColumnCode& code = table.inputs[*facts.sampled].code;
  if (code.kind == ColumnKind::time)
    return fmt::format("waves along {} down to periods of {} (neighbours are {} apart)", code.name,
                       span_text(2.0 * *facts.spacing), span_text(*facts.spacing));
  const std::string unit = code.unit.empty() ? "unit of " + code.name : code.unit;
  const std::string along = table.inputs.size() > 1 ? " along " + code.name : "";
  return fmt::format("waves{} up to {:.4g} cycles per {} (neighbours are {:.4g} apart)", along,
                     *facts.highest_frequency, unit, *facts.spacing);
}

}  // namespace rfnn::checks
