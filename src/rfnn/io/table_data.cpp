#include "rfnn/io/table_data.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "rfnn/core/error.hpp"
#include "rfnn/data/row_blocks.hpp"
#include "rfnn/io/table_survey.hpp"
#include "rfnn/io/text.hpp"

namespace rfnn {
namespace {

/// Columns to read from a table, each of them once.
struct Selection {
  std::vector<std::size_t> places;
  std::vector<ColumnCode> codes;
  /// Where the column at `place` of the table stands among those read.
  std::size_t take(std::size_t place, const ColumnCode& code = {}) {
    const auto found = std::find(places.begin(), places.end(), place);
    const auto index = static_cast<std::size_t>(found - places.begin());
    if (found == places.end()) {
      places.push_back(place);
      codes.push_back(code);
    }
    return index;
  }
};

void check_not_empty(const TableReader& table, std::size_t rows) {
  if (rows > 0 || table.accepts_no_rows()) return;
  throw InputError(table.origin() + " has no rows" + (table.has_header() ? " below its header." : "."),
                   "Give a table with at least one.");
}

/// Most of the memory is for training: more of a table lies in a file.
void limit_memory(TableReader& table, const Options& options) {
  constexpr double share = 0.125;
  if (options.memory > 0.0) table.hold_at_most(static_cast<std::size_t>(share * options.memory));
}

[[noreturn]] void refuse_large(const TableReader& table, std::size_t bytes) {
  throw UsageError(fmt::format("{} takes {:.0f} MB, and a table with categories, times or missing cells is held in "
                               "memory as a whole.",
                               table.origin(), static_cast<double>(bytes) / 1e6),
                   "Give more --memory (ten times as much as a rule), or a table of plain numbers.");
}

/// Weights that cannot be are told with their place in the table, which training does not know. `rows`: the places of
/// those that are left of the table; empty: all are. Null: they are not known.
void check_weights(const DatasetView& view, const TableReader& table, std::size_t place,
                   const std::vector<std::size_t>* rows) {
  const auto row_text = [&](std::size_t row) {
    if (rows == nullptr) return std::string();
    return fmt::format(", row {}{}", (rows->empty() ? row : (*rows)[row]) + 1,
                       table.accepts_no_rows() ? " of the part read here"
                       : table.has_header()    ? " below the header"
                                               : "");
  };
  const Columns weights(view.rows(), {*view.weights});
  for (RowBlocks block(weights); block.next();)
    for (std::size_t i = 0; i < block.count(); ++i) {
      const double weight = block.column(0)[i];
      if (std::isfinite(weight) && weight >= 0.0) continue;
      throw InputError(fmt::format("{}{}, {}: {} cannot be a weight.", table.origin(), row_text(block.first() + i),
                                   io::shown_column(place, table.names()[place]), weight),
                       "Give weights that are not negative: 2 is the row twice, 0 is not at all.");
    }
}

/// The places of the columns that a list of names means, among those of the table.
std::vector<std::size_t> listed_places(const TableReader& table, const std::string& list) {
  std::vector<std::size_t> places;
  for (const std::string& name : split_names(list, table.names()))
    places.push_back(find_column(table.names(), name, table.origin()));
  return places;
}

void add_unit_note(const TableReader& table, EncodedTable& encoded) {
  std::string where;
  for (const std::string& row : table.unit_rows()) where += (where.empty() ? "" : "; ") + row;
  if (!where.empty())
    encoded.notes.push_back(where + (table.unit_rows().size() == 1 ? " was" : " were each") +
                            " taken for the units of the columns, not for a row");
}

DatasetView plain_view(const Columns& columns, const TablePlaces& places, const TableReader& table,
                       Selection& selection) {
  DatasetView view{Columns(columns.rows()), Columns(columns.rows())};
  for (const auto& place : places.inputs) {
    view.inputs.add(columns[selection.take(*place)]);
    view.input_names.push_back(table.names()[*place]);
  }
  for (const std::size_t place : places.targets) {
    view.targets.add(columns[selection.take(place)]);
    view.target_names.push_back(table.names()[place]);
  }
  if (places.weight) view.weights = columns[selection.take(*places.weight)];
  return view;
}

/// The texts of the rows that stay. A row that was read to see whether there is one more has texts too.
std::vector<std::string> kept_of_rows(TableReader& table, std::size_t rows, const std::vector<std::size_t>& stay) {
  std::vector<std::string> texts = table.take_kept();
  const std::size_t width = table.kept_columns().size();
  for (std::size_t i = 0; i < stay.size(); ++i)
    for (std::size_t t = 0; t < width && stay[i] != i; ++t)
      texts[i * width + t] = std::move(texts[stay[i] * width + t]);
  texts.resize((stay.empty() ? rows : stay.size()) * width);
  return texts;
}

/// Tells the table which columns to read and to find out what they hold; `numbers`: are they all numbers? Returns the
/// places of those that are categories because somebody said so.
std::vector<std::size_t> select_columns(TableReader& table, const TablePlaces& places, const Options& options,
                                        Selection& selection, bool* numbers = nullptr) {
  for (const auto& place : places.inputs) selection.take(place.value());
  for (const std::size_t place : places.targets) selection.take(place);
  if (places.weight) selection.take(*places.weight);
  table.select(selection.places);
  std::vector<std::size_t> no_inputs = places.targets;
  if (places.weight) no_inputs.push_back(*places.weight);
  table.no_inputs(std::move(no_inputs));
  std::vector<std::size_t> categorical = listed_places(table, options.categorical);
  const bool plain = table.find_kinds(categorical);
  if (numbers != nullptr) *numbers = plain;
  return categorical;
}

RawTable raw_table(const Columns& columns, const TablePlaces& places, const TableReader& table, Selection& selection,
                   const std::vector<std::size_t>& categorical) {
  RawTable raw;
  raw.rows = columns.rows();
  const std::vector<ColumnCode> kinds = table.kinds();
  const auto column = [&](std::size_t place) {
    const std::size_t k = selection.take(place);
    const bool asked = std::find(categorical.begin(), categorical.end(), place) != categorical.end();
    return RawColumn{kinds[k], columns[k], asked};
  };
  for (const auto& place : places.inputs) raw.inputs.push_back(column(*place));
  for (const std::size_t place : places.targets) raw.targets.push_back(column(place));
  if (places.weight) raw.weight = column(*places.weight);
  return raw;
}

/// A table that says its units says those that training had.
void check_units(const TableReader& table, const TablePlaces& places, const TableCode& code) {
  if (table.units().empty()) return;
  const auto check = [&](std::size_t place, const ColumnCode& column) {
    const std::string& unit = table.units().at(place);
    if (unit.empty() || column.unit.empty() || unit == column.unit) return;
    throw InputError(
        fmt::format("{}, {} is in {}; in training it was in {}.", table.origin(),
                    io::shown_column(place, table.names()[place]), io::shown(unit), io::shown(column.unit)),
        "Convert the column, or write its unit as training had it.");
  };
  for (std::size_t k = 0; k < places.inputs.size(); ++k)
    if (places.inputs[k]) check(*places.inputs[k], code.inputs[k]);
  for (std::size_t k = 0; k < places.targets.size(); ++k) check(places.targets[k], code.targets[k]);
}

}  // namespace

TableData read_training(TableReader& table, const TablePlaces& places, const Options& options,
                        const std::function<bool()>& go_on) {
  Selection selection;
  bool numbers = false;
  const std::vector<std::size_t> categorical = select_columns(table, places, options, selection, &numbers);
  if (options.missing != Missing::error) table.accept_missing();
  limit_memory(table, options);
  const TableRows rows = table.read_rows(go_on);
  if (!rows.cut_short) check_not_empty(table, rows.columns.rows());
  if (rows.on_disk && (!numbers || options.missing != Missing::error)) refuse_large(table, rows.bytes);
  TableData data;
  data.on_disk = rows.on_disk;
  data.mapped = rows.mapped;
  data.cut_short = rows.cut_short;
  data.bytes = rows.bytes;
  data.memory = rows.memory;
  if (numbers && options.missing == Missing::error) {  // they are what training sees, wherever they lie
    data.table.view = plain_view(rows.columns, places, table, selection);
  } else {
    data.raw = raw_table(rows.columns, places, table, selection, categorical);
    data.table = encode_training(*data.raw, options.missing, table.origin());
    data.bytes += data.table.bytes;
  }
  add_unit_note(table, data.table);
  if (places.weight) check_weights(data.table.view, table, *places.weight, &data.table.rows);
  data.kept = kept_of_rows(table, rows.columns.rows(), data.table.rows);
  return data;
}

SurveyedTable survey_training(TableReader& table, const TablePlaces& places, const Options& options) {
  const auto survey = std::make_shared<io::TableSurvey>();
  Selection selection;
  const std::vector<std::size_t> categorical = select_columns(table, places, options, selection);
  if (options.missing != Missing::error) table.accept_missing();
  table.survey(survey);
  const TableRows rows = table.read_rows();
  if (survey->problems().empty()) check_not_empty(table, rows.columns.rows());
  SurveyedTable surveyed;
  surveyed.table = raw_table(rows.columns, places, table, selection, categorical);
  surveyed.problems = survey->problems();
  surveyed.survey = survey;
  surveyed.bytes = rows.bytes;
  surveyed.memory = rows.memory;
  return surveyed;
}

Options options_along_time(Options options, const TableCode& code) {
  if (options.holdout == Holdout::random || options.holdout_by != 0) return options;
  std::size_t input = 0;
  for (const ColumnCode& column : code.inputs) {
    if (column.kind == ColumnKind::time) {
      options.holdout_by = static_cast<std::int64_t>(input) + 1;
      return options;
    }
    input += inputs_of(column);
  }
  return options;
}

TableBatches::TableBatches(TableReader& table, const TablePlaces& places, TableCode code, std::vector<bool> used,
                           Missing missing, Unseen unseen, bool keep_rows)
    : table_(table),
      code_(std::make_unique<const TableCode>(std::move(code))),
      encoder_(*code_, std::move(used), missing),
      keep_rows_(keep_rows) {
  check_units(table, places, *code_);
  Selection selection;
  for (std::size_t k = 0; k < places.inputs.size(); ++k) {
    const auto& place = places.inputs[k];
    places_.push_back(place ? std::optional(selection.take(*place, code_->inputs[k])) : std::nullopt);
  }
  for (std::size_t k = 0; k < places.targets.size(); ++k)
    target_places_.push_back(selection.take(places.targets[k], code_->targets[k]));
  if (places.weight) weight_place_ = selection.take(*places.weight);
  const std::size_t columns = std::max<std::size_t>(1, selection.places.size());
  if (selection.places.empty() && !table.names().empty()) selection.take(0);  // to count the rows
  table.select(selection.places);
  const bool numbers = std::all_of(selection.codes.begin(), selection.codes.end(),
                                   [](const ColumnCode& column) { return column.kind == ColumnKind::number; });
  if (!numbers) table.expect(selection.codes, unseen);
  if (keep_rows || missing != Missing::error) table.accept_missing();
  constexpr std::size_t batch_numbers = std::size_t{1} << 20U;
  batch_rows_ = std::clamp<std::size_t>(batch_numbers / columns, 256, 65536);
  cells_.resize(code_->inputs.size());
}

bool TableBatches::next() {
  const std::size_t rows = table_.read(batch_, batch_rows_), width = inputs_of(*code_);
  incomplete_.clear();
  kept_ = table_.take_kept();
  const std::size_t texts = table_.kept_columns().size();
  if (inputs_.rows() != rows || inputs_.cols() != width) inputs_ = Matrix(rows, width);
  if (targets_.rows() != rows || targets_.cols() != target_places_.size())
    targets_ = Matrix(rows, target_places_.size());
  if (weight_place_ && weights_.rows() != rows) weights_ = Matrix(rows, 1);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < cells_.size(); ++k)
      cells_[k] = places_[k] ? batch_(i, *places_[k]) : std::numeric_limits<double>::quiet_NaN();
    const bool known = encoder_.encode(cells_.data(), inputs_.data() + kept * width);
    bool complete = known;
    for (std::size_t k = 0; k < target_places_.size(); ++k) {
      targets_(kept, k) = batch_(i, target_places_[k]);
      complete = complete && !std::isnan(targets_(kept, k));
    }
    if (weight_place_) weights_(kept, 0) = batch_(i, *weight_place_);
    complete = complete && !(weight_place_ && std::isnan(weights_(kept, 0)));
    if (!complete && !keep_rows_) {
      ++dropped_;
      continue;
    }
    if (!known) incomplete_.push_back(kept);
    for (std::size_t t = 0; t < texts && kept < i; ++t) kept_[kept * texts + t] = std::move(kept_[i * texts + t]);
    ++kept;
  }
  if (kept < rows) {
    inputs_.resize_rows(kept);
    targets_.resize_rows(kept);
    if (weight_place_) weights_.resize_rows(kept);
    kept_.resize(kept * texts);
  }
  return rows > 0;
}

