#pragma once

// The network written down once more, with std::cos and dense matrices and nothing of the library but its values. The
// tests' own sources are compiled without optimisation; these, which run long, are not.

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "rfnn/core/matrix.hpp"
#include "rfnn/core/random.hpp"
#include "rfnn/model/model.hpp"

namespace rfnn::testing {

inline Eigen::Index index(std::size_t n) { return static_cast<Eigen::Index>(n); }

Eigen::MatrixXd to_eigen(const Matrix& matrix);

Matrix to_matrix(const Eigen::MatrixXd& matrix);

/// The largest entry in size, and that of a − b: infinite where their shapes differ.
double largest(const Eigen::MatrixXd& matrix);
double largest_difference(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);

Matrix normal_matrix(std::size_t rows, std::size_t cols, std::uint64_t seed, double scale = 1.0);

Matrix uniform_matrix(std::size_t rows, std::size_t cols, std::uint64_t seed, double low, double high);

/// What a branch sees.
Eigen::MatrixXd naive_variables(BranchKind kind, const Eigen::MatrixXd& theta, const Eigen::MatrixXd& state);

/// Columns cos, −sin of the first frequency, then of the second, …
Eigen::MatrixXd naive_features(const Eigen::MatrixXd& variables, const Matrix& frequencies);

/// (AᵀA + λI)⁻¹ AᵀB for each λ, by the normal equations of all columns.
std::vector<Eigen::MatrixXd> naive_ridges(const Eigen::MatrixXd& columns, const Eigen::MatrixXd& right,
                                          const std::vector<double>& lambdas);

/// k(v − v_i) for every row v and centre v_i, as docs/math.md writes the kernel of a law.
Eigen::MatrixXd naive_kernel(const FrequencyLaw& law, const Eigen::MatrixXd& rows, const Eigen::MatrixXd& centres);

/// All columns of a block, branch after branch, and its amplitudes in the same order.
Eigen::MatrixXd naive_columns(const Block& block, const Eigen::MatrixXd& theta, const Eigen::MatrixXd& state);
Eigen::MatrixXd naive_amplitudes(const Block& block);

/// z_0 = 0, …, z_L on rows of θ.
std::vector<Eigen::MatrixXd> naive_states(const Network& network, const Eigen::MatrixXd& theta, Eigen::Index outputs);

/// θ of the rows: used inputs, standardised as the model says.
Eigen::MatrixXd naive_theta(const Model& model, const Matrix& inputs);

/// Average over the members of mean + sd · z, each member cut to `blocks`; a member without blocks is the mean.
Eigen::MatrixXd naive_predict(const Model& model, const Matrix& inputs, std::optional<std::size_t> blocks = {});

/// A branch with random frequencies and amplitudes.
Branch random_branch(BranchKind kind, std::size_t features, std::size_t inputs, std::size_t outputs, std::uint64_t seed,
                     double spread = 2.0);

/// A closed form with random centres, coefficients and scales: parts of all orders, one around a frequency, over a map.
Branch random_closed_form(BranchKind kind, std::size_t centres, std::size_t inputs, std::size_t outputs,
                          std::uint64_t seed);

}  // namespace rfnn::testing
