#pragma once

// Private header. What is between the lines of a spectrum: noise, and two processes that forget, slowly and fast. All
// that wanders is theirs, so that no line is fitted to it and nothing of it is believed far beyond the data.

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "rfnn/core/parallel.hpp"
#include "rfnn/finders/lines/timeline.hpp"
#include "rfnn/model/law.hpp"

namespace rfnn::lines {

/// The covariance a (e^(−t₁|δ|) + ρ e^(−t₂|δ|)) plus noise of variance a σ²/w at each place, or that noise alone.
struct Background {
  /// ln t₁, ln t₂, ln ρ, ln σ².
  std::array<double, 4> numbers = {};
  bool wanders = false;   ///< false: noise alone, σ² = 1
  double strength = 1.0;  ///< a
  double loss = 0.0;      ///< −ln of the likelihood, up to a constant

  /// Of the processes without the noise; `wanders` only.
  [[nodiscard]] FrequencyLaw law() const;
  [[nodiscard]] double noise() const;
};

/// Columns over the places, one after the other in time, to independent ones of variance a: Kalman's filter, whose
/// gains are computed once. What comes out is L⁻¹ times what goes in, L Lᵀ the covariance over a.
class Whitening {
 public:
  Whitening(const Background& background, const Timeline& timeline);

  /// Rows `first` … of some columns, in their place; `state` (2 × columns, 0 at first) goes from piece to piece.
  void apply(std::size_t first, Eigen::Ref<Eigen::MatrixXd> columns, Eigen::MatrixXd& state) const;
  /// ln det of the covariance over a.
  [[nodiscard]] double log_determinant() const { return log_determinant_; }

 private:
  struct Step {
    double decay[2], gain[2], scale;
  };
  std::vector<Step> steps_;
  double log_determinant_ = 0.0;
};

/// The likeliest background of what is left (places × outputs): from where `hint` is, or from several beginnings, too.
/// Of several inputs noise alone: what wanders would be no part of the model, and a trend might be left to it. Nothing
/// when interrupted.
std::optional<Background> learn_background(const Timeline& timeline, const Eigen::MatrixXd& left,
                                           const Background* hint, Interrupt& interrupt);

}  // namespace rfnn::lines
