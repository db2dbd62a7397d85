#include "rfnn/training/fit.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stdlib.h>

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/failure.hpp"
#include "cli/fit_plan.hpp"
#include "cli/fit_report.hpp"
#include "cli/fit_reporter.hpp"
#include "cli/fit_resume.hpp"
#include "cli/ranks.hpp"
#include "cli/report_file.hpp"
#include "cli/signals.hpp"
#include "cli/terminal.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/io/atomic_file.hpp"
#include "rfnn/io/model_file.hpp"
#include "rfnn/io/run_directory.hpp"
#include "rfnn/training/ranks/agreement.hpp"

namespace rfnn::cli {
namespace {

/// What the table tells about columns and `fit` cannot know.
Model with_places(Model model, const Layout& layout, const TableCode& code) {
  std::size_t input = 0;
  for (const ColumnCode& column : layout.code.inputs)
    for (std::size_t end = input + inputs_of(column); input < end; ++input)
      model.inputs[input].position = column.position;
  model.table = code;
  for (std::size_t i = 0; i < model.targets.size(); ++i) model.targets[i].position = layout.targets[i].position;
  model.table_columns = layout.table_columns;
  model.named_columns = layout.named;
  return model;
}

/// A report inside a run directory that is not there yet: whether it can be written is known once the run has begun.
bool in_new_run_directory(const FitArguments& arguments) {
  namespace fs = std::filesystem;
  std::error_code error;
  const auto whole = [&](const fs::path& path) { return fs::weakly_canonical(fs::absolute(path, error), error); };
  return arguments.run_directory && !fs::exists(*arguments.run_directory, error) &&
         whole(*arguments.report).parent_path() == whole(fs::path(*arguments.run_directory) / "x").parent_path();
}

/// The page about a run that failed is worth having, but not worth hiding why it failed.
void report_failure(const FitPlan& plan, const std::vector<BlockRecord>& blocks, const std::string& reason,
                    std::chrono::steady_clock::time_point started, const std::string& place) {
  try {
    write_report(story_of_failure(plan, blocks, reason, seconds_since(started)), place);
  } catch (const std::exception&) {
    // the first failure is the one to be told
  }
}

/// Saves a model that found no room in its place in a fresh folder of the temporary or the current one. The path, or
/// nothing.
std::string saved_elsewhere(const Model& model, const std::string& place) {
  namespace fs = std::filesystem;
  std::error_code error;
  for (const fs::path& parent : {fs::temp_directory_path(error), fs::current_path(error)}) {
    std::string folder = (parent / "rfnn-XXXXXX").string();
    if (parent.empty() || ::mkdtemp(folder.data()) == nullptr) continue;
    try {
      std::string path = (fs::path(folder) / fs::path(place).filename()).string();
      save_model(model, path);
      return path;
    } catch (const InputError&) {
      fs::remove_all(folder, error);
    }
  }
  return "";
}

/// What the model's file will take at most with the published algorithm, and as a rule with preset auto.
std::uint64_t expected_bytes(const FitPlan& plan) {
  constexpr std::uint64_t usual = 1'000'000;
  const Options& options = plan.facts.options;
  if (options.preset == Preset::automatic) return usual;
  const std::uint64_t outputs = plan.facts.targets.size();
  const std::uint64_t variables = std::max<std::uint64_t>(plan.facts.inputs.size(), outputs);
  return usual / 10 + 16 * static_cast<std::uint64_t>(options.blocks) * static_cast<std::uint64_t>(options.width) *
                          (variables + 2 * outputs);
}

/// A disk that is full now will hardly have room later: better said before training than after.
void check_room(Reporter& reporter, const FitPlan& plan, const std::string& place) {
  const auto room = io::room_at(place);
  if (!room || *room >= expected_bytes(plan)) return;
  reporter.warning(fmt::format("the disk of {} has {:.1f} MB left; the model may take {:.1f} MB.", place,
                               static_cast<double>(*room) / 1e6, static_cast<double>(expected_bytes(plan)) / 1e6));
}

/// Writes the model, or keeps what is there (false) where that would be replaced by the mean alone. What cannot be
/// written is saved elsewhere before the failure is told: training may have taken days.
bool save_result(const Model& model, const std::string& place) {
  if (replaces_by_nothing(model, place)) return false;
  try {
    save_model(model, place);
  } catch (const InputError& failure) {
    const std::string elsewhere = model.blocks() > 0 ? saved_elsewhere(model, place) : "";
    if (elsewhere.empty()) throw;
    throw InputError(failure.cause(),
                     fmt::format("The model is saved as {} instead. {}", printable(elsewhere), failure.cure()));
  }
  return true;
}

/// The model as it will be in its file.
Model completed(Model model, const FitPlan& plan, double seconds_reading, bool no_origin) {
  model = with_places(std::move(model), plan.layout, plan.data.table.code);
  note_origin(model, plan, seconds_reading);
  if (no_origin) without_origin(model);
  return model;
}

/// What a rank that is not the first does: reads its part, and works until the model is there, if there is to be one.
/// How the run has ended is for the first to say.
ExitCode help_train(const FitArguments& arguments, const ChosenOptions& chosen, const Invocation& call, Ranks& ranks) {
  const FitPlan plan = ranks.plan([&] { return make_plan(arguments, chosen, call); }, false);
  const auto with_the_first = [&] { training::agree(ranks.all(), [] {}); };
  with_the_first();  // which goes on with an earlier run, or shows the plan
  if (arguments.dry_run) return ExitCode::done;
  with_the_first();  // which begins the record of the run
  with_the_first();  // which looks at the place of the report
  FitExtras extras;
  extras.start = chosen.start.get();
  extras.started = call.started;
  extras.ranks = &ranks.all();
  fit(plan.data.table.view, plan.facts.options, extras);
  with_the_first();  // which saves the model
  return ExitCode::done;
}

/// Nothing is left to be done.
ExitCode tell_finished(const Resumed& resumed) {
  const std::string text = fmt::format("the run in {} is finished, there is nothing to go on with; its model is {}.",
                                       *resumed.arguments.run_directory, *resumed.arguments.out);
  if (resumed.arguments.json) print_result(io::warning_event(text) + "\n");
  if (!resumed.arguments.json && !resumed.arguments.quiet) say(printable(text) + "\n");
  return ExitCode::done;
}

/// `resumed`: the run that goes on; null: a new one. `ranks`: the processes that fit together, null: this one is alone.
ExitCode train(FitArguments arguments, const Invocation& call, const Resumed* resumed, Ranks* ranks) {
  const ChosenOptions chosen = chosen_options(arguments);
  const std::string place = model_place(arguments);
  const double between_checkpoints = seconds_between_checkpoints(arguments);
  check_report_place(arguments, place);
  if (ranks != nullptr) ranks->share(arguments, chosen.options, place);
  if (ranks != nullptr && !ranks->first()) return help_train(arguments, chosen, call, *ranks);
  std::optional<Reporter> of_run;
  const auto make = [&] {
    of_run.emplace(arguments, chosen.options, call.started);  // refuses a folder that is no run's
    if (!arguments.dry_run) io::check_writable(place);
    if (!arguments.dry_run && arguments.report && !in_new_run_directory(arguments))
      io::check_writable(*arguments.report);
    return make_plan(arguments, chosen, call);
  };
  FitPlan plan = ranks != nullptr ? ranks->plan(make, arguments.run_directory.has_value()) : make();
  if (const std::string apart = tasks_apart(); ranks == nullptr && !apart.empty()) plan.warnings.push_back(apart);
  Reporter& reporter = *of_run;
  // What fails here fails on the other ranks too, which wait for it.
  const auto with_the_others = [&](const std::function<void()>& work) {
    ranks != nullptr ? training::agree(ranks->all(), work) : work();
  };
  std::string text;
  with_the_others([&] {
    if (resumed != nullptr) go_on_with(plan, resumed->run, *arguments.run_directory);
    if (arguments.dry_run) text = arguments.json ? plan_json(plan) : plan_text(plan);
  });
  if (arguments.dry_run) {
    if (arguments.json) print_result(text);
    if (!arguments.json && !arguments.quiet) say(text);
    return ExitCode::done;
  }

  const StopSignals signals;  // before anybody is told that training begins
  with_the_others([&] { reporter.start(plan, resumed != nullptr); });
  check_room(reporter, plan, place);
  const double seconds_reading = seconds_since(call.started);
  FitExtras extras;
  if (plan.validation) extras.validation = plan.validation->table.view;
  extras.start = chosen.start.get();
  extras.base = plan.base;
  extras.observer = &reporter;
  if (ranks != nullptr) extras.ranks = &ranks->all();
  extras.started = call.started;  // max-time is for the whole command
  if (arguments.run_directory) {
    extras.checkpoint = [&](const Model& so_far) {
      reporter.checkpoint(completed(so_far, plan, seconds_reading, arguments.no_origin));
    };
  }
  std::unique_ptr<Journal> journal = reporter.journal(between_checkpoints);
  extras.journal = journal.get();
  Model model;
  bool saved = false;
  try {
    with_the_others([&] {  // the run directory is there now
      if (arguments.report) io::check_writable(*arguments.report);
    });
    model =
        completed(fit(plan.data.table.view, plan.facts.options, extras), plan, seconds_reading, arguments.no_origin);
    with_the_others([&] {
      journal.reset();  // what it still holds is written
      saved = save_result(model, place);
    });
  } catch (const std::exception& error) {
    reporter.failed(failure_at_hand());
    if (arguments.report) report_failure(plan, reporter.blocks(), error.what(), call.started, *arguments.report);
    throw;
  }
  std::exception_ptr unreported;  // told when all the rest is done: the model is saved
  if (arguments.report) {
    try {
      write_report(story_of_fit(model, plan, seconds_since(call.started)), *arguments.report);
    } catch (...) {
      unreported = std::current_exception();
    }
  }
  reporter.done({model, place, saved, unreported ? "" : arguments.report.value_or("")});
  if (unreported) std::rethrow_exception(unreported);
  reporter.check_output();
  return cut_short(model) ? ExitCode::cut_short : ExitCode::done;
}

}  // namespace

ExitCode run_fit(const Invocation& call) {
  const std::unique_ptr<Ranks> ranks = Ranks::join();  // first: what is wrong with the words of one rank ends all
  bool json = false;
  try {
    const FitArguments given = fit_arguments_of(call.words);
    json = given.json;
    if (!given.resume) return train(given, call, nullptr, ranks.get());
    const Resumed resumed = resumed_run(given);
    if (resumed.finished() && silent_rank()) return ExitCode::done;
    return resumed.finished() ? tell_finished(resumed) : train(resumed.arguments, call, &resumed, ranks.get());
  } catch (const std::exception&) {
    if (ranks) {
      ranks->fail();
      if (!ranks->first()) return ExitCode::done;  // the first rank says what, and ends with the code
    }
    if (!json || silent_rank()) throw;
    const Failure failure = failure_at_hand();
    try {
      print_result(io::error_event(failure.cause, failure.cure, static_cast<int>(failure.code)) + "\n");
    } catch (...) {
      // standard output may be what failed
    }
    throw;
  }
}

}  // namespace rfnn::cli
