// The rows of a fold as numbers.

#include <algorithm>
#include <numeric>
#include <utility>

#include "rfnn/assessment/cross_validation.hpp"
#include "rfnn/core/error.hpp"

namespace rfnn::assessment {
namespace {

Dataset rows_of(const DatasetView& data, std::span<const std::size_t> rows) {
  Dataset part{.inputs = Matrix(rows.size(), data.inputs.size()),
               .targets = Matrix(rows.size(), data.targets.size()),
               .input_names = data.input_names,
               .target_names = data.target_names};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < data.inputs.size(); ++j) part.inputs(i, j) = data.inputs[j][rows[i]];
    for (std::size_t j = 0; j < data.targets.size(); ++j) part.targets(i, j) = data.targets[j][rows[i]];
    if (data.weights) part.weights.push_back((*data.weights)[rows[i]]);
  }
  return part;
}

/// Where rows of the table as numbers stand in it as it was read.
std::vector<std::size_t> raw_places(const CrossTable& table, const std::vector<std::size_t>& rows) {
  if (table.places.empty()) return rows;
  std::vector<std::size_t> places;
  for (const std::size_t row : rows) places.push_back(table.places[row]);
  return places;
}

}  // namespace

FoldTable training_rows(const CrossTable& table, const FoldRows& fold) {
  if (table.raw == nullptr) return {rows_of(table.data, fold.train)};
  const std::vector<std::size_t> places = raw_places(table, fold.train);
  const EncodedTable encoded = encode_training(*table.raw, table.missing, "The rows to learn from", places);
  std::vector<std::size_t> all(places.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return {rows_of(encoded.view, all), encoded.code};
}

EncodedRows asked_rows(const CrossTable& table, const FoldRows& fold, const TableCode& code) {
  if (table.raw == nullptr) return {rows_of(table.data, fold.test).inputs};
  return encode_rows(*table.raw, raw_places(table, fold.test), code);
}

Options options_of_fold(Options options, const CrossTable& table, const TableCode& code) {
  if (code.empty() || options.holdout_by == 0) return options;
  const std::vector<std::string> names = input_names(code);
  const std::string& wanted = table.data.input_names[static_cast<std::size_t>(options.holdout_by) - 1];
  const auto found = std::find(names.begin(), names.end(), wanted);
  if (found == names.end())
    throw InputError("The rows to learn from have no input " + wanted + ", along which rows are to be held out.",
                     "Name another one in --holdout-by.");
  options.holdout_by = found - names.begin() + 1;
  return options;
}

}  // namespace rfnn::assessment
