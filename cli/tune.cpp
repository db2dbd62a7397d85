#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/arguments.hpp"
#include "cli/columns.hpp"
#include "cli/command.hpp"
#include "cli/command_text.hpp"
#include "cli/odd_columns.hpp"
#include "cli/signals.hpp"
#include "cli/terminal.hpp"
#include "cli/tune_work.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/io/json.hpp"
#include "rfnn/io/table_data.hpp"
#include "rfnn/options/number_text.hpp"
#include "rfnn/options/table.hpp"
#include "rfnn/report/run_text.hpp"

namespace rfnn::cli {
namespace {

using assessment::Trial;
using io::Json;

struct TuneArguments {
  std::vector<std::string> files;
  std::vector<std::string> targets, ignored;
  std::optional<std::string> weight, budget, folds, state;
  bool json = false, quiet = false;
  GivenOptions given;
};

TuneArguments tune_arguments(const Invocation& call) {
  TuneArguments result;
  Arguments arguments("tune", "Look for good options of preset paper, or show how much is chance with preset auto.",
                      "DATA... --target NAME [--preset paper] [--budget SEC] [OPTIONS]");
  arguments.positionals(result.files, "DATA...",
                        "table with inputs and targets: CSV, .csv.gz, .npy or .npz; several files are one table");
  arguments.values(result.targets, "-t,--target", "NAME[,NAME...]", "columns to learn, by name or by number from 1");
  arguments.values(result.ignored, "--ignore", "NAME[,NAME...]", "columns to leave out; all others are inputs");
  arguments.value(result.weight, "--weight", "NAME", "column that says how much each row counts; 2 is the row twice");
  arguments.value(result.budget, "--budget", "SEC", "seconds to search for [four rounds of eight candidates]");
  arguments.value(result.folds, "--folds", "K", "folds of the cross-validation [5]");
  arguments.value(
      result.state, "--state", "FILE",
      "record of the search, which a later call goes on from [stem of DATA + .tune.jsonl, .chance.jsonl with "
      "preset auto]");
  arguments.flag(result.json, "--json", "print the result as one JSON object");
  arguments.flag(result.quiet, "-q,--quiet", "print nothing but the result and errors");
  arguments.option_flags(result.given);
  arguments.footer(fmt::format(
      "Tuned are {}; one that is given stays as it is. Preset paper: eight candidates a round are measured on one "
      "fold, "
      "the better half on more, the last two on all. Preset auto has nothing to tune: it is trained with five seeds.",
      fmt::join(assessment::tuned_options(), ", ")));
  arguments.parse(call.words);
  return result;
}

TableData read_table(const TuneArguments& arguments, const Options& options) {
  const auto file = open_tables(arguments.files, available_threads(), table_format(options));
  if (arguments.targets.empty())
    throw UsageError("`rfnn tune` needs --target with the column to learn.",
                     fmt::format("The columns of {} are {}.", printable(file->origin()), listed(file->names())));
  const Choice choice = choose_columns(*file, arguments.targets, arguments.ignored, arguments.weight, options.columns);
  TableData data = read_training(*file, matched_of(choice), options);
  for (const std::string& warning : odd_columns(*file, layout_of(*file, choice), data, options.header))
    if (!arguments.quiet) say(warning_text(printable(warning)) + "\n");
  return data;
}

Options base_options(const TuneArguments& arguments, std::vector<std::string>& given) {
  Options options;
  for (const auto& [field, text] : arguments.given)
    if (field->name == "preset") field->parse(*field, options, text);
  options = preset_options(options.preset);
  for (const auto& [field, text] : arguments.given) {
    field->parse(*field, options, text);
    if (field->name != "threads") given.emplace_back(field->name);  // they have no part in a result
  }
  if (options.max_time > 0.0)
    throw UsageError("max-time is of a single network.", "Give --budget for the whole search.");
  validate(options);
  return options;
}

double seconds_of(const std::optional<std::string>& budget) {
  if (!budget) return 0.0;
  const auto number = number_from<double>(*budget);
  if (!number || !(*number > 0.0) || !std::isfinite(*number))
    throw UsageError(fmt::format("--budget cannot be \"{}\".", printable(*budget)), "Give a number of seconds > 0.");
  return *number;
}

/// The command that trains with these options.
std::string command_for(const TuneArguments& arguments, const Options& options) {
  std::vector<std::string> words = {"rfnn", "fit"};
  words.insert(words.end(), arguments.files.begin(), arguments.files.end());
  const auto add = [&](const std::string& flag, const std::string& value) {
    words.push_back(flag);
    words.push_back(value);
  };
  for (const std::string& target : arguments.targets) add("--target", target);
  for (const std::string& name : arguments.ignored) add("--ignore", name);
  if (arguments.weight) add("--weight", *arguments.weight);
  const Options usual = preset_options(options.preset);
  for (const Field& field : option_table())
    if (field.name == "preset" ? options.preset != Preset::automatic : field.print(options) != field.print(usual))
      add("--" + flag_name(field), field.print(options));
  return report::shell_line(words);
}

std::string with_spread(const Trial& trial) {
  const auto spread = trial.standard_error();
  return spread ? fmt::format("{:.4g} ± {:.2g}", trial.mean(), *spread) : fmt::format("{:.4g}", trial.mean());
}

/// The best so far, a line each, within 80 columns.
std::string leaderboard(std::vector<Trial> trials, std::size_t most, const Options& base) {
  assessment::sort_trials(trials);
  const std::vector<std::string> tuned = assessment::tuned_options();
  const auto width_of = [](const std::string& name) { return std::max<std::size_t>(6, name.size() + 1); };
  std::string text = fmt::format("{:>3}  {:<19} {}", "", "mean squared error", "folds");
  for (const std::string& name : tuned) text += fmt::format("{:>{}}", name, width_of(name));
  text += "\n";
  bool noted = false;
  for (std::size_t i = 0; i < std::min(most, trials.size()); ++i) {
    const bool begun_with = trials[i].options == base;
    noted = noted || begun_with;
    text += fmt::format("{:>3}{} {:<19} {:>5}", i + 1, begun_with ? "*" : " ", with_spread(trials[i]),
                        trials[i].errors.size());
    for (const std::string& name : tuned) {
      std::string value = find_field(name)->print(trials[i].options);
      if (const auto number = number_from<double>(value); number && value.size() > 5)
        value = fmt::format("{:.2g}", *number);
      text += fmt::format("{:>{}}", value, width_of(name));
    }
    text += "\n";
  }
  return text + (noted ? "  * the options that the search began with\n" : "");
}

/// Tells how the search stands: redraws the leaderboard on a terminal, else a line for each step.
class Teller {
 public:
  Teller(bool quiet, Options base, std::chrono::steady_clock::time_point started)
      : quiet_(quiet), base_(std::move(base)), started_(started) {}
  ~Teller() { clear(); }
  Teller(const Teller&) = delete;
  Teller& operator=(const Teller&) = delete;

