#include "rfnn/data/canonical.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "rfnn/core/random.hpp"

namespace rfnn {
namespace {

Dataset random_rows(std::size_t count, std::uint64_t seed = 1) {
  Dataset data{Matrix(count, 2), Matrix(count, 1), {}, {}, {}};
  const Stream stream(seed, Purpose::data);
  for (std::size_t i = 0; i < count; ++i) {
    data.inputs(i, 0) = stream.normal(3 * i);
    data.inputs(i, 1) = stream.normal(3 * i + 1);
    data.targets(i, 0) = stream.normal(3 * i + 2);
  }
  return data;
}

/// Rows of `data` in another order, some several times.
Dataset listed(const Dataset& data, const std::vector<std::size_t>& rows) {
  Dataset other{Matrix(rows.size(), 2), Matrix(rows.size(), 1), {}, {}, {}};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t k = 0; k < 2; ++k) other.inputs(i, k) = data.inputs(rows[i], k);
    other.targets(i, 0) = data.targets(rows[i], 0);
    if (!data.weights.empty()) other.weights.push_back(data.weights[rows[i]]);
  }
  return other;
}

TEST(CanonicalRows, FollowFromTheNumbersNotFromTheirPlace) {
  const Dataset data = random_rows(200);
  std::vector<std::size_t> backwards(200);
  std::iota(backwards.rbegin(), backwards.rend(), std::size_t{0});
  const Dataset other = listed(data, backwards);
  const CanonicalRows a = canonical_rows(data), b = canonical_rows(other);
  ASSERT_EQ(a.order.size(), 200U);
  EXPECT_TRUE(a.weights.empty());
  for (std::size_t i = 0; i < 200; ++i) EXPECT_EQ(data.inputs(a.order[i], 0), other.inputs(b.order[i], 0));
  // Not the order of the table, nor that of a column: parts of it are samples of all.
  EXPECT_FALSE(std::is_sorted(a.order.begin(), a.order.end()));
  double mean = 0.0;
  for (std::size_t i = 0; i < 50; ++i) mean += data.inputs(a.order[i], 0) / 50.0;
  EXPECT_LT(std::abs(mean), 0.5);
}

TEST(CanonicalRows, EqualRowsAreOneWithTheirCommonWeight) {
  Dataset data = random_rows(4);
  const Dataset repeated = listed(data, {2, 0, 2, 1, 2, 3, 0});
  const CanonicalRows rows = canonical_rows(repeated);
  ASSERT_EQ(rows.order.size(), 4U);
  for (const std::size_t row : rows.order) {
    const double expected = repeated.inputs(row, 0) == data.inputs(2, 0)   ? 3.0
                            : repeated.inputs(row, 0) == data.inputs(0, 0) ? 2.0
                                                                           : 1.0;
    EXPECT_EQ(rows.weights[row], expected);
    EXPECT_EQ(rows.copies[row], static_cast<std::uint32_t>(expected));
  }
  EXPECT_EQ(rows.rows_behind(rows.order), 7U);
  // Another target is another row.
  data.inputs(1, 0) = data.inputs(0, 0);
  data.inputs(1, 1) = data.inputs(0, 1);
  EXPECT_EQ(canonical_rows(data).order.size(), 4U);
  data.targets(1, 0) = data.targets(0, 0);
  EXPECT_EQ(canonical_rows(data).order.size(), 3U);
}

TEST(CanonicalRows, MinusZeroIsZero) {
  Dataset data = random_rows(2);
  for (std::size_t k = 0; k < 2; ++k) data.inputs(0, k) = 0.0, data.inputs(1, k) = -0.0;
  data.targets(1, 0) = data.targets(0, 0);
  EXPECT_EQ(canonical_rows(data).order.size(), 1U);
}

TEST(CanonicalRows, WeightZeroIsNoRow) {
  Dataset data = random_rows(5);
  data.weights = {1.5, 0.0, 2.0, 0.0, 0.25};
  const CanonicalRows rows = canonical_rows(data);
  EXPECT_EQ(rows.order.size(), 3U);
  for (const std::size_t row : rows.order) EXPECT_EQ(rows.weights[row], data.weights[row]);
  EXPECT_EQ(std::count(rows.order.begin(), rows.order.end(), 1U), 0);
}

TEST(CanonicalRows, ConstantColumnsDoNotDecideAboutTheOrder) {
  Dataset data = random_rows(50);
  for (std::size_t i = 0; i < 50; ++i) data.inputs(i, 1) = 3.0;
  const std::vector<std::size_t> order = canonical_rows(data).order;
  for (std::size_t i = 0; i < 50; ++i) data.inputs(i, 1) = 4.0;
  EXPECT_EQ(canonical_rows(data).order, order);
  // Nor does what only a row of weight zero says.
  data.inputs(7, 1) = 5.0;
  data.weights.assign(50, 1.0);
  data.weights[7] = 0.0;
  std::vector<std::size_t> without = order;
  std::erase(without, 7U);
  EXPECT_EQ(canonical_rows(data).order, without);
}

TEST(CanonicalRows, WeightsAddUpTheSameInAnyOrder) {
  Dataset data = random_rows(1);
  data.weights = {0.1};
  Dataset a = listed(data, {0, 0, 0}), b = a;
  a.weights = {0.1, 0.7, 1e-3};
  b.weights = {1e-3, 0.1, 0.7};
  const CanonicalRows first = canonical_rows(a), second = canonical_rows(b);
  EXPECT_EQ(first.weights[first.order[0]], second.weights[second.order[0]]);
}

TEST(CanonicalRows, ListedRowsStayAsTheyAre) {
  Dataset data = random_rows(3);
  data = listed(data, {1, 1, 0});
  data.weights = {1.0, 0.0, 3.0};
  const CanonicalRows rows = listed_rows(data);
  EXPECT_EQ(rows.order, (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(rows.weights, data.weights);
}

}  // namespace
}  // namespace rfnn
