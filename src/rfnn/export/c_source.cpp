#include "rfnn/export/c_source.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "rfnn/export/runtime.hpp"
#include "rfnn/options/number_text.hpp"

namespace rfnn::exporting {
namespace {

/// Features that are computed together for one row, a register or a few of any CPU; and rows that are computed
/// together, whose numbers stay in the nearest cache. With 64 rows the time is the least, with 16 half as long again.
constexpr std::size_t lanes = 8, rows_together = 64;
constexpr std::size_t line_length = 118;

/// The exact number, hexadecimal where that is shorter than the decimal digits it takes.
std::string c_number(double value) {
  std::string decimal = shortest(value);
  if (decimal.find_first_of(".e") == std::string::npos) decimal += '.';
  char digits[40];
  char* const end = std::to_chars(digits, digits + sizeof digits, std::abs(value), std::chars_format::hex).ptr;
  std::string hexadecimal = (std::signbit(value) ? "-0x" : "0x") + std::string(+digits, end);
  hexadecimal = replaced(hexadecimal, "p+", "p");
  return decimal.size() <= hexadecimal.size() ? decimal : hexadecimal;
}

std::string c_number(int value) { return std::to_string(value); }

/// What may stand between the ends of a comment, on one line.
std::string for_comment(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  return replaced(replaced(text, "*/", "* /"), "/*", "/ *");
}

/// The tables, written one after the other; each is known by its name afterwards.
class Tables {
 public:
  explicit Tables(const Plan& plan) : plan_(plan) {}

  std::string text() {
    write_inputs();
    write_networks();
    return std::move(text_);
  }
  [[nodiscard]] std::size_t coordinates() const { return coordinates_; }

 private:
  /// The name of a table of these numbers; NULL where there are none.
  template <class T>
  std::string numbers(std::string_view what, std::span<const T> values) {
    if (values.empty()) return "NULL";
    const std::string name = fmt::format("{}_{}", what, ++tables_);
    text_ += fmt::format("static const {} {}[] = {{\n  ", std::is_same_v<T, int> ? "int" : "double", name);
    std::size_t column = 2;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::string number = c_number(values[i]);
      if (column + number.size() + 2 > line_length) {
        text_ += "\n  ";
        column = 2;
      }
      text_ += number;
      text_ += i + 1 < values.size() ? ", " : "";
      column += number.size() + 2;
    }
    text_ += "};\n";
    return name;
  }
  std::string numbers(std::string_view what, const std::vector<double>& values) {
    return numbers(what, std::span<const double>(values));
  }
  std::string numbers(std::string_view what, const Matrix& values) {
    return numbers(what, std::span<const double>(values.data(), values.size()));
  }

  /// One struct with these members, as a table of its own, and a pointer to it.
  std::string structure(std::string_view kind, const std::string& members) {
    const std::string name = fmt::format("{}_{}", kind, ++tables_);
    text_ += fmt::format("static const struct {} {} = {{{}}};\n", kind, name, members);
    return "&" + name;
  }

  /// A table of structs; one of zeros where there are none, as C has no empty ones.
  void list(std::string_view kind, std::string_view name, const std::vector<std::string>& rows) {
    text_ += fmt::format("static const struct {} {}[] = {{\n", kind, name);
    for (const std::string& row : rows) text_ += "  {" + row + "},\n";
    if (rows.empty())
      text_ += fmt::format("  {},\n", kind == "input" ? "{0, 0, 0, 0, 0., 0., 0., 1., 0.}" : empty_of(kind));
    text_ += "};\n";
  }
  static std::string_view empty_of(std::string_view kind) {
    return kind == "branch" ? "{0, 0, NULL, NULL, NULL, NULL}" : "{0, 0}";
  }

  void write_inputs() {
    std::vector<std::string> rows;
    for (const std::vector<PlanInput>& seen : plan_.inputs) {
      first_input_.push_back(rows.size());
      for (const PlanInput& input : seen)
        rows.push_back(fmt::format("{}, {}, {}, {}, {}, {}, {}, {}, {}", input.column, static_cast<int>(input.kind),
                                   input.levels, plan_.fills ? 1 : 0, c_number(static_cast<double>(input.level)),
                                   c_number(input.fill), c_number(input.scale.mean), c_number(input.scale.sd),
                                   c_number(input.scale.log_from)));
    }
    list("input", "inputs_seen", rows);
  }

  void write_networks() {
    std::vector<std::string> branches, blocks, members;
    for (const PlanMember& member : plan_.members) {
      const std::vector<Block>& its = member.network->blocks;
      const std::size_t inputs = plan_.inputs[member.inputs].size();
      members.push_back(fmt::format("{}, {}, {}, {}, {}, {}", blocks.size(), its.size(), first_input_[member.inputs],
                                    inputs, numbers("mean", member.mean), numbers("scale", member.scale)));
      for (const Block& block : its) {
        blocks.push_back(fmt::format("{}, {}", branches.size(), block.branches.size()));
        for (const Branch& branch : block.branches) branches.push_back(branch_text(branch, inputs));
      }
    }
    list("branch", "branches", branches);
    list("block", "blocks", blocks);
    list("member", "members", members);
  }

  std::string branch_text(const Branch& branch, std::size_t inputs) {
    const Seen seen = seen_by(branch, inputs, plan_.outputs());
    coordinates_ = std::max(coordinates_, seen.count);
    const std::string waves = branch.frequencies.rows() > 0 ? waves_of(branch) : "NULL";
    const std::string trend =
        branch.trend.empty()
            ? "NULL"
            : structure("trend", fmt::format("{}, {}", branch.trend_degree(), numbers("coefficients", branch.trend)));
    const bool series = branch.closed_form && is_series(*branch.closed_form);
    return fmt::format("{}, {}, {}, {}, {}, {}", seen.first, seen.count, waves, trend,
                       branch.closed_form && !series ? kernel_of(*branch.closed_form) : "NULL",
                       series ? series_text(*branch.closed_form) : "NULL");
  }

