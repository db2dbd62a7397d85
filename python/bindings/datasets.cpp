#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include "python/bindings/bindings.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/data/targets.hpp"

namespace rfnn::python {
namespace {

using Table = nb::ndarray<nb::numpy, double, nb::ndim<2>>;
using Vector = nb::ndarray<nb::numpy, double, nb::ndim<1>>;

Target target_named(const std::string& name) {
  const auto names = target_names();
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return static_cast<Target>(i);
  throw UsageError("There is no function \"" + name + "\".", "There are multiscale, stairstep and sine.");
}

/// Hands the data over to arrays: both keep them alive.
nb::tuple arrays_of(Dataset data) {
  auto owned = std::make_unique<Dataset>(std::move(data));
  Dataset& kept = *owned;
  const nb::capsule owner(owned.release(), [](void* place) noexcept { delete static_cast<Dataset*>(place); });
  return nb::make_tuple(Table(kept.inputs.data(), {kept.inputs.rows(), kept.inputs.cols()}, owner),
                        Vector(kept.targets.data(), {kept.targets.rows()}, owner));
}

nb::tuple generate_rows(const std::string& function, std::size_t rows, std::uint64_t seed, double noise) {
  const Target target = target_named(function);
  Dataset data = [&] {
    const nb::gil_scoped_release free;
    return generate(target, rows, seed, noise);
  }();
  return arrays_of(std::move(data));
}

}  // namespace

void bind_datasets(nb::module_& module) {
  module.def("generate", &generate_rows, nb::arg("function"), nb::arg("rows"), nb::arg("seed"), nb::arg("noise") = 0.0,
             "Inputs and values of one of the paper's functions, the rows that `rfnn generate` writes.");
}

}  // namespace rfnn::python
