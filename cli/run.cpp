#include "cli/run.hpp"

#include <signal.h>

#include <array>
#include <chrono>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/command_text.hpp"
#include "cli/failure.hpp"
#include "cli/ranks.hpp"
#include "cli/terminal.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/core/version.hpp"
#include "rfnn/options/nearest.hpp"

namespace rfnn::cli {
namespace {

constexpr std::array all{
    Command{"fit", "train a network on a table and write a model file", run_fit},
    Command{"predict", "apply a model to a table", run_predict},
    Command{"evaluate", "compare a model's predictions with the targets of a table", run_evaluate},
    Command{"check", "look a table over before training: what is wrong, and the cure", run_check},
    Command{"cv", "cross-validate: errors on rows not learnt from, beside simple methods", run_cv},
    Command{"compare", "compare models on the same rows, with confidence intervals", run_compare},
    Command{"importance", "which inputs a model's predictions depend on", run_importance},
    Command{"sensitivity", "which shares of the variance come from which inputs", run_sensitivity},
    Command{"optimum", "where the prediction is smallest or largest", run_optimum},
    Command{"export", "write a model as a file for use without rfnn: ONNX, C, Python, formula, JSON", run_export},
    Command{"inspect", "show what a model file holds: options, blocks, learned frequencies", run_inspect},
    Command{"tune", "look for good options of preset paper; with auto, show how much is chance", run_tune},
    Command{"diagnose", "say what is wrong with a training run, and which flag helps", run_diagnose},
    Command{"draws", "say how well the chains of preset paper have mixed, and write their draws", run_draws},
    Command{"report", "write a page about a training run: errors, frequencies, predictions, residuals", run_report},
    Command{"generate", "write a table of one of the paper's test functions", run_generate},
    Command{"reproduce", "run the paper's experiments and write a report of its figures and claims", run_reproduce},
    Command{"options", "list every training option with its default", run_options},
    Command{"info", "say what rfnn is, what it runs on, and what it has found there", run_info},
    Command{"completion", "print the script that lets bash, zsh or fish complete commands and flags", run_completion},
    Command{"help", "explain a command, an option or a topic", run_help},
};

ExitCode dispatch(const Invocation& call) {
  const Invocation overview{.words = {}, .line = call.line, .started = call.started};
  if (call.line.size() < 2) {
    say(overview_text());
    return ExitCode::usage;
  }
  const std::string& name = call.line[1];
  if (name == "--version" || name == "-V") {
    print_result(version() + "\n");
    return ExitCode::done;
  }
  if (name == "--help" || name == "-h") return run_help(overview);
  std::array<std::string_view, all.size()> names;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].name == name) return all[i].run(call);
    names[i] = all[i].name;
  }
  const std::string_view near = nearest(name, names);
  throw UsageError(fmt::format("There is no command \"{}\".", printable(name)),
                   near.empty() ? "`rfnn --help` lists the commands." : fmt::format("Did you mean `rfnn {}`?", near));
}

/// Where ranks work together, rank 0 says what fails on all. The others end without a code of their own: mpirun ends
/// all processes as soon as it sees one, and rank 0 may not have spoken yet. Where each works for itself, each speaks.
ExitCode complain(const Failure& failure) {
  if (silent_rank()) return ExitCode::done;
  constexpr std::string_view word = "error: ";
  const auto rank = rank_started();
  const std::string who = rank.value_or(0) > 0 ? fmt::format("rank {}: ", *rank) : "";
  say(styled(Style::error, word) + told(who + printable(failure.cause), word.size()) + "\n");
  if (!failure.cure.empty()) say(std::string(word.size(), ' ') + told(printable(failure.cure), word.size()) + "\n");
  return failure.code;
}

/// Every way a command can end, as an exit code.
ExitCode guarded(const Invocation& call) {
  try {
    return dispatch(call);
  } catch (const HelpRequested& help) {
    if (!silent_rank()) print_result(for_locale(help_text(help.command, result_width())));
    return ExitCode::done;
  } catch (const ReaderGone&) {
    return ExitCode::done;  // whoever read the output has seen enough
  } catch (const std::exception&) {
    return complain(failure_at_hand());
  }
}

}  // namespace

std::span<const Command> commands() { return all; }

int run_command_line(int argc, const char* const* argv) {
  Invocation call{.words = {}, .line = {argv, argv + argc}, .started = std::chrono::steady_clock::now()};
  if (argc > 2) call.words.assign(argv + 2, argv + argc);
  ::signal(SIGPIPE, SIG_IGN);  // a reader that leaves is an error of write(), told apart there
  ::signal(SIGXFSZ, SIG_IGN);  // and so is a file that may not grow further
  try {
    return static_cast<int>(guarded(call));
  } catch (const ReaderGone&) {
    return static_cast<int>(ExitCode::done);
  } catch (...) {
    return static_cast<int>(ExitCode::input);  // the help text could not be written
  }
}

}  // namespace rfnn::cli
