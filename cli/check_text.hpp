#pragma once

#include <string>
#include <vector>

#include "rfnn/checks/findings.hpp"

namespace rfnn::cli {

/// What was found in a table, for people and programs.
struct CheckedData {
  std::string name;
  std::vector<std::string> inputs, targets;
  std::string place = "line";  ///< what the places of problems are: lines, or rows
  checks::Findings findings;
};

std::string check_text(const CheckedData& data);
std::string check_json(const CheckedData& data);

}  // namespace rfnn::cli
