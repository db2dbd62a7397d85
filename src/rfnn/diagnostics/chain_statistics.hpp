#pragma once

// Private header. How well a chain has mixed, from the values of one quantity along it.

#include <optional>
#include <vector>

namespace rfnn {

/// Potential scale reduction of chains of the same length, each cut in two: √((W (n − 1)/n + B/n) / W), W the mean
/// variance within the halves of n values and B/n that of their means. 1 where all halves look alike; larger where a
/// chain still drifts or chains disagree. Nothing for fewer than eight values a chain, or where one does not vary.
/// Gelman, Carlin, Stern, Dunson, Vehtari, Rubin: Bayesian Data Analysis, 3rd edition, section 11.4.
std::optional<double> split_r_hat(const std::vector<std::vector<double>>& chains);

/// How many independent values tell as much about the mean as these: N / (1 + 2 Σ ρ_t) of all N values, the
/// autocorrelations ρ those of the halves together, less where halves disagree, summed by Geyer's initial monotone
/// sequence; at most N log₁₀ N. Stan's definition: Vehtari, Gelman, Simpson, Carpenter, Bürkner, Bayesian Analysis 16,
/// 2021, without ranks. Nothing where split_r_hat knows nothing.
std::optional<double> effective_samples(const std::vector<std::vector<double>>& chains);

}  // namespace rfnn
