#include <optional>
#include <string>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "cli/export_check.hpp"
#include "python/bindings/bindings.hpp"
#include "rfnn/export/export.hpp"

namespace rfnn::python {
namespace {

/// Writes the file, and computes with it where `python`, a program, is not empty. The largest difference, or nothing.
std::optional<double> write_export(const Model& model, const std::string& path, const std::string& format,
                                   const std::string& python) {
  const nb::gil_scoped_release free;
  const ExportFormat as = export_format(format);
  export_model(model, as, path, path);
  return python.empty() ? std::nullopt : cli::check_export(model, as, path, path, python).difference;
}

}  // namespace

void bind_exports(nb::module_& module) {
  module.def(
      "write_export", &write_export, nb::arg("model"), nb::arg("path"), nb::arg("format"), nb::arg("python"),
      "Writes a model as a file for use without rfnn; where `python` names a program, rows are computed with the "
      "file and compared with predict.");
  module.def("export_formats",
             [] { return std::vector<std::string>(export_format_names.begin(), export_format_names.end()); });
}

}  // namespace rfnn::python
