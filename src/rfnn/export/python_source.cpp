#include "rfnn/export/python_source.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "rfnn/export/bars.hpp"
#include "rfnn/export/runtime.hpp"
#include "rfnn/io/json.hpp"
#include "rfnn/io/text.hpp"
#include "rfnn/options/number_text.hpp"

namespace rfnn::exporting {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie");

/// Numbers of a row's kernel values or features that are held at a time.
constexpr std::size_t numbers_together = std::size_t{1} << 21U;
/// Tables of so many numbers are written as such, larger ones in base 64.
constexpr std::size_t readable = 24;

std::string base64(const void* data, std::size_t bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto* const from = static_cast<const unsigned char*>(data);
  std::string text;
  text.reserve((bytes + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes; i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes - i);
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k) three = (three << 8U) | (k < count ? from[i + k] : 0U);
    for (std::size_t k = 0; k < 4; ++k) text += k <= count ? digits[(three >> (18U - 6U * k)) & 63U] : '=';
  }
  return text;
}

/// A text as a literal of Python; those of JSON are some.
std::string literal(std::string_view text) { return io::json_string(io::to_utf8(text)); }

template <class List, class Text>
std::string list(const List& values, const Text& text, std::string_view between = ", ") {
  std::string all = "[";
  for (std::size_t i = 0; i < values.size(); ++i) all += (i == 0 ? "" : std::string(between)) + text(values[i]);
  return all + "]";
}

std::string list(const std::vector<double>& values) { return list(values, shortest); }

std::string array(const double* values, std::size_t rows, std::size_t cols) {
  if (rows * cols > readable)
    return fmt::format("_doubles(\"{}\", {}, {})", base64(values, rows * cols * sizeof(double)), rows, cols);
  std::string text = "np.array([";
  for (std::size_t i = 0; i < rows; ++i)
    text += (i == 0 ? "" : ", ") + list(std::vector<double>(values + i * cols, values + (i + 1) * cols));
  return text + fmt::format("], dtype=float).reshape({}, {})", rows, cols);
}

std::string array(const Matrix& values) { return array(values.data(), values.rows(), values.cols()); }

/// Every second row of the amplitudes.
std::string half_of(const Matrix& amplitudes, std::size_t first) {
  Matrix half(amplitudes.rows() / 2, amplitudes.cols());
  for (std::size_t j = 0; j < half.rows(); ++j)
    for (std::size_t o = 0; o < half.cols(); ++o) half(j, o) = amplitudes(2 * j + first, o);
  return array(half);
}

std::string frequencies_text(const Branch& branch) {
  const Matrix& omega = branch.frequencies;
  if (branch.lattice.empty()) return array(omega);
  std::vector<std::int32_t> multiples;
  for (std::size_t j = 0; j < omega.rows(); ++j)
    for (std::size_t k = 0; k < omega.cols(); ++k)
      multiples.push_back(static_cast<std::int32_t>(std::lround(omega(j, k) / branch.lattice[k])));
  return fmt::format("_integers(\"{}\", {}, {}) * np.array({})",
                     base64(multiples.data(), multiples.size() * sizeof(std::int32_t)), omega.rows(), omega.cols(),
                     list(branch.lattice));
}

std::string part_text(const FrequencyLaw& law, const FrequencyLaw::Part& part) {
  const bool mapped = law.map.rows() > 0;
  std::vector<double> curves(mapped ? law.variables() : 0);
  for (const double s : part.smooth) curves.push_back(0.5 * s * s);
  return fmt::format("({}, {}, {}, {}, {}, {})", part.order, part.radial ? "True" : "False", shortest(part.strength),
                     list(part.rough), list(curves), list(part.centre));
}

std::string kernel_text(const ClosedForm& form) {
  std::string text =
      fmt::format("{{\n        \"parts\": {},\n        \"centres\": {},\n        \"coefficients\": {},\n",
                  list(form.law.parts, [&](const FrequencyLaw::Part& part) { return part_text(form.law, part); }),
                  array(kernel_points(form)), array(form.coefficients));
  if (form.law.map.rows() > 0) text += fmt::format("        \"map\": {},\n", array(form.law.map));
  if (!form.windows.empty()) {
    const CentreRange range = centre_range(form);
    text += fmt::format("        \"windows\": ({}, {}, {}, {}, {}, {}),\n", array(form.windows.low),
                        array(form.windows.high), array(form.windows.scale), list(range.least), list(range.most),
                        list(form.windows.rows, [](std::size_t rows) { return std::to_string(rows); }));
  }
  return text + "      }";
}

