#include "rfnn/training/fit.hpp"

#include <chrono>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/fit_plan.hpp"
#include "cli/fit_report.hpp"
#include "cli/progress.hpp"
#include "cli/report_file.hpp"
#include "cli/signals.hpp"
#include "cli/terminal.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/io/atomic_file.hpp"
#include "rfnn/io/model_file.hpp"
#include "rfnn/io/run_directory.hpp"

namespace rfnn::cli {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Hands what happens in training to those who want to know: people, a JSON reader, the run directory. Says stop once a
/// signal has come.
class Reporter final : public Observer {
 public:
  Reporter(const FitArguments& arguments, const Options& options, std::chrono::steady_clock::time_point started)
      : started_(started), json_(arguments.json) {
    if (!arguments.json && !arguments.quiet) lines_ = std::make_unique<ProgressLines>(options);
    if (arguments.run_directory) run_ = std::make_unique<RunDirectory>(*arguments.run_directory);
  }

  void start(const FitPlan& plan) {
    if (run_) run_->start(plan.facts);
    event(start_event(plan.facts));
    const RunFacts& facts = plan.facts;
    const Options& options = facts.options;
    const std::string work = options.preset == Preset::automatic
                                 ? "preset auto: " + automatic_plan(options)
                                 : fmt::format("{} of width {}, {} iterations each",
                                               counted(static_cast<std::size_t>(options.blocks), "block"),
                                               options.width, options.iterations);
    line(fmt::format("{}, {} ({}), target{} {}; {}", counted(facts.rows, "row"), counted(facts.inputs.size(), "input"),
                     listed(facts.inputs), facts.targets.size() == 1 ? "" : "s", listed(facts.targets), work));
    for (const std::string& text : plan.warnings) warning(text);
  }

  bool progress(const Progress& now) override {
    if (lines_) lines_->progress(now);
    return StopSignals::received() == 0;
  }
  bool block_done(const BlockRecord& record) override {
    blocks_.push_back(record);
    const double elapsed = seconds_since(started_);
    event(block_event(record, elapsed));
    if (lines_) lines_->block(record, elapsed);
    return StopSignals::received() == 0;
  }
  void warning(const std::string& text) override {
    event(warning_event(text));
    line(styled(Style::warning, "warning: ") + printable(text));
  }

  void checkpoint(const Model& model) {
    try_to_record([&] { run_->checkpoint(model); });
  }
  /// `report`: where the page about the run is; empty: there is none.
  void done(const Model& model, const std::string& place, const std::string& report) {
    event(done_event(model, place, seconds_since(started_)));
    try_to_record([&] { run_->finish(model); });
    if (lines_) summarise(model, place, report);
  }
  /// Tells at the end, when the model is safe, that JSON lines were lost.
  void check_output() const {
    if (lost_output_) throw InputError(*lost_output_);
  }
  [[nodiscard]] const std::vector<BlockRecord>& blocks() const { return blocks_; }
  void failed(const std::string& reason) {
    if (lines_) lines_->clear();
    try_to_record([&] { run_->fail(reason); });
  }

 private:
  void line(std::string_view text) {
    if (lines_) lines_->line(text);
  }

  void event(const std::string& text) {
    if (json_) {
      try {
        print_result(text + "\n");
      } catch (const ReaderGone&) {
        json_ = false;  // the model is what the run is for: training goes on
      } catch (const InputError& error) {
        json_ = false;
        lost_output_ = error;  // told at the end, when the model is safe
      }
    }
    try_to_record([&] { run_->append(text); });
  }

  /// The record of a run is not worth losing the run for: it ends at the first failure, with a warning.
  template <class Action>
  void try_to_record(const Action& action) {
    if (!run_) return;
    try {
      action();
    } catch (const InputError& error) {
      run_.reset();
      warning(std::string(error.cause()) + " The record of the run ends here.");
    }
  }

