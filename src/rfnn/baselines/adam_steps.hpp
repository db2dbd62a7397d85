#pragma once

// Private header.

#include "rfnn/baselines/adam.hpp"
#include "rfnn/model/network.hpp"

namespace rfnn::baselines {

/// The optimiser Adam on the parameters p of a network. Step t with gradient q:
///   m ← β₁ m + (1 − β₁) q       v ← β₂ v + (1 − β₂) q²
///   p ← p − α m̂ / (√v̂ + ε)     m̂ = m / (1 − β₁ᵗ),  v̂ = v / (1 − β₂ᵗ)
/// The hats undo the pull of m and v towards the zeros they start from.
class AdamSteps {
 public:
  AdamSteps(const Network& network, const AdamOptions& options);
  void step(Network& network, const Network& gradient);

 private:
  double learning_rate_, beta1_, beta2_, epsilon_;
  double beta1_power_ = 1.0, beta2_power_ = 1.0;  ///< β₁ᵗ, β₂ᵗ
  Network first_, second_;                        ///< m, v
};

}  // namespace rfnn::baselines
