#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "rfnn/core/export.hpp"
#include "rfnn/model/model.hpp"

namespace rfnn {

/// One Fourier feature in the units of the data, of their natural logarithm where the network sees that.
struct SpectralLine {
  std::size_t member = 0;  ///< from 0
  std::size_t block = 0;   ///< from 1
  BranchKind branch = BranchKind::input;
  std::vector<double> frequency;  ///< radians per unit, per variable of the branch
  std::vector<double> cycles;     ///< frequency / 2π
  std::vector<double> amplitude;  ///< |b_j| per output, in the target's units
  std::vector<double>
      phase;  ///< arg b_j per output: the line is amplitude · cos(ω·(x − mean) + phase) around the training mean
};

/// Every feature of the model, largest amplitude (norm over outputs) first.
RFNN_API std::vector<SpectralLine> spectrum(const Model& model);

/// The variables that branches of a kind see, as their frequencies refer to them: the used inputs (a column `log(x)`
/// where the network sees the logarithm of x), the outputs, or both.
RFNN_API std::vector<Column> variables_seen(const Model& model, BranchKind kind);

/// Is the variable of that name a time, whose unit is a day? Periods then have words of their own (data/moment.hpp:
/// span_text).
RFNN_API bool counts_days(const Model& model, const std::string& variable);

/// What the network has learnt of one kind of branch, as lines that the data can tell apart: lines less than one radian
/// apart over the ranges of the variables are one. Its frequency, block and member are those of the largest of them;
/// amplitudes add with their phases, so that a pair of near twins with opposite signs, which a chain likes to make,
/// shows as the little it comes to. Largest first.
RFNN_API std::vector<SpectralLine> distinguishable_lines(const Model& model, BranchKind kind = BranchKind::input);

/// The same for some lines of the model, those of one block say; lines of other kinds are dropped.
RFNN_API std::vector<SpectralLine> distinguishable_lines(const Model& model, std::vector<SpectralLine> lines,
                                                         BranchKind kind = BranchKind::input);

/// The same for input-branch lines that are less than `distance` (Euclidean, radians per unit) apart.
RFNN_API std::vector<SpectralLine> merged_input_lines(const std::vector<SpectralLine>& lines, double distance);

}  // namespace rfnn
