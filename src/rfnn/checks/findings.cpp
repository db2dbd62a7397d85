#include "rfnn/checks/findings.hpp"

#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "rfnn/checks/checks.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/data/row_blocks.hpp"

namespace rfnn::checks {
namespace {

/// Cures that are better known when the whole table is.
void refine_cures(std::vector<TableProblem>& unread, const CheckedTable& table) {
  const auto is_target = [&](const TableProblem& problem) {
    return std::any_of(table.targets.begin(), table.targets.end(),
                       [&](const CheckedColumn& target) { return target.code.name == problem.column; });
  };
  for (TableProblem& problem : unread) {
    if (problem.kind != "missing") continue;
    if (is_target(problem))
      problem.cure = "Rows without a target teach nothing: leave them out with --missing drop or --missing mean.";
    constexpr std::string_view known = " (`rfnn check` counts them)";  // as has just been done
    if (const std::size_t place = problem.cure.find(known); place != std::string::npos)
      problem.cure.erase(place, known.size());
  }
}

/// Weights that training refuses.
void check_weights(const ReadTable& table, std::vector<TableProblem>& problems) {
  const auto& weight = table.raw.weight;
  if (!weight || weight->code.kind != ColumnKind::number) return;
  std::size_t count = 0, first = table.raw.rows;
  for (std::size_t i = table.raw.rows; i-- > 0;) {
    if (!(weight->cells[i] < 0.0)) continue;
    ++count;
    first = i;
  }
  if (count == 0) return;
  problems.push_back(placed({.column = weight->code.name,
                             .kind = "weight",
                             .count = count,
                             .text = fmt::format("{} cannot be a weight.", weight->cells[first]),
                             .cure = "Give weights that are not negative: 2 is the row twice, 0 is not at all.",
                             .refused = true},
                            table.checked, first));
}

/// What training would say of a table in which nothing was found that it refuses, to be sure.
void ask_training(const ReadTable& table, const Options& options,
                  const std::function<std::optional<TableProblem>(const EncodedTable&)>& encoded_problem,
                  std::vector<TableProblem>& problems) {
  const auto add = [&](const Error& error) {
    problems.insert(problems.begin(), {.column = "",
                                       .kind = "refused",
                                       .count = 1,
                                       .line = 0,
                                       .text = error.cause(),
                                       .cure = error.cure(),
                                       .refused = true});
  };
  try {
    const EncodedTable encoded = encode_training(table.raw, options.missing, table.origin);
    refuse_tiny_targets(encoded.view);
    if (!encoded_problem) return;
    if (auto problem = encoded_problem(encoded)) problems.insert(problems.begin(), std::move(*problem));
  } catch (const InputError& error) {
    add(error);
  } catch (const NumericalError& error) {
    add(error);
  }
}

/// More than there is makes a machine slow or ends the run.
void check_memory(const TableFacts& facts, std::vector<TableProblem>& problems) {
  const double there = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGE_SIZE));
  if (there <= 0.0 || facts.memory_bytes < there) return;
  problems.push_back({.column = "",
                      .kind = "memory",
                      .count = facts.rows,
                      .text = fmt::format("training takes about {:.3g} GB, the machine has {:.3g} GB.",
                                          facts.memory_bytes / 1e9, there / 1e9),
                      .cure = "Give --memory, or fewer rows or columns."});
}

/// Cells that cannot be read count as missing: that is no second problem of the column.
bool follows_from(const TableProblem& problem, const std::vector<TableProblem>& unread) {
  const auto same = [&](const TableProblem& other) {
    return problem.kind == "missing" && other.column == problem.column;
  };
  return std::any_of(unread.begin(), unread.end(), same);
}

}  // namespace

std::size_t Findings::refused() const {
  return static_cast<std::size_t>(
      std::count_if(problems.begin(), problems.end(), [](const TableProblem& problem) { return problem.refused; }));
}

Findings table_findings(const ReadTable& table, const Options& options,
                        const std::function<std::optional<TableProblem>(const EncodedTable&)>& encoded_problem) {
  Findings findings;
  std::vector<TableProblem>& problems = findings.problems = table.unread;
  refine_cures(problems, table.checked);
  check_weights(table, problems);
  CheckedTable checked = table.checked;
  checked.fills = options.missing == Missing::mean;
  for (TableProblem& problem : check_table(checked))
    if (!follows_from(problem, table.unread)) problems.push_back(std::move(problem));
  if (findings.refused() == 0)
    ask_training(table, options, encoded_problem, problems);
  else  // what is refused makes no inputs
    std::erase_if(problems, [](const TableProblem& problem) { return problem.kind == "few-rows"; });
  std::stable_partition(problems.begin(), problems.end(), [](const TableProblem& problem) { return problem.refused; });
  findings.facts = table_facts(table.checked, options, table.bytes);
  findings.sampling = sampling_text(table.checked, findings.facts);
  check_memory(findings.facts, problems);
  return findings;
}

void refuse_tiny_targets(const DatasetView& data) {
  constexpr double smallest = 1e-150;  // the square of anything less has no digits left
  for (std::size_t k = 0; k < data.targets.size(); ++k) {
    if (data.rows() == 0) return;
    double low = data.targets[k][0], high = low;
    const Columns target(data.rows(), {data.targets[k]});
    for (RowBlocks block(target); block.next();)
      for (std::size_t i = 0; i < block.count(); ++i) {
        low = std::min(low, block.column(0)[i]);
        high = std::max(high, block.column(0)[i]);
      }
    if (low < high && high - low < smallest)
      throw NumericalError(fmt::format("The target {} varies by {:.3g} only: squared errors of that size are below the "
                                       "smallest numbers there are.",
                                       data.target_names[k], high - low),
                           "Multiply it by a power of ten.");
  }
}

}  // namespace rfnn::checks
