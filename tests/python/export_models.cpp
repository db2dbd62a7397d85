// export_models DIR: writes every model of tests/export/random_models.hpp as NAME.rfnn, NAME.onnx, NAME.py and
// NAME.json, rows for it as NAME.rows and what predict() says of them as NAME.outputs, doubles as they are.

#include <fstream>
#include <string>

#include "export/random_models.hpp"
#include "rfnn/export/export.hpp"
#include "rfnn/io/model_file.hpp"

namespace {

void write(const std::string& path, const rfnn::Matrix& values) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(double)));
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) return 1;
  for (const auto& [name, model, smooth] : rfnn::testing::random_models()) {
    const std::string path = std::string(words[1]) + "/" + name;
    rfnn::save_model(model, path + ".rfnn");
    for (const auto format : {rfnn::ExportFormat::onnx, rfnn::ExportFormat::python, rfnn::ExportFormat::json})
      rfnn::export_model(model, format, path + std::string(rfnn::export_extension(format)), name);
    const rfnn::Matrix rows = rfnn::testing::sample_rows_of(model);
    write(path + ".rows", rows);
    write(path + ".outputs", rfnn::predict_export_rows(model, rows.view()));
  }
}
