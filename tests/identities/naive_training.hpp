#pragma once

// Data to train on, and a model's training state rebuilt from the model alone.

#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "rfnn/data/dataset.hpp"
#include "rfnn/training/fit.hpp"
#include "rows/naive.hpp"

namespace rfnn::testing {

/// Inputs far from standard units and a function of them per output, smooth with a high frequency.
Dataset wavy_data(std::size_t rows, std::size_t inputs = 1, std::size_t outputs = 1, std::uint64_t seed = 1,
                  double noise = 0.0);

Options short_options(std::int64_t blocks, std::int64_t iterations, std::int64_t width = 4);

/// Targets in the units the network is trained in.
Eigen::MatrixXd scaled_targets(const Model& model, const Matrix& targets);

/// Mean squared error over rows and outputs, in the target's units.
double mse(const Matrix& targets, const Matrix& predictions);

/// (1/N) Aᵀ(A b − r) + λ b for a block with given columns, relative to the size of (1/N) Aᵀr + λ b.
double normal_residual(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b, const Eigen::MatrixXd& r, double lambda);

}  // namespace rfnn::testing
