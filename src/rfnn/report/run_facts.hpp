#pragma once

// Private header. What a model file carries about its run as text, turned back into values: here and nowhere else.

#include <optional>
#include <string>
#include <vector>

#include "rfnn/model/model.hpp"

namespace rfnn::report {

/// Facts of the command that trained a model; all empty for one trained through the library.
struct RunFactsNoted {
  std::string command, folder, data, validation, started;
  std::optional<double> seconds_reading, seconds_preparing;
  std::optional<std::vector<std::string>> options_given;  ///< nothing: there was no command
};

RunFactsNoted facts_noted(const Model& model);

}  // namespace rfnn::report
