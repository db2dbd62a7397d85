#pragma once

// Private header.

#include <map>
#include <string>

#include "rfnn/options/options.hpp"

namespace rfnn::training {

/// Where and with what a run is made: version, compiler, SIMD level, threads used, host, time.
std::map<std::string, std::string> facts_of_this_run(const Options& options);

}  // namespace rfnn::training
