#include "cli/export_check.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <vector>

#include <fmt/format.h>

#include "cli/child_process.hpp"
#include "rfnn/export/formula.hpp"
#include "rfnn/export/json_document.hpp"
#include "rfnn/export/sample_rows.hpp"

namespace rfnn::cli {
namespace {

constexpr std::size_t sample_rows = 200;

/// Of the intervals looked at.
constexpr double coverage = 0.9;

/// Reads the rows, computes, writes the outputs. Names and sizes are put in.
constexpr const char* c_driver = R"(#include <stdio.h>
#include <stddef.h>
void {0}_predict(const double *inputs, double *outputs);
void {0}_interval(const double *inputs, double coverage, double *lower, double *upper);
void {0}_std(const double *inputs, double *std);
int main(int argc, char **argv) {{
  static double rows[{1}][{2}], outputs[{4}][{1}][{3}];
  FILE *file = argc == 3 ? fopen(argv[1], "rb") : NULL;
  size_t i;
  if (!file || fread(rows, sizeof rows, 1, file) != 1) return 1;
  fclose(file);
  for (i = 0; i < {1}; ++i) {{
    {0}_predict(rows[i], outputs[0][i]);
#if {4} > 1
    {0}_interval(rows[i], {5}, outputs[1][i], outputs[2][i]);
    {0}_std(rows[i], outputs[3][i]);
#endif
  }}
  file = fopen(argv[2], "wb");
  return !file || fwrite(outputs, sizeof outputs, 1, file) != 1 || fclose(file) != 0;
}}
)";

constexpr const char* python_driver = R"(import runpy, sys
import numpy
exported, rows, outputs, columns, coverage = sys.argv[1:]
rows = numpy.fromfile(rows).reshape(-1, int(columns))
module = runpy.run_path(exported)
parts = [module["predict"](rows)]
if "predict_interval" in module:
    parts += [*module["predict_interval"](rows, float(coverage)), module["predict_std"](rows)]
numpy.concatenate(parts).astype("<f8").tofile(outputs)
)";

constexpr const char* onnx_driver = R"(import sys
import numpy, onnxruntime
exported, rows, outputs, columns, _ = sys.argv[1:]
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

/// Rows × outputs from a file; false where it does not hold as many.
bool read(std::ifstream& file, Matrix& outputs) {
  return static_cast<bool>(file.read(reinterpret_cast<char*>(outputs.data()),
                                     static_cast<std::streamsize>(outputs.size() * sizeof(double))));
}

/// The differences of what is in a file, outputs and maybe lower and upper bounds and standard deviations, from what
/// the model says; nothing where the file does not hold as many.
std::optional<ExportCheck> compare(const Model& model, const Matrix& rows, const std::string& path, bool with_bounds,
                                   const std::string& how) {
  ExportBounds found;
  std::ifstream file(path, std::ios::binary);
  for (Matrix* part : {&found.predicted, &found.lower, &found.upper, &found.std}) {
    *part = Matrix(rows.rows(), model.outputs());
    if (!read(file, *part)) return std::nullopt;
    if (!with_bounds) break;
  }
  const Matrix predicted = predict_export_rows(model, rows.view());
  ExportCheck check{export_difference(model, found.predicted.view(), predicted.view()), std::nullopt, how};
  if (with_bounds)
    check.bounds = export_bounds_difference(model, found, bounds_of_export_rows(model, rows.view(), coverage));
  return check;
}

std::vector<std::string> compilers() {
  const char* const given = std::getenv("CC");
  if (given != nullptr && *given != '\0') return {given};
  return {"cc", "gcc", "clang"};
}

ExportCheck check_c(const Model& model, const std::string& path, const std::string& name, const Matrix& rows,
                    const ScratchFolder& folder) {
  const std::string driver = folder / "driver.c", program = folder / "driver", outputs = folder / "outputs";
  const bool bounds = export_has_intervals(model, ExportFormat::c);
  write_file(driver, fmt::format(fmt::runtime(c_driver), export_name(name), rows.rows(), rows.cols(), model.outputs(),
                                 bounds ? 4 : 1, coverage));
  for (const std::string& compiler : compilers()) {
    if (!run_program({compiler, "-std=c99", "-O1", "-x", "c", path, driver, "-o", program, "-lm"})) continue;
    if (run_program({program, folder / "rows", outputs}))
      if (const auto check = compare(model, rows, outputs, bounds, fmt::format("compiled by {} and run", compiler)))
        return *check;
    return {{}, {}, fmt::format("what {} made of the file could not be run", compiler)};
  }
  return {{}, {}, "no C compiler was found, or it did not take the file"};
}

ExportCheck check_by_python(const Model& model, ExportFormat format, const std::string& path, const Matrix& rows,
                            const ScratchFolder& folder, const std::string& python) {
  const bool onnx = format == ExportFormat::onnx;
  const std::string outputs = folder / "outputs", library = onnx ? "onnxruntime" : "NumPy";
  if (run_program({python, "-B", "-c", onnx ? onnx_driver : python_driver, path, folder / "rows", outputs,
                   std::to_string(rows.cols()), fmt::format("{}", coverage)}))
    if (const auto check =
            compare(model, rows, outputs, export_has_intervals(model, format), fmt::format("computed by {}", library)))
      return *check;
  return {{}, {}, fmt::format("{} with {} was not found, or it did not take the file", python, library)};
}

ExportCheck check_json(const Model& model, const std::string& path, const Matrix& rows) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  const Model back = exporting::model_of_json(text.str(), path);
  const Matrix outputs = predict_export_rows(back, rows.view()), predicted = predict_export_rows(model, rows.view());
  ExportCheck check{export_difference(model, outputs.view(), predicted.view()), {}, "read back and computed here"};
  if (back.uncertainty && model.uncertainty)
    check.bounds = export_bounds_difference(model, bounds_of_export_rows(back, rows.view(), coverage),
                                            bounds_of_export_rows(model, rows.view(), coverage));
  return check;
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
    case ExportFormat::onnx:
      return check_by_python(model, format, path, rows, folder, python);
    case ExportFormat::formula:
      return {exporting::formula_difference(exporting::Plan(model, name)), {}, "computed here with the numbers shown"};
    case ExportFormat::json:
      return check_json(model, path, rows);
  }
  return {};
}

}  // namespace rfnn::cli
