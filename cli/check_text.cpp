#include "cli/check_text.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/columns.hpp"
#include "cli/command_text.hpp"
#include "cli/terminal.hpp"
#include "rfnn/io/json.hpp"
#include "rfnn/io/text.hpp"

namespace rfnn::cli {
namespace {

std::string problems_text(const std::vector<TableProblem>& problems, const std::string& place) {
  constexpr std::size_t indent = 4, longest = 22;  // and two columns to the next one
  const std::size_t width = result_width();
  const std::string margin(indent, ' ');
  std::string text = fmt::format("{:<24}{:<18}{:>10}{:>12}\n", "column", "problem", "count", place);
  for (const TableProblem& problem : problems) {
    const std::string column = problem.column.empty() ? "(table)" : problem.column;
    text += fmt::format("{}  {:<18}{:>10}{:>12}{}\n", name_cell(column, longest), problem.kind, problem.count,
                        problem.line == 0 ? "-" : std::to_string(problem.line), problem.refused ? "  refused" : "");
    text += margin + wrapped(printable(problem.text), width, indent) + "\n";
    if (!problem.cure.empty()) text += margin + wrapped(printable(problem.cure), width, indent) + "\n";
  }
  return text;
}

/// A time in words: 0.4 s, 25 s, 3 min.
std::string about(double seconds) {
  if (seconds < 1.0) return "under a second";
  return seconds < 90.0 ? fmt::format("some {:.0f} s", seconds) : fmt::format("some {:.0f} min", seconds / 60.0);
}

}  // namespace

std::string check_text(const CheckedData& data) {
  const checks::Findings& findings = data.findings;
  const checks::TableFacts& facts = findings.facts;
  const std::string what =
      fmt::format("{}: {}, {}, target{} {}", printable(data.name), io::counted(facts.rows, "row"),
                  io::counted(facts.inputs, "input"), facts.targets == 1 ? "" : "s", listed(data.targets));
  std::string text = "data      " + wrapped(what, result_width(), 10) + "\n";
  text += fmt::format("rows      {:.3g} for each input\n", facts.rows_per_input);
  if (!findings.sampling.empty())
    text += fmt::format("sampling  {}\n", wrapped(printable(findings.sampling), result_width(), 10));
  text += fmt::format("training  {} with {}, some {:.0f} MB\n\n", about(facts.seconds),
                      io::counted(facts.threads, "thread"), std::max(1.0, facts.memory_bytes / 1e6));
  if (findings.problems.empty()) return text + "no problem found\n";
  text += problems_text(findings.problems, data.place) + "\n";
  const std::size_t refused = findings.refused();
  return text + fmt::format("{}{}\n", io::counted(findings.problems.size(), "problem"),
                            refused == 0 ? "; training takes the table as it is"
                                         : fmt::format("; training refuses the table for {} of them", refused));
}

std::string check_json(const CheckedData& data) {
  const checks::Findings& findings = data.findings;
  const checks::TableFacts& facts = findings.facts;
  io::Json list = io::Json::array();
  for (const TableProblem& problem : findings.problems)
    list.push_back({{"column", problem.column},
                    {"kind", problem.kind},
                    {"count", problem.count},
                    {"line", problem.line == 0 ? io::Json(nullptr) : io::Json(problem.line)},
                    {"text", problem.text},
                    {"cure", problem.cure},
                    {"refused", problem.refused}});
  const io::Json json = {
      {"rows", facts.rows},
      {"problems", std::move(list)},
      {"inputs", facts.inputs},
      {"rows_per_input", facts.rows_per_input},
      {"sampled_along", facts.sampled ? io::Json(data.inputs.at(*facts.sampled)) : io::Json(nullptr)},
      {"highest_frequency", facts.highest_frequency ? io::Json(*facts.highest_frequency) : io::Json(nullptr)},
      {"seconds", facts.seconds},
      {"memory_bytes", facts.memory_bytes}};
  return io::json_text(json) + "\n";
}

}  // namespace rfnn::cli
