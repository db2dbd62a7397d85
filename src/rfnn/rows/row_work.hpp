#pragma once

// Private header. The seam: passes over all rows, whose cost grows with the rows times features, centres, windows or
// other rows, stand behind RowWork. What finds blocks, judges them and decides sees what a pass is reduced to: an array
// of fixed size, or a map from rows to rows. What takes a time proportional to the rows and goes along them in order
// (series, lines, sorting, sums of errors held out) reads the state of the rows itself.
//
// An implementation (threads/, ranks/ over many machines, reference/; later an accelerator) holds the rows in its own
// way, adds partial sums over fixed chunks of rows in a fixed order, and looks at the interrupt between tiles.
// docs/architecture.md says what it has to provide; tests/conformance runs every implementation against the reference.

#include <Eigen/Core>
#include <cstddef>
#include <memory>
#include <vector>

#include "rfnn/core/matrix.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/least_squares/triangle.hpp"
#include "rfnn/model/network.hpp"
#include "rfnn/rows/engine.hpp"
#include "rfnn/rows/feature_block.hpp"
#include "rfnn/rows/lattice/nufft.hpp"
#include "rfnn/rows/row_state.hpp"
#include "rfnn/rows/tiles.hpp"
#include "rfnn/rows/windows.hpp"

namespace rfnn::rows {

/// Of the kernels of a pass: products of very many rows do in single precision what does not show.
enum class Precision { single, full };

/// The derivatives of a weighted sum of kernels Σ q k(δ), as far as pairs of rows are concerned; k_p is what part p
/// contributes to k. See features/law_kernels.hpp: LawSums.
struct KernelSlopes {
  Eigen::VectorXd strength;          ///< Σ q k_p, per part
  Eigen::MatrixXd slope, curvature;  ///< Σ q k_p |δ_k|, Σ q k_p δ_k² (u_k² where mapped); variables × parts
  Eigen::MatrixXd map;               ///< Σ_p s_pj² Σ q k_p u_j δ_k, mapped × variables
};

struct WindowFits {
  Matrix coefficients;  ///< c, places × outputs
  Matrix left_out;      ///< c_i over the i-th number on the diagonal of (K + λ W⁻¹)⁻¹
};

/// Passes over the rows; every row counts by its weight. A is the matrix of the features' columns on the rows, r the
/// residual; with weights all rows of both are multiplied by √w. Functions that return bool return false when
/// interrupted; what they were to compute is then unspecified.
class RowWork {
 public:
  virtual ~RowWork() = default;

  // The state.
  /// z ← z + block(θ, z), r ← target − z. Interrupted, the rows are unusable.
  virtual bool advance(const Block& block, RowState& rows, Interrupt& interrupt) = 0;
  /// Weighted mean of r² per output.
  [[nodiscard]] virtual Eigen::VectorXd mean_squares(const RowState& rows) = 0;

  // Features that come, go and move (finders/grown).
  /// AᵀA, Aᵀr, |r|².
  virtual bool features(const RowState& rows, const std::vector<Feature>& features, FeatureSums& sums,
                        Interrupt& interrupt) = 0;
  /// The sums of a Gauss–Newton step.
  virtual bool jacobian(const RowState& rows, const FeatureBlock& block, JacobianSums& sums, Interrupt& interrupt) = 0;
  /// |r − A b|² per output.
  virtual bool misfit(const RowState& rows, const FeatureBlock& block, Eigen::VectorXd& energy,
                      Interrupt& interrupt) = 0;
  /// left = r − A b, not weighted.
  virtual bool left_by(const RowState& rows, const FeatureBlock& block, TiledColumns& left, Interrupt& interrupt) = 0;
  /// Σ_o |Σ_n w_n e_no exp(iω·v_n)|² for every frequency listed, over every `stride`-th tile; e = `left`.
  virtual bool spectrum(const RowState& rows, const TiledColumns& left, const std::vector<Feature>& candidates,
                        std::size_t stride, std::vector<double>& power, Interrupt& interrupt) = 0;

