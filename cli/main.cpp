#include "cli/run.hpp"

int main(int argc, char** argv) { return rfnn::cli::run_command_line(argc, argv); }
