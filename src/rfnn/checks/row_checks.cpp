#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rfnn/checks/checks.hpp"
#include "rfnn/data/row_hash.hpp"

namespace rfnn::checks {
namespace {

bool complete(const CheckedTable& table, std::size_t row) {
  const auto known = [&](const CheckedColumn& column) { return !std::isnan(column.values[row]); };
  return std::all_of(table.inputs.begin(), table.inputs.end(), known) &&
         std::all_of(table.targets.begin(), table.targets.end(), known);
}

bool same_inputs(const CheckedTable& table, std::size_t a, std::size_t b) {
  return std::all_of(table.inputs.begin(), table.inputs.end(),
                     [&](const CheckedColumn& column) { return column.values[a] == column.values[b]; });
}

/// Rows with the same inputs stand together; rows with missing cells are left out.
std::vector<std::size_t> rows_by_inputs(const CheckedTable& table) {
  Columns inputs(table.rows);
  for (const CheckedColumn& column : table.inputs) inputs.add(column.values);
  std::vector<std::uint64_t> hash(table.rows, 0);
  hash_rows(inputs, hash);
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < table.rows; ++i)
    if (complete(table, i)) rows.push_back(i);
  std::sort(rows.begin(), rows.end(),
            [&](std::size_t a, std::size_t b) { return std::pair(hash[a], a) < std::pair(hash[b], b); });
  return rows;
}

double variance(const ColumnView& values, const std::vector<std::size_t>& rows) {
  double mean = 0.0, sum = 0.0;
  for (const std::size_t row : rows) mean += values[row] / static_cast<double>(rows.size());
  for (const std::size_t row : rows)
    sum += (values[row] - mean) * (values[row] - mean) / static_cast<double>(rows.size());
  return sum;
}

/// Equal inputs with different targets: what no function of the inputs can learn.
void check_duplicates(const CheckedTable& table, const std::vector<std::size_t>& rows,
                      std::vector<TableProblem>& problems) {
  constexpr double told_from = 1e-6;
  for (const CheckedColumn& target : table.targets) {
    const double all = variance(target.values, rows);
    double left = 0.0;  // sum of squares about the means of equal inputs
    std::size_t count = 0, first = table.rows;
    for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
      for (end = begin + 1; end < rows.size() && same_inputs(table, rows[begin], rows[end]);) ++end;
      const std::vector<std::size_t> group(rows.begin() + static_cast<std::ptrdiff_t>(begin),
                                           rows.begin() + static_cast<std::ptrdiff_t>(end));
      const bool differ = std::any_of(group.begin(), group.end(),
                                      [&](std::size_t row) { return target.values[row] != target.values[group[0]]; });
      if (!differ) continue;
      count += group.size();
      first = std::min(first, group[0]);
      left += variance(target.values, group) * static_cast<double>(group.size());
    }
    const double floor = left / static_cast<double>(rows.size());
    if (!(floor > told_from * all)) continue;
    problems.push_back(
        placed({.column = target.code.name,
                .kind = "duplicates",
                .count = count,
                .text = fmt::format("{} have the inputs of another row and another target: no model comes below a mean "
                                    "squared error of {:.3g} on these data, {:.2g} % of the target's variance.",
                                    counted(count, "row"), floor, 100.0 * floor / all),
                .cure = "Repeated measurements are as they should be; else add the input that tells such rows apart."},
               table, first));
  }
}

/// What a column and a target have in the rows where both are known, in the order of the column's values; where these
/// are equal in no order, whatever order the table has.
std::vector<std::pair<double, double>> pairs_of(const CheckedTable& table, const CheckedColumn& input,
                                                const CheckedColumn& target) {
  struct Row {
    double x;
    std::uint64_t mixed;
    double y;
  };
  std::vector<Row> rows;
  for (std::size_t i = 0; i < table.rows; ++i) {
    const double x = input.values[i], y = target.values[i];
    std::uint64_t mixed = (i + 1) * 0x9e3779b97f4a7c15U;  // Fibonacci hashing
    mixed ^= mixed >> 32U;
    if (!std::isnan(x) && !std::isnan(y)) rows.push_back({x, mixed * 0x9e3779b97f4a7c15U, y});
  }
  std::sort(rows.begin(), rows.end(),
            [](const Row& a, const Row& b) { return std::pair(a.x, a.mixed) < std::pair(b.x, b.mixed); });
  std::vector<std::pair<double, double>> pairs;
  for (const Row& row : rows) pairs.emplace_back(row.x, row.y);
  return pairs;
}

/// The target's mean and squares at the different values of an input.
struct Groups {
  std::vector<double> means, sizes;
  double within = 0.0, between = 0.0;  ///< sums of squares
  double rows = 0.0;
};

