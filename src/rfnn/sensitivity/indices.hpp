#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "rfnn/core/export.hpp"
#include "rfnn/core/matrix.hpp"
#include "rfnn/model/model.hpp"
#include "rfnn/sensitivity/factors.hpp"

namespace rfnn {

struct SensitivityOptions {
  std::size_t samples = 0;      ///< points of a replicate, rounded up to a power of two; 0: as the work allows
  std::size_t replicates = 16;  ///< of the points, at least 2: their spread gives the standard errors
  std::uint64_t seed = 1;
  std::size_t threads = 1;  ///< 0: as many as the process may use; the result does not depend on it
  /// Asked about every 25 ms, on the calling thread; false ends the work.
  std::function<bool()> proceed = {};
};

/// A number estimated from samples.
struct Estimate {
  double value = 0.0;
  double standard_error = 0.0;
};

/// What two factors do together that neither does alone.
struct PairIndex {
  std::size_t first = 0, second = 0;  ///< factors
  Estimate index;
};

/// How the variance of one output is made of factors that vary independently, as shares of it (Sobol indices):
///   first_i = Var E[y | x_i] / Var y                   what x_i does alone
///   total_i = E Var[y | all but x_i] / Var y           with all it does together with others
///   pair_ij = Var E[y | x_i, x_j] / Var y − first_i − first_j
/// 0 where nothing varies. The surrogate's own: what it has not learnt is not in them.
struct VarianceShares {
  double mean = 0.0, variance = 0.0;
  std::vector<Estimate> first, total;  ///< per factor
  std::vector<PairIndex> pairs;        ///< of the factors that vary
};

struct SensitivityIndices {
  std::vector<VarianceShares> outputs;
  std::size_t evaluations = 0;  ///< predictions made
  bool complete = true;         ///< false: ended by `proceed`; the rest is then empty
};

/// By Jansen's and Saltelli's estimators on scrambled Sobol points, each both ways round. Throws UsageError where a
/// factor cannot be drawn.
RFNN_API SensitivityIndices sensitivity_indices(const Model& model, const std::vector<Factor>& factors,
                                                const SensitivityOptions& options = {});

/// E[y | x_i] − E[y] over the values of one factor.
struct MainEffect {
  std::vector<double> values;  ///< of the factor: quantiles of its law, or its levels
  Matrix effect;               ///< values × outputs
  Matrix standard_error;
};

/// Per factor; empty of those that do not vary and, where ended by `proceed`, of all.
RFNN_API std::vector<MainEffect> main_effects(const Model& model, const std::vector<Factor>& factors,
                                              const SensitivityOptions& options = {});

/// Which input matters at which scale: along each continuous factor the prediction is a sum of cosines over its range,
/// and the energy of those of an octave, averaged over the other factors, is a share of total_i.
struct ScaleEnergy {
  /// Per octave: the longest wavelength in it over the factor's range; 2, 1, ½, … Under a normal or a sampled law the
  /// range is that of the probabilities, 0 to 1.
  std::vector<double> longest;
  std::vector<std::vector<Estimate>> share;  ///< per output and octave, of the output's variance
};

/// Per factor; empty of those with levels or that do not vary and, where ended by `proceed`, of all. `indices` are
/// those of the same factors.
RFNN_API std::vector<ScaleEnergy> energy_by_scale(const Model& model, const std::vector<Factor>& factors,
                                                  const SensitivityIndices& indices,
                                                  const SensitivityOptions& options = {});

}  // namespace rfnn
