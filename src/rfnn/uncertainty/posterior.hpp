#pragma once

// Private header. How much a closed form's rows leave open: the posterior variance of the process at a point,
//
//   v(x) = k(0) − k(x)ᵀ (K + λ)⁻¹ k(x),   k(x) the kernels of x and the centres.
//
// Of many centres: those G spread over all of them first, and given these the ones S nearest to x,
//
//   v(x) = v_G(x) − r(x)ᵀ (R_SS + λ)⁻¹ r(x),   r(x) = k_S(x) − K_SG (K_GG + λ)⁻¹ k_G(x),   R likewise,
//
// which is the variance given G and S, never below that of all. Of windows: of the nearest in the window that counts
// most at x.

#include <Eigen/Core>
#include <cstddef>
#include <optional>
#include <vector>

#include "rfnn/core/aligned.hpp"
#include "rfnn/core/matrix.hpp"
#include "rfnn/least_squares/dense.hpp"
#include "rfnn/model/law.hpp"
#include "rfnn/rows/law_terms.hpp"

namespace rfnn::uncertainty {

/// Kernels of a point and many others. Keeps no reference to what it is made of.
class KernelRow {
 public:
  KernelRow(const FrequencyLaw& law, const Matrix& points);

  [[nodiscard]] std::size_t size() const { return size_; }
  /// k(point − each of them) into `values`, which gets room for all tiles.
  void values(const double* point, AlignedVector& values) const;

 private:
  rows::LawTerms<double> law_;
  std::size_t size_;
  std::vector<rows::TilePoints<double>> tiles_;
};

class Posterior {
 public:
  /// `form` must outlive it.
  Posterior(const ClosedForm& form, double noise);

  /// What one takes while it is made, of a closed form with so many centres and no windows.
  [[nodiscard]] static double bytes(std::size_t centres);

  /// k(0).
  [[nodiscard]] double prior() const { return prior_; }

  /// What v is made of, to be written down elsewhere: the centres that every point is compared with, L of their
  /// covariance K + λ, and how many others count, those nearest to the point. No centres: of windows, or where rounding
  /// leaves no L, and v is k(0).
  [[nodiscard]] std::vector<std::size_t> given() const;
  [[nodiscard]] const Eigen::MatrixXd& given_factor() const { return factor_.lower(); }
  [[nodiscard]] std::size_t nearest() const;

  /// v at each of the points (rows × variables, standardised inputs).
  void variances(ConstMatrixView points, double* out) const;

  /// v at each of these centres when it is left out. Nothing (NaN) for those that stand for all of the others.
  [[nodiscard]] std::vector<double> left_out(const std::vector<std::size_t>& centres) const;

 private:
  /// Centres that a point is compared with one by one.
  struct Near {
    std::vector<std::size_t> centres;
    Eigen::VectorXd kernel;  ///< with the point
  };
  [[nodiscard]] Near near(const AlignedVector& values, std::size_t without) const;
  [[nodiscard]] double given_near(const Near& near, const Eigen::VectorXd& of_point, double variance) const;
  [[nodiscard]] double in_window(const double* point) const;

  const ClosedForm& form_;
  double prior_, noise_;
  std::optional<KernelRow> all_;           ///< no windows
  std::vector<std::size_t> global_;        ///< G
  std::vector<char> is_global_;            ///< per centre
  dense::Cholesky factor_;                 ///< of K_GG + λ
  Eigen::MatrixXd table_;                  ///< L⁻¹ K_G,all; none where G is all
  std::vector<std::size_t> window_first_;  ///< per window: its first centre
};

}  // namespace rfnn::uncertainty
