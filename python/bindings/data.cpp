#include "python/bindings/data.hpp"

#include <memory>
#include <utility>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "rfnn/core/error.hpp"
#include "rfnn/data/columns.hpp"

namespace rfnn::python {
namespace {

[[noreturn]] void refuse_type() {
  throw UsageError("The numbers of an array are neither float64 nor float32.", "Convert them.");
}

template <class T>
BasicMatrixView<const T> view_of(const Array& array) {
  if (array.ndim() != 2) throw UsageError("The inputs are no table.", "Give an array with two dimensions.");
  if (array.dtype() != nb::dtype<T>()) refuse_type();
  return {static_cast<const T*>(array.data()), array.shape(0), array.shape(1), array.stride(0), array.stride(1)};
}

bool all_constant(const Columns& columns) {
  for (const ColumnView& column : columns)
    for (std::size_t i = 1; i < columns.rows(); ++i)
      if (column[i] != column[0]) return false;
  return true;
}

}  // namespace

Rows::Rows(Array inputs, Array targets, std::optional<Array> weights, std::vector<std::string> input_names,
           std::vector<std::string> target_names)
    : arrays_{std::move(inputs), std::move(targets)} {
  DatasetView& view = data_.table.view;
  view = {columns_of(arrays_[0]), columns_of(arrays_[1]), std::move(input_names), std::move(target_names)};
  if (!weights) return;
  if (weights->ndim() != 1 || weights->shape(0) != view.rows())
    throw UsageError("There is not one weight for every row.", "Give a vector with a weight per row.");
  view.weights = column_of(*weights, 0);
  arrays_.push_back(*std::move(weights));
}

Rows::Rows(TableData data, std::vector<Array> arrays) : data_(std::move(data)), arrays_(std::move(arrays)) {}

ColumnView column_of(const Array& array, std::size_t column) {
  const bool two = array.ndim() == 2;
  const bool wide = array.dtype() == nb::dtype<double>();
  if (!wide && array.dtype() != nb::dtype<float>()) refuse_type();
  const auto size = static_cast<std::ptrdiff_t>(wide ? sizeof(double) : sizeof(float));
  const std::ptrdiff_t offset = two ? static_cast<std::ptrdiff_t>(column) * array.stride(1) * size : 0;
  return {static_cast<const char*>(array.data()) + offset, array.stride(0) * size,
          wide ? NumberType::float64 : NumberType::float32};
}

Columns columns_of(const Array& array) {
  if (array.ndim() != 1 && array.ndim() != 2)
    throw UsageError("An array has " + std::to_string(array.ndim()) + " dimensions.", "Give one or two.");
  Columns columns(array.shape(0));
  const std::size_t count = array.ndim() == 2 ? array.shape(1) : 1;
  for (std::size_t k = 0; k < count; ++k) columns.add(column_of(array, k));
  return columns;
}

ConstMatrixView matrix_of(const Array& array) { return view_of<double>(array); }

BasicMatrixView<const float> singles_of(const Array& array) { return view_of<float>(array); }

nb::ndarray<nb::numpy, double, nb::ndim<2>> array_of(Matrix values) {
  auto owned = std::make_unique<Matrix>(std::move(values));
  Matrix& kept = *owned;
  const nb::capsule owner(owned.release(), [](void* place) noexcept { delete static_cast<Matrix*>(place); });
  return {kept.data(), {kept.rows(), kept.cols()}, owner};
}

void bind_data(nb::module_& module) {
  nb::class_<Rows>(module, "Rows", "Inputs, targets and weights, where they lie or as what columns became.")
      .def(nb::init<Array, Array, std::optional<Array>, std::vector<std::string>, std::vector<std::string>>(),
           nb::arg("inputs"), nb::arg("targets"), nb::arg("weights") = nb::none(),
           nb::arg("input_names") = std::vector<std::string>(), nb::arg("target_names") = std::vector<std::string>())
      .def_prop_ro("count", [](const Rows& self) { return self.view().rows(); })
      .def_prop_ro("input_names", [](const Rows& self) { return self.view().input_names; })
      .def_prop_ro("has_table", [](const Rows& self) { return !self.table().code.empty(); })
      .def_prop_ro("notes", [](const Rows& self) { return self.table().notes; })
      .def_prop_ro(
          "places", [](const Rows& self) { return self.table().rows; },
          "rows that stay, by their places in the table; empty: all of them")
      .def_prop_ro(
          "constant", [](const Rows& self) { return all_constant(self.view().inputs); }, "does no input vary");
}

}  // namespace rfnn::python
