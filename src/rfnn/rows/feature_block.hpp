#pragma once

// Private header. A block while it is being grown: one list of features over all variables (θ, z), and the row work of
// growing it. Kept apart from Engine: here features come and go, and frequencies have derivatives.

#include <Eigen/Dense>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "rfnn/core/parallel.hpp"
#include "rfnn/features/kernels.hpp"
#include "rfnn/model/network.hpp"
#include "rfnn/rows/growth_rows.hpp"
#include "rfnn/rows/tiles.hpp"

namespace rfnn {

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

/// Passes over the rows for a block being grown; every row counts by its weight. Sums run over fixed chunks of tiles,
/// so that the bits do not depend on the number of threads. All return false when interrupted.
class GrowthPasses {
 public:
  explicit GrowthPasses(std::size_t threads, const Kernels& level = kernels()) : kernels_(level), workers_(threads) {}

  bool features(const GrowthRows& rows, const std::vector<Feature>& features, FeatureSums& sums, Interrupt& interrupt);
  bool jacobian(const GrowthRows& rows, const FeatureBlock& block, JacobianSums& sums, Interrupt& interrupt);
  /// Σ_n w_n (r − A b)_n² per output.
  bool misfit(const GrowthRows& rows, const FeatureBlock& block, Eigen::VectorXd& energy, Interrupt& interrupt);
  /// residual ← residual − A b.
  bool subtract(const FeatureBlock& block, GrowthRows& rows, Interrupt& interrupt);
  /// Σ_o |Σ_n w_n e_no exp(iω·v_n)|² for every frequency listed, over every `stride`-th tile; e = residual.
  bool spectrum(const GrowthRows& rows, const std::vector<Feature>& candidates, std::size_t stride,
                std::vector<double>& power, Interrupt& interrupt);

  [[nodiscard]] Workers& workers() { return workers_; }

 private:
  const Kernels& kernels_;
  Workers workers_;
};

}  // namespace rfnn
