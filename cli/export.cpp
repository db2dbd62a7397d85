#include <filesystem>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "cli/arguments.hpp"
#include "cli/columns.hpp"
#include "cli/command.hpp"
#include "cli/command_text.hpp"
#include "cli/export_check.hpp"
#include "cli/terminal.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/export/export.hpp"
#include "rfnn/io/model_file.hpp"

namespace rfnn::cli {
namespace {

std::string size_text(const std::string& path) {
  std::error_code error;
  const auto bytes = static_cast<double>(std::filesystem::file_size(path, error));
  if (error) return {};
  return bytes < 1e6 ? fmt::format(", {:.0f} kB", bytes / 1e3) : fmt::format(", {:.1f} MB", bytes / 1e6);
}

void tell(const ExportCheck& check) {
  if (check.difference)
    say(told(fmt::format(
                 "largest difference from predict on sample rows: {:.2g} of the prediction{} ({})", *check.difference,
                 check.bounds ? fmt::format(", {:.2g} of the length of intervals", *check.bounds) : "", check.how),
             2) +
        "\n");
  else
    say(told(fmt::format("not checked against predict: {}", check.how), 2) + "\n");
}

}  // namespace

ExitCode run_export(const Invocation& call) {
  std::string model_path;
  std::optional<std::string> format_name, out;
  bool no_interval = false, no_check = false, quiet = false;
  Arguments arguments("export", "Write a model as a file for use without rfnn: ONNX, C, Python, a formula, JSON.",
                      "MODEL --format onnx|c|python|formula|json [--out FILE]");
  arguments.positional(model_path, "MODEL", "model file written by `rfnn fit`");
  arguments.value(format_name, "--format", "onnx|c|python|formula|json", "what to write");
  arguments.value(out, "-o,--out", "FILE", "where it goes [the model's name with .onnx, .c, .py, .txt or .json]");
  arguments.flag(no_interval, "--no-interval", "leave error bars out: the file is smaller");
  arguments.flag(no_check, "--no-check", "do not compute sample rows with the file to compare them with predict");
  arguments.flag(quiet, "-q,--quiet", "print nothing but errors");
  arguments.footer(
      "\nThe file takes a number per input column: times in days since a date, levels by their place, as it says "
      "itself.\n"
      "`rfnn help exports` has more.");
  arguments.parse(call.words);
  if (!format_name)
    throw UsageError("`rfnn export` needs --format.",
                     fmt::format("Give one of {}.", fmt::join(export_format_names, ", ")));

  const ExportFormat format = export_format(*format_name);
  const std::string name = export_name(model_path),
                    place = out.value_or(std::filesystem::path(model_path).stem().string() +
                                         std::string(export_extension(format)));
  Model model = load_model(model_path);
  if (no_interval) {
    model.uncertainty.reset();
    model.draws = {};
  }
  if (same_file(place, model_path))
    throw UsageError(fmt::format("--out {} is the model.", printable(place)), "Choose another name.");
  export_model(model, format, place, name);
  std::error_code error;
  const bool is_file = std::filesystem::is_regular_file(place, error);
  if (quiet || !is_file) return ExitCode::done;
  say(fmt::format("wrote {}{}\n", printable(place), size_text(place)));
  if (holds_rows(model) && format != ExportFormat::formula)
    say(told("it holds rows of the training table: whoever has it can read their inputs", 2) + "\n");
  if (!no_check) tell(check_export(model, format, place, name));
  return ExitCode::done;
}

}  // namespace rfnn::cli
