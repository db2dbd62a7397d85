#include "cli/fit_reporter.hpp"

#include <utility>

#include <fmt/format.h>

#include "cli/command_text.hpp"
#include "cli/errors_text.hpp"
#include "cli/signals.hpp"
#include "cli/terminal.hpp"

namespace rfnn::cli {
namespace {

constexpr std::string_view rows_are_held =
    "the inputs of training rows are part of this model: whoever has the file can read them";

}  // namespace

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Reporter::Reporter(const FitArguments& arguments, const Options& options, std::chrono::steady_clock::time_point started)
    : started_(started), json_(arguments.json) {
  if (!arguments.json && !arguments.quiet) lines_ = std::make_unique<ProgressLines>(options);
  if (arguments.run_directory) run_ = std::make_unique<io::RunDirectory>(*arguments.run_directory);
}

void Reporter::start(const FitPlan& plan, bool resumed) {
  if (plan.ranks > 0) by_ranks_ = fmt::format("mpirun -n {} ", plan.ranks);
  const std::string earlier = run_ && !resumed ? run_->start(plan.facts) : "";
  if (run_ && resumed) run_->resume(plan.facts);
  event(io::start_event(plan.facts));
  const io::RunFacts& facts = plan.facts;
  const Options& options = facts.options;
  const std::string work = options.preset == Preset::automatic
                               ? "preset auto: " + automatic_plan(options)
                               : fmt::format("{} of width {}, {} iterations each",
                                             io::counted(static_cast<std::size_t>(options.blocks), "block"),
                                             options.width, options.iterations);
  line(told(fmt::format("{}, {} ({}), target{} {}; {}", io::counted(facts.rows, "row"),
                        io::counted(facts.inputs.size(), "input"), listed(facts.inputs),
                        facts.targets.size() == 1 ? "" : "s", listed(facts.targets), work),
            2));
  for (const std::string& note : plan.notes) line("  " + told(printable(note), 4));
  if (!earlier.empty()) warning(earlier);
  for (const std::string& text : plan.warnings) warning(text);
}

std::unique_ptr<Journal> Reporter::journal(double seconds_between_notes) {
  if (!run_) return nullptr;
  return run_->journal(seconds_between_notes, [this](const std::string& why) {
    const std::lock_guard lock(mutex_);
    journal_failed_ = why;
  });
}

bool Reporter::progress(const Progress& now) {
  std::optional<std::string> failed;
  {
    const std::lock_guard lock(mutex_);
    failed.swap(journal_failed_);
  }
  if (failed) warning(*failed + " The run cannot be resumed from what comes now.");
  if (lines_) lines_->progress(now);
  return StopSignals::received() == 0;
}

bool Reporter::block_done(const BlockRecord& record) {
  blocks_.push_back(record);
  const double elapsed = seconds_since(started_);
  event(io::block_event(record, elapsed));
  if (lines_) lines_->block(record, elapsed);
  return StopSignals::received() == 0;
}

void Reporter::warning(const std::string& text) {
  event(io::warning_event(text));
  line(warning_text(printable(text)));
}

void Reporter::checkpoint(const Model& model) {
  try_to_record([&] { run_->checkpoint(model); });
}

void Reporter::done(const Result& result) {
  event(io::done_event(result.model, result.place, seconds_since(started_), result.saved));
  try_to_record([&] { run_->finish(result.model); });
  if (lines_) summarise(result);
}

void Reporter::failed(const Failure& failure) {
  if (lines_) lines_->clear();
  try_to_record([&] {
    run_->append(io::error_event(failure.cause, failure.cure, static_cast<int>(failure.code)));
    run_->fail(failure.cure.empty() ? failure.cause : failure.cause + " " + failure.cure);
  });
}

void Reporter::check_output() const {
  if (lost_output_) throw InputError(*lost_output_);
}

void Reporter::line(std::string_view text) {
  if (lines_) lines_->line(text);
}

void Reporter::event(const std::string& text) {
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
void Reporter::try_to_record(const Action& action) {
  if (!run_) return;
  try {
    action();
  } catch (const InputError& error) {
    run_.reset();
    warning(std::string(error.cause()) + " The record of the run ends here.");
  }
}

void Reporter::summarise(const Result& result) {
  const Model& model = result.model;
  std::uint64_t fallbacks = 0;
  for (const BlockRecord& record : model.history.blocks) fallbacks += record.solver_fallbacks;
  line(fmt::format("{}{} in {}: {}", styled(Style::strong, io::counted(model.blocks(), "block")),
                   model.members.size() > 1 ? fmt::format(", {} members", model.members.size()) : "",
                   io::duration(seconds_since(started_)), printable(model.stop_text)));
  if (result.saved && model.blocks() == 0 && cut_short(model))
    line(told(fmt::format("the model is the mean of the targets and nothing else{}",
                          StopSignals::received() == 0 ? ": give a longer --max-time" : ""),
              2));
  if (const std::string text = errors_text(model); !text.empty()) line(text);
  if (fallbacks > 0) line(fmt::format("{} least-squares problems were ill-conditioned and solved by QR", fallbacks));
  const std::string shown = printable(result.place);
  const std::string record = run_ ? ", record of the run in " + run_->path() : "";
  if (result.saved)
    line(fmt::format("model {}{}", styled(Style::strong, shown), record));
  else
    line(fmt::format("kept the model that was there in {}: this run was ended before its first block{}",
                     styled(Style::strong, shown), record));
  if (result.saved && holds_rows(model)) line(told(std::string(rows_are_held), 2));
  const std::string& report = result.report;
  if (!report.empty()) line(fmt::format("report {}: open it in a browser", styled(Style::strong, printable(report))));
  if (run_ && cut_short(model))
    line(fmt::format("go on with: {}rfnn fit --resume {}", by_ranks_, printable(run_->path())));
  if (!result.saved) return;
  line("next:");
  for (const std::string_view next : {"rfnn inspect {}", "rfnn evaluate {} FILE", "rfnn predict {} FILE"})
    line("  " + fmt::format(fmt::runtime(next), shown));
  if (report.empty()) line(fmt::format("  rfnn report {} --data FILE", shown));
}

}  // namespace rfnn::cli
