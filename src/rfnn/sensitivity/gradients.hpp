#pragma once

#include <cstddef>
#include <memory>

#include "rfnn/core/export.hpp"
#include "rfnn/core/matrix.hpp"
#include "rfnn/model/model.hpp"
#include "rfnn/rows/predict.hpp"

namespace rfnn {

/// Exact derivatives of a model's outputs by its inputs, both in their own units (an input that was a date has days),
/// through all blocks of all members. Made ready once for many batches, as Predictor is. Refers to the model, which
/// must outlive it and stay as it is. Const and thread-safe.
///
/// An input that was constant in training has derivative 0, but for that of a base. Where the network sees a logarithm,
/// the derivative by x is that by log x over x, and 0 below the smallest x of the training rows. A closed form of order
/// 0 has kinks along its centres; there the mean of both sides stands. Everything else has derivatives everywhere,
/// windows two.
class RFNN_API GradientPredictor {
 public:
  explicit GradientPredictor(const Model& model, std::size_t threads = 1);
  ~GradientPredictor();
  GradientPredictor(GradientPredictor&&) noexcept;
  GradientPredictor& operator=(GradientPredictor&&) noexcept;

  /// Writes for every row of `inputs` (rows × model.input_count()) the model's outputs (rows × outputs; those of
  /// Predictor, to the bit) and their Jacobian (rows × outputs·inputs: the inputs of output 0, then of output 1, …). A
  /// row's derivatives depend on that row alone, not on batch or threads. False when ended by `options.proceed`; throws
  /// UsageError when shapes do not fit.
  bool gradients(ConstMatrixView inputs, MatrixView outputs, MatrixView jacobian,
                 const PredictOptions& options = {}) const;

  /// Hessian times a direction: Σ_l ∂²y_o/∂x_k∂x_l d_l for every row, with its own direction d (rows × inputs), into
  /// `products` (rows × outputs·inputs, as the Jacobian). No kernels of the processor are used here: it takes the time
  /// of some dozens of predictions.
  bool hessian_products(ConstMatrixView inputs, ConstMatrixView directions, MatrixView products,
                        const PredictOptions& options = {}) const;

 private:
  struct Prepared;
  std::unique_ptr<const Prepared> prepared_;
};

/// GradientPredictor(model).gradients(…), for one batch: the Jacobian, rows × outputs·inputs.
RFNN_API Matrix gradients(const Model& model, ConstMatrixView inputs, const PredictOptions& options = {});

}  // namespace rfnn
