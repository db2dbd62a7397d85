#pragma once

// Private header. The same network trained the usual way: all frequencies and amplitudes of all blocks at once, by Adam
// on mini-batches, minimising the paper's loss  (1/N) Σ |z_L(θ_n) − Q(θ_n)|² + λ |b|², the norms over all outputs as in
// the least-squares problems of training block by block. A batch's gradient has the mean over its rows and the whole
// ridge.

#include <cstdint>
#include <functional>
#include <vector>

#include "rfnn/data/dataset.hpp"
#include "rfnn/model/model.hpp"

namespace rfnn::baselines {

struct AdamOptions {
  std::int64_t width = 6;
  std::int64_t blocks = 3;
  std::int64_t epochs = 30000;
  std::int64_t batch = 256;  ///< rows; the last batch of an epoch has what is left
  double learning_rate = 1e-3;
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  double ridge = 1e-4;
  double initial_spread = 1.0;  ///< standard deviation of the initial frequencies
  std::uint64_t seed = 1;
};

/// Where training stood after so many epochs, on all training rows.
struct AdamPoint {
  std::int64_t epoch = 0;
  double loss = 0.0;  ///< summed over outputs, with the ridge term
  double mse = 0.0;   ///< in the target's units, mean over outputs
};

struct AdamResult {
  Model model;                   ///< to predict with, save and load like any other
  std::vector<AdamPoint> curve;  ///< every epoch at first, then ever more sparsely (a few hundred points)
  bool complete = true;          ///< false: `proceed` ended it early
  double seconds = 0.0;
};

/// Inputs are standardised as in preset `paper`, outputs are not. One thread; the result depends on data, options and
/// seed alone. `proceed` (may be empty) is asked after every epoch and ends training by returning false. A constant
/// target or constant inputs give the empty network, as in `fit`. Throws UsageError, InputError as `fit` does,
/// NumericalError when the loss is no longer finite.
AdamResult train_with_adam(const Dataset& data, const AdamOptions& options,
                           const std::function<bool(std::int64_t epoch)>& proceed = {});

}  // namespace rfnn::baselines
