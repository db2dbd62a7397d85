#pragma once

#include <optional>
#include <string>

#include "rfnn/export/export.hpp"
#include "rfnn/model/model.hpp"

namespace rfnn::cli {

/// What came of comparing an export with predict().
struct ExportCheck {
  std::optional<double> difference;   ///< the largest of them, relative to the predictions; nothing: not checked
  std::optional<double> bounds = {};  ///< the same of intervals, relative to their length; nothing: the file has none
  std::string how;                    ///< who computed with the export, or why nobody did
};

/// Computes sample rows with the file at `path`, which is `model` in that format: C by a compiler of this machine, ONNX
/// and Python by the program `python` where it has onnxruntime and NumPy. `name` is what the file's functions are
/// called by.
ExportCheck check_export(const Model& model, ExportFormat format, const std::string& path, const std::string& name,
                         const std::string& python = "python3");

}  // namespace rfnn::cli