std::string series_text(const ClosedForm& form) {
  const Series series = series_of(form);
  const auto part = [](const FrequencyLaw::Part& of) {
    return fmt::format("({}, {}, {})", of.order, shortest(of.rough[0]),
                       shortest(of.centre.empty() ? 0.0 : of.centre[0]));
  };
  return fmt::format("({},\n        {},\n        {},\n        {})", list(form.law.parts, part), array(series.centres),
                     array(series.before), array(series.after));
}

std::string branch_text(const Branch& branch, std::size_t inputs, std::size_t outputs) {
  const Seen seen = seen_by(branch, inputs, outputs);
  std::string text = fmt::format("\n      {{\"sees\": slice({}, {})", seen.first, seen.first + seen.count);
  if (!branch.trend.empty())
    text += fmt::format(",\n       \"trend\": ({}, {})", branch.trend_degree(), array(branch.trend));
  if (branch.frequencies.rows() > 0)
    text += fmt::format(",\n       \"waves\": ({},\n                 {},\n                 {})",
                        frequencies_text(branch), half_of(branch.amplitudes, 0), half_of(branch.amplitudes, 1));
  if (branch.closed_form)
    text += is_series(*branch.closed_form) ? ",\n       \"series\": " + series_text(*branch.closed_form)
                                           : ",\n       \"kernel\": " + kernel_text(*branch.closed_form);
  return text + "}";
}

std::string members_text(const Plan& plan) {
  std::string text = "[\n";
  for (const PlanMember& member : plan.members) {
    text += fmt::format("  {{\"inputs\": {}, \"mean\": np.array({}), \"scale\": np.array({}), \"blocks\": [\n",
                        member.inputs, list(member.mean), list(member.scale));
    const auto branch = [&](const Branch& of) {
      return branch_text(of, plan.inputs[member.inputs].size(), plan.outputs());
    };
    for (const Block& block : member.network->blocks) text += "    " + list(block.branches, branch) + ",\n";
    text += "  ]},\n";
  }
  return text + "]";
}

std::string input_text(const PlanInput& input) {
  return fmt::format("({}, {}, {}, {}, {}, {}, {}, {})", input.column, static_cast<int>(input.kind), input.level,
                     input.levels, shortest(input.fill), shortest(input.scale.mean), shortest(input.scale.sd),
                     shortest(input.scale.log_from));
}

/// What a docstring may hold.
std::string for_docstring(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ' || c == '\\' || c == '"') c = c == '"' ? '\'' : ' ';
  return text;
}

std::string title(const Plan& plan) {
  std::string text =
      for_docstring(title_of(plan)) +
      "\n\n`predict` takes an array of numbers, a row per row of the table and a column per input; `predict_interval`\n"
      "and `predict_std` take the same and say how far off the prediction may be:\n\n";
  if (const std::string why = why_no_bars(plan.model); !why.empty())
    text = for_docstring(title_of(plan)) +
           "\n\n`predict` takes an array of numbers, a row per row of the table and a column per input. There is no\n"
           "`predict_interval`: " +
           for_docstring(why) + ".\n\n";
  for (const std::string& line : lines_about_columns(plan)) text += for_docstring(line) + "\n";
  return text + fmt::format("\nA missing cell is NaN; {}.\n",
                            plan.fills ? "what the network was trained with then stands in for it"
                                       : "the outputs of such a row are NaN");
}

