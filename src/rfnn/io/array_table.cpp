#include "rfnn/io/array_table.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "rfnn/core/error.hpp"
#include "rfnn/data/encoding.hpp"
#include "rfnn/io/cell_readers.hpp"
#include "rfnn/io/csv_cells.hpp"
#include "rfnn/io/csv_faults.hpp"
#include "rfnn/io/table_survey.hpp"
#include "rfnn/io/text.hpp"
#include "rfnn/options/number_text.hpp"

namespace rfnn::io {
namespace {

constexpr double missing_cell = std::numeric_limits<double>::quiet_NaN();

class ArrayTable : public TableReader {
 public:
  ArrayTable(std::vector<ArrayColumn> columns, std::size_t rows, std::string origin, const TableFormat& format)
      : columns_(std::move(columns)), rows_(rows), known_(columns_.size()) {
    origin_ = std::move(origin);
    has_header_ = true;
    for (const ArrayColumn& column : columns_) names_.push_back(column.name);
    rules_.missing_words = format.missing_words;
    for (const std::string& word : format.missing_words)
      if (double value = 0.0; classify_cell(word, value) == CellKind::number) missing_numbers_.push_back(value);
    rules_.missing_numbers = missing_numbers_;
    selected_.resize(names_.size());
    std::iota(selected_.begin(), selected_.end(), std::size_t{0});
  }

  std::size_t read(Matrix& batch, std::size_t rows) override {
    const std::size_t count = std::min(rows, rows_ - next_row_);
    if (batch.rows() != count || batch.cols() != selected_.size()) batch = Matrix(count, selected_.size());
    for (std::size_t j = 0; j < selected_.size(); ++j)
      for (std::size_t i = 0; i < count; ++i) batch(i, j) = cell(next_row_ + i, j);
    next_row_ += count;
    return count;
  }

 protected:
  std::vector<ColumnCode> first_kinds(const std::vector<bool>& categorical) override {
    // As many rows as of a text table: what is the same is read as the same.
    constexpr std::size_t most_rows = 1000, most_cells = 200'000, fewest_rows = 20;
    const std::size_t width = std::max<std::size_t>(names_.size(), 1);
    const std::size_t rows = std::min(rows_, std::clamp(most_cells / width, fewest_rows, most_rows));
    std::vector<ColumnCode> kinds;
    for (std::size_t j = 0; j < selected_.size(); ++j) {
      const ArrayColumn& column = columns_[selected_[j]];
      ColumnCode& kind = kinds.emplace_back(kind_of(column, rows, categorical[j]));
      kind.name = column.name;
      kind.position = selected_[j];
      kind.unit = column.unit;
    }
    return kinds;
  }

 private:
  [[nodiscard]] ColumnCode kind_of(const ArrayColumn& column, std::size_t rows, bool categorical) const {
    if (column.holds == Holds::times) {
      if (categorical)
        throw UsageError(origin_ + ": column " + shown(column.name) + " holds dates or times, and they are no levels.",
                         "Turn them into text, such as the name of the day, or leave the column out of --categorical.");
      return {.name = column.name, .kind = ColumnKind::time, .time = column.time};
    }
    if (column.holds == Holds::categories || categorical) return {.name = column.name, .kind = ColumnKind::category};
    if (column.holds == Holds::booleans) return {.name = column.name, .kind = ColumnKind::boolean};
    if (column.holds == Holds::numbers) return {.name = column.name};
    KindFinder finder;
    for (std::size_t i = 0; i < rows; ++i)
      if (const double place = column.cells[i]; !std::isnan(place)) finder.see(text_at(column, place), rules_);
    return finder.kind(false);
  }

  [[nodiscard]] static const std::string& text_at(const ArrayColumn& column, double place) {
    return column.texts.at(static_cast<std::size_t>(place));
  }

  double cell(std::size_t row, std::size_t j) {
    const ArrayColumn& column = columns_[selected_[j]];
    switch (column.holds) {
      case Holds::times:
        return time_cell(row, j);
      case Holds::texts:
      case Holds::categories:
        return text_cell(row, j);
      case Holds::booleans:
        if (const double truth = column.cells[row]; !std::isnan(truth) && kind(j) == ColumnKind::category)
          return read_text(truth != 0.0 ? "True" : "False", row, j);
        break;
      case Holds::numbers:
        break;
    }
    const double value = number_cell(column.cells[row], j);
    if (std::isinf(value))
      return refused(row, j, "infinite", {shortest(value) + " is infinite.", "Give the number or remove the row."});
    return std::isnan(value) ? missing(row, j) : value;
  }

  /// A cell that is missing, where that may be.
  double missing(std::size_t row, std::size_t j) const {
    if (!accept_missing_)
      return refused(row, j, "missing",
                     {"the cell is missing.", "Give it, or choose --missing drop or --missing mean."});
    return unknown(j);
  }

