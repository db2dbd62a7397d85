#pragma once

#include <cstddef>
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

/// Merges input-branch lines whose frequencies lie within `distance` (Euclidean) of a larger one: the frequency is that
/// of the largest, amplitudes add with their phases. A pair of near twins with opposite signs, which a chain likes to
/// make, thus shows as the little it comes to. Lines of other branches are dropped. Largest first.
RFNN_API std::vector<SpectralLine> merged_input_lines(const std::vector<SpectralLine>& lines, double distance);

}  // namespace rfnn