  // Very many features over the inputs, S the diagonal of their priors (finders/wide).
  /// out = A S c, for columns c (2 · features × columns).
  virtual bool apply(const RowState& rows, const WideFeatures& features, const Matrix& c, TiledColumns& out,
                     Interrupt& interrupt) = 0;
  /// out = S Aᵀ t for columns t over the rows.
  virtual bool adjoint(const RowState& rows, const WideFeatures& features, const TiledColumns& t, Matrix& out,
                       Interrupt& interrupt) = 0;
  /// A S² Aᵀ, rows × rows.
  virtual bool row_kernel(const RowState& rows, const WideFeatures& features, Eigen::MatrixXd& kernel,
                          Interrupt& interrupt) = 0;

  // Closed forms of infinitely many features (finders/wide). The law's variables are the inputs, or (θ, z). Rows are
  // not weighted here: k is the kernel of two rows alone.
  /// K, the kernel of every pair of rows.
  virtual bool kernel_matrix(const RowState& rows, const FrequencyLaw& law, dense::Triangle<double>& kernel,
                             Interrupt& interrupt) = 0;
  /// The derivatives of Σ_{i ≥ j} q_ij k_ij by the law's numbers; laws of order 0 without centres.
  virtual bool kernel_slopes(const RowState& rows, const FrequencyLaw& law, const dense::Triangle<double>& q,
                             KernelSlopes& slopes, Interrupt& interrupt) = 0;
  /// out = K t for columns t over the rows (rows × columns).
  virtual bool kernel_product(const RowState& rows, const FrequencyLaw& law, const Matrix& t, Matrix& out,
                              Precision precision, Interrupt& interrupt) = 0;
  /// out = k(rows, centres) c, and k(centres, rows) t. `centres`: some × variables.
  virtual bool kernel_apply(const RowState& rows, const FrequencyLaw& law, const Matrix& centres, const Matrix& c,
                            Matrix& out, Precision precision, Interrupt& interrupt) = 0;
  virtual bool kernel_adjoint(const RowState& rows, const FrequencyLaw& law, const Matrix& centres, const Matrix& t,
                              Matrix& out, Precision precision, Interrupt& interrupt) = 0;
  /// Σ_n w_n k_n k_nᵀ over the rows, k_n the kernels of a row and the centres; these are weighted.
  virtual bool kernel_gram(const RowState& rows, const FrequencyLaw& law, const Matrix& centres,
                           dense::Triangle<double>& gram, Interrupt& interrupt) = 0;

  // Closed forms of windows (finders/windows).
  /// Of each window listed (K + λ_w W⁻¹) c = r for its rows, K by the law and the window's scales, and what is left of
  /// each of its rows when that row is left out; both in the order of `cut.places`. Where rounding makes K singular,
  /// more is added to the diagonal; where there is no solution, c is zero. `noise`: λ, per window. Rows of windows not
  /// listed are left as they are in `fits`, if it has the size, else zero.
  virtual bool window_fits(const RowState& rows, const FrequencyLaw& law, const WindowRows& cut,
                           const std::vector<double>& noise, const std::vector<std::size_t>& listed, WindowFits& fits,
                           Interrupt& interrupt) = 0;

  // Lattices of frequencies (finders/lattice).
  /// Sums over scattered points at a lattice of frequencies, and back.
  [[nodiscard]] virtual std::unique_ptr<LatticePoints> lattice_points(HalfLattice lattice, std::size_t variables,
                                                                      Phases phases) = 0;

  // Chains (finders/sampled).
  /// The passes of a chain on these rows, which must outlive it and may change between blocks.
  [[nodiscard]] virtual std::unique_ptr<Engine> chain(const RowState& rows) = 0;

  /// Threads for what is not row work.
  [[nodiscard]] virtual Workers& workers() = 0;
};

enum class Implementation { reference, threads };

/// The one switch. `threads`: 0 is as many as the process may use.
std::unique_ptr<RowWork> make_row_work(Implementation kind, std::size_t threads);

/// r, every row multiplied by √w.
TiledColumns weighted_residual(const RowState& rows);

}  // namespace rfnn::rows
