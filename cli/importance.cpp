#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/arguments.hpp"
#include "cli/columns.hpp"
#include "cli/command.hpp"
#include "cli/command_text.hpp"
#include "cli/signals.hpp"
#include "cli/terminal.hpp"
#include "rfnn/assessment/importance.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/diagnostics/scores.hpp"
#include "rfnn/io/json.hpp"
#include "rfnn/io/model_file.hpp"
#include "rfnn/io/table.hpp"
#include "rfnn/io/table_data.hpp"
#include "rfnn/rows/predict.hpp"

namespace rfnn::cli {
namespace {

using io::Json;

/// Inputs whose values are permuted together.
struct Group {
  std::string name;
  std::vector<std::size_t> inputs;
  assessment::Importance importance = {};
};

/// All rows of the table as the model takes them.
struct Rows {
  Matrix inputs, targets;
};

Rows read_rows(const Model& model, const std::string& path, const Options& reading, std::size_t threads,
               std::vector<std::string>& notes) {
  const auto file = open_table(path, threads, table_format(reading));
  TableBatches batches = batches_of(*file, match_columns(*file, layout_of(model), true), model, reading, false);
  Rows rows{Matrix(0, model.inputs.size()), Matrix(0, model.targets.size())};
  const auto append = [](Matrix& all, ConstMatrixView more) {
    const std::size_t first = all.rows();
    all.resize_rows(first + more.rows());
    for (std::size_t i = 0; i < more.rows(); ++i)
      for (std::size_t j = 0; j < more.cols(); ++j) all(first + i, j) = more(i, j);
  };
  while (batches.next()) {
    append(rows.inputs, batches.inputs());
    append(rows.targets, batches.targets());
  }
  if (rows.inputs.rows() < 2)
    throw InputError(fmt::format("{} has {} row{}: there is nothing to permute.", file->origin(), rows.inputs.rows(),
                                 rows.inputs.rows() == 1 ? "" : "s"),
                     "Give a table with more rows.");
  notes = reading_notes(batches);
  return rows;
}

/// The columns of the table with the inputs that each makes: the levels of a category are one thing.
std::vector<Group> columns_of(const Model& model) {
  std::vector<Group> columns;
  std::size_t input = 0;
  for (const ColumnCode& column : columns_of_table(model).inputs) {
    Group& group = columns.emplace_back(Group{column.name, {}});
    for (std::size_t end = input + inputs_of(column); input < end; ++input) group.inputs.push_back(input);
  }
  return columns;
}

/// `A+B,C`: groups of names. A name with a plus in it is that name.
std::vector<Group> named_groups(const Model& model, const std::optional<std::string>& text) {
  std::vector<Group> groups;
  if (!text) return groups;
  const std::vector<Group> columns = columns_of(model);
  std::vector<std::string> names;
  for (const Group& column : columns) names.push_back(column.name);
  for (const std::string& piece : split_names(*text, names)) {
    Group group{piece, {}};
    std::size_t begin = 0;
    while (begin <= piece.size()) {
      const std::string rest = piece.substr(begin);
      const bool whole = std::find(names.begin(), names.end(), rest) != names.end();
      const std::size_t end = whole ? piece.size() : std::min(piece.find('+', begin), piece.size());
      const std::size_t place = find_column(names, piece.substr(begin, end - begin), "The model");
      const std::vector<std::size_t>& more = columns[place].inputs;
      if (std::find(group.inputs.begin(), group.inputs.end(), more.front()) != group.inputs.end())
        throw UsageError(
            fmt::format("--group-columns names {} twice in {}.", printable(names[place]), printable(piece)),
            "Name it once.");
      group.inputs.insert(group.inputs.end(), more.begin(), more.end());
      begin = end + 1;
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json json_of(const std::vector<Group>& groups, const Model& model, const char* name) {
  Json list = Json::array();
  for (const Group& group : groups) {
    Json entry = {{name, group.name},
                  {"importance", number(group.importance.increase)},
                  {"standard_error", number(group.importance.standard_error)},
                  {"share", number(group.importance.share)},
                  {"share_standard_error", number(group.importance.share_error)}};
    if (name == std::string_view("group")) {
      for (const std::size_t input : group.inputs) entry["inputs"].push_back(model.inputs[input].name);
    }
    list.push_back(std::move(entry));
  }
  return list;
}

std::string table_of(const std::vector<Group>& groups, const std::string& title) {
  std::size_t longest = title.size();
  for (const Group& group : groups) longest = std::max(longest, std::min<std::size_t>(group.name.size(), 26));
  std::string text =
      fmt::format("{:<{}}  {:>10}  {:>10}  {:>12}  {:>12}\n", title, longest, "r2 lost", "+/-", "mse added", "+/-");
  for (const Group& group : groups) {
    const assessment::Importance& found = group.importance;
    text += fmt::format("{}  {:>10.4f}  {:>10.2g}  {:>12.5g}  {:>12.2g}\n", name_cell(group.name, longest), found.share,
                        found.share_error, found.increase, found.standard_error);
  }
  return text;
}

/// Largest first.
void rank(std::vector<Group>& groups) {
  std::stable_sort(groups.begin(), groups.end(),
                   [](const Group& a, const Group& b) { return a.importance.share > b.importance.share; });
}

}  // namespace

ExitCode run_importance(const Invocation& call) {
  std::string model_path;
  std::optional<std::string> data, columns, repeats, seed, threads;
  bool json = false, quiet = false;
  GivenOptions given;
  Arguments arguments("importance",
                      "Permutation importance: how much worse predictions become when rows are given each other's "
                      "values of an input.",
                      "MODEL --data FILE [--group-columns A+B,...] [--json]");
  arguments.positional(model_path, "MODEL", "model file written by `rfnn fit`");
  arguments.value(data, "--data", "FILE", "table with inputs and targets, best of rows that were not trained on");
  arguments.value(columns, "--group-columns", "A+B,...", "also inputs that are permuted together, in groups");
  arguments.value(repeats, "--repeats", "R", "permutations of each input that are averaged [10]");
  arguments.value(seed, "--seed", "N", "of the permutations [1]");
  arguments.value(threads, "--threads", "N", "worker threads, 0 is all there are [0]");
  arguments.flag(json, "--json", "print one JSON object");
  arguments.flag(quiet, "-q,--quiet", "print nothing but the result and errors");
  arguments.reading_flags(given);
  arguments.footer(
      "\nInputs that say the same share their importance: neither is missed while the other is there. --group-columns\n"
      "permutes such inputs together.");
  arguments.parse(call.words);
  if (!data) throw UsageError("`rfnn importance` needs --data with a table.", "Give --data test.csv, say.");

  assessment::ImportanceOptions options;
  options.repeats = repeats ? whole_number(*repeats, "--repeats", 1, 100'000) : 10;
  options.seed = seed ? whole_number(*seed, "--seed", 0, UINT64_MAX) : 1;
  options.threads = threads ? whole_number(*threads, "--threads", 0, 1024) : 0;
  const Model model = load_model_argument("importance", model_path, *data, "--data ");
  std::vector<Group> groups = named_groups(model, columns);
  const std::size_t workers = thread_count(options.threads);
  std::vector<std::string> notes;
  const Rows rows = read_rows(model, *data, reading_options(model, given), workers, notes);
  for (const std::string& note : notes)
    if (!quiet) say(told(note, 2) + "\n");

  std::vector<Group> inputs;
  for (const Group& column : columns_of(model))
    if (std::any_of(column.inputs.begin(), column.inputs.end(), [&](std::size_t j) { return is_needed(model, j); }))
      inputs.push_back(column);
  std::vector<std::vector<std::size_t>> all;
  for (const auto* list : {&inputs, &groups})
    for (const Group& group : *list) all.push_back(group.inputs);

  const StopSignals signals;
  std::size_t turn = 0;
  const std::size_t turns = all.size() * options.repeats;
  options.proceed = [&] {
    if (!quiet && live_terminal()) say(fmt::format("\rpermutation {} of {}\x1b[K", ++turn, turns));
    return StopSignals::received() == 0;
  };
  const auto found = assessment::permutation_importance(model, rows.inputs.view(), rows.targets.view(), all, options);
  if (!quiet && live_terminal()) say("\r\x1b[K");
  const bool complete = found.size() == all.size();
  if (!complete) {
    say(styled(Style::warning, "warning: ") +
        fmt::format("a signal ended the work: {} of {} are done.\n", found.size(), all.size()));
    groups.resize(found.size() > inputs.size() ? found.size() - inputs.size() : 0);
    inputs.resize(std::min(inputs.size(), found.size()));
  }
  for (std::size_t i = 0; i < found.size(); ++i)
    (i < inputs.size() ? inputs[i] : groups[i - inputs.size()]).importance = found[i];
  rank(inputs);
  rank(groups);

  ScoreSum sum(model.outputs());
  sum.add(rows.targets.view(), predict(model, rows.inputs.view(), {.blocks = {}, .threads = workers}).view());
  const Scores scores = sum.scores();
  const double mse =
      std::accumulate(scores.mse.begin(), scores.mse.end(), 0.0) / static_cast<double>(scores.mse.size());
  const double r2 = std::accumulate(scores.r2.begin(), scores.r2.end(), 0.0) / static_cast<double>(scores.r2.size());
  if (json) {
    print_result(io::json_text({{"rows", rows.inputs.rows()},
                                {"repeats", options.repeats},
                                {"mse", number(mse)},
                                {"r2", number(r2)},
                                {"inputs", json_of(inputs, model, "name")},
                                {"groups", json_of(groups, model, "group")}}) +
                 "\n");
  } else {
    std::string text =
        fmt::format("{}: mse {:.6g}, r2 {:.4f}; {} of each input\n\n", io::counted(rows.inputs.rows(), "row"), mse, r2,
                    io::counted(options.repeats, "permutation"));
    text += table_of(inputs, "input");
    if (!groups.empty()) text += "\n" + table_of(groups, "group");
    print_result(for_locale(text));
  }
  return complete ? ExitCode::done : ExitCode::cut_short;
}

}  // namespace rfnn::cli
