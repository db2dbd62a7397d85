#include "python/bindings/bindings.hpp"

#include <nanobind/stl/string.h>

#include "rfnn/core/version.hpp"

NB_MODULE(_core, module) {
  using namespace rfnn::python;
  module.doc() = "The native core of rfnn.";
  module.def("version", &rfnn::version, "Version of the library.");
  module.def("simd_level", &rfnn::simd_level, "SIMD level the kernels run with on this machine.");
  module.def(
      "compiler", [] { return std::string(__VERSION__); }, "Compiler the module was built with.");
  bind_errors(module);
  bind_options(module);
  bind_data(module);
  bind_model(module);
  bind_fit(module);
  bind_report(module);
  bind_exports(module);
  bind_command(module);
  bind_threads(module);
  bind_datasets(module);
  bind_views(module);
  bind_tables(module);
  bind_assessment(module);
  bind_tuning(module);
  bind_pieces(module);
}
