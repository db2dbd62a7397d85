#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <nlohmann/json.hpp>

#include "cli/check_text.hpp"
#include "python/bindings/data.hpp"
#include "rfnn/checks/findings.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/io/cell_readers.hpp"
#include "rfnn/io/csv_cells.hpp"
#include "rfnn/io/json.hpp"
#include "rfnn/io/table_code_json.hpp"
#include "rfnn/io/text.hpp"

namespace rfnn::python {
namespace {

io::Holds holds_of(const std::string& word) {
  if (word == "numbers") return io::Holds::numbers;
  if (word == "booleans") return io::Holds::booleans;
  if (word == "times") return io::Holds::times;
  if (word == "texts") return io::Holds::texts;
  return io::Holds::categories;
}

TimeForm form_of(const std::string& word) {
  if (word == name_of(TimeForm::date)) return TimeForm::date;
  return word == name_of(TimeForm::time_of_day) ? TimeForm::time_of_day : TimeForm::date_time;
}

/// A name as it stands in a list of names.
std::string in_list(const std::string& name) {
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

bool go_on() {
  const nb::gil_scoped_acquire lock;
  return PyErr_CheckSignals() == 0;
}

Rows training_rows(const Table& table, std::size_t inputs, std::size_t targets, const Options& options) {
  const Options reading = table.reading(options);
  TableData data = [&] {
    const nb::gil_scoped_release free;
    return read_training(*table.reader(reading), table.places(inputs, targets), reading, go_on);
  }();
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  return {std::move(data), table.arrays()};
}

Rows known_rows(const Table& table, std::size_t inputs, std::size_t targets, const TableCode& code,
                const Options& options) {
  TableData data = [&] {
    const nb::gil_scoped_release free;
    return read_known(*table.reader(options), table.places(inputs, targets), code, options, go_on);
  }();
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  return {std::move(data), table.arrays()};
}

/// What `rfnn check` says of a table whose columns are so many inputs and so many targets, as JSON and as text,
/// problems put into Python's words.
nb::tuple check_table(const Table& table, std::size_t inputs, std::size_t targets, const Options& options,
                      const nb::callable& in_python) {
  const Options reading = table.reading(options);
  cli::CheckedData data;
  data.place = "row";
  {
    const nb::gil_scoped_release free;
    const auto reader = table.reader(reading);
    const SurveyedTable surveyed = survey_training(*reader, table.places(inputs, targets), reading);
    const checks::CheckedTable checked = checks::checked_table(surveyed.table);
    data.name = reader->origin();
    for (const RawColumn& column : surveyed.table.inputs) data.inputs.push_back(column.code.name);
    for (const RawColumn& column : surveyed.table.targets) data.targets.push_back(column.code.name);
    data.findings = checks::table_findings(
        {surveyed.table, checked, surveyed.problems, reader->origin(), static_cast<double>(surveyed.bytes)}, reading);
  }
  for (TableProblem& problem : data.findings.problems)
    for (std::string* sentence : {&problem.text, &problem.cure})
      *sentence = nb::cast<std::string>(in_python(*sentence));
  return nb::make_tuple(cli::check_json(data), cli::check_text(data));
}

/// What the columns of a training table hold.
TableCode code_of(const Rows& rows) {
  TableCode code = rows.table().code;
  if (!code.empty()) return code;
  for (std::size_t k = 0; k < rows.view().inputs.size(); ++k) {
    const auto& names = rows.view().input_names;
    code.inputs.push_back(
        {.name = k < names.size() ? names[k] : "x" + std::to_string(k + 1), .position = k, .fill = {0.0}});
  }
  for (std::size_t k = 0; k < rows.view().targets.size(); ++k) {
    const auto& names = rows.view().target_names;
    code.targets.push_back({.name = k < names.size() ? names[k] : "y" + std::to_string(k + 1)});
  }
  return code;
}

/// The rows of a table of inputs as the model takes them, those that it cannot predict, and how many cells were filled
/// in or have a level it does not know.
nb::tuple model_inputs(const Table& table, const Model& model, const Options& options) {
  const TableCode code = columns_of_table(model);
  std::vector<bool> used(code.inputs.size(), false);
  for (std::size_t k = 0, input = 0; k < code.inputs.size(); ++k)
    for (const std::size_t end = input + inputs_of(code.inputs[k]); input < end; ++input)
      used[k] = used[k] || model.inputs[input].used;
  Matrix inputs(table.rows(), model.inputs.size());
  std::vector<std::size_t> incomplete;
  std::size_t filled = 0, unseen = 0;
  {
    const nb::gil_scoped_release free;
    const auto reader = table.reader(options);
    TableBatches batches(*reader, table.places(code.inputs.size(), 0), code, used, options.missing, options.unseen,
                         options.missing != Missing::error);
    for (std::size_t first = 0; batches.next(); first += batches.rows()) {
      std::copy_n(batches.inputs().data(), batches.rows() * inputs.cols(), inputs.data() + first * inputs.cols());
      for (const std::size_t row : batches.incomplete()) incomplete.push_back(first + row);
    }
    filled = batches.filled();
    unseen = batches.unseen();
  }
  return nb::make_tuple(array_of(std::move(inputs)), incomplete, filled, unseen);
}

/// A table from a file, column by column: name, kind, cells (counts of times as int64 seen as doubles, places of
/// levels), levels, form of times, whether they are moments of UTC.
nb::list read_file(const std::string& path, const Options& options) {
  std::vector<ColumnCode> kinds;
  std::vector<Matrix> cells;
  {
    const nb::gil_scoped_release free;
    const auto table = open_table(path, 1, table_format(options));
    std::vector<std::size_t> categorical;
    for (const std::string& name : split_names(options.categorical, table->names()))
      categorical.push_back(find_column(table->names(), name, table->origin()));
    table->find_kinds(categorical);
    table->accept_missing();
    const TableRows rows = table->read_rows(go_on);
    kinds = table->kinds();
    for (const ColumnView& column : rows.columns) {
      Matrix& values = cells.emplace_back(rows.columns.rows(), 1);
      column.read(0, rows.columns.rows(), values.data());
    }
  }
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  nb::list columns;
  for (std::size_t k = 0; k < kinds.size(); ++k)
    columns.append(nb::make_tuple(io::to_utf8(kinds[k].name), std::string(name_of(kinds[k].kind)),
                                  array_of(std::move(cells[k])), kinds[k].levels,
                                  std::string(name_of(kinds[k].time.form)), kinds[k].time.zoned));
  return columns;
}

/// The number that a text stands for in a table, and whether it is a truth value; NaN: it says that the cell is
/// missing. Nothing: it is text.
std::optional<std::pair<double, bool>> number_of_text(const std::string& text) {
  if (const int truth = io::boolean_of(text); truth >= 0) return std::pair(static_cast<double>(truth), true);
  double value = 0.0;
  switch (io::classify_cell(text, value)) {
    case io::CellKind::number:
      return std::pair(value, false);
    case io::CellKind::missing:
      return std::pair(std::numeric_limits<double>::quiet_NaN(), false);
    default:
      return std::nullopt;
  }
}

/// What the columns of the model's table hold, as model files have it.
std::string columns_json(const Model& model) { return io::json_text(io::to_json(columns_of_table(model))); }

std::vector<std::string> descriptions(const Model& model) {
  std::vector<std::string> texts;
  for (const ColumnCode& column : columns_of_table(model).inputs) texts.push_back(describe(column));
  return texts;
}

}  // namespace

Table::Table(std::string origin, std::size_t rows, const nb::list& columns) : origin_(std::move(origin)), rows_(rows) {
  for (const nb::handle entry : columns) {
    const nb::tuple parts = nb::cast<nb::tuple>(entry);
    io::ArrayColumn& column = columns_.emplace_back();
    column.name = nb::cast<std::string>(parts[0]);
    column.holds = holds_of(nb::cast<std::string>(parts[1]));
    const Array& cells = arrays_.emplace_back(nb::cast<Array>(parts[2]));
    if (cells.ndim() != 1 || cells.shape(0) != rows_)
      throw UsageError("A column has not one cell for every row.", "Give columns of the same length.");
    column.cells = column_of(cells, 0);
    column.texts = nb::cast<std::vector<std::string>>(parts[3]);
    column.time.form = form_of(nb::cast<std::string>(parts[4]));
    column.time.zoned = nb::cast<bool>(parts[5]);
    column.unit = nb::cast<std::string>(parts[6]);
  }
}

std::unique_ptr<TableReader> Table::reader(const Options& options) const {
  return io::open_arrays(columns_, rows_, origin_, table_format(options));
}

TablePlaces Table::places(std::size_t inputs, std::size_t targets) const {
  TablePlaces places;
  for (std::size_t k = 0; k < inputs; ++k) places.inputs.emplace_back(k);
  for (std::size_t k = 0; k < targets; ++k) places.targets.push_back(inputs + k);
  if (inputs + targets < columns_.size() && targets > 0) places.weight = inputs + targets;
  return places;
}

Options Table::reading(Options options) const {
  for (const io::ArrayColumn& column : columns_)
    if (column.holds == io::Holds::categories)
      options.categorical += (options.categorical.empty() ? "" : ",") + in_list(column.name);
  return options;
}

void bind_tables(nb::module_& module) {
  nb::class_<Table>(module, "Table", "Columns of any kinds where they lie.")
      .def(nb::init<std::string, std::size_t, const nb::list&>(), nb::arg("origin"), nb::arg("rows"),
           nb::arg("columns"));
  module.def("training_rows", &training_rows, nb::arg("table"), nb::arg("inputs"), nb::arg("targets"),
             nb::arg("options"), "The rows of a training table, whose columns are so many inputs and so many targets.");
  module.def("check_table", &check_table, nb::arg("table"), nb::arg("inputs"), nb::arg("targets"), nb::arg("options"),
             nb::arg("in_python"),
             "What `rfnn check` says of a table whose columns are so many inputs and so many targets, as JSON and as "
             "text, problems put into Python's words.");
  module.def(
      "known_rows",
      [](const Table& table, std::size_t inputs, std::size_t targets, const Model& like, const Options& options) {
        return known_rows(table, inputs, targets, columns_of_table(like), options);
      },
      nb::arg("table"), nb::arg("inputs"), nb::arg("targets"), nb::arg("like"), nb::arg("options"),
      "The rows of another table, read as the model's training table was.");
  module.def(
      "known_rows",
      [](const Table& table, std::size_t inputs, std::size_t targets, const Rows& like, const Options& options) {
        return known_rows(table, inputs, targets, code_of(like), options);
      },
      nb::arg("table"), nb::arg("inputs"), nb::arg("targets"), nb::arg("like"), nb::arg("options"),
      "The same, read as these rows of a training table were.");
  module.def("model_inputs", &model_inputs, nb::arg("table"), nb::arg("model"), nb::arg("options"),
             "Rows to predict as the model takes them, the places of those it cannot predict, and how many cells were "
             "filled in or have a level unknown to it.");
  module.def("read_table", &read_file, nb::arg("path"), nb::arg("options"),
             "A table from a file: per column its name, kind, cells, levels, the form of times and whether they are "
             "moments of UTC.");
  module.def(
      "number_of_text", &number_of_text, nb::arg("text"),
      "The number that a text stands for in a table (NaN: a missing cell) and whether it is a truth value; None: "
      "it is text.");
  module.def("columns_json", &columns_json, nb::arg("model"),
             "What the columns of the model's table hold, as model files have it.");
  module.def("column_descriptions", &descriptions, nb::arg("model"), "The same of the inputs, in words.");
}

}  // namespace rfnn::python
