#pragma once

// Private header. Is a run the one that its record tells of? What has to be so for it to go on.

#include <map>
#include <optional>
#include <string>

#include "rfnn/data/dataset.hpp"
#include "rfnn/io/run_record.hpp"

namespace rfnn::io {

/// Fingerprints of what a run reads besides inputs and targets, by what it is; and the processor, whose last digits
/// results have.
std::map<std::string, std::string> other_fingerprints(const DatasetView& data, const DatasetView* validation,
                                                      const Model* start, const Base* base);

/// The name, in RunFacts::others, of what says that several ranks of MPI, or one, have summed over the rows.
inline constexpr const char* by_ranks = "ranks of MPI (some, or none)";

/// Throws where data or options are not those that the run in `folder` was begun with, and says which. Threads and time
/// are free. What makes no other result but for its last digits is told: a warning, or nothing.
std::optional<std::string> check_same_run(const RunFacts& now, const RunRecord& run, const std::string& folder);

}  // namespace rfnn::io
