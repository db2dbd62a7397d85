#include "cli/export_check.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <vector>

#include <fmt/format.h>

#include "cli/child_process.hpp"
#include "rfnn/export/formula.hpp"
#include "rfnn/export/json_document.hpp"

namespace rfnn::cli {
namespace {

constexpr std::size_t sample_rows = 200;

/// Reads the rows, computes, writes the outputs. Sizes are put in front.
constexpr const char* c_driver = R"(#include <stdio.h>
#include <stddef.h>
void {0}_predict(const double *inputs, double *outputs);
int main(int argc, char **argv) {{
  static double rows[{1}][{2}], outputs[{1}][{3}];
  FILE *file = argc == 3 ? fopen(argv[1], "rb") : NULL;
  size_t i;
  if (!file || fread(rows, sizeof rows, 1, file) != 1) return 1;
  fclose(file);
  for (i = 0; i < {1}; ++i) {0}_predict(rows[i], outputs[i]);
  file = fopen(argv[2], "wb");
  return !file || fwrite(outputs, sizeof outputs, 1, file) != 1 || fclose(file) != 0;
}}
)";

constexpr const char* python_driver = R"(import runpy, sys
import numpy
exported, rows, outputs, columns = sys.argv[1:]
rows = numpy.fromfile(rows).reshape(-1, int(columns))
runpy.run_path(exported)["predict"](rows).astype("<f8").tofile(outputs)
)";

constexpr const char* onnx_driver = R"(import sys
import numpy, onnxruntime
exported, rows, outputs, columns = sys.argv[1:]
rows = numpy.fromfile(rows).reshape(-1, int(columns))
options = onnxruntime.SessionOptions()
options.log_severity_level = 4
session = onnxruntime.InferenceSession(exported, options, providers=["CPUExecutionProvider"])
session.run(None, {"inputs": rows})[0].astype("<f8").tofile(outputs)
)";

void write_file(const std::string& path, const void* data, std::size_t bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
}
void write_file(const std::string& path, const std::string& text) { write_file(path, text.data(), text.size()); }

/// The difference of the outputs in a file from what the model predicts; nothing where the file does not hold as many.
std::optional<double> difference_of(const Model& model, const Matrix& rows, const std::string& path) {
  Matrix outputs(rows.rows(), model.outputs());
  std::ifstream file(path, std::ios::binary);
  if (!file.read(reinterpret_cast<char*>(outputs.data()),
                 static_cast<std::streamsize>(outputs.size() * sizeof(double))))
    return std::nullopt;
  const Matrix predicted = predict_export_rows(model, rows.view());
  return export_difference(model, outputs.view(), predicted.view());
}

std::vector<std::string> compilers() {
  const char* const given = std::getenv("CC");
  if (given != nullptr && *given != '\0') return {given};
  return {"cc", "gcc", "clang"};
}

ExportCheck check_c(const Model& model, const std::string& path, const std::string& name, const Matrix& rows,
                    const ScratchFolder& folder) {
  const std::string driver = folder / "driver.c", program = folder / "driver", outputs = folder / "outputs";
  write_file(driver, fmt::format(fmt::runtime(c_driver), export_name(name), rows.rows(), rows.cols(), model.outputs()));
  for (const std::string& compiler : compilers()) {
    if (!run_program({compiler, "-std=c99", "-O1", "-x", "c", path, driver, "-o", program, "-lm"})) continue;
    if (run_program({program, folder / "rows", outputs}))
      if (const auto difference = difference_of(model, rows, outputs))
        return {difference, fmt::format("compiled by {} and run", compiler)};
    return {std::nullopt, fmt::format("what {} made of the file could not be run", compiler)};
  }
  return {std::nullopt, "no C compiler was found, or it did not take the file"};
}

ExportCheck check_by_python(const Model& model, const char* driver, const std::string& path, const Matrix& rows,
                            const ScratchFolder& folder, const std::string& python, const char* library) {
  const std::string outputs = folder / "outputs";
  if (run_program({python, "-B", "-c", driver, path, folder / "rows", outputs, std::to_string(rows.cols())}))
    if (const auto difference = difference_of(model, rows, outputs))
      return {difference, fmt::format("computed by {}", library)};
  return {std::nullopt, fmt::format("{} with {} was not found, or it did not take the file", python, library)};
}

ExportCheck check_json(const Model& model, const std::string& path, const Matrix& rows) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  const Model back = exporting::model_of_json(text.str(), path);
  const Matrix outputs = predict_export_rows(back, rows.view()), predicted = predict_export_rows(model, rows.view());
  return {export_difference(model, outputs.view(), predicted.view()), "read back and computed here"};
}

}  // namespace

ExportCheck check_export(const Model& model, ExportFormat format, const std::string& path, const std::string& name,
                         const std::string& python) {
  const Matrix rows = export_sample_rows(model, sample_rows);
  const ScratchFolder folder;
  write_file(folder / "rows", rows.data(), rows.size() * sizeof(double));
  switch (format) {
    case ExportFormat::c:
      return check_c(model, path, name, rows, folder);
    case ExportFormat::python:
      return check_by_python(model, python_driver, path, rows, folder, python, "NumPy");
    case ExportFormat::onnx:
      return check_by_python(model, onnx_driver, path, rows, folder, python, "onnxruntime");
    case ExportFormat::formula:
      return {exporting::formula_difference(exporting::Plan(model, name)), "computed here with the numbers shown"};
    case ExportFormat::json:
      return check_json(model, path, rows);
  }
  return {};
}

}  // namespace rfnn::cli
