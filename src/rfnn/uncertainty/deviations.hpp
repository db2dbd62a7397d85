#pragma once

// Private header. How functions that a model holds possible deviate from its prediction, over their own standard
// deviation: at every place of mean 0 and variance 1.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "rfnn/core/aligned.hpp"
#include "rfnn/core/matrix.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/features/kernels.hpp"
#include "rfnn/model/model.hpp"
#include "rfnn/rows/forward.hpp"
#include "rfnn/rows/tiles.hpp"

namespace rfnn::uncertainty {

/// Which functions: numbers 0 … count − 1 of the seed.
struct Drawn {
  std::size_t count = 1;
  std::uint64_t seed = 0;
};

class Deviations {
 public:
  /// One thread's scratch.
  struct Tile {
    rows::ForwardTile forward{features::kernels()};
    rows::TiledColumns columns;
    AlignedVector kernel;
  };

  virtual ~Deviations() = default;
  /// Function k of output o at row i of a tile into values(i, o · count + k), for the first `rows` rows; θ
  /// standardised. A row's values depend on that row alone. False when interrupted.
  virtual bool values(const std::vector<const double*>& theta, std::size_t rows, Tile& tile, MatrixView values,
                      Interrupt& interrupt) const = 0;
};

/// Of the posterior of a closed form over the inputs given its centres, by Matheron's rule: with g a function of the
/// law, d(x) = g(x) − k(x)ᵀ (K + λ)⁻¹ (g + ε) has the posterior's covariance. Of very many centres some that are spread
/// over all. No windows.
std::unique_ptr<const Deviations> deviations_of_closed_form(const ClosedForm& form, double noise, std::size_t outputs,
                                                            const Drawn& drawn);

/// Of the networks drawn from the chains, from their mean: some of them, in an order of the seed's. At most as many as
/// there are.
std::unique_ptr<const Deviations> deviations_of_chains(const ChainDraws& draws, std::size_t outputs,
                                                       const Drawn& drawn);

}  // namespace rfnn::uncertainty
