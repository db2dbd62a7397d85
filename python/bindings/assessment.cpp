#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <nlohmann/json.hpp>

#include "cli/cv_text.hpp"
#include "cli/evaluation.hpp"
#include "python/bindings/data.hpp"
#include "rfnn/assessment/comparison.hpp"
#include "rfnn/assessment/cross_validation.hpp"
#include "rfnn/assessment/division.hpp"
#include "rfnn/assessment/importance.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/io/atomic_file.hpp"
#include "rfnn/io/json.hpp"
#include "rfnn/report/compare_page.hpp"

namespace rfnn::python {
namespace {

using io::Json;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

/// Ends the work where Python has a signal to see; its exception is thrown afterwards.
bool no_signal() {
  const nb::gil_scoped_acquire lock;
  return PyErr_CheckSignals() == 0;
}

void throw_signal() {
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
}

assessment::Division divided(std::size_t rows, std::size_t folds, std::optional<std::size_t> repeats,
                             std::uint64_t seed, std::vector<std::string> groups, std::vector<std::string> times,
                             std::string column) {
  return assessment::divide(rows, {.folds = folds,
                                   .repeats = repeats,
                                   .seed = seed,
                                   .groups = std::move(groups),
                                   .times = std::move(times),
                                   .column = std::move(column)});
}

/// Folds that somebody else made.
assessment::Division division_of(std::vector<std::pair<std::vector<std::size_t>, std::vector<std::size_t>>> folds,
                                 std::size_t rows, std::string name) {
  assessment::Division division;
  division.name = std::move(name);
  division.folds_each = folds.size();
  for (std::size_t row = 0; row < rows; ++row) division.clusters.push_back(row);
  for (auto& [train, test] : folds) {
    for (const auto* list : {&train, &test})
      for (const std::size_t row : *list)
        if (row >= rows) throw UsageError("A fold names a row that is not there.", "Give places of rows from 0.");
    division.folds.push_back({std::move(train), std::move(test)});
  }
  return division;
}

/// What `rfnn cv` prints, as JSON and as a table, per fold its rows and predictions, and how many folds the limit of
/// time cut short.
nb::tuple cross_validate(const Rows& rows, const Options& given, const assessment::Division& division,
                         const std::string& name, bool along_time) {
  const auto started = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  };
  const DatasetView& data = rows.view();
  const Options options = options_along_time(given, rows.table().code);
  std::vector<std::optional<assessment::FoldPrediction>> predicted(division.folds.size());
  std::vector<assessment::Baseline> baselines;
  {
    const nb::gil_scoped_release free;
    const assessment::CrossTable table{
        .data = data, .raw = rows.raw(), .places = rows.table().rows, .missing = options.missing};
    baselines = assessment::cross_baselines(table, division.folds, along_time,
                                            static_cast<std::size_t>(options.threads), no_signal);
    assessment::CrossObserver observer;
    observer.progress = [](const assessment::CrossProgress&) { return no_signal(); };
    if (options.max_time > 0.0) observer.seconds_left = [&] { return options.max_time - elapsed(); };
    if (no_signal()) predicted = assessment::cross_predict(table, division.folds, options, observer);
  }
  throw_signal();
  cli::CrossResult result{.data = name,
                          .folds_of = division.name,
                          .table_rows = data.rows(),
                          .inputs = data.inputs.size(),
                          .targets = data.target_names,
                          .folds_each = division.folds_each,
                          .repeats = division.repeats,
                          .folds = division.folds,
                          .done = {},
                          .seconds = {},
                          .network = {},
                          .baselines = {}};
  if (result.targets.empty())
    for (std::size_t o = 0; o < data.targets.size(); ++o)
      result.targets.push_back(data.targets.size() == 1 ? "y" : "y" + std::to_string(o + 1));
  std::vector<const Matrix*> networks;
  for (const auto& fold : predicted) {
    result.done.push_back(fold.has_value());
    result.seconds.push_back(fold ? fold->seconds : 0.0);
    networks.push_back(fold ? &fold->predictions : nullptr);
  }
  const auto errors = [&](const std::vector<const Matrix*>& predictions) {
    return assessment::cross_errors(data, division.folds, predictions, division.clusters);
  };
  result.network = errors(networks);
  for (const assessment::Baseline& method : baselines) {
    std::vector<const Matrix*> simple;
    for (const Matrix& fold : method.predictions) simple.push_back(&fold);
    result.baselines.emplace_back(method.name, errors(simple));
  }
  result.elapsed = elapsed();
  const auto cut =
      std::count_if(predicted.begin(), predicted.end(), [](const auto& fold) { return fold && fold->cut; });
  nb::list folds;
  for (std::size_t fold = 0; fold < predicted.size(); ++fold)
    folds.append(nb::make_tuple(division.folds[fold].test, array_of(std::move(predicted[fold].value().predictions))));
  return nb::make_tuple(cli::cross_json(result), cli::cross_text(result), folds, cut);
}

Json json_of(const assessment::Interval& interval) {
  return {{"difference", number(interval.difference)}, {"low", number(interval.low)}, {"high", number(interval.high)}};
}

Matrix matrix_of_columns(const Columns& columns) {
  Matrix all(columns.rows(), columns.size());
  for (std::size_t k = 0; k < columns.size(); ++k)
    for (std::size_t i = 0; i < columns.rows(); ++i) all(i, k) = columns[k][i];
  return all;
}

Matrix copy_of(ConstMatrixView view) {
  Matrix copy(view.rows(), view.cols());
  for (std::size_t i = 0; i < view.rows(); ++i)
    for (std::size_t j = 0; j < view.cols(); ++j) copy(i, j) = view(i, j);
  return copy;
}

/// What `rfnn evaluate` prints, as JSON and as a table, and how many rows lie outside the range of the training rows.
/// `groups`: empty, or a text per row.
nb::tuple evaluate(const Model& model, const Rows& rows, const std::vector<std::string>& groups, std::size_t threads) {
  const DatasetView& data = rows.view();
  cli::Evaluation evaluation(model, {.blocks = {}, .threads = threads}, !groups.empty());
  {
    const nb::gil_scoped_release free;
    const Matrix inputs = matrix_of_columns(data.inputs), targets = matrix_of_columns(data.targets);
    Matrix weights;
    if (data.weights) weights = matrix_of_columns(Columns(data.rows(), {*data.weights}));
    constexpr std::size_t together = 4096;
    for (std::size_t first = 0; first < data.rows(); first += together) {
      const std::size_t count = std::min(together, data.rows() - first);
      const auto part = [&](const Matrix& all) { return all.view().rows_from(first, count); };
      std::vector<std::string> names;
      if (!groups.empty()) names.assign(groups.begin() + first, groups.begin() + first + count);
      evaluation.add(part(inputs), part(targets), data.weights ? part(weights) : ConstMatrixView{}, names);
      if (!no_signal()) break;
    }
    evaluation.end();
  }
  throw_signal();
  return nb::make_tuple(evaluation.json(), evaluation.text(), evaluation.rows_outside());
}

/// Errors of predictions, and their differences from those of the first, by measure.
std::string compare(const Array& targets, const std::vector<Array>& predictions, std::size_t threads) {
  std::vector<ConstMatrixView> views;
  for (const Array& one : predictions) views.push_back(matrix_of(one));
  const std::vector<assessment::ComparedModel> compared =
      assessment::compare_models(matrix_of(targets), views, threads);
  Json list = Json::array();
  for (const assessment::ComparedModel& model : compared) {
    Json errors = {{"mse", number(model.mse)}, {"rmse", number(std::sqrt(model.mse))}, {"mae", number(model.mae)}};
    Json differences = {{"mse", json_of(model.mse_difference)}, {"mae", json_of(model.mae_difference)}};
    for (std::size_t q = 0; q < assessment::compared_quantiles.size(); ++q) {
      const std::string name = "q" + std::to_string(std::lround(100.0 * assessment::compared_quantiles[q]));
      errors[name] = number(model.quantiles[q]);
      differences[name] = json_of(model.quantile_differences[q]);
    }
    list.push_back({{"errors", errors}, {"differences", differences}});
  }
  return io::json_text(list);
}

/// Writes the page of `rfnn compare`. Of a regressor that is no model of rfnn (nullptr) it shows errors and
/// predictions. `input`: the only one there is, with its values in `places`; empty: there are several.
void write_comparison(const std::string& path, const Array& targets, const std::vector<std::string>& target_names,
                      const std::vector<std::string>& labels, const std::vector<const Model*>& models,
                      const std::vector<Array>& predictions, const std::string& input, std::vector<double> places,
                      const std::string& code, std::size_t threads) {
  std::vector<ConstMatrixView> views;
  for (const Array& one : predictions) views.push_back(matrix_of(one));
  const std::vector<assessment::ComparedModel> compared =
      assessment::compare_models(matrix_of(targets), views, threads);
  report::ComparedStory story{.origin = "the rows given",
                              .targets = copy_of(matrix_of(targets)),
                              .target_names = target_names,
                              .input = input,
                              .places = std::move(places),
                              .runs = {},
                              .command = code};
  for (std::size_t m = 0; m < views.size(); ++m)
    story.runs.push_back({labels[m], models[m] != nullptr ? *models[m] : Model{}, copy_of(views[m]), compared[m]});
  const nb::gil_scoped_release free;
  const std::string text = report::html(report::compare_page(story));
  io::AtomicFile file(path);
  file.write(text);
  file.commit();
}

/// Importance of groups of inputs: increase of the mean squared error and loss of R², with their standard errors.
std::vector<std::vector<double>> importance(const Model& model, const Rows& rows,
                                            const std::vector<std::vector<std::size_t>>& groups, std::size_t repeats,
                                            std::uint64_t seed, std::size_t threads) {
  const DatasetView& data = rows.view();
  std::vector<assessment::Importance> found;
  {
    const nb::gil_scoped_release free;
    found = assessment::permutation_importance(
        model, matrix_of_columns(data.inputs).view(), matrix_of_columns(data.targets).view(), groups,
        {.repeats = repeats, .seed = seed, .threads = threads, .proceed = no_signal});
  }
  throw_signal();
  std::vector<std::vector<double>> numbers;
  for (const assessment::Importance& each : found)
    numbers.push_back({each.share, each.share_error, each.increase, each.standard_error});
  return numbers;
}

}  // namespace

