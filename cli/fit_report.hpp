#pragma once

#include <string>
#include <vector>

#include "cli/fit_plan.hpp"
#include "rfnn/model/model.hpp"
#include "rfnn/report/run_story.hpp"

namespace rfnn::cli {

/// Notes in the model what `fit` cannot know: the command, its files, and how long reading took.
void note_origin(Model& model, const FitPlan& plan, double seconds_reading);

/// The run as `fit --report` shows it: the model, its training rows and validation rows. `elapsed`: seconds since the
/// command began.
report::RunStory story_of_fit(const Model& model, const FitPlan& plan, double elapsed);

/// The same of a run that ended in an error.
report::RunStory story_of_failure(const FitPlan& plan, const std::vector<BlockRecord>& blocks, const std::string& error,
                                  double elapsed);

}  // namespace rfnn::cli
