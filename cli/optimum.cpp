#include "rfnn/sensitivity/optimum.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/arguments.hpp"
#include "cli/columns.hpp"
#include "cli/command.hpp"
#include "cli/command_text.hpp"
#include "cli/factor_text.hpp"
#include "cli/signals.hpp"
#include "cli/terminal.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/io/json.hpp"
#include "rfnn/io/model_file.hpp"
#include "rfnn/io/sensitivity_json.hpp"
#include "rfnn/io/text.hpp"
#include "rfnn/rows/predict.hpp"

namespace rfnn::cli {
namespace {

std::size_t place_of_target(const Model& model, const std::optional<std::string>& name) {
  if (!name) return 0;
  std::vector<std::string> names;
  for (const Column& target : model.targets) names.push_back(target.name);
  return find_column(names, *name, "the model");
}

std::string text_of(const Model& model, const std::vector<Factor>& factors, const OptimumOptions& options,
                    const Optimum& found) {
  std::string text = wrapped(fmt::format("{} of {}: {:.8g}", options.maximum ? "maximum" : "minimum",
                                         printable(model.targets[options.output].name), found.value),
                             result_width(), 2) +
                     "\n\n";
  constexpr std::size_t most = 24;  // of 80 columns, beside values and notes
  std::size_t widest = 5;
  for (const Factor& factor : factors) widest = std::max(widest, std::min(printable(factor.name).size(), most));
  for (std::size_t f = 0; f < factors.size(); ++f) {
    const Factor& factor = factors[f];
    const char* note = !factor.used                            ? "any value: the model does not use it"
                       : io::at_bound(factor, found.values[f]) ? "at the bound of the box"
                       : factor.varies()                       ? ""
                                                               : "fixed";
    const std::string value = printable(io::value_text(factor, found.values[f]));
    std::string what = fmt::format("{:<12}  {}", value, note);
    if (widest + 4 + what.size() > result_width())  // a level with a long name
      what = wrapped(*note == '\0' ? value : value + "; " + note, result_width(), widest + 4);
    std::string line = fmt::format("  {}  {}", name_cell(factor.name, widest, 2), what);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text + fmt::format("\n{} of {} local searches ended there.\n", found.agreeing, found.starts);
}

}  // namespace

ExitCode run_optimum(const Invocation& call) {
  std::string model_path;
  std::optional<std::string> target, starts, seed, threads;
  std::vector<std::string> boxes;
  OptimumOptions options;
  bool json = false, quiet = false;
  Arguments arguments("optimum", "Where a model's prediction is smallest or largest.",
                      "MODEL [--maximum] [--target NAME] [--box INPUT=LOW..HIGH] [--json]");
  arguments.positional(model_path, "MODEL", "model file written by `rfnn fit`");
  arguments.flag(options.maximum, "--maximum", "the largest prediction [the smallest]");
  arguments.value(target, "-t,--target", "NAME", "which target, where there are several [the first]");
  arguments.values(boxes, "--box", "INPUT=LOW..HIGH",
                   "bounds of an input [its range in training]; INPUT=VALUE fixes it, INPUT=LEVEL|LEVEL is for "
                   "categories; may be given several times");
  arguments.value(starts, "--starts", "K", "local searches, from the best of many points [32]");
  arguments.value(seed, "--seed", "S", "of these points [1]");
  arguments.value(threads, "--threads", "N", "worker threads, 0 is all there are [0]");
  arguments.flag(json, "--json", "print one JSON object");
  arguments.flag(quiet, "-q,--quiet", "print nothing but the result and errors");
  arguments.footer(
      "\nEach search goes down by exact gradients in numbers and times, then tries other levels of categories and\n"
      "booleans, one at a time. Where many searches agree the optimum is likely the best there is.");
  arguments.parse(call.words);
  const Model model = load_model(model_path);
  options.output = place_of_target(model, target);
  options.starts = starts ? whole_number(*starts, "--starts", 1, 100'000) : options.starts;
  options.seed = seed ? whole_number(*seed, "--seed", 0, UINT64_MAX) : options.seed;
  options.threads = threads ? whole_number(*threads, "--threads", 0, 1024) : 0;
  std::vector<Factor> factors = factors_of(model);
  narrow(factors, boxes);
  const StopSignals signals;
  options.proceed = [] { return StopSignals::received() == 0; };
  const Optimum found = find_optimum(model, factors, options);
  const ConstMatrixView row(found.inputs.data(), 1, found.inputs.size());
  if (!quiet && rows_outside_training_range(model, row) > 0)
    say(warning_text("the place lies outside the range seen in training; the prediction there is an extrapolation.") +
        "\n");
  if (!found.complete)
    say(styled(Style::warning, "warning: ") + "a signal ended the search: this is the best so far.\n");
  print_result(json ? io::json_text(io::to_json(model, factors, options, found)) + "\n"
                    : for_locale(text_of(model, factors, options, found)));
  return found.complete ? ExitCode::done : ExitCode::cut_short;
}

}  // namespace rfnn::cli
