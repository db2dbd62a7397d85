#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/command_text.hpp"
#include "cli/cv_rows.hpp"
#include "cli/cv_text.hpp"
#include "cli/fit_plan.hpp"
#include "cli/fit_reporter.hpp"
#include "cli/progress.hpp"
#include "cli/ranks.hpp"
#include "cli/signals.hpp"
#include "cli/terminal.hpp"
#include "rfnn/assessment/cross_ranks.hpp"
#include "rfnn/assessment/cross_validation.hpp"
#include "rfnn/assessment/division.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/io/atomic_file.hpp"
#include "rfnn/io/table.hpp"

namespace rfnn::cli {
namespace {

struct CrossArguments {
  FitArguments fit;
  std::optional<std::string> folds, group, time, repeat, out;
};

CrossArguments cross_arguments(const Invocation& call) {
  CrossArguments result;
  FitArguments& fit = result.fit;
  Arguments arguments("cv",
                      "Cross-validate: train on part of the rows, predict the others, in turn; beside simple methods.",
                      "DATA... --target NAME[,NAME...] [--folds K] [--group COLUMN | --time COLUMN] [--repeat R] "
                      "[--out FILE] [OPTIONS]");
  arguments.positionals(fit.files, "DATA...",
                        "table with inputs and targets: CSV, .csv.gz, .npy, .npz, or - for standard input; several "
                        "files are one table");
  arguments.values(fit.targets, "-t,--target", "NAME[,NAME...]", "columns to learn, by name or by number from 1");
  arguments.value(result.folds, "--folds", "K", "parts that are predicted in turn [5]");
  arguments.value(result.group, "--group", "COLUMN",
                  "rows of a group stay together, as in GroupKFold; the column, which may be text, is no input");
  arguments.value(result.time, "--time", "COLUMN",
                  "each part is predicted from the rows before it only, as in TimeSeriesSplit; add --ignore COLUMN "
                  "where time is no input");
  arguments.value(result.repeat, "--repeat", "R",
                  "R times with folds cut from an order drawn by --seed [once, in the order of the table: KFold]");
  arguments.value(result.out, "-o,--out", "FILE",
                  "predictions of all rows by networks that have not seen them: CSV, .csv.gz or .npy");
  arguments.values(fit.ignored, "--ignore", "NAME[,NAME...]", "columns to leave out; all others are inputs");
  arguments.value(fit.weight, "--weight", "NAME", "column that says how much each row counts; 2 is the row twice");
  arguments.value(fit.config, "--config", "FILE",
                  "JSON object of options, or all that `rfnn inspect --json` prints; flags win");
  arguments.flag(fit.json, "--json", "print one JSON object");
  arguments.flag(fit.quiet, "-q,--quiet", "print nothing but the result and errors");
  arguments.option_flags(fit.given);
  arguments.footer(
      "\nBeside the network: the mean of the training rows; with --time the last one of them; linear least squares; "
      "the\n"
      "mean of the nearest rows. Errors are of rows that were not learnt from; the standard error takes rows, groups "
      "or,\n"
      "with --time, folds for independent. --max-time is shared out among the folds; Ctrl-C ends the command, and "
      "folds\n"
      "that are done are reported. Exit code 4 where folds were cut or are not done. What columns hold (levels, "
      "first\n"
      "dates, means for missing cells) is learnt by each fold from the rows it is trained on. `mpirun -n 4 rfnn cv`\n"
      "deals the folds out to ranks of MPI.");
  arguments.parse(call.words);
  return result;
}

std::size_t fold_count(const CrossArguments& arguments) {
  return arguments.folds ? whole_number(*arguments.folds, "--folds", 2, 1'000'000) : 5;
}

std::size_t repeat_count(const CrossArguments& arguments) {
  return arguments.repeat ? whole_number(*arguments.repeat, "--repeat", 1, 10'000) : 1;
}

using assessment::Division;

Division divide(const CrossArguments& arguments, const FitPlan& plan, std::uint64_t seed) {
  assessment::DivisionPlan wanted{.folds = fold_count(arguments), .seed = seed};
  if (arguments.repeat) wanted.repeats = repeat_count(arguments);
  wanted.rows = plan.data.table.rows;
  wanted.without = rows_without_fold(plan, arguments.group.has_value());
  if (!plan.kept_names.empty()) wanted.column = printable(plan.kept_names[0]);
  if (arguments.group) wanted.groups = plan.data.kept;
  if (arguments.time) wanted.times = plan.data.kept;
  if (plan.facts.options.decimal == DecimalMark::comma)
    for (std::string& text : wanted.times) std::replace(text.begin(), text.end(), ',', '.');
  return assessment::divide(plan.data.table.view.rows(), wanted);
}

/// A time that cannot be repeated, two ways to divide, a place that is read: said before anything is read.
void check_arguments(const CrossArguments& arguments) {
  fold_count(arguments);
  repeat_count(arguments);
  if (arguments.group && arguments.time)
    throw UsageError("--group and --time both say how rows are divided.", "Give one of the two.");
  if (arguments.time && arguments.repeat)
    throw UsageError("--repeat draws other orders of the rows, and with --time there is but one.",
                     "Leave --repeat out, or give more --folds.");
  if (!arguments.out) return;
  check_table_place(*arguments.out);
  for (const std::string& file : arguments.fit.files)
    if (same_file(*arguments.out, file))
      throw UsageError(fmt::format("--out {} is the table that is read.", printable(*arguments.out)),
                       "Choose another name.");
  if (*arguments.out != "-") io::check_writable(*arguments.out);
  if (*arguments.out == "-" && arguments.fit.json)
    throw UsageError("--out - and --json both want standard output.", "Give --out a file name.");
}

/// Says where the work stands, and stops it when it is time.
class CrossReporter {
 public:
  CrossReporter(const Options& options, bool quiet, const Division& division, const DatasetView& data,
                std::chrono::steady_clock::time_point started)
      : max_time_(options.max_time), division_(division), data_(data), started_(started) {
    if (!quiet) lines_.emplace(options);
  }

  bool in_time() {
    if (StopSignals::received() != 0) reason_ = "a signal";
    if (max_time_ > 0.0 && seconds_since(started_) >= max_time_) reason_ = "--max-time";
    return reason_.empty();
  }
  [[nodiscard]] const std::string& reason() const { return reason_; }

  [[nodiscard]] double seconds_left() const { return std::max(0.0, max_time_ - seconds_since(started_)); }

  bool progress(const assessment::CrossProgress& now) {
    if (lines_ && !now.running.empty()) {
      Progress shown;
      const bool one = now.running.size() == 1;
      std::string which;
      for (const auto& each : now.running) which += (which.empty() ? "" : ", ") + std::to_string(each.fold + 1);
      shown.stage = fmt::format("fold{} {} of {}, {} done", one ? "" : "s", which, now.folds, now.done);
      shown.elapsed = seconds_since(started_);
      if (now.done > 0)
        shown.remaining = shown.elapsed * static_cast<double>(now.folds - now.done) / static_cast<double>(now.done);
      lines_->progress(shown);
    }
    return in_time();
  }

  void done(std::size_t fold, const assessment::FoldPrediction& result) {
    if (!lines_) return;
    for (const std::string& warning : result.warnings)
      if (told_.insert(warning).second) line(warning_text(fmt::format("fold {}: {}", fold + 1, printable(warning))));
    const auto& rows = division_.folds[fold].test;
    const auto outputs = static_cast<double>(data_.targets.size());
    double sum = 0.0, total = 0.0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double weight = data_.weights ? (*data_.weights)[rows[i]] : 1.0;
      for (std::size_t o = 0; o < data_.targets.size(); ++o)
        sum += weight * std::pow(data_.targets[o][rows[i]] - result.predictions(i, o), 2) / outputs;
      total += weight;
    }
    line(fmt::format("fold {:>{}}/{}  {} rows from {}  mse {:.4g}  {}", fold + 1,
                     std::to_string(division_.folds.size()).size(), division_.folds.size(), rows.size(),
                     division_.folds[fold].train.size(), sum / total, io::duration(seconds_since(started_))));
  }

  void line(const std::string& text) {
    if (lines_) lines_->line(text);
  }
  void clear() {
    if (lines_) lines_->clear();
  }

 private:
  double max_time_;
  const Division& division_;
  const DatasetView& data_;
  std::chrono::steady_clock::time_point started_;
  std::optional<ProgressLines> lines_;
  std::string reason_;  ///< why the work was ended
  std::set<std::string> told_;
};

CrossResult result_of(const FitPlan& plan, const Division& division,
                      const std::vector<std::optional<assessment::FoldPrediction>>& predicted,
                      const std::vector<assessment::Baseline>& baselines) {
  CrossResult result{.data = plan.facts.data,
                     .folds_of = division.name,
                     .table_rows = plan.data.table.view.rows(),
                     .inputs = plan.facts.inputs.size(),
                     .targets = plan.data.table.view.target_names,
                     .folds_each = division.folds_each,
                     .repeats = division.repeats,
                     .folds = division.folds,
                     .done = {},
                     .seconds = {},
                     .network = {},
                     .baselines = {}};
  std::vector<const Matrix*> networks;
  for (const auto& fold : predicted) {
    result.done.push_back(fold.has_value());
    result.seconds.push_back(fold ? fold->seconds : 0.0);
    networks.push_back(fold ? &fold->predictions : nullptr);
  }
  const auto errors = [&](const std::vector<const Matrix*>& predictions) {
    return assessment::cross_errors(plan.data.table.view, division.folds, predictions, division.clusters);
  };
  result.network = errors(networks);
  for (const assessment::Baseline& method : baselines) {
    std::vector<const Matrix*> simple;  // the same folds
    for (std::size_t fold = 0; fold < predicted.size(); ++fold)
      simple.push_back(predicted[fold] ? &method.predictions[fold] : nullptr);
    result.baselines.emplace_back(method.name, errors(simple));
  }
  return result;
}

/// An input along which the rows stand in order, so that folds cut from the order of the table are stretches of it.
std::optional<std::string> ordered_input(const DatasetView& data, std::size_t folds) {
  for (std::size_t k = 0; k < data.inputs.size(); ++k) {
    const ColumnView& values = data.inputs[k];
    std::size_t ups = 0, downs = 0;
    for (std::size_t i = 1; i < data.rows() && (ups == 0 || downs == 0); ++i) {
      ups += values[i] > values[i - 1] ? 1 : 0;
      downs += values[i] < values[i - 1] ? 1 : 0;
    }
    if ((ups == 0 || downs == 0) && ups + downs >= folds) return data.input_names[k];
  }
  return std::nullopt;
}

/// Every rank reads the table; the first alone compares with simple methods, talks and writes.
void share(CrossArguments& arguments, const Ranks& ranks) {
  for (const std::string& file : arguments.fit.files)
    if (file == "-")
      throw UsageError("Every rank of MPI reads the table, and standard input comes to one of them only.",
                       "Give a file.");
  if (ranks.first()) return;
  arguments.fit.quiet = true;
  arguments.fit.json = false;
  arguments.out = std::nullopt;
}

/// `ranks`: processes that share the folds; null: this one is alone.
ExitCode cross_validate(CrossArguments arguments, const Invocation& call, Ranks* ranks) {
  check_arguments(arguments);
  if (ranks != nullptr) share(arguments, *ranks);
  const bool silent = ranks != nullptr && !ranks->first();
  if (arguments.group) {
    arguments.fit.set_aside = arguments.group;
    arguments.fit.kept = {*arguments.group};
  }
  if (arguments.time) arguments.fit.kept = {*arguments.time};
  const ChosenOptions chosen = chosen_options(arguments.fit);
  const StopSignals signals;
  const FitPlan plan = make_plan(arguments.fit, chosen, call);
  const Options& options = plan.facts.options;
  const DatasetView& data = plan.data.table.view;
  const Division division = divide(arguments, plan, options.seed);
  const assessment::CrossTable table{.data = data,
                                     .raw = plan.data.raw ? &*plan.data.raw : nullptr,
                                     .places = plan.data.table.rows,
                                     .missing = options.missing};
  if (ranks != nullptr) assessment::agree_on_cross(table, division.folds, options, ranks->all());
  CrossReporter reporter(options, arguments.fit.quiet, division, data, call.started);
  if (const std::string apart = tasks_apart(); ranks == nullptr && !apart.empty()) reporter.line(warning_text(apart));
  for (const std::string& note : plan.notes) reporter.line("  " + told(printable(note), 4));
  for (const std::string& warning : plan.warnings) reporter.line(warning_text(printable(warning)));
  if (const std::size_t without = rows_without_fold(plan, arguments.group.has_value()).size(); without > 0)
    reporter.line(
        fmt::format("  {} in no fold: nothing in {}", io::counted(without, "row"), printable(plan.kept_names[0])));

  const auto& inputs = plan.facts.inputs;
  const bool forecast = arguments.time && std::find(inputs.begin(), inputs.end(), plan.kept_names[0]) != inputs.end();
  if (forecast && options.preset == Preset::automatic && options.holdout == Holdout::random)
    reporter.line(told(
        "note: the rows to predict lie beyond those learnt from, as in a forecast: with --holdout tail the network "
        "is chosen for that",
        2));

  if (!arguments.time && !arguments.group && !arguments.repeat)
    if (const auto input = ordered_input(data, division.folds.size()))
      reporter.line(
          told(fmt::format("note: rows stand in the order of {}, and each fold is a stretch of it: these are errors in "
                           "gaps. --repeat 1 shuffles the rows, for errors between them; --time is for forecasts",
                           printable(*input)),
               2));

  const std::size_t threads = thread_count(options.threads);
  std::vector<assessment::Baseline> baselines;
  if (!silent)
    baselines = assessment::cross_baselines(table, division.folds, arguments.time.has_value(), threads,
                                            [&] { return reporter.in_time(); });
  std::vector<std::optional<assessment::FoldPrediction>> predicted(division.folds.size());
  if (ranks != nullptr || reporter.in_time()) {  // ranks have to meet; each gives up by itself
    assessment::CrossObserver observer;
    observer.progress = [&](const assessment::CrossProgress& now) { return reporter.progress(now); };
    observer.done = [&](std::size_t fold, const auto& result) { reporter.done(fold, result); };
    if (options.max_time > 0.0) observer.seconds_left = [&] { return reporter.seconds_left(); };
    predicted = ranks != nullptr ? assessment::cross_predict(table, division.folds, options, observer, ranks->all())
                                 : assessment::cross_predict(table, division.folds, options, observer);
  }
  if (silent) return ExitCode::done;
  reporter.clear();

  CrossResult result = result_of(plan, division, predicted, baselines);
  result.elapsed = seconds_since(call.started);
  const auto done = static_cast<std::size_t>(std::count(result.done.begin(), result.done.end(), true));
  std::exception_ptr unwritten;  // told when the result is: hours of training may be in it
  if (arguments.out && done > 0) {
    try {
      write_predictions(*arguments.out, division, plan.data.table, predicted);
    } catch (...) {
      unwritten = std::current_exception();
    }
  }
  if (!result.complete())
    say(warning_text(done == 0 ? fmt::format("{} ended the work before the first fold was done.", reporter.reason())
                               : fmt::format("{} ended the work: {} of {} folds are done, and the errors are theirs.",
                                             reporter.reason(), done, division.folds.size())) +
        "\n");
  const auto cut =
      std::count_if(predicted.begin(), predicted.end(), [](const auto& fold) { return fold && fold->cut; });
  if (cut > 0)
    say(warning_text(fmt::format("--max-time cut the training of {} of {} folds: with more the network may be better.",
                                 cut, division.folds.size())) +
        "\n");
  if (arguments.fit.json)
    print_result(cross_json(result));
  else if (done > 0 && arguments.out != "-")
    print_result(for_locale(cross_text(result)));
  else if (done > 0 && !arguments.fit.quiet)
    say(cross_text(result));
  if (unwritten) std::rethrow_exception(unwritten);
  return result.complete() && cut == 0 ? ExitCode::done : ExitCode::cut_short;
}

}  // namespace

ExitCode run_cv(const Invocation& call) {
  return with_ranks([&](Ranks* ranks) { return cross_validate(cross_arguments(call), call, ranks); });
}

}  // namespace rfnn::cli
