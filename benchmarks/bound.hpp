#pragma once

// How fast a Gibbs iteration of a later block could be at best: the arithmetic it cannot do without, at the rates the
// kernels reach on one tile of rows in the cache.

#include <memory>

#include "chain.hpp"

namespace rfnn::bench {

/// Seconds of one iteration.
struct Bound {
  double trig = 0.0;   ///< cosines and sines of the proposed features: W with d variables, W with one
  double gram = 0.0;   ///< twice: proposed columns with [kept | proposed] (of the latter, a triangle) and the residual
  double solve = 0.0;  ///< three Cholesky solves with 4W unknowns, by the better of this library and LAPACK
  [[nodiscard]] double seconds() const { return trig + gram + solve; }
};

/// Kernels at the shapes of one size, measured piece by piece between other work. Phases are those of the chain: how
/// long a cosine takes depends on its argument.
class BoundMeter {
 public:
  BoundMeter(const Dataset& data, const Size& size, const TimedEngine& engine);
  ~BoundMeter();
  void measure(double seconds);
  [[nodiscard]] Bound bound() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace rfnn::bench
