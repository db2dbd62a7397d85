#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "rfnn/core/random.hpp"
#include "rfnn/data/columns.hpp"
#include "rfnn/data/dataset.hpp"
#include "rfnn/data/row_blocks.hpp"

namespace rfnn {
namespace {

std::vector<double> all_of(const ColumnView& column, std::size_t rows) {
  std::vector<double> one_by_one, at_once(rows);
  for (std::size_t i = 0; i < rows; ++i) one_by_one.push_back(column[i]);
  column.read(0, rows, at_once.data());
  EXPECT_EQ(one_by_one, at_once);
  return at_once;
}

TEST(ColumnView, DoublesAndFloatsAtAnyDistance) {
  const std::vector<double> doubles = {1, 2, 3, 4, 5, 6};
  const std::vector<float> floats = {0.1F, 2, 3, 4, 5, 6};
  constexpr std::ptrdiff_t wide = sizeof(double), narrow = sizeof(float);
  EXPECT_EQ(all_of(ColumnView(doubles.data()), 6), doubles);
  EXPECT_EQ(all_of(ColumnView(doubles.data() + 1, 2 * wide), 3), (std::vector<double>{2, 4, 6}));
  EXPECT_EQ(all_of(ColumnView(doubles.data() + 5, -wide), 6), (std::vector<double>{6, 5, 4, 3, 2, 1}));
  EXPECT_EQ(all_of(ColumnView(doubles.data() + 2, 0), 3), (std::vector<double>{3, 3, 3}));
  EXPECT_EQ(all_of(ColumnView(floats.data()), 2), (std::vector<double>{static_cast<double>(0.1F), 2}));
  EXPECT_EQ(all_of(ColumnView(floats.data() + 4, -2 * narrow), 2), (std::vector<double>{5, 3}));
}

TEST(ColumnView, NumbersThatAreNotAligned) {
  std::vector<char> bytes(1 + 3 * 9);
  for (std::size_t i = 0; i < 3; ++i) {
    const double value = 0.5 + static_cast<double>(i);
    std::memcpy(bytes.data() + 1 + 9 * i, &value, sizeof value);
  }
  EXPECT_EQ(all_of(ColumnView(bytes.data() + 1, 9, NumberType::float64), 3), (std::vector<double>{0.5, 1.5, 2.5}));
}

TEST(ColumnView, ListedRowsComeInTheirOrder) {
  const std::vector<double> values = {10, 11, 12, 13};
  const std::vector<std::size_t> rows = {3, 0, 3, 1};
  std::vector<double> out(4);
  ColumnView(values.data()).read(rows, out.data());
  EXPECT_EQ(out, (std::vector<double>{13, 10, 13, 11}));
}

TEST(Columns, AMatrixOfAnyLayout) {
  const std::vector<double> values = {1, 2, 3, 4, 5, 6};
  const Columns by_rows = ConstMatrixView(values.data(), 3, 2), by_columns = ConstMatrixView(values.data(), 3, 2, 1, 3);
  ASSERT_EQ(by_rows.rows(), 3U);
  ASSERT_EQ(by_rows.size(), 2U);
  EXPECT_EQ(all_of(by_rows[1], 3), (std::vector<double>{2, 4, 6}));
  EXPECT_EQ(all_of(by_columns[1], 3), (std::vector<double>{4, 5, 6}));
}

TEST(RowBlocks, VisitEveryRowOnceInOrder) {
  for (const std::size_t rows : {1U, 7U, 1023U, 1024U, 1025U, 5000U})
    for (const std::size_t columns : {1U, 9U}) {
      Matrix values(rows, columns);
      std::iota(values.data(), values.data() + values.size(), 0.0);
      const Columns all = values.view();
      std::vector<std::size_t> list;
      for (std::size_t i = 0; i < rows + 2; ++i) list.push_back(i * 7919 % rows);
      for (const bool listed : {false, true}) {
        std::size_t seen = 0;
        for (RowBlocks block(all, listed ? std::span<const std::size_t>(list) : std::span<const std::size_t>());
             block.next(); seen += block.count()) {
          ASSERT_EQ(block.first(), seen);
          const ConstMatrixView view = block.view(0, columns);
          for (std::size_t i = 0; i < block.count(); ++i)
            for (std::size_t k = 0; k < columns; ++k) {
              ASSERT_EQ(block.column(k)[i], values(listed ? list[seen + i] : seen + i, k));
              ASSERT_EQ(view(i, k), block.column(k)[i]);
            }
        }
        EXPECT_EQ(seen, listed ? list.size() : rows);
      }
    }
}

TEST(Fingerprint, OfFloatsIsThatOfTheirDoubles) {
  constexpr std::size_t rows = 2500;
  const Stream stream(1, Purpose::data);
  std::vector<float> floats(rows * 3);
  for (std::size_t i = 0; i < floats.size(); ++i) floats[i] = static_cast<float>(stream.normal(i));
  Matrix inputs(rows, 2), targets(rows, 1);
  for (std::size_t i = 0; i < rows; ++i) {
    inputs(i, 0) = static_cast<double>(floats[3 * i]);
    inputs(i, 1) = static_cast<double>(floats[3 * i + 1]);
    targets(i, 0) = static_cast<double>(floats[3 * i + 2]);
  }
  const auto column = [&](std::size_t k) { return ColumnView(floats.data() + k, 3 * sizeof(float)); };
  EXPECT_EQ(fingerprint(Columns(rows, {column(0), column(1)}), Columns(rows, {column(2)})),
            fingerprint(inputs.view(), targets.view()));
}

TEST(Fingerprint, IsTheSameInEveryVersion) {
  // Models and run folders carry it: a change of the value would make every stored one wrong.
  Matrix inputs(4, 3), targets(4, 1, 0.5);
  for (std::size_t i = 0; i < inputs.size(); ++i) inputs.data()[i] = static_cast<double>(i) / 8.0;
  EXPECT_EQ(fingerprint(inputs.view(), targets.view()), "138f17bd035d5b30497fec58098c6fe9");
}

}  // namespace
}  // namespace rfnn
