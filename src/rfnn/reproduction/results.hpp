#pragma once

// Private header.

#include <string>
#include <vector>

#include "rfnn/reproduction/claims.hpp"
#include "rfnn/reproduction/runner.hpp"
#include "rfnn/reproduction/study.hpp"

namespace rfnn::reproduction {

/// What `results.json` holds: settings, every run and block, a summary over seeds, the claims, what is missing.
std::string results_json(const Study& study, const StudyResult& result, const std::vector<Claim>& claims);

}  // namespace rfnn::reproduction
