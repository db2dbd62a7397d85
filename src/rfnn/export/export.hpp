#pragma once

#include <array>
#include <string>
#include <string_view>

#include "rfnn/core/export.hpp"
#include "rfnn/export/sample_rows.hpp"
#include "rfnn/model/model.hpp"

namespace rfnn {

/// What a model can be written as, for use without rfnn.
enum class ExportFormat { onnx, c, python, formula, json };

inline constexpr std::array<std::string_view, 5> export_format_names = {"onnx", "c", "python", "formula", "json"};
constexpr std::string_view name_of(ExportFormat format) {
  return export_format_names[static_cast<std::size_t>(format)];
}
/// Throws UsageError for a word that is none of the names.
RFNN_API ExportFormat export_format(std::string_view name);

/// The content of the file (docs/export.md). `name` is what functions in it are called by; it is made an identifier.
/// Throws InputError where the format cannot say what the model holds: a formula of a network that is not small.
RFNN_API std::string export_text(const Model& model, ExportFormat format, std::string_view name);

/// Has such a file intervals and standard deviations? C and Python have, and JSON, where the model has error bars; C
/// and Python say at their top why not.
RFNN_API bool export_has_intervals(const Model& model, ExportFormat format);

/// Writes it through AtomicFile.
RFNN_API void export_model(const Model& model, ExportFormat format, const std::string& path, std::string_view name);

/// What such files are usually called: .onnx, .c, .py, .txt, .json.
RFNN_API std::string_view export_extension(ExportFormat format);

/// The stem of a path as an identifier of C and Python: other characters become underscores, and one that does not
/// begin with a letter is put behind `model_`.
RFNN_API std::string export_name(std::string_view path);

}  // namespace rfnn
