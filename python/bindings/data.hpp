#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nanobind/ndarray.h>

#include "python/bindings/bindings.hpp"
#include "rfnn/core/matrix.hpp"
#include "rfnn/data/dataset.hpp"

namespace rfnn::python {

/// An array in Python's memory, of any strides.
using Array = nb::ndarray<nb::ro, nb::device::cpu>;

/// Inputs, targets and weights as they lie in Python's arrays, which it keeps alive. Nothing is copied.
class Rows {
 public:
  Rows(Array inputs, Array targets, std::optional<Array> weights, std::vector<std::string> input_names,
       std::vector<std::string> target_names);

  [[nodiscard]] const DatasetView& view() const { return view_; }

 private:
  Array inputs_, targets_;
  std::optional<Array> weights_;
  DatasetView view_;
};

/// A two-dimensional array of doubles as a matrix.
ConstMatrixView matrix_of(const Array& array);
/// The same of floats.
BasicMatrixView<const float> singles_of(const Array& array);

}  // namespace rfnn::python
