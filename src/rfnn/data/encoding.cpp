#include "rfnn/data/encoding.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "rfnn/core/error.hpp"
#include "rfnn/data/indicators.hpp"
#include "rfnn/data/levels.hpp"
#include "rfnn/data/raw_cells.hpp"
#include "rfnn/data/stand_in.hpp"

namespace rfnn {
namespace {

std::string rows_text(std::size_t rows) { return fmt::format("{} {}", rows, rows == 1 ? "row" : "rows"); }

/// Everything a training table is turned into, column by column.
class TrainingEncoder {
 public:
  TrainingEncoder(const RawTable& table, Missing rule, const std::string& origin, std::span<const std::size_t> rows)
      : table_(table),
        rule_(rule),
        origin_(origin),
        part_(!rows.empty()),
        given_(part_ ? rows.size() : table.rows),
        rows_(rows.begin(), rows.end()),
        count_(given_) {}

  EncodedTable encode() {
    refuse_targets();
    count_missing();
    choose_rows();
    for (std::size_t k = 0; k < table_.inputs.size(); ++k) add_input(table_.inputs[k], missing_[k]);
    for (std::size_t k = 0; k < table_.targets.size(); ++k) add_target(table_.targets[k]);
    if (table_.weight) result_.view.weights = number_column(*table_.weight, false);
    if (any_missing_) add_indicators();
    finish();
    return std::move(result_);
  }

 private:
  void refuse_targets() const {
    for (const RawColumn& target : table_.targets) {
      if (target.code.kind == ColumnKind::time)
        throw InputError(fmt::format("{}: the target {} holds dates or times.", origin_, target.code.name),
                         "Learn a number, such as the days since some date.");
      if (const auto with_unit = levels_with_unit(target.code.name, target.code.levels);
          target.code.kind == ColumnKind::category && with_unit)
        throw InputError(fmt::format("{}: the target {} holds {}.", origin_, target.code.name, with_unit->text),
                         "Write the numbers alone, in one unit (a row below the header may name it).");
      if (target.code.kind == ColumnKind::category)
        throw InputError(fmt::format("{}: the target {} holds text.", origin_, target.code.name),
                         "A network learns numbers: give one, or true and false for two classes.");
    }
    if (table_.weight && table_.weight->code.kind != ColumnKind::number)
      throw InputError(fmt::format("{}: the weight {} holds no numbers.", origin_, table_.weight->code.name),
                       "Name a column of numbers in --weight.");
  }

  void count_missing() {
    std::size_t first = 0;
    const RawColumn* which = nullptr;
    const auto count = [&](const RawColumn& column) {
      std::size_t missing = 0;
      for (std::size_t i = 0; i < count_; ++i) {
        if (!is_missing(column, row(i))) continue;
        if (missing++ == 0 && (which == nullptr || i < first)) {
          first = i;
          which = &column;
        }
      }
      return missing;
    };
    for (const RawColumn& input : table_.inputs) missing_.push_back(count(input));
    for (const RawColumn& target : table_.targets) targets_missing_ += count(target);
    if (table_.weight) targets_missing_ += count(*table_.weight);
    any_missing_ = which != nullptr;
    if (!any_missing_ || rule_ != Missing::error) return;
    throw InputError(
        fmt::format("{}, row {}: the cell of column {} is missing.", origin_, row(first) + 1, which->code.name),
        "Give it, or choose --missing drop or --missing mean.");
  }

  /// None is left: for want of targets, which nothing can stand in for, or of other cells.
  [[noreturn]] void refuse_all_rows() const {
    const auto taught = [&](std::size_t i) {
      const auto known = [&](const RawColumn& column) { return !is_missing(column, row(i)); };
      return std::all_of(table_.targets.begin(), table_.targets.end(), known) &&
             (!table_.weight || known(*table_.weight));
    };
    for (std::size_t i = 0; i < count_; ++i)
      if (taught(i))
        throw InputError(fmt::format("{}: every row has a missing cell; none is left.", origin_),
                         "Fill them in with --missing mean, or leave columns out with --ignore.");
    throw InputError(fmt::format("{}: no row has {}; none is left.", origin_,
                                 table_.weight               ? "both target and weight"
                                 : table_.targets.size() > 1 ? "all targets"
                                                             : "a target"),
                     "Give targets, or name other columns in --target.");
  }