  void step(const assessment::TuningProgress& now) {
    if (quiet_) return;
    round_ = now.round;
    trials_ = *now.trials;
    std::erase_if(trials_, [](const Trial& trial) { return trial.errors.empty(); });
    if (live_terminal() || trials_.empty()) return;
    std::vector<Trial> sorted = trials_;
    assessment::sort_trials(sorted);
    const auto at_work = static_cast<std::size_t>(
        std::count_if(trials_.begin(), trials_.end(), [](const Trial& trial) { return !trial.errors.empty(); }));
    say(fmt::format("round {}, step {}: {} tried, best {} on {}; {}\n", now.round, now.rung,
                    io::counted(at_work, "candidate"), with_spread(sorted.front()),
                    io::counted(sorted.front().errors.size(), "fold"), io::duration(elapsed())));
  }

  void look(std::size_t done, std::size_t of) {
    const auto now = std::chrono::steady_clock::now();
    if (quiet_ || !live_terminal() || now < next_) return;
    next_ = now + std::chrono::milliseconds(200);
    clear();
    // A line that the terminal breaks could not be taken away again.
    std::string text = trials_.empty() || terminal_width() < 80 ? "" : leaderboard(trials_, 5, base_);
    if (base_.preset == Preset::paper) text += fmt::format("round {}: ", std::max<std::size_t>(1, round_));
    text += fmt::format("{} of {} networks trained; {}\n", done, of, io::duration(elapsed()));
    lines_ = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    say(text);
  }

  void clear() {
    if (lines_ > 0) say(fmt::format("\x1b[{}A\r\x1b[J", lines_));
    lines_ = 0;
  }

 private:
  [[nodiscard]] double elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  }

