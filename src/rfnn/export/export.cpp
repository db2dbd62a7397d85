#include "rfnn/export/export.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "rfnn/core/error.hpp"
#include "rfnn/export/bars.hpp"
#include "rfnn/export/c_source.hpp"
#include "rfnn/export/formula.hpp"
#include "rfnn/export/json_document.hpp"
#include "rfnn/export/onnx_file.hpp"
#include "rfnn/export/plan.hpp"
#include "rfnn/export/python_source.hpp"
#include "rfnn/io/atomic_file.hpp"

namespace rfnn {

ExportFormat export_format(std::string_view name) {
  const auto found = std::find(export_format_names.begin(), export_format_names.end(), name);
  if (found == export_format_names.end())
    throw UsageError(fmt::format("There is no format \"{}\".", name),
                     fmt::format("The formats are {}.", fmt::join(export_format_names, ", ")));
  return static_cast<ExportFormat>(found - export_format_names.begin());
}

std::string_view export_extension(ExportFormat format) {
  constexpr std::array<std::string_view, export_format_names.size()> extensions = {".onnx", ".c", ".py", ".txt",
                                                                                   ".json"};
  return extensions[static_cast<std::size_t>(format)];
}

std::string export_name(std::string_view path) {
  std::string name = std::filesystem::path(path).stem().string();
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  for (char& c : name)
    if (!letter(c) && !(c >= '0' && c <= '9')) c = '_';
  return name.empty() || !letter(name.front()) ? "model_" + name : name;
}

std::string export_text(const Model& model, ExportFormat format, std::string_view name) {
  check(model);
  const exporting::Plan plan(model, export_name(name));
  switch (format) {
    case ExportFormat::onnx:
      return exporting::onnx_file(plan);
    case ExportFormat::c:
      return exporting::c_source(plan);
    case ExportFormat::python:
      return exporting::python_source(plan);
    case ExportFormat::formula:
      return exporting::formula_text(plan);
    case ExportFormat::json:
      return exporting::json_document(plan);
  }
  return {};
}

bool export_has_intervals(const Model& model, ExportFormat format) {
  if (format == ExportFormat::json) return model.uncertainty.has_value();
  return (format == ExportFormat::c || format == ExportFormat::python) && exporting::why_no_bars(model).empty();
}

void export_model(const Model& model, ExportFormat format, const std::string& path, std::string_view name) {
  const std::string text = export_text(model, format, name);
  io::AtomicFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace rfnn
