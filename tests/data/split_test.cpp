#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "rfnn/core/error.hpp"
#include "rfnn/core/random.hpp"
#include "rfnn/data/split.hpp"

namespace rfnn {
namespace {

/// Of all rows in the order of the table.
Split split_all(const Columns& inputs, double fraction, std::uint64_t seed) {
  std::vector<std::size_t> order(inputs.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  return holdout_split(inputs, order, fraction, seed);
}

Matrix random_inputs(std::size_t rows, std::size_t cols, std::uint64_t seed) {
  Matrix inputs(rows, cols);
  const Stream stream(seed, Purpose::data);
  for (std::size_t i = 0; i < inputs.size(); ++i) inputs.data()[i] = stream.normal(i);
  return inputs;
}

/// Both lists ascend and together hold every row once.
bool is_partition(const Split& split, std::size_t rows) {
  std::vector<std::size_t> all = split.train;
  all.insert(all.end(), split.validation.begin(), split.validation.end());
  std::sort(all.begin(), all.end());
  std::vector<std::size_t> expected(rows);
  std::iota(expected.begin(), expected.end(), std::size_t{0});
  return all == expected && std::is_sorted(split.train.begin(), split.train.end()) &&
         std::is_sorted(split.validation.begin(), split.validation.end());
}

TEST(HoldoutSplit, HoldsOutTheFractionOfDistinctRowsExactly) {
  const Matrix inputs = random_inputs(1000, 3, 1);
  for (const double fraction : {0.001, 0.1, 0.25, 0.5, 0.9}) {
    const Split split = split_all(inputs.view(), fraction, 5);
    EXPECT_TRUE(is_partition(split, 1000));
    EXPECT_EQ(split.validation.size(), static_cast<std::size_t>(std::lround(1000 * fraction))) << fraction;
  }
}

TEST(HoldoutSplit, DependsOnTheSeedAlone) {
  const Matrix inputs = random_inputs(1000, 2, 1);
  EXPECT_EQ(split_all(inputs.view(), 0.2, 5).validation, split_all(inputs.view(), 0.2, 5).validation);
  EXPECT_NE(split_all(inputs.view(), 0.2, 5).validation, split_all(inputs.view(), 0.2, 6).validation);
}

TEST(HoldoutSplit, IsRandomInPlace) {
  // Over many seeds every row is held out about equally often, the first half as often as the second.
  const Matrix inputs = random_inputs(100, 1, 2);
  std::vector<int> times(100, 0);
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    for (const std::size_t row : split_all(inputs.view(), 0.2, seed).validation) ++times[row];
  }
  double chi_square = 0.0;  // about 100 ± 14 for a fair draw (times 1 − 0.2)
  for (const int t : times) chi_square += (t - 400.0) * (t - 400.0) / 400.0;
  EXPECT_LT(chi_square, 80 + 5 * 12);
  EXPECT_GT(chi_square, 80 - 5 * 12);
}

TEST(HoldoutSplit, EqualInputsStayTogetherWhereverTheyStand) {
  const std::size_t groups = 200, repeats = 5;
  const Matrix centres = random_inputs(groups, 2, 3);
  Matrix inputs(groups * repeats, 2);
  for (std::size_t i = 0; i < inputs.rows(); ++i) {
    for (std::size_t k = 0; k < 2; ++k) inputs(i, k) = centres(i % groups, k);
  }
  const Split split = split_all(inputs.view(), 0.3, 4);
  EXPECT_TRUE(is_partition(split, groups * repeats));
  std::set<std::size_t> held_out;
  for (const std::size_t row : split.validation) held_out.insert(row % groups);
  for (const std::size_t row : split.train) EXPECT_FALSE(held_out.contains(row % groups));
  EXPECT_NEAR(static_cast<double>(split.validation.size()), 300.0, 5.0);
}

TEST(HoldoutSplit, ZeroAndMinusZeroAreEqual) {
  Matrix inputs(8, 1);
  for (std::size_t i = 0; i < 8; ++i) inputs(i, 0) = i % 2 == 0 ? 0.0 : -0.0;
  const Split split = split_all(inputs.view(), 0.5, 1);
  EXPECT_EQ(split.train.size(), 8u);
  EXPECT_TRUE(split.validation.empty());
}

TEST(HoldoutSplit, ReadsAnyLayout) {
  const Matrix by_rows = random_inputs(50, 3, 9);
  std::vector<double> by_columns(150);
  for (std::size_t i = 0; i < 50; ++i) {
    for (std::size_t k = 0; k < 3; ++k) by_columns[k * 50 + i] = by_rows(i, k);
  }
  EXPECT_EQ(split_all(by_rows.view(), 0.4, 5).validation,
            split_all(ConstMatrixView(by_columns.data(), 50, 3, 1, 50), 0.4, 5).validation);
}

RC_GTEST_PROP(HoldoutSplitProperties, NeverLosesARowOrTheTrainingSide, ()) {
  const auto rows = *rc::gen::inRange<std::size_t>(0, 40);
  const auto distinct = *rc::gen::inRange(1, 6);
  const double fraction = *rc::gen::element(0.0, 0.01, 0.3, 0.5, 0.99);
  Matrix inputs(rows, 1);
  for (std::size_t i = 0; i < rows; ++i) inputs(i, 0) = *rc::gen::inRange(0, distinct);
  const Split split = split_all(inputs.view(), fraction, *rc::gen::arbitrary<std::uint64_t>());
  RC_ASSERT(is_partition(split, rows));
  RC_ASSERT(rows == 0 || !split.train.empty());
  std::set<double> held_out;
  for (const std::size_t row : split.validation) held_out.insert(inputs(row, 0));
  for (const std::size_t row : split.train) RC_ASSERT(!held_out.contains(inputs(row, 0)));
  std::set<double> values;
  for (std::size_t i = 0; i < rows; ++i) values.insert(inputs(i, 0));
  if (fraction > 0.0 && values.size() > 1) RC_ASSERT(!split.validation.empty() || split.train.size() == rows);
}

TEST(BlockRows, SameIsAllRows) { EXPECT_TRUE(block_rows(BlockRows::same, 0.5, 100, 10, 3, 1).empty()); }

TEST(BlockRows, DisjointPartsCoverTheRowsOnceInNearlyEqualSizes) {
  for (const std::size_t rows : {10u, 11u, 97u, 1000u}) {
    std::vector<std::size_t> all;
    for (std::int64_t block = 1; block <= 10; ++block) {
      const auto part = block_rows(BlockRows::disjoint, 0.5, rows, 10, block, 7);
      EXPECT_TRUE(std::is_sorted(part.begin(), part.end()));
      EXPECT_GE(part.size(), rows / 10);
      EXPECT_LE(part.size(), (rows + 9) / 10);
      all.insert(all.end(), part.begin(), part.end());
    }
    std::sort(all.begin(), all.end());
    std::vector<std::size_t> expected(rows);
    std::iota(expected.begin(), expected.end(), std::size_t{0});
    EXPECT_EQ(all, expected) << rows;
  }
}

TEST(BlockRows, DisjointNeedsARowPerBlock) {
  EXPECT_THROW(block_rows(BlockRows::disjoint, 0.5, 9, 10, 1, 7), UsageError);
}

TEST(BlockRows, SubsetsHaveTheirSizeAndDifferFromBlockToBlock) {
  const auto first = block_rows(BlockRows::subset, 0.3, 1000, 10, 1, 7);
  const auto second = block_rows(BlockRows::subset, 0.3, 1000, 10, 2, 7);
  for (const auto& subset : {first, second}) {
    EXPECT_EQ(subset.size(), 300u);
    EXPECT_TRUE(std::is_sorted(subset.begin(), subset.end()));
    EXPECT_EQ(std::set<std::size_t>(subset.begin(), subset.end()).size(), 300u);
    EXPECT_LT(subset.back(), 1000u);
  }
  EXPECT_NE(first, second);
  EXPECT_EQ(first, block_rows(BlockRows::subset, 0.3, 1000, 10, 1, 7));
  EXPECT_NE(first, block_rows(BlockRows::subset, 0.3, 1000, 10, 1, 8));
  EXPECT_EQ(block_rows(BlockRows::subset, 1e-9, 1000, 10, 1, 7).size(), 1u);
  EXPECT_EQ(block_rows(BlockRows::subset, 1.0, 1000, 10, 1, 7).size(), 1000u);
}

TEST(BlockRows, EverySubsetIsEquallyLikely) {
  // The ten pairs out of five rows, 5000 draws: 500 each.
  std::map<std::vector<std::size_t>, int> times;
  for (std::uint64_t seed = 0; seed < 5000; ++seed) ++times[block_rows(BlockRows::subset, 0.4, 5, 1, 1, seed)];
  ASSERT_EQ(times.size(), 10u);
  double chi_square = 0.0;
  for (const auto& [pair, t] : times) chi_square += (t - 500.0) * (t - 500.0) / 500.0;
  EXPECT_LT(chi_square, 9 + 5 * std::sqrt(18.0));
}

TEST(BlockRows, EveryPartitionIsEquallyLikely) {
  // Block 2 of 2 out of four rows: six pairs.
  std::map<std::vector<std::size_t>, int> times;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) ++times[block_rows(BlockRows::disjoint, 0.5, 4, 2, 2, seed)];
  ASSERT_EQ(times.size(), 6u);
  double chi_square = 0.0;
  for (const auto& [pair, t] : times) chi_square += (t - 500.0) * (t - 500.0) / 500.0;
  EXPECT_LT(chi_square, 5 + 5 * std::sqrt(10.0));
}

TEST(SomeOf, AscendsAndHasAsManyAsThereAre) {
  const std::vector<std::size_t> some = some_of(50, 20, {3, 1}, Purpose::logarithm_rows);
  EXPECT_EQ(some.size(), 20U);
  EXPECT_TRUE(std::is_sorted(some.begin(), some.end()));
  EXPECT_EQ(std::set<std::size_t>(some.begin(), some.end()).size(), 20U);
  EXPECT_LT(some.back(), 50U);
  EXPECT_NE(some, some_of(50, 20, {3, 2}, Purpose::logarithm_rows));
  EXPECT_NE(some, some_of(50, 20, {3, 1}, Purpose::trial_rows));
  EXPECT_EQ(some_of(5, 20, {3, 1}, Purpose::logarithm_rows), (std::vector<std::size_t>{0, 1, 2, 3, 4}));
  EXPECT_TRUE(some_of(0, 3, {3, 1}, Purpose::logarithm_rows).empty());
}

TEST(ProposalRows, AreARandomShareOfTheBlock) {
  const auto of = [](double fraction, std::size_t count, std::vector<std::size_t> rows = {}, std::int64_t block = 1,
                     std::uint64_t seed = 1) { return proposal_rows(fraction, count, std::move(rows), block, seed); };
  EXPECT_TRUE(of(1.0, 50).empty());  // all
  EXPECT_EQ(of(1.0, 50, {4, 2}), (std::vector<std::size_t>{4, 2}));
  const auto some = of(0.3, 1000);
  ASSERT_EQ(some.size(), 300U);
  EXPECT_TRUE(std::is_sorted(some.begin(), some.end()));
  EXPECT_EQ(std::set<std::size_t>(some.begin(), some.end()).size(), 300U);
  EXPECT_LT(some.back(), 1000U);
  EXPECT_EQ(of(0.3, 1000), some);
  EXPECT_NE(of(0.3, 1000, {}, 2), some);
  EXPECT_NE(of(0.3, 1000, {}, 1, 2), some);
  EXPECT_EQ(of(1e-9, 1000).size(), 1U);
  // Of rows given, repeats and all, in their order.
  const std::vector<std::size_t> rows = {9, 9, 3, 5, 1, 7};
  const auto half = of(0.5, 10, rows);
  ASSERT_EQ(half.size(), 3U);
  auto place = rows.begin();
  for (const std::size_t row : half) {
    place = std::find(place, rows.end(), row);
    ASSERT_NE(place, rows.end());
    ++place;
  }
}

TEST(ProposalRows, EveryRowIsEquallyLikely) {
  std::vector<int> times(20);
  constexpr int draws = 4000;
  for (int seed = 0; seed < draws; ++seed)
    for (const std::size_t row : proposal_rows(0.25, 20, {}, 1, static_cast<std::uint64_t>(seed))) ++times[row];
  // A quarter of 4000, with a standard deviation of 27.
  for (const int count : times) EXPECT_NEAR(count, draws / 4, 140);
}

// ---- along an input -------------------------------------------------------------------------------------------------

/// Rows in no order whose first input is 0, 1, 2, …, `repeats` rows at each.
Matrix times(std::size_t rows, std::size_t repeats) {
  Matrix inputs(rows, 2);
  for (std::size_t i = 0; i < rows; ++i) {
    inputs(i, 0) = static_cast<double>((i * 37) % rows / repeats);
    inputs(i, 1) = static_cast<double>(i);
  }
  return inputs;
}

std::vector<Split> splits_of(Holdout holdout, const Matrix& inputs, double share) {
  std::vector<std::size_t> order(inputs.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  return splits_along(holdout, inputs.view(), 0, order, share);
}

std::pair<double, double> range_of(const Matrix& inputs, const std::vector<std::size_t>& rows) {
  std::pair<double, double> range = {inputs(rows.front(), 0), inputs(rows.front(), 0)};
  for (const std::size_t row : rows)
    range = {std::min(range.first, inputs(row, 0)), std::max(range.second, inputs(row, 0))};
  return range;
}

TEST(SplitsAlong, TailsFollowAllThatIsTrainedOn) {
  const Matrix inputs = times(200, 1);
  const std::vector<Split> splits = splits_of(Holdout::tail, inputs, 0.15);
  ASSERT_EQ(splits.size(), 3U);
  EXPECT_TRUE(is_partition(splits[0], 200));
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(splits[k].validation.size(), 30U);
    EXPECT_EQ(splits[k].train.size(), 170U - 30U * k) << "nothing later is known";
    EXPECT_LT(range_of(inputs, splits[k].train).second, range_of(inputs, splits[k].validation).first);
    EXPECT_TRUE(std::is_sorted(splits[k].train.begin(), splits[k].train.end())) << "rows keep their order";
  }
  EXPECT_EQ(splits_of(Holdout::tail, inputs, 0.25).size(), 2U) << "too little would be left to train on";
  EXPECT_EQ(splits_of(Holdout::tail, inputs, 0.7).size(), 1U);
}

TEST(SplitsAlong, GapsLieBetween) {
  const Matrix inputs = times(200, 1);
  const std::vector<Split> splits = splits_of(Holdout::gap, inputs, 0.1);
  ASSERT_EQ(splits.size(), 3U);
  for (const Split& split : splits) {
    EXPECT_TRUE(is_partition(split, 200));
    EXPECT_EQ(split.validation.size(), 20U);
    const auto [low, high] = range_of(inputs, split.validation);
    EXPECT_EQ(high - low, 19.0) << "one stretch";
    EXPECT_GT(low, 0.0);
    EXPECT_LT(high, 199.0);
  }
  EXPECT_EQ(range_of(inputs, splits[0].validation).first, 90.0) << "the middle first";
}

TEST(SplitsAlong, RowsAtOnePlaceStayTogether) {
  const Matrix inputs = times(210, 7);
  for (const Holdout holdout : {Holdout::tail, Holdout::gap})
    for (const Split& split : splits_of(holdout, inputs, 0.15)) {
      std::set<double> train;
      for (const std::size_t row : split.train) train.insert(inputs(row, 0));
      for (const std::size_t row : split.validation) EXPECT_FALSE(train.contains(inputs(row, 0)));
    }
  EXPECT_TRUE(splits_of(Holdout::tail, times(50, 50), 0.2).empty()) << "nothing is last";
}

}  // namespace
}  // namespace rfnn
