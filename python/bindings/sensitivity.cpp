#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <nlohmann/json.hpp>

#include "cli/factor_text.hpp"
#include "python/bindings/data.hpp"
#include "python/bindings/model_methods.hpp"
#include "rfnn/io/sensitivity_json.hpp"
#include "rfnn/sensitivity/gradients.hpp"

namespace rfnn::python {
namespace {

using Output = nb::ndarray<double, nb::ndim<2>, nb::device::cpu>;

MatrixView view_of(const Output& array) {
  return {array.data(), array.shape(0), array.shape(1), array.stride(0), array.stride(1)};
}

bool no_signal() {
  const nb::gil_scoped_acquire lock;
  return PyErr_CheckSignals() == 0;
}

PredictOptions options_of(std::size_t threads) { return {.blocks = {}, .threads = threads, .proceed = no_signal}; }

void gradients_into(const Model& model, const Array& inputs, const Output& outputs, const Output& jacobian,
                    std::size_t threads) {
  bool done = true;
  {
    const nb::gil_scoped_release free;
    done = GradientPredictor(model, threads)
               .gradients(matrix_of(inputs), view_of(outputs), view_of(jacobian), options_of(threads));
  }
  if (!done) throw nb::python_error();
}

void hessian_products_into(const Model& model, const Array& inputs, const Array& directions, const Output& products,
                           std::size_t threads) {
  bool done = true;
  {
    const nb::gil_scoped_release free;
    done = GradientPredictor(model, threads)
               .hessian_products(matrix_of(inputs), matrix_of(directions), view_of(products), options_of(threads));
  }
  if (!done) throw nb::python_error();
}

/// Ranges and levels as `rfnn optimum --box` takes them.
std::pair<std::string, std::vector<double>> optimum_of(const Model& model, const std::vector<std::string>& boxes,
                                                       std::size_t output, bool maximum, std::size_t starts,
                                                       std::uint64_t seed, std::size_t threads) {
  const OptimumOptions options{
      .output = output, .maximum = maximum, .starts = starts, .seed = seed, .threads = threads, .proceed = no_signal};
  std::vector<Factor> factors = factors_of(model);
  cli::narrow(factors, boxes);
  Optimum found;
  {
    const nb::gil_scoped_release free;
    found = find_optimum(model, factors, options);
  }
  if (!found.complete) throw nb::python_error();
  return {io::json_text(io::to_json(model, factors, options, found)), found.inputs};
}

/// Draws every input from its column of the rows.
void sample_from(std::vector<Factor>& factors, ConstMatrixView rows) {
  for (Factor& factor : factors) {
    std::fill(factor.shares.begin(), factor.shares.end(), 0.0);
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      if (factor.continuous()) factor.values.push_back(rows(i, factor.first));
      for (std::size_t level = 0; level < factor.levels.size(); ++level)
        factor.shares[level] += rows(i, factor.first + level);
      if (factor.kind != ColumnKind::boolean) continue;
      factor.shares[0] += 1.0 - rows(i, factor.first);
      factor.shares[1] += rows(i, factor.first);
    }
    factor.spread = Spread::sampled;
    std::sort(factor.values.begin(), factor.values.end());
  }
}

std::string sensitivity_of(const Model& model, const std::optional<Array>& rows, const std::vector<std::string>& boxes,
                           const std::vector<std::string>& laws, std::size_t samples, std::uint64_t seed,
                           std::size_t threads) {
  SensitivityFindings found{.factors = factors_of(model), .indices = {}, .effects = {}, .scales = {}};
  if (rows) sample_from(found.factors, matrix_of(*rows));
  cli::narrow(found.factors, boxes);
  cli::make_normal(found.factors, laws, boxes);
  SensitivityOptions options;
  options.samples = samples;
  options.seed = seed;
  options.threads = threads;
  options.proceed = no_signal;
  {
    const nb::gil_scoped_release free;
    found.indices = sensitivity_indices(model, found.factors, options);
    if (found.indices.complete) {
      found.effects = main_effects(model, found.factors, options);
      found.scales = energy_by_scale(model, found.factors, found.indices, options);
    }
  }
  if (!found.indices.complete || PyErr_Occurred() != nullptr) throw nb::python_error();
  return io::json_text(io::to_json(model, found));
}

}  // namespace

void bind_sensitivity(nb::class_<Model>& model) {
  model
      .def("gradients", &gradients_into, nb::arg("inputs"), nb::arg("outputs").noconvert(),
           nb::arg("jacobian").noconvert(), nb::arg("threads") = 1,
           "Writes predictions and their derivatives (a row per row: the inputs of output 0, then of output 1, …) for "
           "float64 inputs into float64 arrays.")
      .def("hessian_products", &hessian_products_into, nb::arg("inputs"), nb::arg("directions"),
           nb::arg("products").noconvert(), nb::arg("threads") = 1,
           "Writes Hessian times direction, laid out as the derivatives.")
      .def("optimum", &optimum_of, nb::arg("boxes"), nb::arg("output") = 0, nb::arg("maximum") = false,
           nb::arg("starts") = 32, nb::arg("seed") = 1, nb::arg("threads") = 1,
           "What `rfnn optimum --json` prints, and the place as a row of inputs.")
      .def("sensitivity", &sensitivity_of, nb::arg("rows").none() = nb::none(),
           nb::arg("boxes") = std::vector<std::string>(), nb::arg("laws") = std::vector<std::string>(),
           nb::arg("samples") = 0, nb::arg("seed") = 1, nb::arg("threads") = 1,
           "What `rfnn sensitivity --json` prints.");
}

}  // namespace rfnn::python
