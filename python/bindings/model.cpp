#include "rfnn/model/model.hpp"

#include <optional>
#include <string>
#include <vector>

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/bindings/data.hpp"
#include "rfnn/diagnostics/spectrum.hpp"
#include "rfnn/io/json.hpp"
#include "rfnn/io/model_file.hpp"
#include "rfnn/io/text.hpp"
#include "rfnn/options/table.hpp"
#include "rfnn/rows/predict.hpp"

namespace rfnn::python {
namespace {

using Output = nb::ndarray<double, nb::ndim<2>, nb::device::cpu>;

nb::bytes bytes_of(const Model& model) {
  const std::string bytes = [&] {
    const nb::gil_scoped_release free;
    return model_to_bytes(model);
  }();
  return nb::bytes(bytes.data(), bytes.size());
}

Model model_of(const nb::bytes& bytes) {
  const std::string_view view(bytes.c_str(), bytes.size());
  const nb::gil_scoped_release free;
  return model_from_bytes(view, "the pickled model");
}

void predict_into(const Model& model, const Array& inputs, const Output& outputs, std::optional<std::size_t> blocks,
                  std::size_t threads) {
  const ConstMatrixView rows = matrix_of(inputs);
  const MatrixView out(outputs.data(), outputs.shape(0), outputs.shape(1), outputs.stride(0), outputs.stride(1));
  const nb::gil_scoped_release free;
  predict(model, rows, out, {.blocks = blocks, .threads = threads});
}

std::string json_text(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::vector<std::string> names_of(const std::vector<Column>& columns) {
  std::vector<std::string> names;
  for (const Column& column : columns) names.push_back(to_utf8(column.name));
  return names;
}

/// Texts of files need not be UTF-8, and Python's must be.
std::vector<std::string> warnings_of(const Model& model) {
  std::vector<std::string> texts;
  for (const std::string& text : model.warnings) texts.push_back(to_utf8(text));
  return texts;
}

std::vector<bool> used_of(const Model& model) {
  std::vector<bool> used;
  for (const Column& column : model.inputs) used.push_back(column.used);
  return used;
}

nb::list lines_of(const Model& model) {
  nb::list lines;
  for (const SpectralLine& line : spectrum(model))
    lines.append(nb::make_tuple(line.member, line.block, std::string(name_of(line.branch)), line.frequency, line.cycles,
                                line.amplitude, line.phase));
  return lines;
}

/// History of the blocks, traces and histograms included, and what holds for the run as a whole.
std::string history_of(const Model& model) {
  Json blocks = Json::array();
  for (const BlockRecord& record : model.history.blocks) {
    Json block = to_json(record);
    block["kept"] = is_kept(model, record);
    blocks.push_back(std::move(block));
  }
  return json_text(blocks);
}

}  // namespace

void bind_model(nb::module_& module) {
  nb::class_<Model>(module, "Model", "A trained network with all that is needed to use, explain and repeat it.")
      .def_prop_ro("blocks", &Model::blocks)
      .def_prop_ro("members", [](const Model& self) { return self.members.size(); })
      .def_prop_ro("inputs", [](const Model& self) { return names_of(self.inputs); })
      .def_prop_ro("targets", [](const Model& self) { return names_of(self.targets); })
      .def_prop_ro("used_inputs", &used_of)
      .def_ro("named_columns", &Model::named_columns)
      .def_ro("table_columns", &Model::table_columns)
      .def_ro("train_rows", &Model::train_rows)
      .def_ro("validation_rows", &Model::validation_rows)
      .def_ro("data_fingerprint", &Model::data_fingerprint)
      .def_ro("seconds", &Model::seconds)
      .def_prop_ro("stop_text", [](const Model& self) { return to_utf8(self.stop_text); })
      .def_prop_ro("warnings", &warnings_of)
      .def_prop_ro("stop_reason", [](const Model& self) { return std::string(name_of(self.stop_reason)); })
      .def_ro("options", &Model::options, nb::rv_policy::copy)
      .def("spectrum", &lines_of,
           "Every feature, largest amplitude first: member, block, branch, frequency (radians per unit), cycles, "
           "amplitude and phase per output.")
      .def("history", &history_of, "The records of all blocks as JSON.")
      .def(
          "describe", [](const Model& self) { return json_text(describe(self)); }, "What `rfnn inspect --json` prints.")
      .def("predict", &predict_into, nb::arg("inputs"), nb::arg("outputs"), nb::arg("blocks") = nb::none(),
           nb::arg("threads") = 1, "Writes the predictions for float64 inputs into a float64 array.")
      .def("save", &save_model, nb::arg("path"), nb::call_guard<nb::gil_scoped_release>())
      .def_static("load", &load_model, nb::arg("path"), nb::call_guard<nb::gil_scoped_release>())
      .def("to_bytes", &bytes_of, "The model file as bytes.")
      .def_static("from_bytes", &model_of, nb::arg("bytes"))
      .def("__getstate__", &bytes_of)
      .def("__setstate__", [](Model& self, const nb::bytes& bytes) { new (&self) Model(model_of(bytes)); });
}

}  // namespace rfnn::python
