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
  throw InputError(fmt::format("{} has no column {}.", file.origin(), listed(missing)),
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

/// Columns to read from a file, each of them once.
struct Selection {
  std::vector<std::size_t> places;
  /// Where the column at `place` of the file stands among those read.
  std::size_t take(std::size_t place) {
    const auto found = std::find(places.begin(), places.end(), place);
    const auto index = static_cast<std::size_t>(found - places.begin());
    if (found == places.end()) places.push_back(place);
    return index;
  }
};

/// Weights that cannot be are told with their place in the file, which training does not know.
void check_weights(const DatasetView& view, const TableReader& file, const Matched& matched) {
  if (!matched.weight) return;
  for (std::size_t i = 0; i < view.rows(); ++i) {
    const double weight = (*view.weights)[i];
    if (std::isfinite(weight) && weight >= 0.0) continue;
    throw InputError(fmt::format("{}, row {} below the header, {}: {} cannot be a weight.", file.origin(), i + 1,
                                 io::shown_column(*matched.weight, file.names()[*matched.weight]), weight),
                     "Give weights that are not negative: 2 is the row twice, 0 is not at all.");
  }
}

}  // namespace

Choice choose_columns(const TableReader& table, const std::vector<std::string>& targets,
                      const std::vector<std::string>& ignored, const std::optional<std::string>& weight) {
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
                     "Name fewer columns in --target, --ignore and --weight.");
  }
  return choice;
}

Layout layout_of(const Model& model) {
  return {.inputs = model.inputs,
          .targets = model.targets,
          .table_columns = model.table_columns,
          .named = model.named_columns,
          .weight = {}};
}

Layout layout_of(const TableReader& table, const Choice& choice) {
  Layout layout{
      .inputs = {}, .targets = {}, .table_columns = table.names().size(), .named = table.has_header(), .weight = {}};
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

MatchedRows::MatchedRows(TableReader& file, Matched matched, const std::vector<Column>& inputs)
    : file_(file), matched_(std::move(matched)) {
  for (const Column& column : inputs) {
    fill_.push_back(column.mean);
    used_.push_back(column.used);
  }
  Selection selection;
  // From now on the places are those in the batch, where each column stands once.
  for (auto& place : matched_.inputs) place = place ? std::optional(selection.take(*place)) : std::nullopt;
  for (auto& place : matched_.targets) place = selection.take(place);
  if (matched_.weight) matched_.weight = selection.take(*matched_.weight);
  const std::size_t columns = std::max<std::size_t>(1, selection.places.size());
  if (selection.places.empty() && !file.names().empty()) selection.places.push_back(0);  // to count the rows
  file_.select(std::move(selection.places));
  constexpr std::size_t batch_numbers = std::size_t{1} << 20;
  batch_rows_ = std::clamp<std::size_t>(batch_numbers / columns, 256, 65536);
}

void MatchedRows::accept_missing() { file_.accept_missing(); }

bool MatchedRows::next() {
  const std::size_t rows = file_.read(batch_, batch_rows_);
  incomplete_.clear();
  if (inputs_.rows() != rows || inputs_.cols() != matched_.inputs.size())
    inputs_ = Matrix(rows, matched_.inputs.size());
  if (targets_.rows() != rows || targets_.cols() != matched_.targets.size())
    targets_ = Matrix(rows, matched_.targets.size());
  if (matched_.weight && weights_.rows() != rows) weights_ = Matrix(rows, 1);
  for (std::size_t i = 0; i < rows; ++i) {
    bool complete = true;
    for (std::size_t j = 0; j < matched_.inputs.size(); ++j) {
      const double value = matched_.inputs[j] ? batch_(i, *matched_.inputs[j]) : fill_[j];
      const bool missing = std::isnan(value);
      inputs_(i, j) = missing ? fill_[j] : value;
      complete = complete && !(missing && used_[j]);
    }
    if (!complete) incomplete_.push_back(i);
    for (std::size_t j = 0; j < matched_.targets.size(); ++j) targets_(i, j) = batch_(i, matched_.targets[j]);
    if (matched_.weight) weights_(i, 0) = batch_(i, *matched_.weight);
  }
  return rows > 0;
}

MatchedData read_dataset(TableReader& file, const Matched& matched, const Layout& layout,
                         const std::function<bool()>& go_on) {
  MatchedData data;
  Selection selection;
  std::vector<double> means;
  for (const Column& column : layout.inputs) means.push_back(column.mean);
  data.fill = std::make_shared<const std::vector<double>>(std::move(means));
  for (const auto& place : matched.inputs) {
    if (place) selection.take(*place);
  }
  for (const std::size_t place : matched.targets) selection.take(place);
  if (matched.weight) selection.take(*matched.weight);
  file.select(selection.places);
  data.rows = file.read_rows(go_on);
  const Columns& columns = data.rows.columns;
  data.view.inputs = Columns(columns.rows());
  data.view.targets = Columns(columns.rows());
  for (std::size_t j = 0; j < matched.inputs.size(); ++j) {
    const auto& place = matched.inputs[j];
    // A column that is not there is its mean in every row.
    data.view.inputs.add(place ? columns[selection.take(*place)] : ColumnView(data.fill->data() + j, 0));
  }
  for (const std::size_t place : matched.targets) data.view.targets.add(columns[selection.take(place)]);
  if (matched.weight) data.view.weights = columns[selection.take(*matched.weight)];
  if (columns.rows() == 0 && !data.rows.cut_short)
    throw InputError(fmt::format("{} has no rows{}.", file.origin(), file.has_header() ? " below its header" : ""),
                     "Give a table with at least one.");
  check_weights(data.view, file, matched);
  for (const Column& column : layout.inputs) data.view.input_names.push_back(column.name);
  for (const Column& column : layout.targets) data.view.target_names.push_back(column.name);
  return data;
}

Model load_model_argument(const std::string& command, const std::string& model, const std::string& data) {
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
                     fmt::format("Give `rfnn {} {} {}`.", command, printable(data), printable(model)));
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

}  // namespace rfnn::cli