Groups groups_of(const std::vector<std::pair<double, double>>& pairs) {
  Groups groups;
  groups.rows = static_cast<double>(pairs.size());
  double mean = 0.0;
  for (const auto& pair : pairs) mean += pair.second / groups.rows;
  for (std::size_t begin = 0, end = 0; begin < pairs.size(); begin = end) {
    for (end = begin; end < pairs.size() && pairs[end].first == pairs[begin].first;) ++end;
    const auto size = static_cast<double>(end - begin);
    double own = 0.0;
    for (std::size_t i = begin; i < end; ++i) own += pairs[i].second / size;
    for (std::size_t i = begin; i < end; ++i) groups.within += (pairs[i].second - own) * (pairs[i].second - own);
    groups.between += size * (own - mean) * (own - mean);
    groups.means.push_back(own);
    groups.sizes.push_back(size);
  }
  return groups;
}

/// The mean of all but the greatest two in a hundred.
double trimmed_mean(std::vector<double> values) {
  constexpr double share = 0.98;
  const auto most = static_cast<std::ptrdiff_t>(std::ceil(share * static_cast<double>(values.size())));
  std::nth_element(values.begin(), values.begin() + most - 1, values.end());
  return std::accumulate(values.begin(), values.begin() + most, 0.0) / static_cast<double>(most);
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// The share of the target's variance that neighbours along an input differ by. Two rows in a hundred may be wrong.
double share_left(const std::vector<std::pair<double, double>>& pairs) {
  std::vector<double> targets, steps, squares;
  for (const auto& pair : pairs) targets.push_back(pair.second);
  // Rows that may be wrong shift a mean, and then all others are far from it.
  const double centre = median(std::move(targets));
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    squares.push_back(std::pow(pairs[i].second - centre, 2));
    if (i > 0) steps.push_back(0.5 * std::pow(pairs[i].second - pairs[i - 1].second, 2));
  }
  const double all = trimmed_mean(std::move(squares));
  return all > 0.0 ? trimmed_mean(std::move(steps)) / all : 1.0;
}

bool tells_target(const std::vector<std::pair<double, double>>& pairs, std::size_t values, const CheckedColumn& input) {
  constexpr std::size_t fewest_rows = 20, fewest_values = 10;
  constexpr double least = 1e-4, most = 3e-3, spacing = 50.0;  // neighbours are apart, the more so the fewer there are
  const auto rows = static_cast<double>(pairs.size());
  if (pairs.size() < fewest_rows) return false;
  const bool category = input.code.kind == ColumnKind::category;
  const bool shows = category ? 4 * values < pairs.size() : values >= fewest_values;
  return shows && share_left(pairs) <= std::clamp(spacing / (rows * rows), least, most);
}