  void summarise(const Model& model, const std::string& place, const std::string& report) {
    std::uint64_t fallbacks = 0;
    for (const BlockRecord& record : model.history.blocks) fallbacks += record.solver_fallbacks;
    line(fmt::format("{}{} in {}: {}", styled(Style::strong, counted(model.blocks(), "block")),
                     model.members.size() > 1 ? fmt::format(", {} members", model.members.size()) : "",
                     duration(seconds_since(started_)), printable(model.stop_text)));
    const ModelErrors errors = final_errors(model);
    std::vector<std::string> known;
    if (errors.train) known.push_back(fmt::format("{:.6g} on training rows", *errors.train));
    if (errors.validation) known.push_back(fmt::format("{:.6g} on validation rows", *errors.validation));
    if (!known.empty()) line(fmt::format("mean squared error {}", fmt::join(known, ", ")));
    if (fallbacks > 0) line(fmt::format("{} least-squares problems were ill-conditioned and solved by QR", fallbacks));
    const std::string shown = printable(place);
    line(fmt::format("model {}{}", styled(Style::strong, shown), run_ ? ", record of the run in " + run_->path() : ""));
    if (!report.empty()) line(fmt::format("report {}: open it in a browser", styled(Style::strong, printable(report))));
    line(fmt::format("next: rfnn inspect {0} | rfnn evaluate {0} FILE | rfnn predict {0} FILE{1}", shown,
                     report.empty() ? fmt::format(" | rfnn report {} --data FILE", shown) : ""));
  }

  std::chrono::steady_clock::time_point started_;
  bool json_;
  std::unique_ptr<ProgressLines> lines_;
  std::unique_ptr<RunDirectory> run_;
  std::optional<InputError> lost_output_;
  std::vector<BlockRecord> blocks_;  ///< as they were trained, for the report of a run that fails
};

/// What the table tells about columns and `fit` cannot know.
Model with_places(Model model, const Layout& layout) {
  for (std::size_t i = 0; i < model.inputs.size(); ++i) model.inputs[i].position = layout.inputs[i].position;
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

}  // namespace

ExitCode run_fit(const Invocation& call) {
  const FitArguments arguments = fit_arguments(call);
  const ChosenOptions chosen = chosen_options(arguments);
  const std::string place = model_place(arguments);
  check_report_place(arguments, place);
  if (!arguments.dry_run) check_writable(place);
  if (!arguments.dry_run && arguments.report && !in_new_run_directory(arguments)) check_writable(*arguments.report);
  Reporter reporter(arguments, chosen.options, call.started);
  const FitPlan plan = make_plan(arguments, chosen, call);
  if (arguments.dry_run) {
    if (arguments.json) print_result(plan_json(plan));
    if (!arguments.json && !arguments.quiet) say(plan_text(plan));
    return ExitCode::done;
  }

  const StopSignals signals;  // before anybody is told that training begins
  reporter.start(plan);
  const double seconds_reading = seconds_since(call.started);
  const auto complete = [&](Model so_far) {
    so_far = with_places(std::move(so_far), plan.layout);
    note_origin(so_far, plan, seconds_reading);
    return so_far;
  };
  FitExtras extras;
  if (plan.validation) extras.validation = plan.validation->view;
  extras.observer = &reporter;
  extras.started = call.started;  // max-time is for the whole command
  if (arguments.run_directory) {
    extras.checkpoint = [&](const Model& so_far) { reporter.checkpoint(complete(so_far)); };
  }
  Model model;
  try {
    if (arguments.report) check_writable(*arguments.report);  // the run directory is there now
    model = complete(fit(plan.data.view, chosen.options, extras));
    save_model(model, place);
  } catch (const std::exception& error) {
    reporter.failed(error.what());
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
  reporter.done(model, place, unreported ? "" : arguments.report.value_or(""));
  if (unreported) std::rethrow_exception(unreported);
  reporter.check_output();
  const bool cut_short = model.stop_reason == StopReason::interrupted || model.stop_reason == StopReason::out_of_time;
  return cut_short ? ExitCode::cut_short : ExitCode::done;
}

}  // namespace rfnn::cli
