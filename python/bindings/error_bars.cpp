#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <vector>

#include "python/bindings/data.hpp"
#include "python/bindings/model_methods.hpp"
#include "rfnn/uncertainty/error_bars.hpp"

namespace rfnn::python {
namespace {

using Output = nb::ndarray<double, nb::ndim<2>, nb::device::cpu>;

MatrixView view_of(const Output& array) {
  return {array.data(), array.shape(0), array.shape(1), array.stride(0), array.stride(1)};
}

void widths_into(const Model& model, const Array& inputs, const Output& predictions, const Output& widths,
                 std::size_t threads) {
  const auto no_signal = [] {
    const nb::gil_scoped_acquire lock;
    return PyErr_CheckSignals() == 0;
  };
  bool done = true;
  {
    const nb::gil_scoped_release free;
    done = ErrorBars(model).widths(matrix_of(inputs), view_of(predictions), view_of(widths),
                                   {.blocks = {}, .threads = threads, .proceed = no_signal});
  }
  if (!done) throw nb::python_error();
}

/// Per probability a number per output.
std::vector<std::vector<double>> quantiles_of(const Model& model, const std::vector<double>& probabilities) {
  const ErrorBars bars(model);
  std::vector<std::vector<double>> quantiles;
  for (const double p : probabilities) {
    std::vector<double>& of_p = quantiles.emplace_back();
    for (std::size_t o = 0; o < model.outputs(); ++o) of_p.push_back(bars.quantile(o, p));
  }
  return quantiles;
}

std::vector<double> deviations_of(const Model& model) {
  const ErrorBars bars(model);
  std::vector<double> deviations;
  for (std::size_t o = 0; o < model.outputs(); ++o) deviations.push_back(bars.deviation(o));
  return deviations;
}

}  // namespace

void bind_error_bars(nb::class_<Model>& model) {
  model
      .def_prop_ro(
          "has_error_bars", [](const Model& of) { return of.uncertainty.has_value(); },
          "the model knows how far off its predictions may be")
      .def("widths", &widths_into, nb::arg("inputs"), nb::arg("predictions").noconvert(), nb::arg("widths").noconvert(),
           nb::arg("threads") = 1,
           "Writes the widths s of the error bars at float64 inputs with these predictions into a float64 array.")
      .def("score_quantiles", &quantiles_of, nb::arg("probabilities"),
           "Quantiles of (y - prediction) / s: for each probability a number per output.")
      .def("score_deviations", &deviations_of, "Standard deviation of (y - prediction) / s, per output.");
}

}  // namespace rfnn::python