void bind_assessment(nb::module_& module) {
  nb::class_<assessment::Division>(module, "Division", "The folds of a cross-validation.")
      .def_ro("folds_each", &assessment::Division::folds_each)
      .def_ro("repeats", &assessment::Division::repeats)
      .def_ro("name", &assessment::Division::name)
      .def_static("of", &division_of, nb::arg("folds"), nb::arg("rows"), nb::arg("name"));
  module.def("divide", &divided, nb::arg("rows"), nb::arg("folds"), nb::arg("repeats").none(), nb::arg("seed"),
             nb::arg("groups"), nb::arg("times"), nb::arg("column"), "The folds of `rfnn cv`.");
  module.def(
      "cross_validate", &cross_validate, nb::arg("rows"), nb::arg("options"), nb::arg("division"), nb::arg("name"),
      nb::arg("along_time"),
      "What `rfnn cv` prints, as JSON and as a table, per fold the places of its rows and their predictions, and "
      "how many folds max_time cut short.");
  module.def("compare", &compare, nb::arg("targets"), nb::arg("predictions"), nb::arg("threads"),
             "Errors of predictions of the same rows, and their differences from the first ones', as JSON.");
  module.def(
      "evaluate", &evaluate, nb::arg("model"), nb::arg("rows"), nb::arg("groups"), nb::arg("threads"),
      "What `rfnn evaluate` prints, as JSON and as a table, and how many rows are outside the range of training.");
  module.def("write_comparison", &write_comparison, nb::arg("path"), nb::arg("targets"), nb::arg("target_names"),
             nb::arg("labels"), nb::arg("models"), nb::arg("predictions"), nb::arg("input"), nb::arg("places"),
             nb::arg("code"), nb::arg("threads"), "Writes the page of `rfnn compare`.");
  module.def("importance", &importance, nb::arg("model"), nb::arg("rows"), nb::arg("groups"), nb::arg("repeats"),
             nb::arg("seed"), nb::arg("threads"),
             "Per group of inputs what R² loses and the mean squared error gains, each with its standard error.");
}

}  // namespace rfnn::python
