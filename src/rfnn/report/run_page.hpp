#pragma once

// Private header. The report of any training run.

#include "rfnn/report/page.hpp"
#include "rfnn/report/run_story.hpp"

namespace rfnn::report {

/// Run card, error per block, spectrum, chain, predictions, residuals, effects of inputs, conditioning, commands:
/// whatever is known is shown, and what is missing is said with its reason. Throws for nothing a run can be.
Page run_page(const RunStory& story);

}  // namespace rfnn::report
