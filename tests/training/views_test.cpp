// Numbers wherever and however they lie give the model of the same numbers in a Dataset, bit by bit.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "identities/naive_training.hpp"
#include "rfnn/training/fit.hpp"

namespace rfnn::training {
namespace {

using testing::short_options;
using testing::wavy_data;

constexpr std::size_t rows = 700;  // more than a block of rows, no multiple of a tile

/// Everything that training leaves in a model but times.
void expect_same(const Model& actual, const Model& expected) {
  EXPECT_EQ(actual.members, expected.members);
  EXPECT_EQ(actual.scaler, expected.scaler);
  EXPECT_EQ(actual.inputs, expected.inputs);
  EXPECT_EQ(actual.targets, expected.targets);
  EXPECT_EQ(actual.data_fingerprint, expected.data_fingerprint);
  EXPECT_EQ(actual.history.empty_train_mse, expected.history.empty_train_mse);
  EXPECT_EQ(actual.history.empty_validation_mse, expected.history.empty_validation_mse);
  ASSERT_EQ(actual.history.blocks.size(), expected.history.blocks.size());
  for (std::size_t l = 0; l < actual.history.blocks.size(); ++l) {
    EXPECT_EQ(actual.history.blocks[l].train_mse, expected.history.blocks[l].train_mse);
    EXPECT_EQ(actual.history.blocks[l].validation_mse, expected.history.blocks[l].validation_mse);
  }
}

/// Settings under which rows are used in every way there is.
std::vector<Options> all_options() {
  std::vector<Options> all(3, short_options(2, 20));
  all[1].validation_fraction = 0.3;
  all[1].block_rows = BlockRows::subset;
  all[1].standardise_outputs = true;
  all[2].proposal_fraction = 0.4;
  all[2].block_rows = BlockRows::disjoint;
  all[2].standardise_inputs = false;
  return all;
}

/// Numbers that floats hold exactly.
Dataset float_data() {
  Dataset data = wavy_data(rows, 3, 2);
  for (Matrix* matrix : {&data.inputs, &data.targets})
    for (std::size_t i = 0; i < matrix->size(); ++i)
      matrix->data()[i] = static_cast<double>(static_cast<float>(matrix->data()[i]));
  return data;
}

TEST(DatasetView, FloatsInEveryOrderGiveTheModelOfTheirDoubles) {
  const Dataset data = float_data();
  constexpr std::size_t columns = 5;
  constexpr std::ptrdiff_t item = sizeof(float);
  std::vector<float> by_rows(rows * columns), by_columns(rows * columns), backwards(rows * columns);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = 0; k < columns; ++k) {
      const auto value = static_cast<float>(k < 3 ? data.inputs(i, k) : data.targets(i, k - 3));
      by_rows[i * columns + k] = by_columns[k * rows + i] = backwards[(rows - 1 - i) * columns + k] = value;
    }
  const auto view = [&](const float* first, std::ptrdiff_t to_row, std::ptrdiff_t to_column) {
    DatasetView result{Columns(rows), Columns(rows)};
    for (std::ptrdiff_t k = 0; k < 5; ++k)
      (k < 3 ? result.inputs : result.targets).add(ColumnView(first + k * to_column, to_row * item));
    return result;
  };
  for (const Options& options : all_options()) {
    const Model expected = fit(data, options);
    expect_same(fit(view(by_rows.data(), columns, 1), options), expected);
    expect_same(fit(view(by_columns.data(), 1, rows), options), expected);
    expect_same(fit(view(backwards.data() + (rows - 1) * columns, -5, 1), options), expected);
  }
}

TEST(DatasetView, SomeColumnsOfALargerTable) {
  const Dataset data = wavy_data(rows, 2, 1);
  Matrix table(rows, 6, 1e300);
  for (std::size_t i = 0; i < rows; ++i) {
    table(i, 4) = data.inputs(i, 0);
    table(i, 1) = data.inputs(i, 1);
    table(i, 3) = data.targets(i, 0);
  }
  const Columns all = table.view();
  const DatasetView view(Columns(rows, {all[4], all[1]}), Columns(rows, {all[3]}));
  for (const Options& options : all_options()) expect_same(fit(view, options), fit(data, options));
}

TEST(DatasetView, ValidationRowsToo) {
  const Dataset data = wavy_data(rows, 2), validation = wavy_data(300, 2, 1, 9);
  std::vector<double> by_columns(300 * 3);
  for (std::size_t i = 0; i < 300; ++i) {
    for (std::size_t k = 0; k < 2; ++k) by_columns[k * 300 + i] = validation.inputs(i, k);
    by_columns[600 + i] = validation.targets(i, 0);
  }
  FitExtras extras;
  extras.validation = validation;
  const Model expected = fit(data, short_options(2, 20), extras);
  extras.validation = DatasetView(ConstMatrixView(by_columns.data(), 300, 2, 1, 300),
                                  ConstMatrixView(by_columns.data() + 600, 300, 1, 1, 300));
  expect_same(fit(data, short_options(2, 20), extras), expected);
  EXPECT_EQ(expected.validation_rows, 300U);
}

}  // namespace
}  // namespace rfnn::training
