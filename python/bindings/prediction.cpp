#include <algorithm>
#include <cstddef>
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

/// Rows of float32 that are copied at a time.
constexpr std::size_t batch_rows = 32768;

/// Calls work(first, rows) for all rows as doubles, at least once, until it returns false: for those of float64 where
/// they lie and all together, for those of float32 batch by batch in a copy.
template <class Work>
void with_doubles(const Array& inputs, const Work& work) {
  if (inputs.dtype() != nb::dtype<float>()) {
    work(0, matrix_of(inputs));
    return;
  }
  const BasicMatrixView<const float> singles = singles_of(inputs);
  Matrix copy(std::min(batch_rows, singles.rows()), singles.cols());
  std::size_t first = 0;
  bool going = true;
  do {
    const std::size_t count = std::min(batch_rows, singles.rows() - first);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t k = 0; k < copy.cols(); ++k) copy(i, k) = static_cast<double>(singles(first + i, k));
    going = work(first, ConstMatrixView(copy.data(), count, copy.cols()));
    first += count;
  } while (going && first < singles.rows());
}

void predict_into(const Model& model, const Array& inputs, const Output& outputs, std::optional<std::size_t> blocks,
                  std::size_t threads) {
  const MatrixView out(outputs.data(), outputs.shape(0), outputs.shape(1), outputs.stride(0), outputs.stride(1));
  const auto no_signal = [] {
    const nb::gil_scoped_acquire lock;
    return PyErr_CheckSignals() == 0;
  };
  const PredictOptions options{.blocks = blocks, .threads = threads, .proceed = no_signal};
  if (inputs.ndim() == 2 && inputs.shape(0) != out.rows())  // the library says what is wrong
    predict(model, ConstMatrixView(nullptr, inputs.shape(0), inputs.shape(1)), out, options);
  bool done = true;
  {
    const nb::gil_scoped_release free;
    const Predictor predictor(model, threads);
    with_doubles(inputs, [&](std::size_t first, ConstMatrixView rows) {
      return done = predictor.predict(rows, out.rows_from(first, rows.rows()), options);
    });
  }
  if (!done) throw nb::python_error();
}

void mark_outside(const Model& model, const Array& inputs, const Marks& marks, double margin) {
  if (inputs.ndim() == 2 && inputs.shape(0) != marks.shape(0))
    throw UsageError("There is not one mark for every row.", "Give a vector with a place per row.");
  const nb::gil_scoped_release free;
  with_doubles(inputs, [&](std::size_t first, ConstMatrixView rows) {
    for (std::size_t i = 0; i < rows.rows(); ++i)
      marks.data()[static_cast<std::ptrdiff_t>(first + i) * marks.stride(0)] =
          rows_outside_training_range(model, rows.rows_from(i, 1), margin) > 0;
    return true;
  });
}

}  // namespace

void bind_prediction(nb::class_<Model>& model) {
  model
      .def("predict", &predict_into, nb::arg("inputs"), nb::arg("outputs").noconvert(), nb::arg("blocks") = nb::none(),
           nb::arg("threads") = 1, "Writes the predictions for float64 or float32 inputs into a float64 array.")
      .def("mark_outside", &mark_outside, nb::arg("inputs"), nb::arg("marks").noconvert(), nb::arg("margin") = 0.0,
           "Writes into an array of bool which rows have an input outside the range of the training rows, by more than "
           "`margin` times that range, or hold what these did not: another number where all had the same, a missing "
           "cell, a new level.");
}

}  // namespace rfnn::python