  [[nodiscard]] double unknown(std::size_t j) const { return cells_ ? cells_->columns[j].missing() : missing_cell; }

  /// A cell that cannot be taken as it is: an error, or one for the survey and a missing cell.
  double refused(std::size_t row, std::size_t j, const std::string& kind, const CellReason& reason) const {
    if (!survey_) throw InputError(place_of(row, j) + ": " + reason.cause, reason.cure);
    survey_->add(names_[selected_[j]], kind, row + 1, reason.cause, reason.cure);
    return unknown(j);
  }

  double time_cell(std::size_t row, std::size_t j) const {
    const ArrayColumn& column = columns_[selected_[j]];
    const double bits = column.cells[row];
    const auto count = std::bit_cast<std::int64_t>(bits);
    if (kind(j) != ColumnKind::time)
      throw InputError(place_of(row, j) + " is a date or a time, and training had " +
                           (kind(j) == ColumnKind::category ? "categories." : "numbers."),
                       "Give what training had.");
    const CellReader& reader = cells_->columns[j];
    const TimeScale& scale = reader.code().time;
    const bool clock = scale.form == TimeForm::time_of_day, dates = column.time.form == TimeForm::date;
    if (clock != (column.time.form == TimeForm::time_of_day) ||
        (!clock && !dates && scale.zoned != column.time.zoned) || (dates && scale.zoned))
      throw InputError(place_of(row, j) + ": a column of the form " + described(column.time) + ", where training had " +
                           described(scale) + ".",
                       "Give times as training had them, with a zone or without.");
    if (count == missing_time) return missing(row, j);
    if (cells_->counts) return bits;
    if (dates) return days_from(scale.origin, count, 0);
    const std::int64_t rest = clock ? count : (count % nanoseconds_per_day + nanoseconds_per_day) % nanoseconds_per_day;
    return days_from(scale.origin, clock ? 0 : (count - rest) / nanoseconds_per_day, rest);
  }

  static std::string described(const TimeScale& scale) {
    const bool zone = scale.form == TimeForm::date_time;
    return std::string(name_of(scale.form)) + (zone ? (scale.zoned ? " with a zone" : " without a zone") : "");
  }

  /// Each text of a column is read once.
  double text_cell(std::size_t row, std::size_t j) {
    const ArrayColumn& column = columns_[selected_[j]];
    const double place = column.cells[row];
    if (std::isnan(place)) return missing(row, j);
    Known& known = known_[selected_[j]];
    if (known.readers != cells_.get() || known.values.empty()) known = {cells_.get(), {}};
    known.values.resize(column.texts.size(), unread);
    double& value = known.values[static_cast<std::size_t>(place)];
    if (std::bit_cast<std::uint64_t>(value) != std::bit_cast<std::uint64_t>(unread)) return value;
    const double read = read_text(text_at(column, place), row, j);
    if (!survey_) value = read;  // which counts every cell that is refused
    return read;
  }

  double read_text(std::string_view text, std::size_t row, std::size_t j) {
    text = trimmed(text);
    double value = 0.0;
    if (kind(j) == ColumnKind::number) {
      const CellKind found = classify_cell(text, value, rules_);
      if (found == CellKind::number && !rules_.is_missing(value)) return value;
      if (found == CellKind::missing || found == CellKind::number) return missing(row, j);
      return refused(row, j, word_of(found), cell_reason(columns_[selected_[j]].name, std::string(text), found));
    }
    CellReader& reader = cells_->columns[j];
    using Found = CellReader::Found;
    Found found = reader.read(text, rules_, value);
    if (found == Found::new_level && reader.add_level(text)) found = reader.read(text, rules_, value);
    if (found == Found::value) return value;
    if (found == Found::missing) return missing(row, j);
    return refused(row, j, found == Found::refused ? "unlike" : "levels", reader.reason(text));
  }

  [[nodiscard]] ColumnKind kind(std::size_t j) const { return cells_ ? cells_->columns[j].kind() : ColumnKind::number; }

  [[nodiscard]] std::string place_of(std::size_t row, std::size_t j) const {
    return origin_ + ", row " + std::to_string(row + 1) + ", " + shown_column(selected_[j], names_[selected_[j]]);
  }

  /// What the texts of a column are by these readers.
  struct Known {
    const CellReaders* readers = nullptr;
    std::vector<double> values;
  };
  /// No number that a cell becomes.
  static constexpr double unread = -std::numeric_limits<double>::infinity();

  std::vector<ArrayColumn> columns_;
  std::size_t rows_, next_row_ = 0;
  std::vector<Known> known_;
  CellRules rules_;
};

}  // namespace

std::unique_ptr<TableReader> open_arrays(std::vector<ArrayColumn> columns, std::size_t rows, std::string origin,
                                         const TableFormat& format) {
  return std::make_unique<ArrayTable>(std::move(columns), rows, std::move(origin), format);
}

}  // namespace rfnn::io
