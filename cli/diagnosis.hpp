#pragma once

#include <string>
#include <vector>

#include "rfnn/diagnostics/problems.hpp"
#include "rfnn/report/run_story.hpp"

namespace rfnn::cli {

/// What is wrong with a run, from all that its story tells.
std::vector<Problem> problems_of(const report::RunStory& story);

/// {"problems": [{"kind", "text", "flag"}, ...]}
std::string problems_json(const std::vector<Problem>& found);

}  // namespace rfnn::cli
