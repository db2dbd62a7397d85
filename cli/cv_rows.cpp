#include "cli/cv_rows.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "cli/terminal.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/io/csv_cells.hpp"
#include "rfnn/io/table.hpp"

namespace rfnn::cli {

std::vector<std::size_t> rows_without_fold(const FitPlan& plan, bool groups) {
  std::vector<std::size_t> rows;
  const io::CellRules rules{.missing_words = table_format(plan.facts.options).missing_words};
  // NA may be the name of a group, and is no time.
  const auto is_missing = [&](const std::string& cell) {
    const auto& words = rules.missing_words;
    return groups ? cell.empty() || std::find(words.begin(), words.end(), cell) != words.end() : rules.is_missing(cell);
  };
  for (std::size_t row = 0; row < plan.data.kept.size(); ++row)
    if (is_missing(plan.data.kept[row])) rows.push_back(row);
  if (rows.empty() || (plan.facts.options.missing != Missing::error && rows.size() < plan.data.kept.size()))
    return rows;
  const std::vector<std::size_t>& places = plan.data.table.rows;
  const std::string cell = plan.data.kept[rows[0]];
  throw InputError(fmt::format("{}, row {}: {} in column {}, by which rows are divided.", printable(plan.facts.data),
                               (places.empty() ? rows[0] : places[rows[0]]) + 1,
                               cell.empty() ? "there is nothing" : "\"" + printable(cell) + "\" is a missing value",
                               printable(plan.kept_names[0])),
                   groups ? "Give the group, a name of their own to those that have none, or leave such rows out with "
                            "--missing drop."
                          : "Give the time, or leave such rows out with --missing drop.");
}

void write_predictions(const std::string& place, const assessment::Division& division, const EncodedTable& table,
                       const std::vector<std::optional<assessment::FoldPrediction>>& results) {
  const DatasetView& data = table.view;
  const std::size_t outputs = data.targets.size(), front = division.repeats > 1 ? 3 : 2;
  std::vector<std::string> names = {"row", "fold"};
  if (division.repeats > 1) names.insert(names.begin(), "repeat");
  for (const std::string& name : data.target_names) names.push_back(name);
  for (const std::string& name : data.target_names) names.push_back(name + "_residual");
  const auto file = create_table(place, names);
  for (std::size_t repeat = 0; repeat < division.repeats; ++repeat) {
    Matrix lines(data.rows(), front + 2 * outputs, std::numeric_limits<double>::quiet_NaN());
    for (std::size_t row = 0; row < data.rows(); ++row) {
      if (front == 3) lines(row, 0) = static_cast<double>(repeat + 1);
      lines(row, front - 2) = static_cast<double>((table.rows.empty() ? row : table.rows[row]) + 1);
    }
    for (std::size_t k = 0; k < division.folds_each; ++k) {
      const std::size_t fold = repeat * division.folds_each + k;
      const auto& rows = division.folds[fold].test;
      for (std::size_t i = 0; results[fold] && i < rows.size(); ++i) {
        lines(rows[i], front - 1) = static_cast<double>(k + 1);
        for (std::size_t o = 0; o < outputs; ++o) {
          const double prediction = results[fold]->predictions(i, o);
          lines(rows[i], front + o) = prediction;
          lines(rows[i], front + outputs + o) = data.targets[o][rows[i]] - prediction;
        }
      }
    }
    file->write(lines.view());
  }
  file->commit();
}

}  // namespace rfnn::cli
