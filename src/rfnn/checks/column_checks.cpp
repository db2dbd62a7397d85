#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rfnn/checks/checks.hpp"
#include "rfnn/checks/dates.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/data/levels.hpp"
#include "rfnn/data/statistics.hpp"
#include "rfnn/training/standardise.hpp"

namespace rfnn::checks {
namespace {

/// One column, and where its problems go.
class ColumnCheck {
 public:
  ColumnCheck(const CheckedTable& table, const CheckedColumn& column, bool target, std::vector<TableProblem>& problems)
      : table_(table), column_(column), target_(target), problems_(problems) {}

  void run() {
    if (refused_target() || refused_category()) return;
    distinct_ = distinct_values(column_.values, table_.rows);
    if (check_missing() || refused_size() || check_constant()) return;
    if (column_.code.kind == ColumnKind::number) {
      if (check_dates()) return;
      if (!check_sentinels()) check_tails();
      check_cut_off();
    }
    check_nearly_constant();
  }

 private:
  void add(std::string kind, std::size_t count, std::size_t row, std::string text, std::string cure,
           bool refused = false) {
    problems_.push_back(placed({.column = column_.code.name,
                                .kind = std::move(kind),
                                .count = count,
                                .text = std::move(text),
                                .cure = std::move(cure),
                                .refused = refused},
                               table_, row));
  }
  std::size_t row_of(double value) const {
    return first_row(column_.values, table_.rows, [&](double v) { return v == value; });
  }
  [[nodiscard]] std::string ignore() const { return "--ignore " + word(column_.code.name); }

  /// A value as the file has it.
  [[nodiscard]] std::string shown(double value) const {
    const ColumnCode& code = column_.code;
    if (code.kind == ColumnKind::category) return "\"" + code.levels.at(static_cast<std::size_t>(value)) + "\"";
    if (code.kind == ColumnKind::boolean) return value == 0.0 ? "false" : "true";
    if (code.kind == ColumnKind::time) return moment_text(value, 0, code.time.form);
    return number(value);
  }

  bool refused_target() {
    if (!target_ || column_.code.kind == ColumnKind::number || column_.code.kind == ColumnKind::boolean) return false;
    const bool time = column_.code.kind == ColumnKind::time;
    if (const auto with_unit = levels_with_unit(column_.code.name, column_.code.levels); !time && with_unit) {
      add("target", table_.rows, 0, fmt::format("the target holds {}.", with_unit->text),
          "Write the numbers alone, in one unit (a row below the header may name it).", true);
      return true;
    }
    add("target", table_.rows, 0, time ? "the target holds dates or times." : "the target holds text.",
        time ? "Learn a number, such as the days since some date."
             : "A network learns numbers: give one, or true and false for two classes.",
        true);
    return true;
  }

  /// Text of too many values.
  bool refused_category() {
    if (column_.code.kind != ColumnKind::category) return false;
    const std::size_t levels = column_.code.levels.size();
    const auto known = static_cast<double>(table_.rows);
    if (check_mixed() || check_units()) return true;
    const bool each_another = !column_.asked && known >= 10.0 && 2.0 * static_cast<double>(levels) > known;
    if (levels <= most_levels && !each_another) return false;
    if (each_another)
      add("identifier", levels, 0, fmt::format("text that is another in nearly every row ({} values).", levels),
          "Leave it out with " + ignore() + ".", true);
    else
      add("levels", levels, 0, fmt::format("text of {} different values; a category may have {}.", levels, most_levels),
          cure_of_many_levels(column_.code.name), true);
    return true;
  }

  /// Times, and a few cells that are none: all of them are taken for text then.
  bool check_mixed() {
    constexpr double most = 0.8;
    std::vector<bool> time;
    for (const std::string& level : column_.code.levels) time.push_back(parse_moment(level).has_value());
    std::size_t times = 0, others = 0;
    const auto is_other = [&](double value) { return !std::isnan(value) && !time[static_cast<std::size_t>(value)]; };
    for (std::size_t i = 0; i < table_.rows; ++i) {
      if (is_other(column_.values[i]))
        ++others;
      else if (!std::isnan(column_.values[i]))
        ++times;
    }
    if (column_.asked || others == 0 || static_cast<double>(times) < most * static_cast<double>(times + others))
      return false;
    const std::size_t first = first_row(column_.values, table_.rows, is_other);
    add("mixed", others, first,
        fmt::format("{} among dates or times: the column is read as text.", shown(column_.values[first])),
        "Correct the cell, or tell what stands for missing ones with --missing-values.");
    return true;
  }