  bool quiet_;
  Options base_;
  std::chrono::steady_clock::time_point started_, next_{};
  std::size_t round_ = 0, lines_ = 0;
  std::vector<Trial> trials_;
};

/// How much smaller the winner's error is than the defaults', fold by fold.
std::string against_defaults(const Trial& best, const Trial* defaults) {
  if (defaults == nullptr) return "";
  if (best.options == defaults->options) return "The options that the search began with are the best found.\n";
  if (defaults->errors.size() != best.errors.size() || best.errors.size() < 2) return "";
  Trial difference;
  for (std::size_t f = 0; f < best.errors.size(); ++f)
    difference.errors.push_back(defaults->errors[f] - best.errors[f]);
  return fmt::format(
      "Its error is {:.3g} ± {:.1g} below that of the options the search began with, {:.4g}, on the same "
      "folds.\n",
      difference.mean(), *difference.standard_error(), defaults->mean());
}

Json trial_json(const Trial& trial) {
  Json options = Json::object();
  const Json all = io::read_json(options_to_json(trial.options));
  for (const char* more : {"gamma_state", "delta_state"}) options[more] = all.at(more);
  for (const std::string& name : assessment::tuned_options()) options[name] = all.at(name);
  const auto spread = trial.standard_error();
  return {{"mse", trial.mean()},
          {"standard_error", spread ? Json(*spread) : Json(nullptr)},
          {"folds", trial.errors},
          {"options", std::move(options)}};
}

std::string about(const DatasetView& data, const Options& base, const std::vector<std::string>& given,
                  std::size_t folds) {
  const Json about = {{"event", "tune"},     {"fingerprint", fingerprint(data.inputs, data.targets)},
                      {"rows", data.rows()}, {"folds", folds},
                      {"fixed", given},      {"options", io::read_json(options_to_json(base))}};
  return io::json_text(about);
}

/// The record of a search: the stem of the data file, in the current folder.
std::string usual_state(const std::string& data, Preset preset) {
  std::filesystem::path name = std::filesystem::path(data).filename();
  if (name.extension() == ".gz") name = name.stem();
  return name.stem().string() + (preset == Preset::paper ? ".tune.jsonl" : ".chance.jsonl");
}

ExitCode ended_by() { return StopSignals::received() != 0 ? ExitCode::cut_short : ExitCode::done; }

/// What ends a search before it has a result.
std::string what_ended_it() {
  return StopSignals::received() != 0 ? "a signal" : "--budget (give a larger one, or fewer rows)";
}

ExitCode search(const TuneArguments& arguments, const assessment::TuningPlan& plan, TuneWork& work, Teller& teller,
                const std::string& state) {
  const std::vector<Trial> trials = assessment::tune(
      plan, [&](const std::vector<assessment::Task>& tasks) { return work.measure(tasks, true); },
      [&](const assessment::TuningProgress& now) { teller.step(now); });
  teller.clear();
  if (trials.empty()) {
    if (arguments.json)
      print_result(io::json_text(Json{{"preset", "paper"},
                                      {"folds", plan.folds},
                                      {"complete", false},
                                      {"trials", Json::array()},
                                      {"command", nullptr}}) +
                   "\n");
    say(warning_text(fmt::format("{} ended the work before a candidate was measured; the same command goes on from {}",
                                 what_ended_it(), printable(state))) +
        "\n");
    return ExitCode::cut_short;
  }
  const Trial& best = trials.front();
  const auto defaults =
      std::find_if(trials.begin(), trials.end(), [&](const Trial& trial) { return trial.options == plan.base; });
  const std::string command = command_for(arguments, best.options);
  const bool complete = best.errors.size() == plan.folds;
  if (arguments.json) {
    Json list = Json::array();
    for (const Trial& trial : trials) list.push_back(trial_json(trial));
    const Json json = {{"preset", "paper"},
                       {"folds", plan.folds},
                       {"complete", complete},
                       {"trials", std::move(list)},
                       {"command", command}};
    print_result(io::json_text(json) + "\n");
  } else {
    std::string text = leaderboard(trials, 10, plan.base);
    const std::string gain = against_defaults(best, defaults == trials.end() ? nullptr : &*defaults);
    text += "\n" + (gain.empty() ? gain : wrapped(gain, result_width(), 0) + "\n");
    if (!complete) text += "No candidate was measured on all folds: the ranks are uncertain.\n";
    print_result(for_locale(text + "This trains with the best found, on all rows:\n  " + command + "\n"));
  }
  if (!arguments.quiet) say(fmt::format("the same command goes on from {}\n", printable(state)));
  return ended_by();
}

/// Preset auto: the same rows with other seeds, and other rows with the same seed.
ExitCode show_chance(const TuneArguments& arguments, const Options& base, std::size_t folds, TuneWork& work,
                     Teller& teller) {
  constexpr std::uint64_t seeds = 5;
  std::vector<assessment::Task> tasks;
  for (std::uint64_t s = 0; s < seeds; ++s) {
    tasks.push_back({base, 0});
    tasks.back().options.seed = base.seed + s;
  }
  for (std::size_t fold = 1; fold < folds; ++fold) tasks.push_back({base, fold});
  if (!arguments.quiet)
    say("Nothing is to be tuned with preset auto: it chooses by rows held out.\nHow much is chance:\n");
  const std::vector<double> errors = work.measure(tasks, false);
  teller.clear();
  if (errors.size() < 2) {
    if (arguments.json)
      print_result(io::json_text(Json{{"preset", "auto"},
                                      {"repeats", Json::array()},
                                      {"mse", nullptr},
                                      {"sd", nullptr},
                                      {"folds", errors},
                                      {"folds_sd", nullptr},
                                      {"command", command_for(arguments, base)}}) +
                   "\n");
    say(warning_text(fmt::format("{} ended the work before two networks were trained.", what_ended_it())) + "\n");
    return ExitCode::cut_short;
  }
  Trial by_seed, by_rows;
  for (std::size_t t = 0; t < errors.size(); ++t) {
    if (t < seeds) by_seed.errors.push_back(errors[t]);
    if (t == 0 || t >= seeds) by_rows.errors.push_back(errors[t]);
  }
  const auto spread = [](const Trial& trial) {
    return trial.errors.size() < 2 ? 0.0
                                   : *trial.standard_error() * std::sqrt(static_cast<double>(trial.errors.size()));
  };
  if (arguments.json) {
    Json repeats = Json::array();
    for (std::size_t s = 0; s < by_seed.errors.size(); ++s)
      repeats.push_back({{"seed", base.seed + s}, {"mse", by_seed.errors[s]}});
    const Json json = {{"preset", "auto"},
                       {"repeats", std::move(repeats)},
                       {"mse", by_seed.mean()},
                       {"sd", spread(by_seed)},
                       {"folds", by_rows.errors},
                       {"folds_sd", spread(by_rows)},
                       {"command", command_for(arguments, base)}};
    print_result(io::json_text(json) + "\n");
    return ended_by();
  }
  std::string text = fmt::format("{:>6}  mean squared error on one of {} folds\n", "seed", folds);
  for (std::size_t s = 0; s < by_seed.errors.size(); ++s)
    text += fmt::format("{:>6}  {:.6g}\n", base.seed + s, by_seed.errors[s]);
  text += fmt::format("\nFrom seed to seed the error, {:.4g}, varies by {:.2g} ({:.0f} %).\n", by_seed.mean(),
                      spread(by_seed), 100.0 * spread(by_seed) / by_seed.mean());
  if (by_rows.errors.size() > 1)
    text += fmt::format("With other rows held out, from fold to fold, it varies by {:.2g} ({:.0f} %).\n",
                        spread(by_rows), 100.0 * spread(by_rows) / by_rows.mean());
  text += "Differences smaller than these mean nothing. This trains on all rows:\n  " + command_for(arguments, base) +
          "\n`rfnn tune --preset paper` searches the options of the published algorithm.\n";
  print_result(for_locale(text));
  return ended_by();
}

}  // namespace

