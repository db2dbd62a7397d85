#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "rfnn/report/run_story.hpp"

namespace rfnn::cli {

/// Writes the page about a run, whole or not at all; returns its size in bytes. Throws InputError.
std::size_t write_report(const report::RunStory& story, const std::string& place);

/// Throws UsageError when `place` is one of the files that are read.
void refuse_overwriting(const std::string& place, const std::vector<std::string>& read);

}  // namespace rfnn::cli