  /// The rows that stay, in `rows_`; all of them stay where it is empty and nothing was dropped.
  void choose_rows() {
    if (any_missing_) {
      std::vector<std::size_t> stay;
      for (std::size_t i = 0; i < count_; ++i) {
        const auto missing = [&](const RawColumn& column) { return is_missing(column, row(i)); };
        const bool goes =
            (rule_ == Missing::drop && std::any_of(table_.inputs.begin(), table_.inputs.end(), missing)) ||
            std::any_of(table_.targets.begin(), table_.targets.end(), missing) ||
            (table_.weight && missing(*table_.weight));
        if (!goes) stay.push_back(row(i));
      }
      result_.dropped = given_ - stay.size();
      if (stay.empty() && given_ > 0) refuse_all_rows();
      count_ = stay.size();
      if (part_ || result_.dropped > 0) rows_ = std::move(stay);
    }
    result_.view.inputs = Columns(count_);
    result_.view.targets = Columns(count_);
    if (table_.weight)
      for (std::size_t i = 0; i < count_; ++i) weights_.push_back(table_.weight->cells[row(i)]);
  }

  [[nodiscard]] std::size_t row(std::size_t i) const { return rows_.empty() ? i : rows_[i]; }

  std::vector<double>& made_column() { return made_->emplace_back(count_); }

  /// A column of numbers: as it is, or with what was dropped and filled in.
  ColumnView number_column(const RawColumn& column, bool has_missing, double fill = 0.0) {
    if (rows_.empty() && !has_missing) return column.cells;
    std::vector<double>& values = made_column();
    for (std::size_t i = 0; i < count_; ++i) {
      const double value = column.cells[row(i)];
      values[i] = std::isnan(value) ? fill : value;
    }
    return ColumnView(values.data());
  }

  /// The mean of what is there, each row as often as its weight says. It is rounded to half of a double's digits, of
  /// which the order of the rows, and with it the rounding of the sum, changes nothing.
  template <class ValueAt>
  double mean_where_known(const RawColumn& column, const ValueAt& value_at) const {
    long double sum = 0.0, weights = 0.0;
    for (std::size_t i = 0; i < count_; ++i) {
      if (is_missing(column, row(i))) continue;
      const double weight = weights_.empty() ? 1.0 : weights_[i];
      sum += static_cast<long double>(weight) * static_cast<long double>(value_at(i));
      weights += weight;
    }
    if (!(weights > 0.0)) return 0.0;
    constexpr int bits = 27;
    int exponent = 0;
    const double fraction = std::frexp(static_cast<double>(sum / weights), &exponent);
    return std::ldexp(std::round(std::ldexp(fraction, bits)), exponent - bits);
  }

  void add_input(const RawColumn& column, std::size_t missing) {
    if (missing > 0 && missing == given_ && (!part_ || column.code.kind == ColumnKind::category))
      throw InputError(fmt::format("{}: every cell of column {} is missing.", origin_, column.code.name),
                       fmt::format("Leave it out with --ignore {}.", column.code.name));
    ColumnCode& code = result_.code.inputs.emplace_back(column.code);
    code.missing = missing;
    first_input_.push_back(result_.view.inputs.size());
    const bool filled = rule_ == Missing::mean && missing > 0;
    switch (code.kind) {
      case ColumnKind::number:
      case ColumnKind::boolean:
        code.fill = {mean_where_known(column, [&](std::size_t i) { return column.cells[row(i)]; })};
        result_.view.inputs.add(number_column(column, filled, code.fill[0]));
        break;
      case ColumnKind::time:
        add_times(column, code);
        break;
      case ColumnKind::category:
        add_levels(column, code);
        break;
    }
  }

  void add_times(const RawColumn& column, ColumnCode& code) {
    const bool clock = code.time.form == TimeForm::time_of_day;
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    for (std::size_t i = 0; i < count_; ++i)
      if (!is_missing(column, row(i))) first = std::min(first, day_of(column, row(i)));
    code.time.origin = clock || first == std::numeric_limits<std::int64_t>::max() ? 0 : first;
    const auto value = [&](std::size_t i) { return days_since(code.time.origin, column, row(i)); };
    code.fill = {mean_where_known(column, value)};
    std::vector<double>& values = made_column();
    for (std::size_t i = 0; i < count_; ++i) values[i] = is_missing(column, row(i)) ? code.fill[0] : value(i);
    result_.view.inputs.add(ColumnView(values.data()));
  }

