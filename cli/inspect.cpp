#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "cli/arguments.hpp"
#include "cli/columns.hpp"
#include "cli/command.hpp"
#include "cli/terminal.hpp"
#include "rfnn/diagnostics/spectrum.hpp"
#include "rfnn/io/json.hpp"
#include "rfnn/io/model_file.hpp"
#include "rfnn/options/table.hpp"

namespace rfnn::cli {
namespace {

constexpr std::size_t lines_shown = 20;

std::string options_text(const Options& options) {
  const Options defaults;
  std::string text;
  for (const Field& field : option_table()) {
    const std::string value = field.print(options);
    if (value != field.print(defaults)) text += fmt::format("  {} {}\n", flag_name(field), value);
  }
  return text.empty() ? "  all at their defaults\n" : text;
}

std::string data_text(const Model& model) {
  std::string text = fmt::format("  {} training rows", model.train_rows);
  if (model.validation_rows > 0) text += fmt::format(", {} validation rows", model.validation_rows);
  text += fmt::format("\n  {:<20} {:>12} {:>12} {:>12} {:>12}\n", "column", "mean", "sd", "min", "max");
  const auto row = [&](const Column& column, std::string_view role) {
    text += fmt::format("  {:<20} {:>12.5g} {:>12.5g} {:>12.5g} {:>12.5g}  {}\n", printable(column.name), column.mean,
                        column.sd, column.min, column.max, role);
  };
  for (const Column& column : model.inputs) row(column, column.used ? "input" : "constant, left out");
  for (const Column& column : model.targets) row(column, "target");
  return text;
}

std::string blocks_text(const Model& model) {
  std::string text =
      fmt::format("  {:>5} {:>5} {:>10} {:>8} {:>11} {:>11} {:>10} {:>9} {:>8}\n", "block", "width", "iterations",
                  "accepted", "train mse", "valid mse", "condition", "fallbacks", "seconds");
  text +=
      fmt::format("  {:>5} {:>5} {:>10} {:>8} {:>11.4g} {:>11}\n", 0, "", "", "", model.history.empty_train_mse,
                  model.history.empty_validation_mse ? fmt::format("{:.4g}", *model.history.empty_validation_mse) : "");
  for (const BlockRecord& record : model.history.blocks) {
    std::string accepted;
    for (const BranchRecord& branch : record.branches) {
      accepted += fmt::format("{}{:.0f}%", accepted.empty() ? "" : "/", 100.0 * branch.acceptance());
    }
    text += fmt::format("  {:>5} {:>5} {:>10} {:>8} {:>11.4g} {:>11} {:>10.2g} {:>9} {:>8.2f}{}\n", record.block,
                        record.width, record.iterations, accepted, record.train_mse,
                        record.validation_mse ? fmt::format("{:.4g}", *record.validation_mse) : "", record.condition,
                        record.solver_fallbacks, record.seconds, record.complete ? "" : "  cut short");
  }
  if (model.history.rate_slope) {
    text += fmt::format("  error falls like (W·L)^{:.2f}; the theory's rate is −1\n", *model.history.rate_slope);
  }
  return text;
}

std::string vector_text(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) text += fmt::format("{}{:.5g}", text.empty() ? "" : ", ", value);
  return text;
}

double size_of(const SpectralLine& line) {
  double sum = 0.0;
  for (const double amplitude : line.amplitude) sum += amplitude * amplitude;
  return std::sqrt(sum);
}

std::string period_of(const SpectralLine& line) {
  double squared = 0.0;
  for (const double cycles : line.cycles) squared += cycles * cycles;
  return squared > 0.0 ? fmt::format("{:.5g}", 1.0 / std::sqrt(squared)) : "∞";
}

std::string lines_text(const std::vector<SpectralLine>& lines, bool with_place) {
  std::string text = fmt::format("  {:>12} {:<24} {:<24} {:>12}{}\n", "amplitude", "frequency (rad/unit)",
                                 "cycles/unit", "period", with_place ? "  place" : "");
  for (std::size_t i = 0; i < std::min(lines.size(), lines_shown); ++i) {
    const SpectralLine& line = lines[i];
    text += fmt::format("  {:>12.5g} {:<24} {:<24} {:>12}", size_of(line), vector_text(line.frequency),
                        vector_text(line.cycles), period_of(line));
    text += with_place ? fmt::format("  block {}, {}\n", line.block, name_of(line.branch)) : "\n";
  }
  if (lines.size() > lines_shown)
    text += fmt::format("  … {} more; --json lists them all\n", lines.size() - lines_shown);
  return text;
}

/// With one input, lines closer than the data can tell apart are one: the range of the input decides.
std::string merged_text(const Model& model, const std::vector<SpectralLine>& lines) {
  const auto used =
      std::find_if(model.inputs.begin(), model.inputs.end(), [](const Column& column) { return column.used; });
  if (model.used_inputs() != 1 || used == model.inputs.end() || !(used->max > used->min)) return {};
  const double distance = 1.0 / (used->max - used->min);
  const auto merged = merged_input_lines(lines, distance);
  if (merged.empty()) return {};
  return fmt::format("\nFrequencies of {}, those within {:.3g} of a larger one merged\n", printable(used->name),
                     distance) +
         lines_text(merged, false);
}

std::string summary(const Model& model, const std::string& path) {
  std::string text = fmt::format("{}: {}, {}, {}\n", printable(path), counted(model.blocks(), "block"),
                                 counted(model.input_count(), "input"), counted(model.outputs(), "output"));
  text += fmt::format("stopped: {} ({}), after {}\n", printable(model.stop_text), name_of(model.stop_reason),
                      duration(model.seconds));
  for (const std::string& warning : model.warnings) text += "warning: " + printable(warning) + "\n";
  text += "\nOptions that are not the default\n" + options_text(model.options);
  text += "\nData\n" + data_text(model);
  text += "\nBlocks\n" + blocks_text(model);
  const auto lines = spectrum(model);
  if (lines.empty()) return text;
  text += merged_text(model, lines);
  return text + "\nLargest features\n" + lines_text(lines, true);
}

}  // namespace

ExitCode run_inspect(const Invocation& call) {
  std::string path;
  bool json = false;
  Arguments arguments("inspect", "Show what a model file holds: options, data, blocks, learned frequencies.",
                      "MODEL [--json]");
  arguments.positional(path, "MODEL", "model file written by `rfnn fit`");
  arguments.flag(json, "--json", "print one JSON document with everything");
  arguments.parse(call.words);
  const Model model = load_model(path);
  print_result(json ? describe(model).dump(2, ' ', false, Json::error_handler_t::replace) + "\n"
                    : summary(model, path));
  return ExitCode::done;
}

}  // namespace rfnn::cli
