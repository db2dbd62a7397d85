#include "rfnn/baselines/batches.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

namespace rfnn::baselines {
namespace {

std::vector<std::size_t> all_rows(const Batches& batches) {
  std::vector<std::size_t> rows;
  for (std::size_t b = 0; b < batches.count(); ++b) rows.insert(rows.end(), batches[b].begin(), batches[b].end());
  return rows;
}

TEST(Batches, AnEpochVisitsEachRowOnce) {
  Batches batches(2000, 256);
  std::vector<std::size_t> previous = all_rows(batches);
  for (std::int64_t epoch = 1; epoch <= 3; ++epoch) {
    batches.shuffle(7, epoch);
    ASSERT_EQ(batches.count(), 8U);
    for (std::size_t b = 0; b < 8; ++b) EXPECT_EQ(batches[b].size(), b < 7 ? 256U : 208U);
    std::vector<std::size_t> rows = all_rows(batches);
    EXPECT_NE(rows, previous);
    previous = rows;
    std::sort(rows.begin(), rows.end());
    ASSERT_EQ(rows.size(), 2000U);
    for (std::size_t i = 0; i < rows.size(); ++i) ASSERT_EQ(rows[i], i);
  }
}

TEST(Batches, TheOrderDependsOnSeedAndEpochAlone) {
  Batches one(100, 10), other(100, 10);
  one.shuffle(1, 1);
  one.shuffle(1, 5);
  other.shuffle(1, 5);
  EXPECT_EQ(all_rows(one), all_rows(other));
  other.shuffle(2, 5);
  EXPECT_NE(all_rows(one), all_rows(other));
}

TEST(Batches, EveryOrderIsEquallyLikely) {
  std::map<std::vector<std::size_t>, int> seen;
  Batches batches(3, 3);
  constexpr int draws = 6000;
  for (int epoch = 0; epoch < draws; ++epoch) {
    batches.shuffle(3, epoch);
    ++seen[all_rows(batches)];
  }
  ASSERT_EQ(seen.size(), 6U);
  for (const auto& [order, count] : seen) EXPECT_NEAR(count, draws / 6, 5 * 29);  // five standard deviations
}

TEST(Batches, ABatchLargerThanTheDataIsTheData) {
  Batches batches(5, 256);
  batches.shuffle(1, 1);
  EXPECT_EQ(batches.count(), 1U);
  EXPECT_EQ(batches[0].size(), 5U);
  Batches whole(6, 3);
  EXPECT_EQ(whole.count(), 2U);
}

}  // namespace
}  // namespace rfnn::baselines