ExitCode run_tune(const Invocation& call) {
  const TuneArguments arguments = tune_arguments(call);
  std::vector<std::string> given;
  const Options asked = base_options(arguments, given);
  const double budget = seconds_of(arguments.budget);
  const std::size_t folds = arguments.folds ? whole_number(*arguments.folds, "--folds", 2, 100) : 5;
  if (std::find(arguments.files.begin(), arguments.files.end(), "-") != arguments.files.end())
    throw UsageError("DATA cannot be standard input: a search that goes on reads it again.", "Put it into a file.");
  const TableData table = read_table(arguments, asked);
  const DatasetView& data = table.table.view;
  if (!arguments.quiet)
    for (const std::string& note : table.table.notes) say("  " + told(printable(note), 4) + "\n");
  Options base = options_along_time(asked, table.table.code);
  base.threads = 0;  // how many there are has no part in a result
  const std::string state = arguments.state.value_or(usual_state(arguments.files[0], base.preset));
  const assessment::FoldErrors errors(
      {.data = data, .raw = table.raw ? &*table.raw : nullptr, .places = table.table.rows, .missing = base.missing},
      folds, base.seed);
  TuneRecord record(state, about(data, base, given, folds));
  if (!arguments.quiet && record.size() > 0)
    say(fmt::format("{} of an earlier search are in {}\n", io::counted(record.size(), "result"), printable(state)));

  const StopSignals signals;
  Teller teller(arguments.quiet, base, call.started);
  TuneWork::Limits limits;
  limits.threads = asked.threads == 0 ? available_threads() : static_cast<std::size_t>(asked.threads);
  if (budget > 0.0)
    limits.deadline = call.started + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                         std::chrono::duration<double>(budget));
  limits.tell = [&](std::size_t done, std::size_t of) { teller.look(done, of); };
  TuneWork work(errors, record, std::move(limits));
  if (base.preset == Preset::automatic) return show_chance(arguments, base, folds, work, teller);
  assessment::TuningPlan plan{.base = base, .fixed = given, .folds = folds};
  plan.rounds = budget > 0.0 ? 1000 : 4;
  plan.rows = data.rows() * (folds - 1) / folds;
  plan.inputs = data.inputs.size();
  plan.outputs = data.targets.size();
  return search(arguments, plan, work, teller, state);
}

}  // namespace rfnn::cli
