#pragma once

#include <optional>
#include <string>

#include "cli/fit_plan.hpp"
#include "rfnn/io/run_record.hpp"

namespace rfnn::cli {

// `rfnn fit --resume RUN_DIR`: a run that was ended is taken up where its checkpoint stands.

/// The run of --resume and the arguments it goes on with: those it was begun with, and what was given now. Throws where
/// there is no such run, where something was given now that would make it another one, or where standard input, which
/// is gone, would be read again.
struct Resumed {
  io::RunRecord run;
  FitArguments arguments;
  [[nodiscard]] bool finished() const { return run.state == "finished"; }
};
Resumed resumed_run(const FitArguments& given);

/// Makes the plan that of a run that goes on. Throws where data or options are not those the run was begun with, and
/// says which.
void go_on_with(FitPlan& plan, const io::RunRecord& run, const std::string& folder);

/// --checkpoint-every, in seconds.
double seconds_between_checkpoints(const FitArguments& arguments);

}  // namespace rfnn::cli
