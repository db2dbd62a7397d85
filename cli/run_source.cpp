#include "cli/run_source.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "cli/columns.hpp"
#include "cli/terminal.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/io/model_file.hpp"
#include "rfnn/io/run_record.hpp"
#include "rfnn/io/table.hpp"
#include "rfnn/io/table_data.hpp"
#include "rfnn/report/given_rows.hpp"

namespace rfnn::cli {

namespace fs = std::filesystem;

bool is_folder(const std::string& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

std::optional<std::vector<std::string>> training_files(const report::RunStory& story) {
  constexpr std::string_view between = " + ";
  std::error_code error;
  std::vector<std::string> files;
  std::string_view left = story.data;
  while (true) {
    const std::size_t end = left.find(between);
    const std::string name(left.substr(0, end));
    const fs::path there = fs::path(story.folder) / name;
    if (fs::is_regular_file(there, error))
      files.push_back(there.string());
    else if (fs::is_regular_file(name, error))
      files.push_back(name);
    else
      return std::nullopt;
    if (end == std::string_view::npos) return files;
    left.remove_prefix(end + between.size());
  }
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

/// Rows of a file with targets: those the model was trained on as such, of others the errors after every block.
std::vector<report::ShownRows> rows_of_file(const report::RunStory& story, const std::string& path,
                                            const GivenOptions& given, std::vector<std::string>* notes) {
  const Model& model = *story.model;
  const Options reading = reading_options(model, given);
  const auto file = open_table(path, available_threads(), table_format(reading));
  TableBatches batches = batches_of(*file, match_columns(*file, layout_of(model), true), model, reading, false);
  report::GivenRows rows(story, file->origin());
  bool any = false;
  while (batches.next()) {
    any = any || batches.rows() > 0;
    rows.add(batches.inputs(), batches.targets());
  }
  if (!any) {
    throw InputError(
        fmt::format("{} has no rows{}.", file->origin(), batches.dropped() > 0 ? " without missing cells" : ""),
        batches.dropped() > 0 ? "Fill them in with --missing mean, or give other rows."
                              : "Give a table with at least one.");
  }
  if (notes != nullptr) *notes = reading_notes(batches);
  return rows.take();
}

/// The rows a run was trained on, when its file is still what it was. Returns what is in the way otherwise. As in
/// training, they are all read: the fingerprint is of all of them.
std::string add_training_rows(report::RunStory& story) {
  if (story.data == "-") return "The training rows came from standard input and cannot be read again.";
  const auto paths = training_files(story);
  if (!paths) return fmt::format("The training data, {}, are not there any more.", story.data);
  try {
    const Model& model = *story.model;
    const auto file = open_tables(*paths, available_threads(), table_format(model.options));
    const Layout layout = layout_of(model);
    const TableData data = read_known(*file, match_columns(*file, layout, true), layout.code, model.options);
    const DatasetView& view = data.table.view;
    if (fingerprint(view.inputs, view.targets) != story.fingerprint) {
      return fmt::format("{} is not what it was when the run was made: its fingerprint differs.", story.data);
    }
    story.shown = report::rows_of_training(model, view, story.data);
  } catch (const InputError& error) {
    return fmt::format("The training data cannot be read any more: {}", error.cause());
  }
  return {};
}

}  // namespace

report::RunStory story_of_source(const std::string& source, const std::optional<std::string>& data,
                                 const SourceReading& reading) {
  if (!data && !reading.given.empty()) {
    throw UsageError(
        fmt::format("--{} says how --data is read, and there is none.", flag_name(*reading.given.front().first)),
        "Give --data FILE too, or leave it out.");
  }
  const bool folder = is_folder(source);
  report::RunStory story =
      folder ? story_of_folder(source)
             : report::story_of(load_model_argument(reading.command, source, data.value_or(""), "--data "), source);
  if (story.model && data) story.shown = rows_of_file(story, *data, reading.given, reading.notes);
  if (story.model && !data)
    story.rows_missing = folder ? add_training_rows(story) : "A model file holds no rows to show predictions on.";
  if (!story.model && data) story.model_missing += fmt::format(" The rows of {} are not shown.", *data);
  return story;
}

}  // namespace rfnn::cli
