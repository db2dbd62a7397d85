#include "cli/fit_report.hpp"

#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "rfnn/core/version.hpp"
#include "rfnn/io/run_record.hpp"
#include "rfnn/report/run_text.hpp"

namespace rfnn::cli {

void note_origin(Model& model, const FitPlan& plan, double seconds_reading) {
  std::error_code error;
  const io::RunFacts& facts = plan.facts;
  model.facts["command"] = report::shell_line(facts.begun_by.empty() ? facts.command : facts.begun_by);
  model.facts["folder"] = std::filesystem::current_path(error).string();
  model.facts["data"] = facts.data;
  if (!facts.validation.empty()) model.facts["validation"] = facts.validation;
  if (!facts.weight.empty()) model.facts["weight"] = facts.weight;
  model.facts["options_given"] = fmt::format("{}", fmt::join(facts.options_given, ","));
  model.facts["seconds_reading"] = fmt::format("{:.6f}", seconds_reading);
}

report::RunStory story_of_fit(const Model& model, const FitPlan& plan, double elapsed) {
  report::RunStory story = report::story_of(model, plan.facts.model);
  story.ignored = plan.facts.ignored;
  story.warnings.insert(story.warnings.begin(), plan.warnings.begin(), plan.warnings.end());
  story.times.total = elapsed;
  story.shown =
      report::rows_of_training(model, plan.data.table.view, plan.facts.data,
                               plan.validation ? &plan.validation->table.view : nullptr, plan.facts.validation);
  return story;
}

report::RunStory story_of_failure(const FitPlan& plan, const std::vector<BlockRecord>& blocks, const std::string& error,
                                  double elapsed) {
  io::RunRecord run;
  run.state = "failed";
  run.facts = plan.facts;
  run.version = version();
  run.error = error;
  run.blocks = blocks;
  run.warnings = plan.warnings;
  run.elapsed = elapsed;
  report::RunStory story = report::story_of(std::move(run), std::nullopt, "");
  story.model_missing = "The run failed before a model was saved, so there is none to show.";
  return story;
}

}  // namespace rfnn::cli
