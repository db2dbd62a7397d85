#include "rfnn/training/standardise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "rfnn/core/error.hpp"

namespace rfnn::training {
namespace {

std::string shortest(double value) { return fmt::format("{:.3g}", value); }

std::vector<Column> describe(const ColumnsToDescribe& columns, std::size_t rows) {
  std::vector<Column> described;
  for (std::size_t k = 0; k < columns.statistics.size(); ++k) {
    const ColumnStatistics& s = columns.statistics[k];
    check_magnitude(std::max(std::abs(s.min), std::abs(s.max)), rows, columns.names[k]);
    described.push_back({columns.names[k], k, s.mean, s.sd, s.min, s.max, !s.constant});
  }
  return described;
}

void warn_about_scale(const Options& options, const Column& target, std::vector<std::string>& warnings) {
  // The state branch starts from frequencies of order one: it sees nothing of a state that hardly varies, and noise in
  // one that turns many times.
  constexpr double smallest = 1e-3, largest = 1e3;
  if (options.standardise_outputs || options.blocks < 2 || (target.sd >= smallest && target.sd <= largest)) return;
  warnings.push_back(
      "Target '" + target.name + "' has standard deviation " + shortest(target.sd) +
      ", far from 1, and is not standardised: the state branch, whose frequencies start near 1, is of little "
      "use. Consider standardise-outputs.");
}

}  // namespace

std::vector<std::string> names_or_default(const std::vector<std::string>& names, std::size_t count,
                                          const std::string& stem) {
  if (!names.empty()) return names;
  std::vector<std::string> made;
  for (std::size_t k = 0; k < count; ++k)
    made.push_back(stem == "y" && count == 1 ? stem : stem + std::to_string(k + 1));
  return made;
}

void check_magnitude(double largest, std::size_t rows, const std::string& name) {
  if (std::isfinite(largest * largest * static_cast<double>(rows))) return;
  throw NumericalError("Column '" + name + "' holds values too large to compute with (up to " + shortest(largest) +
                           ", their squares overflow).",
                       "Rescale the column, for example to other units.");
}

bool standardise(const ColumnsToDescribe& inputs, const ColumnsToDescribe& targets, std::size_t rows,
                 const Options& options, Model& model) {
  model.inputs = describe(inputs, rows);
  for (const Column& column : model.inputs) {
    if (!column.used) {
      model.warnings.push_back("Input '" + column.name + "' is constant (" + shortest(column.mean) +
                               (column.min < column.max                  ? ", up to rounding"
                                : std::abs(column.mean) >= every_integer ? ", as far as 16 digits tell"
                                                                         : "") +
                               ") and is left out.");
      continue;
    }
    model.scaler.input_mean.push_back(options.standardise_inputs ? column.mean : 0.0);
    model.scaler.input_sd.push_back(options.standardise_inputs ? column.sd : 1.0);
  }
  model.targets = describe(targets, rows);
  bool any_varies = false;
  for (Column& column : model.targets) {
    const bool varies = std::exchange(column.used, true);  // a constant output is still an output
    any_varies = any_varies || varies;
    model.scaler.output_mean.push_back(options.standardise_outputs ? column.mean : 0.0);
    model.scaler.output_sd.push_back(options.standardise_outputs && varies ? column.sd : 1.0);
    if (varies) warn_about_scale(options, column, model.warnings);
  }
  return any_varies;
}

}  // namespace rfnn::training
