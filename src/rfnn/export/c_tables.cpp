#include "rfnn/export/c_tables.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "rfnn/export/runtime.hpp"
#include "rfnn/options/number_text.hpp"

namespace rfnn::exporting {
namespace {

constexpr std::size_t line_length = 118;

std::string c_number(int value) { return std::to_string(value); }

std::string_view empty_of(std::string_view kind) {
  return kind == "branch" ? "{0, 0, NULL, NULL, NULL, NULL}" : "{0, 0}";
}

}  // namespace

std::string c_number(double value) {
  std::string decimal = shortest(value);
  if (decimal.find_first_of(".e") == std::string::npos) decimal += '.';
  char digits[40];
  char* const end = std::to_chars(digits, digits + sizeof digits, std::abs(value), std::chars_format::hex).ptr;
  std::string hexadecimal = (std::signbit(value) ? "-0x" : "0x") + std::string(+digits, end);
  hexadecimal = replaced(hexadecimal, "p+", "p");
  return decimal.size() <= hexadecimal.size() ? decimal : hexadecimal;
}

template <class T>
std::string CTables::table_of(std::string_view what, std::span<const T> values) {
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
std::string CTables::numbers(std::string_view what, std::span<const double> values) { return table_of(what, values); }
std::string CTables::numbers(std::string_view what, std::span<const int> values) { return table_of(what, values); }
std::string CTables::numbers(std::string_view what, const std::vector<double>& values) {
  return table_of(what, std::span<const double>(values));
}
std::string CTables::numbers(std::string_view what, const Matrix& values) {
  return table_of(what, std::span<const double>(values.data(), values.size()));
}

std::string CTables::structure(std::string_view kind, const std::string& members) {
  const std::string name = fmt::format("{}_{}", kind, ++tables_);
  text_ += fmt::format("static const struct {} {} = {{{}}};\n", kind, name, members);
  return "&" + name;
}

void CTables::list(std::string_view kind, std::string_view name, const std::vector<std::string>& rows) {
  text_ += fmt::format("static const struct {} {}[] = {{\n", kind, name);
  for (const std::string& row : rows) text_ += "  {" + row + "},\n";
  if (rows.empty())
    text_ += fmt::format("  {},\n", kind == "input" ? "{0, 0, 0, 0, 0., 0., 0., 1., 0.}" : empty_of(kind));
  text_ += "};\n";
}

void CTables::write_inputs() {
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

void CTables::write_networks(const std::vector<PlanMember>& further) {
  std::vector<std::string> branches, blocks, members;
  const auto add = [&](const PlanMember& member) {
    const std::vector<Block>& its = member.network->blocks;
    const std::size_t inputs = plan_.inputs[member.inputs].size();
    members.push_back(fmt::format("{}, {}, {}, {}, {}, {}", blocks.size(), its.size(), first_input_[member.inputs],
                                  inputs, numbers("mean", member.mean), numbers("scale", member.scale)));
    for (const Block& block : its) {
      blocks.push_back(fmt::format("{}, {}", branches.size(), block.branches.size()));
      for (const Branch& branch : block.branches) branches.push_back(branch_text(branch, inputs));
    }
  };
  std::for_each(plan_.members.begin(), plan_.members.end(), add);
  std::for_each(further.begin(), further.end(), add);
  list("branch", "branches", branches);
  list("block", "blocks", blocks);
  list("member", "members", members);
}

std::string CTables::branch_text(const Branch& branch, std::size_t inputs) {
  const Seen seen = seen_by(branch, inputs, plan_.outputs());
  coordinates_ = std::max(coordinates_, seen.count);
  const std::string waves = branch.frequencies.rows() > 0 ? waves_of(branch) : "NULL";
  const std::string trend =
      branch.trend.empty()
          ? "NULL"
          : structure("trend", fmt::format("{}, {}", branch.trend_degree(), numbers("coefficients", branch.trend)));
  const bool series = branch.closed_form && is_series(*branch.closed_form);
  return fmt::format("{}, {}, {}, {}, {}, {}", seen.first, seen.count, waves, trend,
                     branch.closed_form && !series ? kernel_of(*branch.closed_form, true) : "NULL",
                     series ? series_text(*branch.closed_form) : "NULL");
}

std::string CTables::waves_of(const Branch& branch) {
  const Matrix& omega = branch.frequencies;
  const std::size_t features = omega.rows(), variables = omega.cols(), outputs = plan_.outputs(),
                    padded = (features + c_lanes - 1) / c_lanes * c_lanes;
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

std::string CTables::parts_of(const FrequencyLaw& law) {
  std::vector<std::string> parts;
  for (const FrequencyLaw::Part& part : law.parts) {
    std::vector<double> halves;
    for (const double s : part.smooth) halves.push_back(0.5 * s * s);
    const bool mapped = law.map.rows() > 0;
    parts.push_back(fmt::format("{}, {}, {}, {}, {}, {}, {}", part.order, part.radial ? 1 : 0, c_number(part.strength),
                                numbers("slopes", part.rough),
                                numbers("curves", mapped ? std::vector<double>(law.variables()) : halves),
                                mapped ? numbers("mapped", halves) : "NULL", numbers("centre", part.centre)));
  }
  const std::string name = fmt::format("parts_{}", ++tables_);
  list("part", name, parts);
  return name;
}

std::string CTables::series_text(const ClosedForm& form) {
  const Series series = series_of(form);
  return structure("series", fmt::format("{}, {}, {}, {}, {}, {}, {}", form.law.parts.size(), series.centres.rows(),
                                         series.before.cols() / plan_.outputs(), parts_of(form.law),
                                         numbers("centres", series.centres), numbers("before", series.before),
                                         numbers("after", series.after)));
}

std::string CTables::kernel_of(const ClosedForm& form, bool for_sums) {
  if (const auto found = kernels_.find(&form); found != kernels_.end()) return found->second;
  const FrequencyLaw& law = form.law;
  const Matrix points = kernel_points(form);
  coordinates_ = std::max(coordinates_, points.cols());
  const std::string parts = parts_of(law);
  const std::string windows = form.windows.empty() ? "NULL" : windows_of(form);
  const std::string coefficients = for_sums ? numbers("coefficients", form.coefficients) : "NULL";
  return kernels_[&form] = structure(
             "kernel", fmt::format("{}, {}, {}, {}, {}, {}, {}, {}", law.parts.size(), law.map.rows(), points.rows(),
                                   parts, numbers("map", law.map), numbers("centres", points), coefficients, windows));
}

std::string CTables::windows_of(const ClosedForm& form) {
  const Windows& windows = form.windows;
  const CentreRange range = centre_range(form);
  const std::vector<int> rows(windows.rows.begin(), windows.rows.end());
  return structure(
      "windows",
      fmt::format("{}, {}, {}, {}, {}, {}, {}, {}", windows.count(), windows.inputs(), numbers("low", windows.low),
                  numbers("high", windows.high), numbers("scales", windows.scale), numbers("least", range.least),
                  numbers("most", range.most), numbers("centres_of", std::span<const int>(rows))));
}

}  // namespace rfnn::exporting
