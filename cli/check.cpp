#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/arguments.hpp"
#include "cli/columns.hpp"
#include "cli/command.hpp"
#include "cli/command_text.hpp"
#include "cli/fit_plan.hpp"
#include "cli/odd_columns.hpp"
#include "cli/terminal.hpp"
#include "rfnn/checks/checks.hpp"
#include "rfnn/checks/facts.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/io/json.hpp"
#include "rfnn/io/table.hpp"
#include "rfnn/io/table_data.hpp"
#include "rfnn/io/table_survey.hpp"

namespace rfnn::cli {
namespace {

FitArguments check_arguments(const Invocation& call) {
  FitArguments result;
  Arguments arguments("check", "Look a table over before training: what is wrong with it, and what to do about it.",
                      "DATA... --target NAME[,NAME...] [--json] [OPTIONS]");
  arguments.positionals(result.files, "DATA...",
                        "table with inputs and targets: CSV, .csv.gz, .npy, .npz, or - for standard input; several "
                        "files are one table");
  arguments.values(result.targets, "-t,--target", "NAME[,NAME...]", "columns to learn, by name or by number from 1");
  arguments.values(result.ignored, "--ignore", "NAME[,NAME...]", "columns to leave out; all others are inputs");
  arguments.value(result.weight, "--weight", "NAME", "column that says how much each row counts; 2 is the row twice");
  arguments.value(result.config, "--config", "FILE",
                  "JSON object of options, or all that `rfnn inspect --json` prints; flags win");
  arguments.flag(result.json, "--json",
                 "print one JSON object: {\"rows\", \"problems\": [{\"column\", \"kind\", \"count\", \"line\", "
                 "\"text\", \"cure\", \"refused\"}, ...], ...}");
  arguments.option_flags(result.given);
  arguments.footer(
      "\nExit codes: 0 `rfnn fit` takes the table, whatever else was found; 2 it would refuse it, with the same\n"
      "arguments. Time is that of a machine with nothing else to do. docs/check.md has all that is looked for.");
  arguments.parse(call.words);
  return result;
}

struct Findings {
  std::string data;
  std::vector<std::string> targets;
  checks::TableFacts facts;
  std::string sampling;
  std::vector<TableProblem> problems;
  [[nodiscard]] std::size_t refused() const {
    return static_cast<std::size_t>(
        std::count_if(problems.begin(), problems.end(), [](const TableProblem& problem) { return problem.refused; }));
  }
};

/// What training would say of a table in which nothing was found that it refuses, to be sure.
void ask_training(const RawTable& table, const Options& options, const TableReader& reader, const Layout& layout,
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
    const EncodedTable encoded = encode_training(table, options.missing, reader.origin());
    refuse_tiny_targets(encoded.view);
    if (auto problem = header_among_rows(reader, layout, encoded, options.header))
      problems.insert(problems.begin(), std::move(*problem));
  } catch (const InputError& error) {
    add(error);
  } catch (const NumericalError& error) {
    add(error);
  }
}

/// Weights that training refuses.
void check_weights(const RawTable& table, const checks::CheckedTable& checked, std::vector<TableProblem>& problems) {
  if (!table.weight || table.weight->code.kind != ColumnKind::number) return;
  std::size_t count = 0, first = table.rows;
  for (std::size_t i = table.rows; i-- > 0;) {
    if (!(table.weight->cells[i] < 0.0)) continue;
    ++count;
    first = i;
  }
  if (count == 0) return;
  problems.push_back(checks::placed({.column = table.weight->code.name,
                                     .kind = "weight",
                                     .count = count,
                                     .text = fmt::format("{} cannot be a weight.", table.weight->cells[first]),
                                     .cure = "Give weights that are not negative: 2 is the row twice, 0 is not at all.",
                                     .refused = true},
                                    checked, first));
}

/// More than there is makes a machine slow or ends the run.
void check_memory(const checks::TableFacts& facts, std::vector<TableProblem>& problems) {
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

Findings findings_of(const FitArguments& arguments, const Options& options) {
  const std::size_t threads = options.threads == 0 ? available_threads() : static_cast<std::size_t>(options.threads);
  const auto table = open_tables(arguments.files, threads, table_format(options));
  const Choice choice = choose_columns(*table, arguments.targets, arguments.ignored, arguments.weight, options.columns);
  const SurveyedTable surveyed = survey_training(*table, matched_of(choice), options);
  checks::CheckedTable checked = checks::checked_table(surveyed.table);
  checked.line_of = [&](std::size_t row) { return surveyed.survey->line_of(row); };
  checked.file_of = [&](std::size_t row) {
    const std::string file = surveyed.survey->file_of(row);
    return file.empty() ? file : " (in " + file + ")";
  };
  Findings findings;
  findings.data = fmt::format("{}", fmt::join(arguments.files, " + "));
  for (const std::size_t place : choice.targets) findings.targets.push_back(table->names()[place]);
  findings.problems = surveyed.problems;
  for (TableProblem& problem : findings.problems) {
    if (problem.kind != "missing") continue;
    if (std::find(findings.targets.begin(), findings.targets.end(), problem.column) != findings.targets.end())
      problem.cure = "Rows without a target teach nothing: leave them out with --missing drop or --missing mean.";
    constexpr std::string_view known = " (`rfnn check` counts them)";  // as has just been done
    if (const std::size_t place = problem.cure.find(known); place != std::string::npos)
      problem.cure.erase(place, known.size());
  }
  check_weights(surveyed.table, checked, findings.problems);
  for (TableProblem& problem : checks::check_table(checked))
    if (!follows_from(problem, surveyed.problems)) findings.problems.push_back(std::move(problem));
  if (findings.refused() == 0)
    ask_training(surveyed.table, options, *table, layout_of(*table, choice), findings.problems);
  else  // what is refused makes no inputs
    std::erase_if(findings.problems, [](const TableProblem& problem) { return problem.kind == "few-rows"; });
  std::stable_partition(findings.problems.begin(), findings.problems.end(),
                        [](const TableProblem& problem) { return problem.refused; });
  findings.facts = checks::table_facts(checked, options, static_cast<double>(surveyed.bytes));
  findings.sampling = checks::sampling_text(checked, findings.facts);
  check_memory(findings.facts, findings.problems);
  return findings;
}

std::string problems_text(const std::vector<TableProblem>& problems) {
  constexpr std::size_t indent = 4, longest = 22;
  const std::size_t width = result_width();
  const std::string margin(indent, ' ');
  std::string text = fmt::format("{:<24}{:<18}{:>10}{:>12}\n", "column", "problem", "count", "line");
  for (const TableProblem& problem : problems) {
    std::string column = problem.column.empty() ? "(table)" : printable(problem.column);
    if (column.size() > longest && problem.column.size() == column.size()) column += "\n" + std::string(24, ' ');
    text += fmt::format("{:<24}{:<18}{:>10}{:>12}{}\n", column, problem.kind, problem.count,
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

std::string lines_text(const Findings& findings) {
  const checks::TableFacts& facts = findings.facts;
  std::string text =
      fmt::format("data      {}: {}, {}, target{} {}\n", printable(findings.data), io::counted(facts.rows, "row"),
                  io::counted(facts.inputs, "input"), facts.targets == 1 ? "" : "s", listed(findings.targets));
  text += fmt::format("rows      {:.3g} for each input\n", facts.rows_per_input);
  if (!findings.sampling.empty()) text += fmt::format("sampling  {}\n", printable(findings.sampling));
  text += fmt::format("training  {} with {}, some {:.0f} MB\n\n", about(facts.seconds),
                      io::counted(facts.threads, "thread"), std::max(1.0, facts.memory_bytes / 1e6));
  if (findings.problems.empty()) return text + "no problem found\n";
  text += problems_text(findings.problems) + "\n";
  const std::size_t refused = findings.refused();
  return text + fmt::format("{}{}\n", io::counted(findings.problems.size(), "problem"),
                            refused == 0 ? "; training takes the table as it is"
                                         : fmt::format("; training refuses the table for {} of them", refused));
}

std::string json_text(const Findings& findings) {
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
      {"highest_frequency", facts.highest_frequency ? io::Json(*facts.highest_frequency) : io::Json(nullptr)},
      {"seconds", facts.seconds},
      {"memory_bytes", facts.memory_bytes}};
  return io::json_text(json) + "\n";
}

}  // namespace

ExitCode run_check(const Invocation& call) {
  const FitArguments arguments = check_arguments(call);
  const Findings findings = findings_of(arguments, chosen_options(arguments).options);
  print_result(arguments.json ? json_text(findings) : for_locale(lines_text(findings)));
  return findings.refused() == 0 ? ExitCode::done : ExitCode::input;
}

}  // namespace rfnn::cli
