#include "rfnn/export/c_source.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "rfnn/export/bars.hpp"
#include "rfnn/export/c_tables.hpp"
#include "rfnn/export/runtime.hpp"

namespace rfnn::exporting {
namespace {

/// Rows that are computed together, whose numbers stay in the nearest cache. With 64 the time is the least, with 16
/// half as long again.
constexpr std::size_t rows_together = 64;

/// What may stand between the ends of a comment, on one line.
std::string for_comment(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  return replaced(replaced(text, "*/", "* /"), "/*", "/ *");
}

/// Doubles that a call for an interval has on the stack, but for what a prediction has.
std::size_t stack_numbers(const PlanBars& bars) {
  return bars.given.size() * (bars.nearest + 1) + bars.nearest * (bars.nearest + 5) +
         (bars.cells.empty() ? 0 : bars.cells.size() + cell_numbers().drawn * bars.outputs.size());
}

std::string about_bars(const Plan& plan, const std::optional<PlanBars>& bars) {
  if (!bars) return fmt::format("   There is no NAME_interval:\n   {}.\n\n", for_comment(why_no_bars(plan.model)));
  std::string text =
      "   NAME_interval: a share `coverage` of new rows, between 0 and 1, lies between lower[o] and upper[o], as much\n"
      "   below as above. NAME_std: the standard deviation of new rows around the outputs. They are those of\n"
      "   `rfnn predict --interval` and `--std`";
  if (!bars->cells.empty())
    text += fmt::format(",\n   over what {} the model does not know may have been",
                        plan.fills ? "a missing cell or a level that" : "a level that");
  const std::size_t stack = stack_numbers(*bars) * sizeof(double) / 1000;
  return text + (stack > 0 ? fmt::format(", and need {} kB of stack.\n\n", stack) : ".\n\n");
}

std::string title(const Plan& plan, const std::optional<PlanBars>& bars) {
  std::string text = "/* " + for_comment(title_of(plan)) +
                     "\n\n   void NAME_predict(const double *inputs, double *outputs);\n"
                     "   void NAME_gradient(const double *inputs, double *jacobian);\n"
                     "   void NAME_predict_rows(const double *inputs, size_t rows, double *outputs);\n";
  if (bars)
    text +=
        "   void NAME_interval(const double *inputs, double coverage, double *lower, double *upper);\n"
        "   void NAME_std(const double *inputs, double *std);\n";
  text +=
      "\n   NAME_predict computes the outputs for one row of inputs, NAME_predict_rows the same for many rows, one "
      "behind\n"
      "   the other, several at a time. NAME_gradient: jacobian[o * columns + k] is the derivative of output o by "
      "input\n"
      "   k, per unit of its column; it is 0 for levels and missing cells, booleans count as numbers. Nothing is\n"
      "   allocated, nothing is kept between calls: any number of threads may call them.\n\n" +
      about_bars(plan, bars) + "   inputs[k] is\n";
  text = replaced(text, "NAME", plan.name);
  for (const std::string& line : lines_about_columns(plan)) text += "     " + for_comment(line) + "\n";
  text += fmt::format("   A missing cell is NaN; {}.\n", plan.fills
                                                             ? "what the network was trained with then stands in for it"
                                                             : "the outputs of such a row are NaN");
  text += "   outputs[o] is\n";
  for (std::size_t o = 0; o < plan.outputs(); ++o)
    text += fmt::format("     {} {}\n", o, for_comment(plan.model.targets[o].name));
  return text +
         "\n   Any compiler of C99 takes it, without options; -O3 -march=native makes it quick. Link with -lm. */";
}

std::string sizes(const Plan& plan, std::size_t coordinates) {
  return fmt::format(
      "enum {{\n"
      "  COLUMNS = {},     /* numbers in a row of inputs */\n"
      "  OUTPUTS = {},\n"
      "  VARIABLES = {},   /* numbers a network sees, inputs and state, at the most */\n"
      "  COORDINATES = {}, /* of points that kernels see, at the most */\n"
      "  MEMBERS = {},     /* networks whose outputs add up */\n"
      "  LANES = {},       /* features of a row that are computed together */\n"
      "  ROWS = {}        /* rows that are, where there are many */\n"
      "}};",
      plan.columns.size(), plan.outputs(), plan.variables(), coordinates, plan.members.size(), c_lanes, rows_together);
}

std::string bar_text(CTables& tables, const PlanBar& bar) {
  std::string text;
  for (const double value : {bar.gain, bar.spread, bar.floor, bar.sd, bar.mean, bar.scale, bar.median, bar.deviation,
                             bar.lower_index, bar.upper_index})
    text += c_number(value) + ", ";
  return text + tables.numbers("scores", bar.scores);
}

std::string bars_sizes(const Plan& plan, const PlanBars& bars) {
  const PosteriorNumbers numbers = posterior_numbers();
  std::string text = fmt::format(
      "enum {{\n"
      "  OWN_INPUTS = {},  /* numbers that the model's own networks see */\n"
      "  OWN_MEMBERS = {}, /* those networks, the first of the members */\n"
      "  DRAWN = {},       /* networks drawn from chains, behind the members */\n"
      "  SPREADING = {},   /* networks whose disagreement counts: these, or the model's own */\n",
      plan.inputs[0].size(), bars.own, bars.drawn.size(), bars.spreading());
  if (!bars.given.empty()) text += fmt::format("  GIVEN = {},       /* centres */\n", bars.given.size());
  if (bars.nearest > 0) text += fmt::format("  NEAREST = {},     /* centres besides */\n", bars.nearest);
  text += fmt::format("  SCORES = {}\n}};\n", bars.outputs.front().scores.size());
  if (!bars.cells.empty()) {
    const CellNumbers cells = cell_numbers();
    text += fmt::format("enum {{ DRAWN_CELLS = {}, CELLS_FOR_WIDTHS = {} }};\n#define HELD {}\n", cells.drawn,
                        cells.for_widths, c_number(cells.held));
  }
  if (bars.reference)
    text += fmt::format(
        "\n/* Added to the diagonal of a covariance, as a share of the variance, and the least share that is left. */\n"
        "#define ROUNDING {}\n",
        c_number(numbers.rounding));
  if (bars.nearest > 0)
    text += fmt::format(
        "/* The most that is added, and the steps in which kernels are told apart. */\n"
        "#define MOST_ROUNDING {}\n#define RANKS {}\n",
        c_number(numbers.most_rounding), c_number(numbers.ranks));
  return text + "\n";
}

std::string bars_tables(CTables& tables, const Plan& plan, const PlanBars& bars) {
  std::vector<std::string> rows;
  for (const PlanBar& bar : bars.outputs) rows.push_back(bar_text(tables, bar));
  tables.list("bar", "bars", rows);
  if (!bars.cells.empty()) {
    rows.clear();
    for (const PlanCell& cell : bars.cells)
      rows.push_back(fmt::format("{}, {}, {}", cell.missing, cell.levels, tables.numbers("likely", cell.likely)));
    tables.list("cell", "cells", rows);
  }
  const std::string shape = bars.shape ? tables.kernel_of(*bars.shape, true) : "NULL",
                    kernel = bars.reference ? tables.kernel_of(*bars.reference, false) : "NULL",
                    given = tables.numbers("given", std::span<const int>(bars.given)),
                    factor = tables.numbers("factor", bars.factor);
  std::string text = bars_sizes(plan, bars) + tables.text();
  text += fmt::format("static const struct kernel *const shape_of_widths = {};\n", shape);
  return text + fmt::format("static const struct posterior posterior = {{{}, {}, {}, {}, {}, {}, {}}};", kernel,
                            c_number(bars.prior), c_number(bars.far), c_number(bars.noise),
                            c_number(bars.reach.value_or(-1.0)), given, factor);
}

/// The functions that compute v, as far as the model needs them.
std::string_view variance_functions(const PlanBars& bars) {
  if (!bars.reference) return c_bars_constant;
  return bars.given.empty() ? c_bars_windows : bars.nearest > 0 ? c_bars_some : c_bars_all;
}

}  // namespace

std::string c_source(const Plan& plan) {
  const std::optional<PlanBars> bars = bars_of(plan);
  CTables tables(plan);
  tables.write_inputs();
  tables.write_networks(bars ? bars->drawn : std::vector<PlanMember>{});
  const std::string of_networks = tables.text();
  std::string of_bars;
  if (bars)
    of_bars = filled(c_bars, {{"rfnn_exported", plan.name},
                              {"/*@bars@*/", bars_tables(tables, plan, *bars)},
                              {"/*@variance@*/\n", std::string(variance_functions(*bars))},
                              {"/*@cells@*/\n", std::string(bars->cells.empty() ? c_bars_no_cells : c_bars_cells)}});
  return filled(c_runtime, {{"rfnn_exported", plan.name},
                            {"/*@title@*/", title(plan, bars)},
                            {"/*@sizes@*/", sizes(plan, tables.coordinates())},
                            {"/*@tables@*/\n", of_networks}}) +
         of_bars;
}

}  // namespace rfnn::exporting
