#pragma once

// Private header. Blocks while they are found: a list of features over all variables (θ, z) that come, go and move, or
// very many over the inputs that stay; and the sums over the rows that decide about them.

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "rfnn/core/matrix.hpp"
#include "rfnn/model/network.hpp"

namespace rfnn::rows {

/// One feature: a frequency over all variables of which only the `active` ones are other than zero and may move.
struct Feature {
  std::vector<double> frequency;      ///< one number per variable
  std::vector<std::uint32_t> active;  ///< ascending
};

/// Features with their amplitudes, (2 · features) × outputs as in Branch.
struct FeatureBlock {
  std::vector<Feature> features;
  Eigen::MatrixXd amplitudes;

  [[nodiscard]] std::size_t size() const { return features.size(); }
  /// Frequencies that may move.
  [[nodiscard]] std::size_t movable() const;
  /// As branches: features on inputs alone, on the state alone, on both.
  [[nodiscard]] Block as_block(std::size_t inputs, std::size_t outputs) const;
};

/// AᵀA, Aᵀr and |r|² of features alone, r the residual of the rows (not of the block).
struct FeatureSums {
  Eigen::MatrixXd gram, rhs;
  Eigen::VectorXd energy;
};

/// The sums of a Gauss–Newton step at given frequencies and amplitudes; e is what the block leaves, r − A b, and
/// J_o = ∂(A b)_o/∂ω over all movable frequencies, feature by feature.
struct JacobianSums {
  Eigen::MatrixXd gram;                ///< AᵀA
  Eigen::MatrixXd rhs;                 ///< Aᵀe, per output
  std::vector<Eigen::MatrixXd> cross;  ///< AᵀJ_o, per output
  Eigen::MatrixXd curvature;           ///< Σ_o J_oᵀJ_o
  Eigen::VectorXd slope;               ///< Σ_o J_oᵀe_o
  Eigen::VectorXd energy;              ///< |e_o|² per output
};

/// Frequencies over the inputs and what is expected of their amplitudes.
struct WideFeatures {
  Matrix frequencies;         ///< features × inputs
  std::vector<double> prior;  ///< standard deviation of an amplitude, per feature

  [[nodiscard]] std::size_t size() const { return frequencies.rows(); }
};

}  // namespace rfnn::rows