  void add_levels(const RawColumn& column, ColumnCode& code) {
    std::vector<double> counts(column.code.levels.size(), 0.0), weighted = counts;
    double known = 0.0;
    for (std::size_t i = 0; i < count_; ++i) {
      if (is_missing(column, row(i))) continue;
      const auto level = static_cast<std::size_t>(column.cells[row(i)]);
      counts[level] += 1.0;
      weighted[level] += weights_.empty() ? 1.0 : weights_[i];
      known += 1.0;
    }
    std::vector<std::size_t> order;
    for (std::size_t k = 0; k < counts.size(); ++k)
      if (counts[k] > 0.0) order.push_back(k);
    const auto& levels = column.code.levels;
    check_units(column, order);
    check_levels(column, order.size(), known);
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return level_before(levels[a], levels[b]); });
    code.levels.clear();
    code.fill.clear();
    double all = 0.0;
    for (const std::size_t k : order) all += weighted[k];
    for (const std::size_t k : order) {
      code.levels.push_back(levels[k]);
      code.fill.push_back(all > 0.0 ? weighted[k] / all : 1.0 / static_cast<double>(order.size()));
      std::vector<double>& values = made_column();
      for (std::size_t i = 0; i < count_; ++i) {
        const double cell = column.cells[row(i)];
        values[i] = std::isnan(cell) ? code.fill.back() : cell == static_cast<double>(k) ? 1.0 : 0.0;
      }
      result_.view.inputs.add(ColumnView(values.data()));
    }
  }

  void check_levels(const RawColumn& column, std::size_t levels, double known) const {
    constexpr double fewest = 10.0;
    const std::string leave_out = fmt::format("Leave it out with --ignore '{}'", column.code.name);
    if (part_) return;
    if (levels > most_levels)
      throw InputError(fmt::format("{}: column {} holds text of {} different values; a category may have {}.", origin_,
                                   column.code.name, levels, most_levels),
                       cure_of_many_levels(column.code.name));
    if (!column.asked && known >= fewest && 2.0 * static_cast<double>(levels) > known)
      throw InputError(
          fmt::format("{}: column {} holds text that is another in nearly every row ({} values in {} rows).", origin_,
                      column.code.name, levels, known),
          leave_out + fmt::format(", or say that it is a category with --categorical '{}'.", column.code.name));
  }

  /// `order`: the levels that occur.
  void check_units(const RawColumn& column, const std::vector<std::size_t>& order) {
    if (column.asked || part_) return;
    std::vector<std::string> there;
    for (const std::size_t k : order) there.push_back(column.code.levels[k]);
    const auto with_unit = levels_with_unit(column.code.name, there);
    if (!with_unit) return;
    if (with_unit->refused)
      throw InputError(fmt::format("{}: column {} holds {}.", origin_, column.code.name, with_unit->text),
                       with_unit->cure);
    units_.push_back(fmt::format("{}: {}, taken for {} levels. {}", column.code.name, with_unit->text, there.size(),
                                 with_unit->cure));
  }

  void add_target(const RawColumn& column) {
    result_.code.targets.push_back(column.code);
    result_.view.targets.add(number_column(column, false));
  }

  /// Inputs that say where a cell was missing, for those columns that they help.
  void add_indicators() {
    if (rule_ != Missing::mean) return;
    constexpr std::size_t fewest = 5;
    std::vector<std::size_t> columns;
    std::vector<std::vector<std::size_t>> own;
    Columns candidates(count_);
    std::vector<std::vector<double>> flags;
    flags.reserve(table_.inputs.size());
    for (std::size_t k = 0; k < table_.inputs.size(); ++k) {
      std::vector<double>& flag = flags.emplace_back(count_);
      for (std::size_t i = 0; i < count_; ++i) flag[i] = is_missing(table_.inputs[k], row(i)) ? 1.0 : 0.0;
      const auto there = static_cast<std::size_t>(std::accumulate(flag.begin(), flag.end(), 0.0));
      if (there < fewest || count_ - there < fewest) {
        flags.pop_back();
        continue;
      }
      columns.push_back(k);
      candidates.add(ColumnView(flag.data()));
      own.emplace_back(inputs_of(result_.code.inputs[k]));
      std::iota(own.back().begin(), own.back().end(), first_input_[k]);
    }
    const std::vector<bool> helps =
        helpful_indicators(result_.view.inputs, candidates, own, result_.view.targets, weights_);
    Columns inputs(count_);
    for (std::size_t k = 0; k < table_.inputs.size(); ++k) {
      const std::size_t end = k + 1 < first_input_.size() ? first_input_[k + 1] : result_.view.inputs.size();
      for (std::size_t j = first_input_[k]; j < end; ++j) inputs.add(result_.view.inputs[j]);
      const auto found = std::find(columns.begin(), columns.end(), k);
      const auto place = static_cast<std::size_t>(found - columns.begin());
      if (found == columns.end() || !helps[place]) continue;
      result_.code.inputs[k].indicator = true;
      inputs.add(ColumnView(made_->emplace_back(std::move(flags[place])).data()));
    }
    result_.view.inputs = std::move(inputs);
  }