/// Of the widest sum.
std::size_t widest(const Plan& plan, const std::optional<PlanBars>& bars) {
  std::size_t widest = 1;
  if (bars && bars->reference) widest = std::max(widest, bars->reference->centres.rows());
  if (bars && bars->shape) widest = std::max(widest, bars->shape->centres.rows());
  for (const PlanMember& member : plan.members)
    for (const Block& block : member.network->blocks)
      for (const Branch& branch : block.branches)
        widest = std::max(widest, branch.closed_form && is_series(*branch.closed_form) ? std::size_t{1}
                                  : branch.closed_form && !branch.closed_form->windows.empty()
                                      ? *std::max_element(branch.closed_form->windows.rows.begin(),
                                                          branch.closed_form->windows.rows.end())
                                      : branch.width());
  return widest;
}

std::string bar_text(const PlanBar& bar) {
  const std::vector<double> numbers = {bar.gain,  bar.spread, bar.floor,     bar.sd,          bar.mean,
                                       bar.scale, bar.median, bar.deviation, bar.lower_index, bar.upper_index};
  std::string text = "(";
  for (const double number : numbers) text += shortest(number) + ", ";
  return text + array(bar.scores.data(), 1, bar.scores.size()) + "[0])";
}

std::string posterior_text(const PlanBars& bars) {
  if (!(bars.prior > 0.0)) return "None";
  return fmt::format(
      "{{\n    \"prior\": {}, \"far\": {}, \"noise\": {}, \"reach\": {}, \"nearest\": {},\n    \"given\": np.array({}, "
      "dtype=int),\n"
      "    \"factor\": _lower({}),\n    \"kernel\": {},\n}}",
      shortest(bars.prior), shortest(bars.far), shortest(bars.noise), bars.reach ? shortest(*bars.reach) : "None",
      bars.nearest, list(bars.given, [](int centre) { return std::to_string(centre); }),
      array(bars.factor.data(), 1, bars.factor.size()), bars.reference ? kernel_text(*bars.reference) : "None");
}

std::string spreading_text(const Plan& plan, const PlanBars& bars) {
  if (bars.drawn.empty()) return std::to_string(bars.spreading());
  const auto branch = [&](const Branch& of) { return branch_text(of, plan.inputs[0].size(), plan.outputs()); };
  return list(bars.drawn, [&](const PlanMember& drawn) {
    return "\n  " + list(drawn.network->blocks, [&](const Block& block) { return list(block.branches, branch); });
  });
}

std::string cell_text(const PlanCell& cell) {
  const std::string likely = cell.likely.empty() ? "None" : array(cell.likely.data(), 1, cell.likely.size()) + "[0]";
  return fmt::format("({}, {}, {})", cell.missing, cell.levels, likely);
}

std::string bars_text(const Plan& plan, const PlanBars& bars) {
  const PosteriorNumbers numbers = posterior_numbers();
  const CellNumbers cells = cell_numbers();
  return filled(python_bars, {{"@bars@", list(bars.outputs, bar_text)},
                              {"@posterior@", posterior_text(bars)},
                              {"@shape@", bars.shape ? kernel_text(*bars.shape) : "None"},
                              {"@own@", std::to_string(bars.own)},
                              {"@spreading@", spreading_text(plan, bars)},
                              {"@cells@", list(bars.cells, cell_text, ",\n          ")},
                              {"@held@", fmt::format("{}, {}", shortest(cells.held), cells.for_widths)},
                              {"@rounding@", fmt::format("{}, {}, {}", shortest(numbers.rounding),
                                                         shortest(numbers.most_rounding), shortest(numbers.ranks))}});
}

}  // namespace

std::string python_source(const Plan& plan) {
  const std::optional<PlanBars> bars = bars_of(plan);
  std::string text = filled(
      python_runtime,
      {{"@title@", title(plan)},
       {"@columns@", list(plan.columns, [](const PlanColumn& column) { return literal(column.name); })},
       {"@outputs@", list(plan.model.targets, [](const Column& target) { return literal(target.name); })},
       {"@inputs@",
        list(
            plan.inputs, [](const std::vector<PlanInput>& seen) { return list(seen, input_text, ",\n            "); },
            ",\n           ")},
       {"@fills@", plan.fills ? "True" : "False"},
       {"@members@", members_text(plan)},
       {"@rows@", std::to_string(std::max<std::size_t>(16, numbers_together / widest(plan, bars)))}});
  if (bars) text += bars_text(plan, *bars);
  return text;
}

}  // namespace rfnn::exporting