  /// Numbers that each have their unit.
  bool check_units() {
    if (column_.asked) return false;
    const auto with_unit = levels_with_unit(column_.code.name, column_.code.levels);
    if (!with_unit) return false;
    add("unit", distinct_values(column_.values, table_.rows).known, 0,
        with_unit->text + (with_unit->refused ? "." : ", taken for levels of a category."), with_unit->cure,
        with_unit->refused);
    return true;
  }

  /// Cells with the rule to leave rows out or to fill them in; those that are refused are told one by one.
  bool check_missing() {
    const std::size_t missing = table_.rows - distinct_.known;
    if (distinct_.known == 0) {
      add("missing", missing, 0, "every cell is missing.",
          target_ ? "There is nothing to learn: name another --target." : "Leave it out with " + ignore() + ".", true);
      return true;
    }
    constexpr double most = 0.5;
    if (static_cast<double>(missing) > most * static_cast<double>(table_.rows))
      add("missing", missing, first_row(column_.values, table_.rows, [](double v) { return std::isnan(v); }),
          fmt::format("{} of {} cells are missing.", missing, table_.rows),
          target_ ? "Rows without a target teach nothing." : "Leave it out with " + ignore() + ".");
    return false;
  }

  /// Numbers whose squares are none any more.
  bool refused_size() {
    if (column_.code.kind != ColumnKind::number) return false;
    const double low = distinct_.values.front(), high = distinct_.values.back();
    const double largest = std::abs(low) > std::abs(high) ? low : high;
    try {
      training::check_magnitude(std::abs(largest), table_.rows, column_.code.name);
      return false;
    } catch (const NumericalError& error) {
      add("too-large", distinct_.known, row_of(largest), error.cause(), error.cure(), true);
      return true;
    }
  }

  bool check_constant() {
    if (table_.rows < 2) return false;
    const double low = distinct_.values.front(), high = distinct_.values.back();
    const double ends[] = {low, high};
    const Columns both(2, {ColumnView(ends)});
    if (low != high && (column_.code.kind != ColumnKind::number || !column_statistics(both)[0].constant)) return false;
    if (2 * distinct_.known < table_.rows) return true;  // what is wrong is that most cells are missing or refused
    const std::string where = distinct_.known == table_.rows ? " in every row" : " in every row that has a value";
    const bool digits_lost = column_.code.kind == ColumnKind::number && std::abs(low) >= training::every_integer;
    if (digits_lost) {
      add("constant", distinct_.known, 0,
          fmt::format("one number, {},{} as far as the 16 digits that are read of each tell.", number(low), where),
          target_ ? "There is nothing to learn: its value is the model."
                  : "If they differ further on: from numbers that were measured subtract the first one; names of "
                    "things teach nothing. " +
                        ignore() + " leaves the column out.");
      return true;
    }
    const std::string what = low == high ? shown(low) + where + "." : number(low) + where + ", but for rounding.";
    add("constant", distinct_.known, 0, what,
        target_ ? "There is nothing to learn: its value is the model."
                : "It tells nothing and is not looked at; " + ignore() + " says so.");
    return true;
  }

  void check_nearly_constant() {
    constexpr double share = 0.005;
    constexpr std::size_t fewest_rows = 50, always = 2;
    const auto top = std::max_element(distinct_.counts.begin(), distinct_.counts.end()) - distinct_.counts.begin();
    const std::size_t others = distinct_.known - distinct_.counts[static_cast<std::size_t>(top)];
    const auto most = std::max(always, static_cast<std::size_t>(share * static_cast<double>(distinct_.known)));
    if (distinct_.known < fewest_rows || others > most || told_) return;
    const double value = distinct_.values[static_cast<std::size_t>(top)];
    add("nearly-constant", others,
        first_row(column_.values, table_.rows, [&](double v) { return !std::isnan(v) && v != value; }),
        fmt::format("{} in all rows but {}.", shown(value), others),
        target_ ? "Held-out rows will hardly have others: look at those rows by themselves."
                : "Too few rows to learn from: leave it out with " + ignore() + ".");
  }

