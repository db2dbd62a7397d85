#pragma once

// Private header. What the paper claims, and how each claim is measured: the whole list, in the order of the page.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "rfnn/reproduction/run.hpp"

namespace rfnn::reproduction {

using RunsOfSeed = std::span<const Run* const>;

/// How a claim is measured. The functions get the runs of one seed, one per method named.
struct ClaimDefinition {
  const char* id;  ///< the letter is the group in the notes on the paper
  Target target;
  const char* statement;
  const char* measure;
  const char* condition;
  std::vector<std::string> methods;
  std::function<double(RunsOfSeed)> value;
  std::function<bool(double value, RunsOfSeed)> met;
  bool percent = false;
  bool with_best = true;  ///< false: there are no runs with the best state
};

std::vector<ClaimDefinition> claim_definitions();

}  // namespace rfnn::reproduction
