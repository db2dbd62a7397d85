#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

#include "rfnn/core/export.hpp"
#include "rfnn/core/matrix.hpp"
#include "rfnn/model/model.hpp"

namespace rfnn {

struct PredictOptions {
  std::optional<std::size_t> blocks = {};  ///< use only the first so many blocks (0: the mean); default all
  std::size_t threads = 1;                 ///< 0: as many as the process may use; the result does not depend on it
  /// Asked about every 25 ms, on the calling thread; false ends the work.
  std::function<bool()> proceed = {};
};

/// Predicts many times with one model, batch after batch. What can be made ready is made ready once (a lattice of
/// frequencies is transformed, which takes longer than a few rows do). Refers to the model, which must outlive it and
/// stay as it is. Const and thread-safe.
class RFNN_API Predictor {
 public:
  explicit Predictor(const Model& model, std::size_t threads = 1);
  ~Predictor();
  Predictor(Predictor&&) noexcept;
  Predictor& operator=(Predictor&&) noexcept;

  /// Writes the model's outputs for every row of `inputs` (rows × model.input_count(), columns as in training, constant
  /// ones included) to `outputs` (rows × model.outputs()). A row's outputs depend on that row alone, not on the batch.
  /// Works tile by tile: the extra memory does not grow with the rows. False when ended by `proceed`; throws UsageError
  /// when shapes do not fit.
  /// What a base adds is added whole, however many blocks are used.
  bool predict(ConstMatrixView inputs, MatrixView outputs, const PredictOptions& options = {}) const;

  [[nodiscard]] const Model& model() const;

  /// Calls see(blocks, outputs) for 0, 1, … all blocks, in one pass through the network; outputs are those of predict()
  /// with so many blocks, to the bit. Memory grows with the rows.
  void stages(ConstMatrixView inputs,
              const std::function<void(std::size_t blocks, ConstMatrixView outputs)>& see) const;

 private:
  struct Prepared;
  std::unique_ptr<const Prepared> prepared_;
};

/// Predictor(model).predict(…), for one batch.
RFNN_API bool predict(const Model& model, ConstMatrixView inputs, MatrixView outputs,
                      const PredictOptions& options = {});

/// The same into a new matrix; `options.proceed` is not asked.
RFNN_API Matrix predict(const Model& model, ConstMatrixView inputs, const PredictOptions& options = {});

/// Number of rows with an input outside the range of the rows the model, or its base, was trained on, by more than
/// `margin` times this range; with another number than all of these had; or with something that stands in for a cell
/// (data/encoding.hpp) where it did for none of these: a missing cell, a level that they had not.
RFNN_API std::size_t rows_outside_training_range(const Model& model, ConstMatrixView inputs, double margin = 0.0);

}  // namespace rfnn
