#pragma once

#include <string>

#include "cli/command.hpp"

namespace rfnn::cli {

/// What went wrong, what to do about it, and the exit code it ends the command with.
struct Failure {
  std::string cause, cure;
  ExitCode code;
};

/// Of the exception being handled: for catch clauses only. What is no std::exception goes on its way.
Failure failure_at_hand();

}  // namespace rfnn::cli
