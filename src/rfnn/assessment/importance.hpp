#pragma once

// Private header. What a model makes of its inputs, seen from its predictions.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "rfnn/core/matrix.hpp"
#include "rfnn/model/model.hpp"

namespace rfnn::assessment {

/// How much worse predictions become when rows are given each other's values of some inputs.
struct Importance {
  double increase = 0.0;        ///< of the mean squared error, mean over outputs
  double standard_error = 0.0;  ///< of it; NaN of a single row
  double share = 0.0;           ///< increase in units of the target's variance, mean over outputs: what R² loses
  double share_error = 0.0;     ///< its standard error
};

struct ImportanceOptions {
  std::size_t repeats = 10;  ///< permutations of each group, averaged
  std::uint64_t seed = 1;
  std::size_t threads = 1;
  /// Asked between permutations; false ends the work with what is done.
  std::function<bool()> proceed = {};
};

/// Permutation importance of groups of inputs, whose columns are permuted together. The standard error is that of a
/// mean over rows of each row's increase, averaged over the repeats. Fewer than `groups` where it was ended.
std::vector<Importance> permutation_importance(const Model& model, ConstMatrixView inputs, ConstMatrixView targets,
                                               const std::vector<std::vector<std::size_t>>& groups,
                                               const ImportanceOptions& options = {});

/// The mean prediction over `rows` where one input has each of the values: values × outputs.
Matrix partial_dependence(const Model& model, ConstMatrixView rows, std::size_t input, std::span<const double> values,
                          std::size_t threads = 1);

/// The same for two inputs: value (i, j) of the first and the second is row i·|second| + j.
Matrix partial_dependence(const Model& model, ConstMatrixView rows, std::size_t first,
                          std::span<const double> first_values, std::size_t second,
                          std::span<const double> second_values, std::size_t threads = 1);

/// Friedman and Popescu's H of two inputs, for one output: the share of the variance of their joint effect that is not
/// the sum of their single effects, its square root; 0 where there is no effect. Effects are partial dependences at
/// `rows` themselves, over the same rows: a few dozen rows are enough, the work grows with their square.
double interaction(const Model& model, ConstMatrixView rows, std::size_t first, std::size_t second, std::size_t output,
                   std::size_t threads = 1);

}  // namespace rfnn::assessment