  void finish() {
    for (const auto& values : *made_) result_.bytes += values.size() * sizeof(double);
    result_.memory = made_;
    result_.rows = rows_;
    add_notes();
    result_.view.input_names = input_names(result_.code);
    for (const ColumnCode& target : result_.code.targets) result_.view.target_names.push_back(target.name);
    check(result_.code);
    if (!part_ && is_plain(result_.code)) result_.code = {};
  }

  void add_notes() {
    for (const ColumnCode& code : result_.code.inputs)
      if (code.kind != ColumnKind::number) result_.notes.push_back(code.name + ": " + describe(code));
    for (const ColumnCode& code : result_.code.targets)
      if (code.kind != ColumnKind::number) result_.notes.push_back(code.name + ": " + describe(code));
    result_.notes.insert(result_.notes.end(), units_.begin(), units_.end());
    std::string which;
    for (const ColumnCode& code : result_.code.inputs)
      if (code.missing > 0)
        which += fmt::format("{}{} {}{}", which.empty() ? "" : ", ", code.missing, code.name,
                             code.indicator ? " (with an input that says where)" : "");
    if (!which.empty())
      result_.notes.push_back(
          fmt::format("missing cells: {}{}", which, rule_ == Missing::mean ? "; filled by the column's mean" : ""));
    if (targets_missing_ > 0) result_.notes.push_back(fmt::format("missing targets or weights: {}", targets_missing_));
    if (result_.dropped > 0)
      result_.notes.push_back(fmt::format("{} of {} left out for {} missing cells", result_.dropped,
                                          rows_text(table_.rows), result_.dropped == 1 ? "its" : "their"));
  }

  const RawTable& table_;
  Missing rule_;
  const std::string& origin_;
  EncodedTable result_;
  std::shared_ptr<std::vector<std::vector<double>>> made_ = std::make_shared<std::vector<std::vector<double>>>();
  std::vector<std::size_t> missing_;  ///< cells, per input
  std::size_t targets_missing_ = 0;
  std::vector<std::string> units_;  ///< notes on levels that are numbers with a unit
  bool any_missing_ = false;
  bool part_;                      ///< only some rows were asked for
  std::size_t given_;              ///< rows that were
  std::vector<std::size_t> rows_;  ///< of them those that stay; empty: all of the table
  std::size_t count_;
  std::vector<double> weights_;           ///< of the rows that stay
  std::vector<std::size_t> first_input_;  ///< per column
};

}  // namespace

EncodedTable encode_training(const RawTable& table, Missing rule, const std::string& origin,
                             std::span<const std::size_t> rows) {
  return TrainingEncoder(table, rule, origin, rows).encode();
}

bool RowEncoder::encode(const double* cells, double* inputs) {
  bool complete = true;
  for (std::size_t k = 0; k < code_->inputs.size(); ++k) {
    const ColumnCode& column = code_->inputs[k];
    const double cell = cells[k];
    const bool missing = std::isnan(cell);
    if (missing && used_[k]) {
      filled_ += fills_ ? 1 : 0;
      complete = complete && fills_;
    }
    const bool unseen = column.kind == ColumnKind::category && cell == unseen_level;
    double* const first = inputs;
    if (column.kind != ColumnKind::category) {
      *inputs++ = missing ? column.fill[0] : cell;
    } else {
      unseen_ += unseen ? 1 : 0;
      for (std::size_t level = 0; level < column.levels.size(); ++level)
        *inputs++ = missing || unseen ? column.fill[level] : cell == static_cast<double>(level) ? 1.0 : 0.0;
    }
    // An indicator says so itself.
    if (unseen && marks_) *first = marked(*first, StandIn::unseen);
    if (missing && marks_ && !column.indicator) *first = marked(*first, StandIn::missing);
    if (column.indicator) *inputs++ = missing ? 1.0 : 0.0;
  }
  return complete;
}

}  // namespace rfnn
