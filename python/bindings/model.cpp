#include "rfnn/model/model.hpp"

#include <optional>
#include <string>
#include <vector>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <nlohmann/json.hpp>

#include "python/bindings/model_methods.hpp"
#include "rfnn/io/json.hpp"
#include "rfnn/io/model_file.hpp"
#include "rfnn/io/text.hpp"
#include "rfnn/options/table.hpp"

namespace rfnn::python {
namespace {

nb::bytes bytes_of(const Model& model) {
  const std::string bytes = [&] {
    const nb::gil_scoped_release free;
    return model_to_bytes(model);
  }();
  return nb::bytes(bytes.data(), bytes.size());
}

void save_to(const Model& model, const std::string& path, bool origin) {
  if (origin) return save_model(model, path);
  Model copy = model;
  without_origin(copy);
  save_model(copy, path);
}

Model model_of(const nb::bytes& bytes) {
  const std::string_view view(bytes.c_str(), bytes.size());
  const nb::gil_scoped_release free;
  return model_from_bytes(view, "the pickled model");
}

std::vector<std::string> names_of(const std::vector<Column>& columns) {
  std::vector<std::string> names;
  for (const Column& column : columns) names.push_back(io::to_utf8(column.name));
  return names;
}

/// Texts of files need not be UTF-8, and Python's must be.
std::vector<std::string> warnings_of(const Model& model) {
  std::vector<std::string> texts;
  for (const std::string& text : model.warnings) texts.push_back(io::to_utf8(text));
  return texts;
}

std::vector<bool> used_of(const Model& model) {
  std::vector<bool> used;
  for (const Column& column : model.inputs) used.push_back(column.used);
  return used;
}

/// History of the blocks, traces and histograms included, and what holds for the run as a whole.
std::string history_of(const Model& model) {
  io::Json blocks = io::Json::array();
  for (const BlockRecord& record : model.history.blocks) {
    io::Json block = io::to_json(record);
    block["kept"] = is_kept(model, record);
    blocks.push_back(std::move(block));
  }
  return io::json_text(blocks);
}

std::string counted(std::size_t count, const std::string& thing) {
  return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

std::string words_of(const Model& model) {
  return "<rfnn.Model: " + counted(model.input_count(), "input") + ", " + counted(model.outputs(), "target") + ", " +
         counted(model.blocks(), "block") + ", " + counted(model.members.size(), "member") + ", preset " +
         (model.options.preset == Preset::paper ? "paper" : "auto") + ", " + counted(model.train_rows, "row") +
         " trained on>";
}

}  // namespace

void bind_model(nb::module_& module) {
  nb::class_<Model> model(module, "Model", "A trained network with all that is needed to use, explain and repeat it.");
  model.def("__repr__", &words_of)
      .def_prop_ro("blocks", &Model::blocks)
      .def_prop_ro("members", [](const Model& self) { return self.members.size(); })
      .def_prop_ro("inputs", [](const Model& self) { return names_of(self.inputs); })
      .def_prop_ro("targets", [](const Model& self) { return names_of(self.targets); })
      .def_prop_ro("used_inputs", &used_of)
      .def_prop_ro(
          "has_table", [](const Model& self) { return !self.table.empty(); },
          "were there columns of other kinds than numbers, or missing cells")
      .def_ro("named_columns", &Model::named_columns)
      .def_prop_ro("has_table", [](const Model& self) { return !self.table.empty(); })
      .def_ro("table_columns", &Model::table_columns)
      .def_ro("train_rows", &Model::train_rows)
      .def_ro("validation_rows", &Model::validation_rows)
      .def_ro("data_fingerprint", &Model::data_fingerprint)
      .def_ro("seconds", &Model::seconds)
      .def_prop_ro("stop_text", [](const Model& self) { return io::to_utf8(self.stop_text); })
      .def_prop_ro("warnings", &warnings_of)
      .def_prop_ro("stop_reason", [](const Model& self) { return std::string(name_of(self.stop_reason)); })
      .def_ro("options", &Model::options, nb::rv_policy::copy)
      .def_prop_ro(
          "train_mse", [](const Model& self) { return final_errors(self).train; },
          "mean squared error on the training rows; None: not known")
      .def_prop_ro(
          "validation_mse", [](const Model& self) { return final_errors(self).validation; },
          "mean squared error on rows that the model was not fitted to; None: there were none")
      .def_prop_ro(
          "validation_mse_se", [](const Model& self) { return final_errors(self).validation_se; },
          "standard error of validation_mse; None: not known")
      .def_prop_ro(
          "judge", [](const Model& self) { return std::string(name_of(final_errors(self).judge)); },
          "what validation_mse was measured on: held-out, leave-one-out or cross-fitting")
      .def("history", &history_of, "The records of all blocks as JSON.")
      .def(
          "describe", [](const Model& self) { return io::json_text(io::describe(self)); },
          "What `rfnn inspect --json` prints.")
      .def("save", &save_to, nb::arg("path"), nb::arg("origin") = true, nb::call_guard<nb::gil_scoped_release>(),
           "Writes a model file; without origin nothing in it says on which machine, in which folder or by which "
           "command it was trained.")
      .def_static("load", &load_model, nb::arg("path"), nb::call_guard<nb::gil_scoped_release>())
      .def("to_bytes", &bytes_of, "The model file as bytes.")
      .def_static("from_bytes", &model_of, nb::arg("bytes"))
      .def("__getstate__", &bytes_of)
      .def("__setstate__", [](Model& self, const nb::bytes& bytes) { new (&self) Model(model_of(bytes)); });
  bind_lines(model);
  bind_prediction(model);
  bind_sensitivity(model);
  bind_error_bars(model);
}

}  // namespace rfnn::python
