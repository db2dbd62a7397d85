#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "cli/arguments.hpp"
#include "cli/columns.hpp"
#include "cli/command.hpp"
#include "cli/command_text.hpp"
#include "cli/draws_text.hpp"
#include "cli/errors_text.hpp"
#include "cli/inspect_lines.hpp"
#include "cli/terminal.hpp"
#include "rfnn/data/moment.hpp"
#include "rfnn/diagnostics/law_density.hpp"
#include "rfnn/diagnostics/spectrum.hpp"
#include "rfnn/diagnostics/trend.hpp"
#include "rfnn/io/json.hpp"
#include "rfnn/io/model_file.hpp"
#include "rfnn/options/table.hpp"

namespace rfnn::cli {
namespace {

constexpr std::size_t rows_shown = 100;

std::string options_text(const Options& options) {
  const Options defaults = preset_options(options.preset);
  std::string text;
  for (const Field& field : option_table()) {
    const std::string value = field.print(options);
    if (value != field.print(defaults)) text += fmt::format("  {} {}\n", flag_name(field), value);
  }
  return text.empty() ? "  all at its defaults\n" : text;
}

std::string data_text(const Model& model) {
  std::string text = fmt::format("  {}", io::counted(model.train_rows, "training row"));
  if (model.validation_rows > 0) text += fmt::format(", {}", io::counted(model.validation_rows, "validation row"));
  text += fmt::format("\n  {:<20} {:>11} {:>11} {:>11} {:>11}\n", "column", "mean", "sd", "min", "max");
  const auto row = [&](const Column& column, std::string_view role) {
    const std::size_t room = result_width() - 72;
    text +=
        fmt::format("  {} {:>11.5g} {:>11.5g} {:>11.5g} {:>11.5g}{}{}\n", name_cell(column.name, 20, 2), column.mean,
                    column.sd, column.min, column.max, role.size() <= room ? "  " : "\n" + std::string(4, ' '), role);
  };
  std::size_t used = 0;
  for (std::size_t k = 0; k < std::min(model.inputs.size(), rows_shown); ++k) {
    const bool left_out = !model.inputs[k].used;
    row(model.inputs[k], left_out ? is_needed(model, k) ? "constant, seen by the base alone" : "constant, left out"
                         : model.scaler.input(used++).log_from > 0.0 ? "input, as its logarithm"
                                                                     : "input");
  }
  text += more_text(model.inputs.size(), rows_shown);
  for (std::size_t k = 0; k < std::min(model.targets.size(), rows_shown); ++k) row(model.targets[k], "target");
  return text + more_text(model.targets.size(), rows_shown);
}

/// What the columns of the table hold, where they are not plainly numbers.
std::string columns_text(const Model& model) {
  std::string text;
  std::size_t shown = 0;
  for (const ColumnCode& column : model.table.inputs) {
    if (++shown > rows_shown) continue;
    std::string line = fmt::format("{}: {}", printable(column.name), printable(describe(column)));
    if (column.missing > 0) line += fmt::format("; {} missing", io::counted(column.missing, "cell"));
    if (column.missing > 0 && model.options.missing == Missing::mean)
      line += column.indicator ? ", filled by the mean, with an input that says where" : ", filled by the mean";
    text += "  " + wrapped(line, result_width(), 4) + "\n";
  }
  return text.empty() ? "" : "\nColumns of the table\n" + text + more_text(model.table.inputs.size(), rows_shown);
}

/// Columns that hold nothing are left out: a chain's without one, the member's of a single network, the method's of the
/// published algorithm.
std::string blocks_text(const Model& model) {
  const std::vector<BlockRecord>& records = model.history.blocks;
  const bool several = model.members.size() > 1;
  const bool chain = std::any_of(records.begin(), records.end(), [](const auto& record) { return record.has_chain(); });
  const bool methods =
      std::any_of(records.begin(), records.end(), [](const auto& r) { return r.method != Method::sampled; });
  const bool paper = model.options.preset == Preset::paper;
  const bool fallbacks =
      std::any_of(records.begin(), records.end(), [](const auto& record) { return record.solver_fallbacks > 0; });
  const auto row = [&](const std::array<std::string, 11>& cells) {
    static constexpr int widths[] = {6, 5, 5, 10, 10, 8, 9, 9, 9, 9, 7};
    std::string line = " ";
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if ((i == 0 && !several) || (i == 3 && !methods) || ((i == 4 || i == 5) && !chain && !paper)) continue;
      if (i == 9 && !fallbacks) continue;
      line += fmt::format(" {:>{}}", cells[i], widths[i]);
    }
    return line.substr(0, line.find_last_not_of(' ') + 1);
  };
  const auto number = [](const std::optional<double>& value) { return value ? fmt::format("{:.4g}", *value) : ""; };
  std::string text = row({"member", "block", "width", "method", "iterations", "accepted", "train mse", "valid mse",
                          "condition", "fallbacks", "seconds"}) +
                     "\n" +
                     row({"", "0", "", "", "", "", number(model.history.empty_train_mse),
                          number(model.history.empty_validation_mse), "", "", ""}) +
                     "\n";
  for (std::size_t i = 0; i < std::min(records.size(), rows_shown); ++i) {
    const BlockRecord& record = records[i];
    std::string accepted;
    for (const BranchRecord& branch : record.branches) {
      if (record.has_chain())
        accepted += fmt::format("{}{:.0f}%", accepted.empty() ? "" : "/", 100.0 * branch.acceptance());
    }
    text +=
        row({std::to_string(record.member), std::to_string(record.block), std::to_string(record.width),
             std::string(name_of(record.method)), paper || record.has_chain() ? std::to_string(record.iterations) : "",
             accepted, number(record.train_mse), number(record.validation_mse),
             record.condition > 0.0 ? fmt::format("{:.2g}", record.condition) : "",
             std::to_string(record.solver_fallbacks), fmt::format("{:.2f}", record.seconds)});
    if (!record.complete) text += "  cut short";
    if (!is_kept(model, record)) text += "  given up again";
    text += "\n";
  }
  text += more_text(records.size(), rows_shown);
  if (model.history.rate_slope) {
    text += fmt::format("  error falls like (W·L)^{:.2f}; the theory's rate is −1\n", *model.history.rate_slope);
  }
  return text;
}

/// What a unit is, where that is not plainly the input's.
std::string units_note(const Model& model) {
  std::string text;
  if (const auto time = time_among(model, BranchKind::input))
    text = "  " +
           wrapped(fmt::format("the unit of {} is a day; periods are those of waves that turn along it",
                               printable(variables_seen(model, BranchKind::input)[*time].name)),
                   result_width(), 4) +
           "\n";
  if (!model.scaler.input_log_from.empty()) text += "  per unit of the natural logarithm where one is taken\n";
  return text;
}

/// What the network has learnt over the inputs: lines that the data can tell apart.
std::string merged_text(const Model& model, const std::vector<SpectralLine>& features) {
  const std::vector<SpectralLine> lines = distinguishable_lines(model, features);
  if (lines.empty()) return {};
  const std::vector<Column> columns = variables_seen(model, BranchKind::input);
  const double range = columns.size() == 1 ? columns[0].max - columns[0].min : 0.0;
  const std::string near = range > 0.0 ? fmt::format("within {:.3g} of a larger one", 1.0 / range)
                                       : "less than a radian apart over the ranges of the data";
  const std::string of = columns.size() == 1 ? printable(columns[0].name) : "the inputs";
  return "\n" + wrapped(fmt::format("Frequencies of {}, those {} merged", of, near), result_width(), 2) + "\n" +
         units_note(model) + lines_text(model, lines, false);
}

/// In percent, small ones too.
std::string share_text(double share) {
  return share < 0.01 ? fmt::format("{:.1g} %", 100.0 * share) : fmt::format("{:.0f} %", 100.0 * share);
}

/// A row per variable: the frequencies below which half and nine tenths of the variance are.
template <class Quantile>
std::string quantiles_text(const Model& model, const std::vector<Column>& variables, const std::string& part,
                           const Quantile& quantile) {
  constexpr double turn = 2.0 * std::numbers::pi;
  std::string text;
  for (std::size_t k = 0; k < std::min(variables.size(), rows_shown); ++k) {
    const double median = quantile(k, 0.5) / turn, most = quantile(k, 0.9) / turn;
    text +=
        fmt::format("  {:>8} {} {:>12.5g} {:>12.5g} {:>14}\n", part, name_cell(variables[k].name, 20, 11), median, most,
                    !(median > 0.0)                         ? "∞"
                    : counts_days(model, variables[k].name) ? span_text(1.0 / median)
                                                            : fmt::format("{:.5g}", 1.0 / median));
  }
  return text + more_text(variables.size(), rows_shown);
}

std::string law_text(const Model& model, const BranchLaw& law) {
  const std::vector<Column> variables = variables_seen(model, law.branch);
  std::string text = fmt::format("  {}block {}, {}: {}\n  {:>8} {:<20} {:>12} {:>12} {:>14}\n",
                                 model.members.size() > 1 ? fmt::format("member {}, ", law.member) : "", law.block,
                                 name_of(law.branch), io::counted(law.centres, "centre"), "part", "variable",
                                 "half below", "90 % below", "median period");
  text +=
      quantiles_text(model, variables, "all", [&](std::size_t k, double share) { return law_quantile(law, k, share); });
  if (law.parts.size() == 1) return text;
  for (const LawPart& part : law.parts)
    text += quantiles_text(model, variables, share_text(part.share),
                           [&](std::size_t k, double share) { return part.marginals[k].quantile(share); });
  return text;
}

/// Closed forms: the laws their infinitely many frequencies come from.
std::string laws_text(const Model& model) {
  const std::vector<BranchLaw> all = laws(model);
  if (all.empty()) return {};
  std::string text =
      "\n" +
      wrapped(
          "Laws of frequencies of closed forms, in cycles per unit; parts with their shares of the variance. The "
          "centres are rows of the training table: whoever has this file can read their inputs.",
          result_width(), 2) +
      "\n" + units_note(model);
  for (std::size_t i = 0; i < std::min(all.size(), lines_shown); ++i) text += law_text(model, all[i]);
  return text + more_text(all.size(), lines_shown);
}

/// What the networks add to.
std::string base_text(const Model& model) {
  const Base& base = model.base;
  if (base.empty()) return {};
  std::string text =
      "\n" +
      wrapped("Base: the networks have learnt the difference to it, and the statistics of targets are of that",
              result_width(), 2) +
      "\n";
  for (std::size_t o = 0; o < std::min(model.outputs(), rows_shown); ++o) {
    const std::string what =
        base.model ? fmt::format("the prediction of {} by the base model", printable(base.model->targets[o].name))
                   : "column " + printable(model.inputs[base.inputs[o]].name);
    text += "  " +
            wrapped(fmt::format("{} = {:.6g} · {} + networks", printable(model.targets[o].name), base.factor[o], what),
                    result_width(), 4) +
            "\n";
  }
  text += more_text(model.outputs(), rows_shown);
  if (!base.model) return text;
  const Model& its = *base.model;
  return text + fmt::format("  the base model: {}, {}, trained on {}\n", io::counted(its.blocks(), "block"),
                            io::counted(its.input_count(), "input"), io::counted(its.train_rows, "row"));
}

/// What goes on beyond the data.
std::string trend_text(const Model& model) {
  const std::vector<TrendTerm> terms = trends(model);
  if (terms.empty()) return {};
  const bool several = model.members.size() > 1;
  std::string text = fmt::format("\nTrend, on top of the target's mean\n  {:>12}  {}\n", "coefficient", "of");
  for (std::size_t i = 0; i < std::min(terms.size(), rows_shown); ++i) {
    const TrendTerm& term = terms[i];
    double squares = 0.0;
    for (const double c : term.coefficient) squares += c * c;
    const double size = term.coefficient.size() == 1 ? term.coefficient[0] : std::sqrt(squares);
    const std::string difference = fmt::format("({} − {:.6g})", printable(term.variable), term.about);
    const std::string what = fmt::format("{}{}{}",
                                         term.power == 0   ? "1"
                                         : term.power == 1 ? difference
                                         : term.power == 2 ? difference + "²"
                                                           : fmt::format("{}^{}", difference, term.power),
                                         several ? fmt::format(", member {}", term.member) : "",
                                         term.block > 1 ? fmt::format(", block {}", term.block) : "");
    text += fmt::format("  {:>12.5g}  {}\n", size, wrapped(what, result_width(), 16));
  }
  return text + more_text(terms.size(), rows_shown);
}

std::string summary(const Model& model, const std::string& path) {
  const std::string members = model.members.size() > 1 ? fmt::format("{} members of up to ", model.members.size()) : "";
  const std::string shape =
      fmt::format("{}: {}{}, {}, {}", printable(path), members, io::counted(model.blocks(), "block"),
                  io::counted(model.input_count(), "input"), io::counted(model.outputs(), "output"));
  const std::string stopped = fmt::format("stopped: {} ({}), after {}", printable(model.stop_text),
                                          name_of(model.stop_reason), io::duration(model.seconds));
  std::string text = wrapped(shape, result_width(), 2) + "\n" + wrapped(stopped, result_width(), 9) + "\n";
  if (const std::string errors = errors_text(model); !errors.empty()) text += errors + "\n";
  for (const std::string& warning : model.warnings)
    text += wrapped("warning: " + printable(warning), result_width(), 9) + "\n";
  text += fmt::format("\nOptions that are not the default of preset {}\n", find_field("preset")->print(model.options)) +
          options_text(model.options);
  text += "\nData\n" + data_text(model) + columns_text(model) + base_text(model);
  text += "\nBlocks\n" + blocks_text(model);
  if (!model.draws.empty())
    text += "\nDraws of the chains: " + draws_text(draw_statistics({&model.draws}), 1, model.draws.count());
  text += trend_text(model);
  text += laws_text(model);
  const auto lines = spectrum(model);
  if (lines.empty()) return text;
  text += merged_text(model, lines);
  return text + "\nLargest features\n" + units_note(model) + lines_text(model, lines, true, model.members.size() > 1);
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
  print_result(json ? io::json_text(io::describe(model), 2) + "\n" : for_locale(summary(model, path)));
  return ExitCode::done;
}

}  // namespace rfnn::cli
