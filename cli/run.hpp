#pragma once

namespace rfnn::cli {

/// The whole command: runs argv[1] with the arguments behind it and returns the exit code. Throws nothing. From then on
/// the process ignores SIGPIPE and SIGXFSZ.
int run_command_line(int argc, const char* const* argv);

}  // namespace rfnn::cli