  bool check_dates() {
    const std::optional<PackedForm> form = packed_dates(distinct_.values);
    if (!form) return false;
    add("date", distinct_.known, 0,
        fmt::format("numbers that are {}, as {}: their differences are no lengths of time.", form->what,
                    fmt::format("{:.0f}", distinct_.values.front())),
        target_ ? "Learn a number, such as the days since some date."
                : fmt::format("Write them as {}: dates and times are read as days.", form->instead));
    return true;
  }

  /// Values that stand for something else.
  bool check_sentinels() {
    const std::size_t values = distinct_.values.size();
    if (values < 3 || distinct_.known < 10) return false;
    bool found = false;
    for (const bool low : {true, false}) {
      const std::size_t k = low ? 0 : values - 1;
      const double value = distinct_.values[k];
      const double rest_low = distinct_.values[low ? 1 : 0],
                   rest_high = distinct_.values[low ? values - 1 : values - 2];
      const double range = rest_high - rest_low, gap = low ? rest_low - value : value - rest_high;
      if (!is_sentinel(value, distinct_.counts[k], gap, range, low && rest_low >= 0.0)) continue;
      found = told_ = true;
      add("sentinel", distinct_.counts[k], row_of(value),
          fmt::format("{} in {}, far from all others ({} to {}).", number(value), counted(distinct_.counts[k], "cell"),
                      number(rest_low), number(rest_high)),
          fmt::format("If it stands for missing cells, give --missing-values={} and --missing {}.", number(value),
                      target_ ? "drop" : "mean"));
    }
    return found;
  }

  [[nodiscard]] bool is_sentinel(double value, std::size_t count, double gap, double range,
                                 bool sign_of_its_own) const {
    static constexpr std::array<double, 12> nines = {99,   999,   9999, 99999, 999999, 9999999,
                                                     99.9, 999.9, 9.99, 99.99, 999.99, 9999.99};
    static constexpr std::array<double, 8> limits = {
        32767, 32768, 65535, 2147483647, 2147483648, 4294967295, 9.969209968386869e36, 1e20};
    const std::size_t values = distinct_.values.size(), known = distinct_.known;
    const auto among = [&](const auto& list) {
      return std::any_of(list.begin(), list.end(),
                         [&](double v) { return std::abs(std::abs(value) - v) <= 1e-12 * v; });
    };
    constexpr std::size_t often = 3, many = 8;
    if (among(limits) || std::abs(value) > 1e29) return gap > range;
    if (among(nines)) return gap > 0.5 * range || (sign_of_its_own && std::abs(value) >= 99.0 && count >= often);
    return values >= many && count >= often && count <= known / 3 && gap > 2.0 * range;
  }

  /// Readings beyond what could be measured, or was allowed to be.
  void check_cut_off() {
    constexpr std::size_t fewest = 10, beside = 10, fewest_values = 30;
    constexpr double share = 0.005, times = 10.0;
    const std::size_t values = distinct_.values.size();
    if (values < fewest_values) return;
    for (const bool low : {true, false}) {
      const std::size_t k = low ? 0 : values - 1;
      const std::size_t count = distinct_.counts[k];
      const double value = distinct_.values[k];
      if (value == 0.0 || count < fewest || static_cast<double>(count) < share * static_cast<double>(distinct_.known))
        continue;
      double mean = 0.0;
      for (std::size_t j = 1; j <= beside; ++j)
        mean += static_cast<double>(distinct_.counts[low ? j : values - 1 - j]) / static_cast<double>(beside);
      if (static_cast<double>(count) < times * mean || is_plateau(value)) continue;
      if (std::exchange(told_, true) && has_sentinel(value)) continue;
      add("cut-off", count, row_of(value),
          fmt::format("{} in {}, the {} value there is and {} times as often as those next to it.", number(value),
                      counted(count, "cell"), low ? "least" : "greatest",
                      number(std::round(static_cast<double>(count) / mean))),
          low ? "If readings were cut off there, the true ones are lower: leave such rows out, or expect predictions "
                "that are too high there."
              : "If readings were cut off there, the true ones are higher: leave such rows out, or expect predictions "
                "that are too low there.");
    }
  }

