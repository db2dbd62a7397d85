#pragma once

// Private header. The tables of numbers that an exported C file computes with, as the structs of runtime/exported.c.

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rfnn/export/plan.hpp"

namespace rfnn::exporting {

/// Features that are computed together for one row, a register or a few of any CPU.
inline constexpr std::size_t c_lanes = 8;

/// The exact number, hexadecimal where that is shorter than the decimal digits it takes.
std::string c_number(double value);

/// Text that grows by tables, each of which is known by its name afterwards.
class CTables {
 public:
  explicit CTables(const Plan& plan) : plan_(plan) {}

  /// The inputs that networks see; the members of the plan, and further ones behind them, which add to no output.
  void write_inputs();
  void write_networks(const std::vector<PlanMember>& further);

  /// The name of a table of these numbers; NULL where there are none.
  std::string numbers(std::string_view what, std::span<const double> values);
  std::string numbers(std::string_view what, std::span<const int> values);
  std::string numbers(std::string_view what, const std::vector<double>& values);
  std::string numbers(std::string_view what, const Matrix& values);
  /// A table of structs; one of zeros where there are none, as C has no empty ones.
  void list(std::string_view kind, std::string_view name, const std::vector<std::string>& rows);
  /// A pointer to a closed form, which is written once; without its coefficients, unless it is `for_sums`.
  std::string kernel_of(const ClosedForm& form, bool for_sums);

  /// What has been written since.
  [[nodiscard]] std::string text() { return std::exchange(text_, {}); }
  /// Of points that kernels see, at the most.
  [[nodiscard]] std::size_t coordinates() const { return coordinates_; }

 private:
  template <class T>
  std::string table_of(std::string_view what, std::span<const T> values);
  std::string structure(std::string_view kind, const std::string& members);
  std::string branch_text(const Branch& branch, std::size_t inputs);
  std::string waves_of(const Branch& branch);
  std::string parts_of(const FrequencyLaw& law);
  std::string series_text(const ClosedForm& form);
  std::string windows_of(const ClosedForm& form);

  const Plan& plan_;
  std::string text_;
  std::size_t tables_ = 0, coordinates_ = 1;
  std::vector<std::size_t> first_input_;  ///< per list of inputs
  std::map<const ClosedForm*, std::string> kernels_;
};

}  // namespace rfnn::exporting