bool named_as_code(const std::string& name) {
  static constexpr std::string_view words[] = {"id", "code", "zip", "zipcode", "plz", "postcode", "postal"};
  std::string part;
  for (std::size_t i = 0; i <= name.size(); ++i) {
    const char c = i < name.size() ? name[i] : '_';
    const bool upper = c >= 'A' && c <= 'Z';
    const bool letter = upper || (c >= 'a' && c <= 'z');
    const bool begins = upper && i > 0 && name[i - 1] >= 'a' && name[i - 1] <= 'z';
    if (!letter || begins) {
      if (std::find(std::begin(words), std::end(words), part) != std::end(words)) return true;
      part.clear();
    }
    if (letter) part += upper ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return false;
}

bool counts_rows(const CheckedTable& table, const CheckedColumn& input) {
  const double first = input.values[0];
  if (first != 0.0 && first != 1.0) return false;
  for (std::size_t i = 0; i < table.rows; ++i)
    if (input.values[i] != first + static_cast<double>(i)) return false;
  return true;
}

/// Have the means of the target, value by value, no order, though they differ?
bool without_order(const Groups& groups) {
  const auto values = static_cast<double>(groups.means.size());
  constexpr double fewest = 8.0, rows_each = 5.0, surely = 5.0, share = 0.1;
  if (values < fewest || groups.rows < rows_each * values || groups.within <= 0.0) return false;
  const auto [least, most] = std::minmax_element(groups.sizes.begin(), groups.sizes.end());
  if (*least == *most) return false;  // a grid: somebody set these values
  const double f = (groups.between / (values - 1.0)) / (groups.within / (groups.rows - values));
  if (f < surely || groups.between < share * (groups.between + groups.within)) return false;
  double mean = 0.0, spread = 0.0, steps = 0.0;
  for (const double m : groups.means) mean += m / values;
  for (const double m : groups.means) spread += (m - mean) * (m - mean);
  for (std::size_t k = 0; k + 1 < groups.means.size(); ++k) steps += std::pow(groups.means[k + 1] - groups.means[k], 2);
  return 0.5 * steps / spread >= 1.0 - 1.0 / std::sqrt(values);
}

/// Numbers that are names of things.
void check_codes(const CheckedTable& table, const CheckedColumn& input, const Groups& groups,
                 std::vector<TableProblem>& problems) {
  constexpr std::size_t fewest_rows = 20, fewest_values = 3;
  const std::size_t values = groups.means.size();
  if (input.code.kind != ColumnKind::number || table.rows < fewest_rows || values < fewest_values) return;
  const bool whole =
      first_row(input.values, table.rows, [](double v) { return !std::isnan(v) && v != std::floor(v); }) == table.rows;
  if (!whole) return;
  const std::string ignore = "leave it out with --ignore " + word(input.code.name);
  const auto add = [&](std::string kind, std::string text, std::string cure) {
    problems.push_back({.column = input.code.name,
                        .kind = std::move(kind),
                        .count = values,
                        .text = std::move(text),
                        .cure = std::move(cure)});
  };
  if (table.inputs.size() > 1 && counts_rows(table, input)) {
    add("identifier", "counts the rows.", "Unless rows are in an order that matters, " + ignore + ".");
  } else if (named_as_code(input.code.name) && 2 * values > table.rows) {
    add("identifier", fmt::format("whole numbers, {} different ones: by its name it tells rows apart.", values),
        "What is learnt of it holds for these rows only: " + ignore + ".");
  } else if (named_as_code(input.code.name) || without_order(groups)) {
    add("codes",
        fmt::format(
            "{} different whole numbers that seem to be names: {}.", values,
            named_as_code(input.code.name) ? "the column is called so" : "the target's means have no order along them"),
        values <= most_levels ? "If they are, give --categorical " + word(input.code.name) + "."
                              : "If they are, give numbers that say what matters about them, or " + ignore + ".");
  }
}

/// Rows that training takes when it fills in inputs: those with their targets.
std::size_t rows_with_targets(const CheckedTable& table) {
  std::size_t rows = 0;
  for (std::size_t i = 0; i < table.rows; ++i)
    rows += std::none_of(table.targets.begin(), table.targets.end(),
                         [&](const CheckedColumn& target) { return std::isnan(target.values[i]); })
                ? 1
                : 0;
  return rows;
}

void check_row_count(const CheckedTable& table, std::size_t complete, std::vector<TableProblem>& problems) {
  constexpr std::size_t each = 10;
  const std::size_t rows = table.fills ? rows_with_targets(table) : complete;
  std::size_t inputs = 0;
  for (const CheckedColumn& input : table.inputs) inputs += std::min(inputs_of(input.code), most_levels);
  if (rows >= each * (inputs + 1)) return;
  problems.push_back(
      {.column = "",
       .kind = "few-rows",
       .count = rows,
       .text = fmt::format("{} for {}: fewer than ten for each and the constant.",
                           counted(rows, table.fills ? "row" : "complete row"), counted(inputs, "input")),
       .cure = "Leave out inputs that do not matter, or trust `rfnn cv` rather than one held-out error."});
}

}  // namespace

std::vector<TableProblem> check_rows(const CheckedTable& table) {
  std::vector<TableProblem> problems;
  if (table.rows == 0 || table.inputs.empty()) return problems;
  for (const CheckedColumn& target : table.targets) {
    if (target.code.kind != ColumnKind::number && target.code.kind != ColumnKind::boolean) continue;
    for (const CheckedColumn& input : table.inputs) {
      const auto pairs = pairs_of(table, input, target);
      const Groups groups = groups_of(pairs);
      if (&target == &table.targets[0]) check_codes(table, input, groups, problems);
      if (table.inputs.size() < 2 || !tells_target(pairs, groups.means.size(), input)) continue;
      problems.push_back(
          {.column = input.code.name,
           .kind = "tells-target",
           .count = pairs.size(),
           .text = fmt::format("alone it gives {} away, all but {:.1g} % of its variance.", target.code.name,
                               std::max(1e-6, 100.0 * share_left(pairs))),
           .cure = "If it is known only after the target, leave it out with --ignore " + word(input.code.name) + "."});
    }
  }
  const std::vector<std::size_t> rows = rows_by_inputs(table);
  if (!rows.empty()) check_duplicates(table, rows, problems);
  check_row_count(table, rows.size(), problems);
  return problems;
}

std::vector<TableProblem> check_table(const CheckedTable& table) {
  std::vector<TableProblem> problems = check_columns(table);
  for (TableProblem& problem : check_rows(table)) {
    const bool date = std::any_of(problems.begin(), problems.end(), [&](const TableProblem& other) {
      return other.column == problem.column && other.kind == "date";
    });
    if (!(date && (problem.kind == "codes" || problem.kind == "identifier"))) problems.push_back(std::move(problem));
  }
  const auto place_of = [&](const TableProblem& problem) {
    std::size_t place = 0;
    for (const auto* columns : {&table.inputs, &table.targets})
      for (const CheckedColumn& column : *columns) {
        if (column.code.name == problem.column) return place;
        ++place;
      }
    return place;
  };
  std::stable_sort(problems.begin(), problems.end(), [&](const TableProblem& a, const TableProblem& b) {
    return std::pair(!a.refused, place_of(a)) < std::pair(!b.refused, place_of(b));
  });
  return problems;
}

}  // namespace rfnn::checks
