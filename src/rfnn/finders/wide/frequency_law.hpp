#pragma once

// Private header. The law a wide block's frequencies are drawn from, learnt from some of the rows.
//
// Features with frequencies from a density p and independent Gaussian amplitudes make a Gaussian process whose
// covariance is p's Fourier transform. Two densities with a scale for every input cover smooth and rough targets:
//
//   ω_j ~ s_j·N(0, 1)     a exp(−½ Σ s_j² δ_j²)
//   ω_j ~ t_j·Cauchy      b exp(−Σ t_j |δ_j|)
//
// Scales, strengths a, b and the noise's variance σ² maximise the likelihood of the rows looked at, each with a weak
// prior on its logarithm; an input of no influence gets a scale near zero.

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "rfnn/core/parallel.hpp"
#include "rfnn/rows/row_work.hpp"

namespace rfnn::wide {

struct FrequencyLaw {
  double smooth = 0.5, rough = 0.5;               ///< a and b
  std::vector<double> smooth_scale, rough_scale;  ///< s and t, per input
  double noise = 0.01;                            ///< σ²
  double evidence = 0.0;                          ///< log-likelihood per row and output

  [[nodiscard]] std::size_t inputs() const { return smooth_scale.size(); }
};

/// −log-likelihood (with the prior) of residuals r (rows × outputs) at points (rows × inputs), and its gradient with
/// respect to the logarithms of (a, s, b, t, σ²); the noise of a row has variance σ²/w, w from `weights` (empty: 1).
/// Infinite where the covariance is not positive definite.
double law_cost(const Eigen::MatrixXd& points, const Eigen::MatrixXd& r, const Eigen::VectorXd& logarithms,
                Eigen::VectorXd& gradient, Workers* workers = nullptr, const Eigen::VectorXd& weights = {});

/// Learnt on at most `most` of the rows, drawn by `seed`. Nothing when interrupted.
std::optional<FrequencyLaw> learn_law(const rows::RowState& rows, std::size_t most, std::uint64_t seed,
                                      Workers& workers, Interrupt& interrupt);

/// Frequencies of the law, with their priors.
rows::WideFeatures draw_features(const FrequencyLaw& law, std::size_t count, std::uint64_t seed, std::uint64_t member);

}  // namespace rfnn::wide
