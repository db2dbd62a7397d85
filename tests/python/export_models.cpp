// export_models DIR: writes every model of tests/export/random_models.hpp as NAME.rfnn, NAME.onnx, NAME.py and
// NAME.json, rows for it as NAME.rows and what predict() says of them as NAME.outputs, doubles as they are; of the
// models with error bars also lower and upper bounds of 90 % and standard deviations, one behind the other, as
// NAME.bounds.

#include <fstream>
#include <string>
#include <vector>

#include "export/random_models.hpp"
#include "rfnn/export/export.hpp"
#include "rfnn/io/model_file.hpp"

namespace {

void write(const std::string& path, const std::vector<const rfnn::Matrix*>& all) {
  std::ofstream file(path, std::ios::binary);
  for (const rfnn::Matrix* values : all)
    file.write(reinterpret_cast<const char*>(values->data()),
               static_cast<std::streamsize>(values->size() * sizeof(double)));
}

void write_model(const rfnn::testing::NamedModel& of, const std::string& path) {
  rfnn::save_model(of.model, path + ".rfnn");
  for (const auto format : {rfnn::ExportFormat::onnx, rfnn::ExportFormat::python, rfnn::ExportFormat::json})
    rfnn::export_model(of.model, format, path + std::string(rfnn::export_extension(format)), of.name);
  const rfnn::Matrix rows = rfnn::testing::sample_rows_of(of.model);
  write(path + ".rows", {&rows});
  const rfnn::Matrix outputs = rfnn::predict_export_rows(of.model, rows.view());
  write(path + ".outputs", {&outputs});
  if (!of.model.uncertainty) return;
  const rfnn::ExportBounds bounds = rfnn::bounds_of_export_rows(of.model, rows.view(), 0.9);
  write(path + ".bounds", {&bounds.lower, &bounds.upper, &bounds.std});
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) return 1;
  for (const auto& models : {rfnn::testing::random_models(), rfnn::testing::models_with_bars()})
    for (const auto& of : models) write_model(of, std::string(words[1]) + "/" + of.name);
}
