#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "rfnn/core/export.hpp"
#include "rfnn/core/matrix.hpp"
#include "rfnn/model/model.hpp"
#include "rfnn/rows/predict.hpp"

namespace rfnn {

/// How far off the predictions of a model may be, row by row (docs/uncertainty.md): widths s(x) and, the same
/// everywhere, the distribution of (y − ŷ)/s. What can be made ready is made ready once. Refers to the model, which
/// must outlive it and stay as it is. Const and thread-safe.
class RFNN_API ErrorBars {
 public:
  /// Throws UsageError where the model does not know its errors.
  explicit ErrorBars(const Model& model);
  ~ErrorBars();
  ErrorBars(ErrorBars&&) noexcept;
  ErrorBars& operator=(ErrorBars&&) noexcept;

  /// Widths s > 0 in the outputs' own units for rows of inputs (as Predictor takes them) and what the whole model
  /// predicts there (rows × outputs); `widths` may be the same place as `predictions`. A row's widths depend on that
  /// row alone. False when ended by `options.proceed`; `options.blocks` is not looked at.
  bool widths(ConstMatrixView inputs, ConstMatrixView predictions, MatrixView widths,
              const PredictOptions& options = {}) const;

  /// The same without the noise b: how wide what is not known of the function itself is. 0 where nothing is known of it
  /// but the noise.
  bool function_widths(ConstMatrixView inputs, ConstMatrixView predictions, MatrixView widths,
                       const PredictOptions& options = {}) const;

  /// Of (y − ŷ)/s: a row's quantile of probability p, 0 < p < 1, is ŷ + s · quantile(output, p).
  [[nodiscard]] double quantile(std::size_t output, double p) const;
  /// The inverse: the probability that y lies below ŷ + s · score.
  [[nodiscard]] double probability(std::size_t output, double score) const;
  /// The standard deviation of y around ŷ is s times this.
  [[nodiscard]] double deviation(std::size_t output) const;
  /// Continuous ranked probability score, over s, of a row whose (y − ŷ)/s is `score`.
  [[nodiscard]] double crps(std::size_t output, double score) const;
  /// ln of the density of (y − ŷ)/s there; that of y is less by ln s.
  [[nodiscard]] double log_density(std::size_t output, double score) const;

 private:
  struct Prepared;
  bool widths(ConstMatrixView inputs, ConstMatrixView predictions, MatrixView widths, const PredictOptions& options,
              bool with_noise) const;

  std::unique_ptr<const Prepared> prepared_;
};

}  // namespace rfnn