  std::string waves_of(const Branch& branch) {
    const Matrix& omega = branch.frequencies;
    const std::size_t features = omega.rows(), variables = omega.cols(), outputs = plan_.outputs(),
                      padded = (features + lanes - 1) / lanes * lanes;
    std::vector<double> frequency(branch.lattice.empty() ? variables * padded : 0), reach(variables),
        amplitude(2 * outputs * padded);
    std::vector<int> multiple(branch.lattice.empty() ? 0 : variables * padded);
    for (std::size_t j = 0; j < features; ++j) {
      for (std::size_t k = 0; k < variables; ++k) {
        reach[k] = std::max(reach[k], std::abs(omega(j, k)));
        if (branch.lattice.empty())
          frequency[k * padded + j] = omega(j, k);
        else
          multiple[k * padded + j] = static_cast<int>(std::lround(omega(j, k) / branch.lattice[k]));
      }
      for (std::size_t o = 0; o < outputs; ++o)
        for (std::size_t c = 0; c < 2; ++c) amplitude[(2 * o + c) * padded + j] = branch.amplitudes(2 * j + c, o);
    }
    return structure("waves",
                     fmt::format("{}, {}, {}, {}, {}, {}", padded, numbers("frequencies", frequency),
                                 numbers("multiples", std::span<const int>(multiple)), numbers("steps", branch.lattice),
                                 numbers("reach", reach), numbers("amplitudes", amplitude)));
  }

  std::string parts_of(const FrequencyLaw& law) {
    std::vector<std::string> parts;
    for (const FrequencyLaw::Part& part : law.parts) {
      std::vector<double> halves;
      for (const double s : part.smooth) halves.push_back(0.5 * s * s);
      const bool mapped = law.map.rows() > 0;
      parts.push_back(fmt::format("{}, {}, {}, {}, {}, {}, {}", part.order, part.radial ? 1 : 0,
                                  c_number(part.strength), numbers("slopes", part.rough),
                                  numbers("curves", mapped ? std::vector<double>(law.variables()) : halves),
                                  mapped ? numbers("mapped", halves) : "NULL", numbers("centre", part.centre)));
    }
    const std::string name = fmt::format("parts_{}", ++tables_);
    list("part", name, parts);
    return name;
  }

  std::string series_text(const ClosedForm& form) {
    const Series series = series_of(form);
    return structure("series", fmt::format("{}, {}, {}, {}, {}, {}, {}", form.law.parts.size(), series.centres.rows(),
                                           series.before.cols() / plan_.outputs(), parts_of(form.law),
                                           numbers("centres", series.centres), numbers("before", series.before),
                                           numbers("after", series.after)));
  }

  std::string kernel_of(const ClosedForm& form) {
    const FrequencyLaw& law = form.law;
    const Matrix points = kernel_points(form);
    coordinates_ = std::max(coordinates_, points.cols());
    const std::string parts = parts_of(law);
    const std::string windows = form.windows.empty() ? "NULL" : windows_of(form);
    return structure("kernel", fmt::format("{}, {}, {}, {}, {}, {}, {}, {}", law.parts.size(), law.map.rows(),
                                           points.rows(), parts, numbers("map", law.map), numbers("centres", points),
                                           numbers("coefficients", form.coefficients), windows));
  }

  std::string windows_of(const ClosedForm& form) {
    const Windows& windows = form.windows;
    const CentreRange range = centre_range(form);
    const std::vector<int> rows(windows.rows.begin(), windows.rows.end());
    return structure(
        "windows",
        fmt::format("{}, {}, {}, {}, {}, {}, {}, {}", windows.count(), windows.inputs(), numbers("low", windows.low),
                    numbers("high", windows.high), numbers("scales", windows.scale), numbers("least", range.least),
                    numbers("most", range.most), numbers("centres_of", std::span<const int>(rows))));
  }

  const Plan& plan_;
  std::string text_;
  std::size_t tables_ = 0, coordinates_ = 1;
  std::vector<std::size_t> first_input_;  ///< per list of inputs
};

std::string title(const Plan& plan) {
  std::string text =
      "/* " + for_comment(title_of(plan)) +
      "\n\n   void NAME_predict(const double *inputs, double *outputs);\n"
      "   void NAME_gradient(const double *inputs, double *jacobian);\n"
      "   void NAME_predict_rows(const double *inputs, size_t rows, double *outputs);\n\n"
      "   NAME_predict computes the outputs for one row of inputs, NAME_predict_rows the same for many rows, one "
      "behind\n"
      "   the other, several at a time. NAME_gradient: jacobian[o * columns + k] is the derivative of output o by "
      "input\n"
      "   k, per unit of its column; it is 0 for levels, booleans count as numbers. Nothing is allocated, nothing is\n"
      "   kept between calls: any number of threads may call them.\n\n   inputs[k] is\n";
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
      plan.columns.size(), plan.outputs(), plan.variables(), coordinates, plan.members.size(), lanes, rows_together);
}

}  // namespace

std::string c_source(const Plan& plan) {
  Tables tables(plan);
  const std::string text = tables.text();
  return filled(c_runtime, {{"rfnn_exported", plan.name},
                            {"/*@title@*/", title(plan)},
                            {"/*@sizes@*/", sizes(plan, tables.coordinates())},
                            {"/*@tables@*/\n", text}});
}

}  // namespace rfnn::exporting
