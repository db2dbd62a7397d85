#pragma once

// Private header. The page of a reproduction.

#include <string>

#include "rfnn/report/page.hpp"
#include "rfnn/reproduction/claims.hpp"
#include "rfnn/reproduction/folder.hpp"
#include "rfnn/reproduction/runner.hpp"
#include "rfnn/reproduction/study.hpp"

namespace rfnn::reproduction {

/// Every figure and claim that the runs there are allow; says what is missing. `command` makes it again.
report::Page reproduction_page(const Study& study, const StudyResult& result, const std::vector<Claim>& claims,
                               const std::string& command);

/// Writes results.json, the CSV file of each figure and report.html.
void write_reproduction(const ReproductionFolder& folder, const Study& study, const StudyResult& result,
                        const std::vector<Claim>& claims, const std::string& command);

}  // namespace rfnn::reproduction
