#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <vector>

#include "python/bindings/data.hpp"
#include "python/bindings/model_methods.hpp"
#include "rfnn/uncertainty/error_bars.hpp"
#include "rfnn/uncertainty/function_draws.hpp"

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

/// Samples of functions: function k of output o into column o · count + k.
void draws_into(const Model& model, const Array& inputs, const Output& predictions, const Output& values,
                std::uint64_t seed, bool noise, std::size_t threads) {
  const auto no_signal = [] {
    const nb::gil_scoped_acquire lock;
    return PyErr_CheckSignals() == 0;
  };
  bool done = true;
  {
    const nb::gil_scoped_release free;
    const FunctionDraws draws(model, {.count = values.shape(1) / model.outputs(), .seed = seed, .noise = noise});
    done = draws.values(matrix_of(inputs), view_of(predictions), view_of(values),
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
      .def_prop_ro(
          "draws", [](const Model& of) { return of.draws.count(); },
          "networks drawn from the chains of preset paper that the model keeps")
      .def("draw_functions", &draws_into, nb::arg("inputs"), nb::arg("predictions").noconvert(),
           nb::arg("values").noconvert(), nb::arg("seed") = 0, nb::arg("noise") = false, nb::arg("threads") = 1,
           "Writes samples of functions at float64 inputs with these predictions into a float64 array, output by "
           "output as many columns as samples.")
      .def("score_quantiles", &quantiles_of, nb::arg("probabilities"),
           "Quantiles of (y - prediction) / s: for each probability a number per output.")
      .def("score_deviations", &deviations_of, "Standard deviation of (y - prediction) / s, per output.");
}

}  // namespace rfnn::python
