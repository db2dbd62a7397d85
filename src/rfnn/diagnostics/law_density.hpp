#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "rfnn/core/export.hpp"
#include "rfnn/model/model.hpp"

namespace rfnn {

/// How the frequencies of one part of a law are spread along one variable, in radians per unit of the data (of their
/// natural logarithm where the network sees that): ω = ±centre + smooth · normal + rough · (Cauchy, or Student's law
/// with 2·order + 1 degrees of freedom over the root of their number). ω and −ω are the same wave, so that what is
/// spoken of is |ω|.
struct RFNN_API MarginalLaw {
  double centre = 0.0;  ///< not negative
  double smooth = 0.0;
  double rough = 0.0;
  int order = 0;

  /// All frequencies are the centre: of centre 0, the part does not depend on the variable.
  [[nodiscard]] bool is_point() const { return !(smooth > 0.0) && !(rough > 0.0); }
  /// Density of |ω| at `frequency` ≥ 0; of a point zero.
  [[nodiscard]] double density(double frequency) const;
  /// Share of the frequencies with |ω| > `frequency`.
  [[nodiscard]] double beyond(double frequency) const;
  /// The |ω| below which `share` of the frequencies are, 0 < share < 1.
  [[nodiscard]] double quantile(double share) const;
  /// Mean of min(1, (|ω| · distance)²): how much of a wave's square shows over a distance. 0: constant, 1: whole turns.
  [[nodiscard]] double turning(double distance) const;
};

/// One part of the law of a closed form, in the units of the data.
struct LawPart {
  double share = 0.0;                  ///< of the law's variance
  std::vector<double> variance;        ///< per output, in the target's units squared
  std::vector<MarginalLaw> marginals;  ///< per variable of the branch
};

/// The law of one closed-form branch.
struct BranchLaw {
  std::size_t member = 0;  ///< from 0
  std::size_t block = 0;   ///< from 1
  BranchKind branch = BranchKind::input;
  std::vector<std::string> variables;  ///< names, `log(x)` where the network sees the logarithm of x
  std::size_t centres = 0;             ///< training rows that are its centres
  std::vector<double> variance;        ///< k(0) per output, in the target's units squared
  std::vector<LawPart> parts;
};

/// The law of every closed-form branch of the model, in the order of members and blocks; of windows with the geometric
/// mean of their scales.
RFNN_API std::vector<BranchLaw> laws(const Model& model);

/// Several laws as one, each with the same share; of different kinds of branches over the variables they have in
/// common, the inputs. Variance and centres are the largest. At least one law.
RFNN_API BranchLaw mean_law(const std::vector<BranchLaw>& laws);

/// Density of |ω| along a variable over all parts, each with its share; ∫₀^∞ is 1 less the shares of points.
RFNN_API double law_density(const BranchLaw& law, std::size_t variable, double frequency);

/// The |ω| along a variable below which `share` of the law's variance is, over all parts.
RFNN_API double law_quantile(const BranchLaw& law, std::size_t variable, double share);

}  // namespace rfnn
