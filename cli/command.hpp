#pragma once

#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rfnn::cli {

/// The exit codes, all of them.
enum class ExitCode : int {
  done = 0,
  usage = 1,      ///< a wrong argument or option
  input = 2,      ///< data, config or model file missing, malformed, unwritable; disk full
  numerical = 3,  ///< numerical failure, out of memory
  cut_short = 4,  ///< budget or signal ended training, the model is saved
};

/// One call of a command.
struct Invocation {
  std::vector<std::string> words;  ///< what follows the command's name
  std::vector<std::string> line;   ///< the whole command line
  std::chrono::steady_clock::time_point started;
};

struct Command {
  std::string_view name;
  std::string_view summary;
  ExitCode (*run)(const Invocation&);
};

ExitCode run_fit(const Invocation& call);
ExitCode run_predict(const Invocation& call);
ExitCode run_evaluate(const Invocation& call);
ExitCode run_check(const Invocation& call);
ExitCode run_cv(const Invocation& call);
ExitCode run_compare(const Invocation& call);
ExitCode run_importance(const Invocation& call);
ExitCode run_sensitivity(const Invocation& call);
ExitCode run_optimum(const Invocation& call);
ExitCode run_export(const Invocation& call);
ExitCode run_inspect(const Invocation& call);
ExitCode run_diagnose(const Invocation& call);
ExitCode run_draws(const Invocation& call);
ExitCode run_tune(const Invocation& call);
ExitCode run_report(const Invocation& call);
ExitCode run_generate(const Invocation& call);
ExitCode run_reproduce(const Invocation& call);
ExitCode run_options(const Invocation& call);
ExitCode run_completion(const Invocation& call);
ExitCode run_help(const Invocation& call);
ExitCode run_info(const Invocation& call);

/// What rfnn is and the commands it has.
std::string overview_text();

/// All commands, in the order of the overview.
std::span<const Command> commands();

}  // namespace rfnn::cli
