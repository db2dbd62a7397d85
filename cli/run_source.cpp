#include "cli/run_source.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "cli/columns.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/io/model_file.hpp"
#include "rfnn/io/run_record.hpp"
#include "rfnn/io/table.hpp"

namespace rfnn::cli {

namespace fs = std::filesystem;

bool is_folder(const std::string& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

std::optional<std::string> training_file(const report::RunStory& story) {
  std::error_code error;
  const fs::path there = fs::path(story.folder) / story.data;
  for (const fs::path& place : {there, fs::path(story.data)}) {
    if (fs::is_regular_file(place, error)) return place.string();
  }
  return std::nullopt;
}

namespace {

/// The story of a run folder. A model that is missing, damaged or of an earlier run is said to be; the rest is shown.
report::RunStory story_of_folder(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  io::RunRecord run = io::read_run(path);
  const std::string place = path + "/model.rfnn";
  std::optional<Model> model;
  std::string missing;
  std::error_code error;
  if (fs::exists(place, error)) {
    try {
      model = load_model(place);
    } catch (const InputError& failure) {
      missing = "There is no model to show. " + failure.cause();
    }
  }
  if (model && !report::belongs_to(*model, run)) {
    missing =
        fmt::format("{} is of an earlier run: this one has not finished a block, so there is no model to show.", place);
    model.reset();
  }
  report::RunStory story = report::story_of(std::move(run), std::move(model), path);
  if (!missing.empty()) story.model_missing = missing;
  return story;
}

/// Rows of a file with targets, with the errors of the model after every block.
report::ShownRows test_rows(const Model& model, const std::string& path) {
  const auto file = open_table(path, available_threads());
  MatchedRows batches(*file, match_columns(*file, layout_of(model), true), model.inputs);
  report::RowCollector rows(model, report::RowsRole::test, file->origin(), true);
  while (batches.next()) rows.add(batches.inputs(), batches.targets());
  report::ShownRows shown = rows.take();
  if (shown.total == 0)
    throw InputError(fmt::format("{} has no rows.", file->origin()), "Give a table with at least one.");
  return shown;
}

/// The rows a run was trained on, when its file is still what it was. Returns what is in the way otherwise. As in
/// training, they are all read: the fingerprint is of all of them.
std::string add_training_rows(report::RunStory& story) {
  if (story.data == "-") return "The training rows came from standard input and cannot be read again.";
  const auto path = training_file(story);
  if (!path) return fmt::format("The training data, {}, are not there any more.", story.data);
  try {
    const Model& model = *story.model;
    const auto file = open_table(*path, available_threads());
    const Layout layout = layout_of(model);
    const MatchedData data = read_dataset(*file, match_columns(*file, layout, true), layout);
    if (fingerprint(data.view.inputs, data.view.targets) != story.fingerprint) {
      return fmt::format("{} is not what it was when the run was made: its fingerprint differs.", story.data);
    }
    story.shown = report::rows_of_training(model, data.view, story.data);
  } catch (const InputError& error) {
    return fmt::format("The training data cannot be read any more: {}", error.cause());
  }
  return {};
}

}  // namespace

report::RunStory story_of_source(const std::string& source, const std::optional<std::string>& data) {
  const bool folder = is_folder(source);
  report::RunStory story = folder ? story_of_folder(source) : report::story_of(load_model(source), source);
  if (story.model && data) story.shown.push_back(test_rows(*story.model, *data));
  if (story.model && !data)
    story.rows_missing = folder ? add_training_rows(story) : "A model file holds no rows to show predictions on.";
  if (!story.model && data) story.model_missing += fmt::format(" The rows of {} are not shown.", *data);
  return story;
}

}  // namespace rfnn::cli
