#pragma once

// Private header.

#include <cstddef>
#include <string>
#include <vector>

#include "rfnn/export/plan.hpp"

namespace rfnn::exporting {

/// A small network written down in the units of the data, with numbers of so many digits. Waves that are the same when
/// rounded are one, and those that do not turn part of the constant; what the rounding makes of the outputs can be
/// computed.
class Formula {
 public:
  Formula(const Plan& plan, int digits);

  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::string latex() const;
  /// The outputs of a row of a table by the numbers that are shown.
  [[nodiscard]] std::vector<double> value(const double* row) const;

 private:
  /// Σ over the variables; amplitude and phase per output: amplitude · cos(frequency · w + phase).
  struct Wave {
    BranchKind kind = BranchKind::input;
    std::vector<double> frequency, amplitude, phase;
  };
  /// coefficient · variable^power; power 0: a constant.
  struct Power {
    std::size_t variable = 0, power = 0;
    std::vector<double> coefficient;
  };
  /// What is added to a state, or to an output.
  struct Sum {
    std::vector<Wave> waves;
    std::vector<Power> powers;
  };
  struct Style;

  [[nodiscard]] double rounded(double value) const;
  [[nodiscard]] std::string number(double value) const;
  void add_branch(const Branch& branch, double share, Sum& sum) const;
  void take_constants(Sum& sum);
  void merge(Sum& sum) const;
  void add_value(const Sum& sum, const std::vector<double>& variables, std::vector<double>& values) const;
  [[nodiscard]] std::vector<double> differences(const double* row) const;

  [[nodiscard]] std::vector<std::string> terms(const Sum& sum, std::size_t output, std::size_t member,
                                               std::size_t block, const Style& style) const;
  [[nodiscard]] std::string variable(std::size_t k, std::size_t member, std::size_t block, const Style& style) const;
  [[nodiscard]] std::string state(std::size_t member, std::size_t block, std::size_t output, const Style& style) const;
  [[nodiscard]] std::string input(std::size_t k, const Style& style) const;
  [[nodiscard]] std::string equation(const std::string& left, const std::vector<std::string>& terms,
                                     const Style& style) const;
  [[nodiscard]] std::string equations(const Style& style) const;

  const Plan& plan_;
  int digits_;
  bool one_sum_ = true;                    ///< nothing sees the state: all blocks of all members are one sum
  std::vector<double> mean_;               ///< per output
  std::vector<std::vector<Sum>> members_;  ///< block by block; where all is one sum, that one
};

/// Text and LaTeX, with as many digits as are needed for the outputs to stay what they are to 10⁻⁴. Throws InputError
/// where the network has more than some hundred terms, or holds rows.
std::string formula_text(const Plan& plan);
/// The largest difference from predict() on sample rows (export_difference) with the digits that it chooses.
double formula_difference(const Plan& plan);
/// The same with so many digits.
double formula_difference(const Plan& plan, int digits);

}  // namespace rfnn::exporting
