#pragma once

#include <string>
#include <vector>

namespace rfnn::cli {

/// The whole command: runs argv[1] with the arguments behind it and returns the exit code. Throws nothing. From then on
/// the process ignores SIGPIPE and SIGXFSZ. `line`: what
/// people typed, where that is not argv; models and reports remember it.
int run_command_line(int argc, const char* const* argv, std::vector<std::string> line = {});

}  // namespace rfnn::cli
