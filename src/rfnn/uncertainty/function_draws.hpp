#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "rfnn/core/export.hpp"
#include "rfnn/core/matrix.hpp"
#include "rfnn/model/model.hpp"
#include "rfnn/rows/predict.hpp"

namespace rfnn {

/// Which samples: functions number 0 … count − 1 of a seed. Function k is the same whatever the count.
struct DrawOptions {
  std::size_t count = 1;
  std::uint64_t seed = 0;
  /// Add a measurement's noise to every value, normal and independent from row to row; rows with the same inputs have
  /// the same noise.
  bool noise = false;
};

/// Samples of whole functions that a model holds possible (docs/uncertainty.md): the prediction plus a deviation from
/// it, from the posterior of the closed form that says how far the rows are, or from the chains of preset paper; scaled
/// so that the functions' variance at every place is what the error bars leave to the function, without its noise. A
/// function is the same in every batch and order of rows. Refers to the model, which must outlive it and stay as it is.
/// Const and thread-safe.
class RFNN_API FunctionDraws {
 public:
  /// Throws UsageError where the model has no error bars or no posterior, or not as many functions.
  FunctionDraws(const Model& model, const DrawOptions& draws);
  ~FunctionDraws();
  FunctionDraws(FunctionDraws&&) noexcept;
  FunctionDraws& operator=(FunctionDraws&&) noexcept;

  /// Writes the value of function k, output o at each row into column o · count + k of `values`, for rows of inputs (as
  /// Predictor takes them) and what the whole model predicts there. False when ended by `options.proceed`;
  /// `options.blocks` is not looked at.
  bool values(ConstMatrixView inputs, ConstMatrixView predictions, MatrixView values,
              const PredictOptions& options = {}) const;

 private:
  struct Prepared;
  std::unique_ptr<const Prepared> prepared_;
};

/// How many functions may be drawn: nothing is no bound, 0 that there are none.
RFNN_API std::optional<std::size_t> functions_to_draw(const Model& model);

}  // namespace rfnn
