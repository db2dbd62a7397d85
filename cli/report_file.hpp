#pragma once

#include <cstddef>
#include <string>

#include "rfnn/report/run_story.hpp"

namespace rfnn::cli {

/// Writes the page about a run, whole or not at all; returns its size in bytes. Throws InputError.
std::size_t write_report(const report::RunStory& story, const std::string& place);

}  // namespace rfnn::cli