TableData read_known(TableReader& table, const TablePlaces& places, const TableCode& code, const Options& options,
                     const std::function<bool()>& go_on) {
  const auto plain = [](const ColumnCode& column) { return column.kind == ColumnKind::number && !column.indicator; };
  check_units(table, places, code);
  TableData data;
  EncodedTable& encoded = data.table;
  encoded.view.input_names = input_names(code);
  for (const ColumnCode& target : code.targets) encoded.view.target_names.push_back(target.name);
  if (options.missing == Missing::error && std::all_of(code.inputs.begin(), code.inputs.end(), plain) &&
      std::all_of(code.targets.begin(), code.targets.end(), plain)) {
    // Numbers as they are: held or mapped once.
    Selection selection;
    for (const auto& place : places.inputs)
      if (place) selection.take(*place);
    for (const std::size_t place : places.targets) selection.take(place);
    if (places.weight) selection.take(*places.weight);
    table.select(selection.places);
    limit_memory(table, options);
    const TableRows rows = table.read_rows(go_on);
    auto means = std::make_shared<std::vector<double>>();
    for (const ColumnCode& column : code.inputs) means->push_back(column.fill.empty() ? 0.0 : column.fill[0]);
    encoded.view.inputs = Columns(rows.columns.rows());
    encoded.view.targets = Columns(rows.columns.rows());
    for (std::size_t k = 0; k < places.inputs.size(); ++k)
      encoded.view.inputs.add(places.inputs[k] ? rows.columns[selection.take(*places.inputs[k])]
                                               : ColumnView(means->data() + k, 0));
    for (const std::size_t place : places.targets) encoded.view.targets.add(rows.columns[selection.take(place)]);
    if (places.weight) encoded.view.weights = rows.columns[selection.take(*places.weight)];
    encoded.memory = means;
    data.on_disk = rows.on_disk;
    data.mapped = rows.mapped;
    data.cut_short = rows.cut_short;
    data.bytes = rows.bytes;
    data.memory = rows.memory;
  } else {
    struct Held {
      Matrix inputs, targets, weights;
    };
    auto held = std::make_shared<Held>();
    std::vector<bool> there;
    for (const auto& place : places.inputs) there.push_back(place.has_value());
    TableBatches batches(table, places, code, std::move(there), options.missing, options.unseen, false);
    batches.leave_unmarked();
    const auto append = [](Matrix& to, ConstMatrixView rows) {
      const std::size_t have = to.rows();
      if (have == 0) to = Matrix(0, rows.cols());
      to.resize_rows(have + rows.rows());
      for (std::size_t i = 0; i < rows.rows(); ++i)
        for (std::size_t j = 0; j < rows.cols(); ++j) to(have + i, j) = rows(i, j);
    };
    while (batches.next()) {
      data.kept.insert(data.kept.end(), batches.kept().begin(), batches.kept().end());
      append(held->inputs, batches.inputs());
      append(held->targets, batches.targets());
      if (places.weight) append(held->weights, batches.weights());
      if (!go_on || go_on()) continue;
      data.cut_short = batches.next();
      break;
    }
    encoded.view.inputs = held->inputs.view();
    encoded.view.targets = held->targets.view();
    if (places.weight) encoded.view.weights = Columns(held->weights.view())[0];
    data.bytes = (held->inputs.size() + held->targets.size() + held->weights.size()) * sizeof(double);
    data.memory = held;
    encoded.dropped = batches.dropped();
    if (batches.dropped() > 0)
      encoded.notes.push_back(fmt::format("{}: {} rows left out for missing cells", table.origin(), batches.dropped()));
    if (batches.filled() > 0)
      encoded.notes.push_back(fmt::format("{}: {} missing cells filled in", table.origin(), batches.filled()));
    if (batches.unseen() > 0)
      encoded.notes.push_back(
          fmt::format("{}: {} cells have a level that the training table has not; the mean over "
                      "the levels stands in",
                      table.origin(), batches.unseen()));
  }
  if (!data.cut_short) check_not_empty(table, encoded.view.rows());
  if (places.weight) check_weights(encoded.view, table, *places.weight, encoded.dropped == 0 ? &encoded.rows : nullptr);
  return data;
}

}  // namespace rfnn