  /// Is the value that of one or two stretches along the only input, where the target may well be flat?
  [[nodiscard]] bool is_plateau(double value) const {
    constexpr std::size_t few = 2;
    if (table_.inputs.size() != 1) return false;
    std::vector<std::pair<double, double>> along;
    for (std::size_t i = 0; i < table_.rows; ++i) along.emplace_back(table_.inputs[0].values[i], column_.values[i]);
    std::erase_if(along, [](const auto& pair) { return std::isnan(pair.first) || std::isnan(pair.second); });
    std::sort(along.begin(), along.end());
    std::size_t stretches = 0;
    for (std::size_t i = 0; i < along.size(); ++i)
      if (along[i].second == value && (i == 0 || along[i - 1].second != value)) ++stretches;
    return stretches <= few;
  }

  [[nodiscard]] bool has_sentinel(double value) const {
    return std::any_of(problems_.begin(), problems_.end(), [&](const TableProblem& problem) {
      return problem.column == column_.code.name && problem.kind == "sentinel" &&
             problem.text.starts_with(number(value) + " ");
    });
  }

  /// A few rows that have most of the squares.
  void check_tails() {
    constexpr std::size_t fewest_rows = 100, fewest_values = 30;
    constexpr double hundredth = 0.01, most = 0.5;
    if (distinct_.known < fewest_rows || distinct_.values.size() < fewest_values) return;
    double median = 0.0;
    for (std::size_t k = 0, seen = 0; k < distinct_.values.size() && 2 * seen < distinct_.known; ++k) {
      median = distinct_.values[k];
      seen += distinct_.counts[k];
    }
    std::vector<double> squares;
    const double scale = std::max(distinct_.values.back() - median, median - distinct_.values.front());
    double sum = 0.0;
    for (std::size_t k = 0; k < distinct_.values.size(); ++k) {
      const double off = (distinct_.values[k] - median) / scale;
      squares.insert(squares.end(), distinct_.counts[k], off * off);
      sum += static_cast<double>(distinct_.counts[k]) * off * off;
    }
    const auto few = static_cast<std::size_t>(std::ceil(hundredth * static_cast<double>(squares.size())));
    std::nth_element(squares.begin(), squares.begin() + static_cast<std::ptrdiff_t>(few), squares.end(),
                     [](double a, double b) { return a > b; });
    double top = 0.0;
    for (std::size_t i = 0; i < few; ++i) top += squares[i];
    if (top <= most * sum) return;
    const bool above = distinct_.values.back() - median > median - distinct_.values.front();
    const double farthest = above ? distinct_.values.back() : distinct_.values.front();
    const bool positive = distinct_.values.front() > 0.0;
    if (!target_ && positive) return;  // preset auto asks whether its logarithm is the better input
    add("heavy-tails", few, row_of(farthest),
        fmt::format("{} of {} have {:.0f} % of the squares about the median {}; the farthest is {}.", few,
                    counted(distinct_.known, "cell"), 100.0 * top / sum, number(median), number(farthest)),
        target_ ? (positive ? "Squared errors will be those of these rows: look at them, or learn the logarithm."
                            : "Squared errors will be those of these rows: look at them, and for wrong values.")
                : "Look for wrong values there; a root or a logarithm of the size spreads the others.");
  }

  const CheckedTable& table_;
  const CheckedColumn& column_;
  bool target_;
  std::vector<TableProblem>& problems_;
  Distinct distinct_;
  bool told_ = false;
};

}  // namespace

std::vector<TableProblem> check_columns(const CheckedTable& table) {
  std::vector<TableProblem> problems;
  for (const CheckedColumn& column : table.inputs) ColumnCheck(table, column, false, problems).run();
  for (const CheckedColumn& column : table.targets) ColumnCheck(table, column, true, problems).run();
  return problems;
}

}  // namespace rfnn::checks
