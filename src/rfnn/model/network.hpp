#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "rfnn/core/matrix.hpp"
#include "rfnn/model/law.hpp"

namespace rfnn {

/// The variables a branch sees: the inputs θ ∈ R^d, the state z ∈ R^m, or both together (θ, z) ∈ R^(d+m).
enum class BranchKind { input, state, joint };

constexpr std::string_view name_of(BranchKind kind) {
  return kind == BranchKind::input ? "input" : kind == BranchKind::state ? "state" : "joint";
}

/// Number of variables of a branch for d inputs and m outputs.
constexpr std::size_t variables_of(BranchKind kind, std::size_t inputs, std::size_t outputs) {
  return kind == BranchKind::input ? inputs : kind == BranchKind::state ? outputs : inputs + outputs;
}

/// A sum of Fourier features: v ↦ Σ_j Re b_j cos(ω_j·v) − Im b_j sin(ω_j·v), with b_j ∈ C^m, and maybe a trend; or the
/// closed form of infinitely many of them, which then is all there is: no frequencies, amplitudes, lattice nor trend.
struct Branch {
  BranchKind kind = BranchKind::input;
  Matrix frequencies = {};  ///< features × variables, in standardised units
  Matrix amplitudes = {};   ///< (2 · features) × outputs; row 2j holds Re b_j (cos), row 2j+1 Im b_j (−sin)
  /// A lattice: the steps, one per variable, of which all frequencies are whole multiples. Empty: no lattice. It
  /// changes how the sum is computed (by a fast transform), not what it is.
  std::vector<double> lattice = {};
  std::optional<ClosedForm> closed_form = {};
  /// A polynomial of each variable, v ↦ c_0 + Σ_q Σ_k c_qk v_k^q: (1 + degree · variables) × outputs, c_0 first, then
  /// the variables of power 1, of power 2, …; empty: none. Unlike a sum of waves it goes on beyond the data.
  Matrix trend = {};

  /// Of the trend; a constant has 0, and so has none.
  [[nodiscard]] std::size_t trend_degree() const {
    return trend.rows() > 1 && frequencies.cols() > 0 ? (trend.rows() - 1) / frequencies.cols() : 0;
  }
  /// Features, or centres of a closed form: terms of the sum.
  [[nodiscard]] std::size_t width() const { return closed_form ? closed_form->centres.rows() : frequencies.rows(); }

  friend bool operator==(const Branch&, const Branch&) = default;
};

/// z ← z + Σ branches.
struct Block {
  std::vector<Branch> branches;

  friend bool operator==(const Block&, const Block&) = default;
};

/// z_0 = 0, z_ℓ = z_{ℓ−1} + block_ℓ(θ, z_{ℓ−1}). Every z_ℓ approximates the target.
struct Network {
  std::vector<Block> blocks;

  friend bool operator==(const Network&, const Network&) = default;
};

}  // namespace rfnn
