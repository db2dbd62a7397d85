#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include "python/bindings/data.hpp"
#include "rfnn/core/error.hpp"
#include "python/bindings/model_methods.hpp"
#include "rfnn/rows/predict.hpp"

namespace rfnn::python {
namespace {

using Output = nb::ndarray<double, nb::ndim<2>, nb::device::cpu>;
using Marks = nb::ndarray<bool, nb::ndim<1>, nb::device::cpu>;

/// Rows worked on between two looks at Python's signals. Of float32 rows as many are copied at a time.
constexpr std::size_t batch_rows = 32768;

/// Rows of an array as doubles, batch by batch: those of float64 where they lie, those of float32 in a copy.
class Batches {
 public:
  explicit Batches(const Array& inputs) : narrow_(inputs.dtype() == nb::dtype<float>()) {
    if (!narrow_) {
      wide_ = matrix_of(inputs);
      return;
    }
    singles_ = singles_of(inputs);
    copy_ = Matrix(std::min(batch_rows, singles_.rows()), singles_.cols());
  }

  [[nodiscard]] std::size_t rows() const { return narrow_ ? singles_.rows() : wide_.rows(); }

  ConstMatrixView batch(std::size_t first, std::size_t count) {
    if (!narrow_) return wide_.rows_from(first, count);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t k = 0; k < copy_.cols(); ++k) copy_(i, k) = static_cast<double>(singles_(first + i, k));
    return ConstMatrixView(copy_.data(), count, copy_.cols());
  }

 private:
  bool narrow_;
  ConstMatrixView wide_;
  BasicMatrixView<const float> singles_;
  Matrix copy_;
};

/// Calls work(first, batch) for all rows, at least once, without the interpreter's lock; a signal's exception ends it.
template <class Work>
void in_batches(const Array& inputs, const Work& work) {
  Batches rows(inputs);
  bool raised = false;
  {
    const nb::gil_scoped_release free;
    std::size_t first = 0;
    do {
      const std::size_t count = std::min(batch_rows, rows.rows() - first);
      work(first, rows.batch(first, count));
      first += count;
      const nb::gil_scoped_acquire lock;
      raised = PyErr_CheckSignals() != 0;
    } while (first < rows.rows() && !raised);
  }
  if (raised) throw nb::python_error();
}

void predict_into(const Model& model, const Array& inputs, const Output& outputs, std::optional<std::size_t> blocks,
                  std::size_t threads) {
  const MatrixView out(outputs.data(), outputs.shape(0), outputs.shape(1), outputs.stride(0), outputs.stride(1));
  const PredictOptions options{.blocks = blocks, .threads = threads};
  if (inputs.ndim() == 2 && inputs.shape(0) != out.rows()) {  // the library says what is wrong
    predict(model, ConstMatrixView(nullptr, inputs.shape(0), inputs.shape(1)), out, options);
  }
  in_batches(inputs, [&](std::size_t first, ConstMatrixView rows) {
    predict(model, rows, out.rows_from(first, rows.rows()), options);
  });
}

/// Is an input further outside the range of the training rows than `margin` times that range?
bool is_far(const Model& model, ConstMatrixView row, double margin) {
  for (std::size_t k = 0; k < model.inputs.size(); ++k) {
    const Column& column = model.inputs[k];
    const double beyond = margin * (column.max - column.min);
    if (column.used && !(row(0, k) >= column.min - beyond && row(0, k) <= column.max + beyond)) return true;
  }
  return false;
}

void mark_outside(const Model& model, const Array& inputs, const Marks& marks, double margin) {
  if (inputs.ndim() == 2 && inputs.shape(0) != marks.shape(0))
    throw UsageError("There is not one mark for every row.", "Give a vector with a place per row.");
  in_batches(inputs, [&](std::size_t first, ConstMatrixView rows) {
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      const ConstMatrixView row = rows.rows_from(i, 1);
      const bool outside = rows_outside_training_range(model, row) > 0;
      marks.data()[static_cast<std::ptrdiff_t>(first + i) * marks.stride(0)] =
          outside && (margin == 0.0 || is_far(model, row, margin));
    }
  });
}

}  // namespace

void bind_prediction(nb::class_<Model>& model) {
  model
      .def("predict", &predict_into, nb::arg("inputs"), nb::arg("outputs").noconvert(), nb::arg("blocks") = nb::none(),
           nb::arg("threads") = 1, "Writes the predictions for float64 or float32 inputs into a float64 array.")
      .def("mark_outside", &mark_outside, nb::arg("inputs"), nb::arg("marks").noconvert(), nb::arg("margin") = 0.0,
           "Writes into an array of bool which rows have an input outside the range of the training rows, by more than "
           "`margin` times that range.");
}

}  // namespace rfnn::python
