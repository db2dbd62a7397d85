#include <string>
#include <string_view>

#include <nanobind/stl/string.h>

#include "python/bindings/bindings.hpp"
#include "rfnn/options/options.hpp"
#include "rfnn/options/kind_names.hpp"
#include "rfnn/options/table.hpp"

namespace rfnn::python {
namespace {

nb::str text(std::string_view words) { return nb::str(words.data(), words.size()); }

nb::list table() {
  nb::list rows;
  for (const Field& field : option_table()) {
    nb::dict row;
    row["name"] = text(field.name);
    row["group"] = text(field.group);
    row["kind"] = text(name_of(field.kind));
    row["help"] = text(field.help);
    row["values"] = text(describe_values(field));
    nb::list choices;
    for (const std::string_view choice : field.choices) choices.append(text(choice));
    row["choices"] = choices;
    row["auto"] = text(field.print(preset_options(Preset::automatic)));
    row["paper"] = text(field.print(preset_options(Preset::paper)));
    row["paper_only"] = field.paper_only;
    row["reading"] = field.reading;
    rows.append(row);
  }
  return rows;
}

}  // namespace

void bind_options(nb::module_& module) {
  module.def("option_table", &table,
             "Every option in the order of the table: name, group, kind, help, values allowed in words, choices, the "
             "default of either preset as text, and whether preset auto ignores it.");
  nb::class_<Options>(module, "Options", "Every setting of a training run, as text forms by name.")
      .def(
          "__init__",
          [](Options* self, const std::string& preset) {
            Options chosen;
            set_option(chosen, "preset", preset);
            new (self) Options(preset_options(chosen.preset));
          },
          nb::arg("preset"))
      .def(
          "set",
          [](Options& self, const std::string& name, const std::string& words) { set_option(self, name, words); },
          nb::arg("name"), nb::arg("text"))
      .def(
          "get",
          [](const Options& self, const std::string& name) {
            const Field* field = find_field(name);
            if (field == nullptr) throw nb::key_error(name.c_str());
            return field->print(self);
          },
          nb::arg("name"))
      .def("validate", &validate)
      .def("__getstate__", [](const Options& self) { return options_to_json(self); })
      .def("__setstate__",
           [](Options& self, const std::string& json) {
             new (&self) Options(recorded_options(json, "pickled options"));
           })
      .def("to_json", [](const Options& self) { return options_to_json(self); });
}

}  // namespace rfnn::python
