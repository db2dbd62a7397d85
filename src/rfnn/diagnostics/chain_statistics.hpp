#pragma once

// Private header. How well a chain has mixed, from the values of one quantity along it.

#include <optional>
#include <span>
#include <vector>

namespace rfnn {

/// Potential scale reduction of one chain cut in two: √((W (n − 1)/n + B/n) / W), W the mean variance within the halves
/// of n values and B that between them. 1 where both halves look alike; larger where the chain still drifts. Nothing
/// for fewer than eight values, or where they do not vary. Gelman, Carlin, Stern, Dunson, Vehtari, Rubin: Bayesian Data
/// Analysis, 3rd edition, section 11.4.
std::optional<double> split_r_hat(std::span<const double> values);

/// How many independent values tell as much about the mean as these: n / (1 + 2 Σ ρ_t), the autocorrelations ρ summed
/// by Geyer's initial monotone sequence (Practical Markov chain Monte Carlo, Statistical Science 7, 1992). Between 1
/// and the number of values. Nothing for fewer than eight, or where they do not vary.
std::optional<double> effective_samples(std::span<const double> values);

/// The same of several chains of the same length: of R̂ all halves, of the effective number those of all together, less
/// where chains disagree (Vehtari, Gelman, Simpson, Carpenter, Bürkner, Bayesian Analysis 16, 2021, without ranks).
std::optional<double> split_r_hat(const std::vector<std::vector<double>>& chains);
std::optional<double> effective_samples(const std::vector<std::vector<double>>& chains);

}  // namespace rfnn
