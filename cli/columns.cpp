#include "cli/columns.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "cli/terminal.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/io/model_file.hpp"

namespace rfnn::cli {
namespace {

std::vector<std::size_t> places(const TableReader& table, const std::vector<std::string>& lists,
                                std::string_view flag) {
  std::vector<std::size_t> result;
  for (const std::string& list : lists) {
    for (const std::string& name : split_names(list, table.names())) {
      const std::size_t place = find_column(table.names(), name, table.origin());
      if (std::find(result.begin(), result.end(), place) != result.end()) {
        throw UsageError(fmt::format("{} names the column {} twice.", flag, printable(table.names()[place])),
                         "Name it once.");
      }
      result.push_back(place);
    }
  }
  return result;
}

bool contains(const std::vector<std::size_t>& values, std::size_t value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

/// The place of a name; nothing when it is missing. A name that stands twice is not guessed at.
std::optional<std::size_t> place_of(const TableReader& file, const std::string& name) {
  const auto& names = file.names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  if (std::find(found + 1, names.end(), name) != names.end()) {
    throw InputError(fmt::format("{} has two columns named {}.", file.origin(), printable(name)),
                     "Rename one of them.");
  }
  return static_cast<std::size_t>(found - names.begin());
}

Matched match_by_name(const TableReader& file, const Layout& layout, bool with_targets) {
  Matched matched;
  std::vector<std::string> missing;
  for (const Column& input : layout.inputs) {
    matched.inputs.push_back(place_of(file, input.name));
    if (!matched.inputs.back() && input.used) missing.push_back(input.name);
  }
  for (std::size_t i = 0; with_targets && i < layout.targets.size(); ++i) {
    const auto place = place_of(file, layout.targets[i].name);
    if (!place) missing.push_back(layout.targets[i].name);
    matched.targets.push_back(place.value_or(0));
  }
  if (layout.weight) matched.weight = place_of(file, layout.weight->name);
  if (missing.empty()) return matched;
  const bool case_differs = std::all_of(missing.begin(), missing.end(), [&](const std::string& name) {
    return std::any_of(file.names().begin(), file.names().end(),
                       [&](const std::string& there) { return io::same_but_case(there, name); });
  });
  throw InputError(
      fmt::format("{} has no column{} {}.", file.origin(), missing.size() == 1 ? "" : "s", listed(missing)),
      file.has_header() ? fmt::format("Its columns are {}{}.", listed(file.names()),
                                      case_differs ? ": upper and lower case have to agree" : "")
                        : fmt::format("It has {} columns and no header.", file.names().size()));
}

/// The columns of the training table in its order, without the ignored ones, numbered anew.
Matched in_table_order(const Layout& layout, bool with_targets) {
  std::vector<std::size_t> positions;
  for (const Column& column : layout.inputs) positions.push_back(column.position);
  for (std::size_t i = 0; with_targets && i < layout.targets.size(); ++i)
    positions.push_back(layout.targets[i].position);
  std::sort(positions.begin(), positions.end());
  const auto rank = [&](std::size_t position) {
    return static_cast<std::size_t>(std::lower_bound(positions.begin(), positions.end(), position) - positions.begin());
  };
  Matched matched;
  for (const Column& column : layout.inputs) matched.inputs.emplace_back(rank(column.position));
  for (std::size_t i = 0; with_targets && i < layout.targets.size(); ++i) {
    matched.targets.push_back(rank(layout.targets[i].position));
  }
  return matched;
}

Matched match_by_position(const TableReader& file, const Layout& layout, bool with_targets) {
  const std::size_t columns = file.names().size();
  const std::size_t inputs = layout.inputs.size();
  const std::size_t both = inputs + layout.targets.size();
  if (columns == layout.table_columns) {
    Matched matched;
    if (layout.weight) matched.weight = layout.weight->position;
    for (const Column& column : layout.inputs) matched.inputs.emplace_back(column.position);
    for (std::size_t i = 0; with_targets && i < layout.targets.size(); ++i) {
      matched.targets.push_back(layout.targets[i].position);
    }
    return matched;
  }
  if (columns == both) {
    Matched matched = in_table_order(layout, true);
    if (!with_targets) matched.targets.clear();
    return matched;
  }
  if (columns == inputs && !with_targets) return in_table_order(layout, false);
  std::string known = layout.table_columns > 0 && layout.table_columns != both
                          ? fmt::format("the {} columns of the training table, or ", layout.table_columns)
                          : "";
  throw InputError(
      fmt::format("{} has {} column{} that cannot be matched by name.", file.origin(), columns,
                  columns == 1 ? "" : "s"),
      fmt::format("Give {}{} columns (inputs and targets in their order){}, or a header with the names {}.", known,
                  both, with_targets ? std::string() : fmt::format(", or the {} inputs alone", inputs), [&] {
                    std::vector<std::string> names;
                    for (const Column& column : layout.inputs) names.push_back(column.name);
                    return listed(names);
                  }()));
}

}  // namespace

Choice choose_columns(const TableReader& table, const std::vector<std::string>& targets,
                      const std::vector<std::string>& ignored, const std::optional<std::string>& weight,
                      const std::string& columns) {
  Choice choice{.inputs = {},
                .targets = places(table, targets, "--target"),
                .ignored = places(table, ignored, "--ignore"),
                .weight = {}};
  if (choice.targets.empty()) {
    throw UsageError("--target is missing: it names the column to learn.",
                     fmt::format("The columns of {} are {}.", table.origin(), listed(table.names())));
  }
  for (const std::size_t target : choice.targets) {
    if (contains(choice.ignored, target)) {
      throw UsageError(fmt::format("Column {} is both target and ignored.", printable(table.names()[target])),
                       "Take it out of --target or of --ignore.");
    }
  }
  if (weight) {
    choice.weight = find_column(table.names(), *weight, table.origin());
    if (contains(choice.targets, *choice.weight))
      throw UsageError(fmt::format("Column {} is both target and weight.", printable(table.names()[*choice.weight])),
                       "Name another column in --weight.");
  }
  const std::vector<std::size_t> taken =
      columns.empty() ? std::vector<std::size_t>() : places(table, {columns}, "--columns");
  for (const std::size_t place : taken) {
    if (contains(choice.ignored, place))
      throw UsageError(fmt::format("Column {} is both in --columns and ignored.", printable(table.names()[place])),
                       "Take it out of one of them.");
  }
  for (std::size_t place = 0; place < table.names().size() && !columns.empty(); ++place) {
    if (!contains(taken, place) && !contains(choice.targets, place) && choice.weight != place &&
        !contains(choice.ignored, place))
      choice.ignored.push_back(place);
  }
  for (std::size_t place = 0; place < table.names().size(); ++place) {
    if (!contains(choice.targets, place) && !contains(choice.ignored, place) && choice.weight != place)
      choice.inputs.push_back(place);
  }
  if (table.names().size() == 1) {
    throw UsageError(fmt::format("{} has one column only: there is nothing to learn it from.", table.origin()),
                     "Give a table with inputs beside the target.");
  }
  if (choice.inputs.empty()) {
    throw UsageError(fmt::format("No column of {} is left as an input.", table.origin()),
                     columns.empty() ? "Name fewer columns in --target, --ignore and --weight."
                                     : "Name inputs in --columns too, beside the target.");
  }
  return choice;
}

Layout layout_of(const Model& model) {
  const TableCode code = columns_of_table(model);
  std::vector<Column> inputs;
  std::size_t input = 0;
  for (const ColumnCode& column : code.inputs) {
    Column& known = inputs.emplace_back();
    known.name = column.name;
    known.position = column.position;
    known.used = false;
    for (std::size_t end = input + inputs_of(column); input < end; ++input)
      known.used = known.used || is_needed(model, input);
  }
  return {.inputs = std::move(inputs),
          .targets = model.targets,
          .code = code,
          .table_columns = model.table_columns,
          .named = model.named_columns,
          .weight = {}};
}

Layout layout_of(const TableReader& table, const Choice& choice) {
  Layout layout{.inputs = {},
                .targets = {},
                .code = {},
                .table_columns = table.names().size(),
                .named = table.has_header(),
                .weight = {}};
  const auto column = [&](std::size_t place) {
    Column result;
    result.name = table.names()[place];
    result.position = place;
    return result;
  };
  for (const std::size_t place : choice.inputs) layout.inputs.push_back(column(place));
  for (const std::size_t place : choice.targets) layout.targets.push_back(column(place));
  if (choice.weight) layout.weight = column(*choice.weight);
  return layout;
}

Matched matched_of(const Choice& choice) {
  return {.inputs = {choice.inputs.begin(), choice.inputs.end()}, .targets = choice.targets, .weight = choice.weight};
}

Matched match_columns(const TableReader& file, const Layout& layout, bool with_targets) {
  if (layout.named && file.has_header()) return match_by_name(file, layout, with_targets);
  return match_by_position(file, layout, with_targets);
}

TableBatches batches_of(TableReader& file, const Matched& matched, const Model& model, const Options& reading,
                        bool keep_rows) {
  const Layout layout = layout_of(model);
  std::vector<bool> used;
  for (const Column& input : layout.inputs) used.push_back(input.used);
  return {file, matched, layout.code, std::move(used), reading.missing, reading.unseen, keep_rows};
}

Options reading_options(const Model& model, const GivenOptions& given) {
  Options options = model.options;
  for (const auto& [field, text] : given) field->parse(*field, options, text);
  return options;
}

bool asked_to_refuse_missing(const GivenOptions& given) {
  return std::any_of(given.begin(), given.end(),
                     [](const auto& option) { return option.first->name == "missing" && option.second == "error"; });
}

std::vector<std::string> reading_notes(const TableBatches& batches) {
  std::vector<std::string> notes;
  if (batches.filled() > 0)
    notes.push_back(fmt::format("{} filled in by the column's mean", io::counted(batches.filled(), "missing cell")));
  if (batches.unseen() > 0)
    notes.push_back(fmt::format("{} with a level that training has not seen: the mean over the levels stands in",
                                io::counted(batches.unseen(), "cell")));
  if (batches.dropped() > 0)
    notes.push_back(fmt::format("{} left out for missing cells", io::counted(batches.dropped(), "row")));
  return notes;
}

Model load_model_argument(const std::string& command, const std::string& model, const std::string& data,
                          const std::string& flag) {
  try {
    return load_model(model);
  } catch (const InputError&) {
    bool swapped = false;
    try {
      std::error_code error;
      swapped = std::filesystem::is_regular_file(data, error) && load_model(data).outputs() > 0;
    } catch (const InputError&) {
      // the first failure is the one to be told
    }
    if (!swapped) throw;
    throw UsageError(fmt::format("{} is the model: it comes first.", printable(data)),
                     fmt::format("Give `rfnn {} {} {}{}`.", command, printable(data), flag, printable(model)));
  }
}

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t most = 12;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i) text += (i == 0 ? "" : ", ") + printable(names[i]);
  return names.size() > most ? text + fmt::format(", … ({} in all)", names.size()) : text;
}

bool same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  return std::filesystem::equivalent(a, b, error) && std::filesystem::is_regular_file(a, error);
}

void refuse_overwriting(const std::string& what, const std::string& place, const std::vector<std::string>& read) {
  for (const std::string& file : read) {
    if (same_file(place, file))
      throw UsageError(fmt::format("The {} would overwrite {}, which is read.", what, printable(file)),
                       fmt::format("Give the {} another name.", what));
  }
}

}  // namespace rfnn::cli
