#include "rfnn/finders/sampled/trace.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "rfnn/finders/sampled/gibbs.hpp"

namespace rfnn::sampled {
namespace {

TEST(LossTrace, KeepsEverythingWhileItFits) {
  LossTrace trace;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(LossTrace::limit); ++i)
    trace.add({i, 2.0 * static_cast<double>(i)});
  ASSERT_EQ(trace.points().size(), LossTrace::limit);
  for (std::size_t i = 0; i < LossTrace::limit; ++i) {
    EXPECT_EQ(trace.points()[i].iteration, static_cast<std::int64_t>(i));
    EXPECT_EQ(trace.points()[i].loss, 2.0 * static_cast<double>(i));
  }
}

TEST(LossTrace, ThinsEvenlyAndNeverOutgrowsItsLimit) {
  LossTrace trace;
  for (std::int64_t i = 0; i <= 100000; ++i) {
    trace.add({i, static_cast<double>(i)});
    ASSERT_LE(trace.points().size(), LossTrace::limit);
  }
  const auto& points = trace.points();
  ASSERT_GE(points.size(), LossTrace::limit / 4);
  EXPECT_EQ(points.front().iteration, 0);
  const std::int64_t stride = points[1].iteration;
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_EQ(points[i].iteration, static_cast<std::int64_t>(i) * stride);
    EXPECT_EQ(points[i].loss, static_cast<double>(points[i].iteration));
  }
  EXPECT_GT(points.back().iteration, 100000 - stride);
}

TEST(FlatRule, NeverEndsWithoutAWindow) {
  FlatRule rule(0, 0.1);
  for (std::int64_t i = 0; i < 1000; ++i) EXPECT_FALSE(rule.ends(i, 1.0));
}

TEST(FlatRule, EndsAWindowAfterTheLastFall) {
  FlatRule rule(10, 0.01);
  std::int64_t i = 0;
  for (; i < 30; ++i) ASSERT_FALSE(rule.ends(i, std::pow(0.9, static_cast<double>(i))));  // falls by a tenth each time
  const double level = std::pow(0.9, 29.0);
  for (; i < 39; ++i)
    ASSERT_FALSE(rule.ends(i, level * (i % 2 ? 5.0 : 0.9999)));  // flat: a rise or a tiny fall is no fall
  EXPECT_TRUE(rule.ends(i, level));
}

TEST(FlatRule, SlowFallsAddUp) {
  FlatRule rule(10, 0.01);
  // 0.2 % at a time, more than one per cent over ten iterations: goes on.
  for (std::int64_t i = 0; i < 1000; ++i) ASSERT_FALSE(rule.ends(i, std::pow(0.998, static_cast<double>(i)))) << i;
}

TEST(FlatRule, ALossOfZeroIsFlat) {
  FlatRule rule(3, 1e-3);
  EXPECT_FALSE(rule.ends(0, 1.0));
  EXPECT_FALSE(rule.ends(1, 0.0));
  EXPECT_FALSE(rule.ends(3, 0.0));
  EXPECT_TRUE(rule.ends(4, 0.0));
}

std::uint64_t total(const Histogram& histogram) {
  return std::accumulate(histogram.counts.begin(), histogram.counts.end(), std::uint64_t{0});
}

TEST(GrowingHistogram, PutsValuesIntoTheirBins) {
  GrowingHistogram histogram("x", 8.0, false);
  histogram.add(0.0);
  histogram.add(8.0 / 256 - 1e-12);
  histogram.add(8.0 / 256);
  histogram.add(std::nextafter(8.0, 0.0));
  const Histogram h = histogram.histogram();
  EXPECT_EQ(h.variable, "x");
  EXPECT_EQ(h.low, 0.0);
  EXPECT_EQ(h.high, 8.0);
  ASSERT_EQ(h.counts.size(), GrowingHistogram::bins);
  EXPECT_EQ(h.counts[0], 2U);
  EXPECT_EQ(h.counts[1], 1U);
  EXPECT_EQ(h.counts[255], 1U);
}

TEST(GrowingHistogram, DoublesItsRangeForAValueAtTheEdge) {
  GrowingHistogram histogram("x", 8.0, false), both("x", 8.0, true);
  histogram.add(8.0);
  EXPECT_EQ(histogram.histogram().high, 16.0);
  EXPECT_EQ(histogram.histogram().counts[128], 1U);
  both.add(-8.0);
  EXPECT_EQ(both.histogram().low, -16.0);
  EXPECT_EQ(both.histogram().high, 16.0);
  EXPECT_EQ(both.histogram().counts[64], 1U);
}

TEST(GrowingHistogram, LeavesOutWhatIsNotFinite) {
  GrowingHistogram histogram("x", 1.0, true);
  for (const double value : {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN()})
    histogram.add(value);
  EXPECT_EQ(total(histogram.histogram()), 0U);
  EXPECT_EQ(histogram.histogram().high, 1.0);
  histogram.add(std::numeric_limits<double>::max());  // too large for any range; ends all the same
  EXPECT_TRUE(std::isfinite(histogram.histogram().high));
}

// However it grew, the result is the histogram one would have made knowing the final range from the start.
RC_GTEST_PROP(GrowingHistogram, GrowthLosesNothing, ()) {
  const bool symmetric = *rc::gen::arbitrary<bool>();
  const auto exponents = *rc::gen::container<std::vector<int>>(rc::gen::inRange(-6000, 9000));
  GrowingHistogram histogram("x", 2.0, symmetric);
  std::vector<double> values;
  for (std::size_t i = 0; i < exponents.size(); ++i) {
    const double size = std::pow(10.0, exponents[i] / 1000.0);
    values.push_back(symmetric && i % 2 ? -size : size);
    histogram.add(values.back());
  }
  const Histogram grown = histogram.histogram();
  GrowingHistogram at_once("x", grown.high, symmetric);
  for (const double value : values) at_once.add(value);
  RC_ASSERT(total(grown) == values.size());
  RC_ASSERT(grown == at_once.histogram());
  RC_ASSERT(grown.low == (symmetric ? -grown.high : 0.0));
}

BranchPlan plan_with(std::vector<double> units) {
  BranchPlan plan;
  plan.variables = units.size();
  plan.units = std::move(units);
  for (std::size_t k = 0; k < plan.variables; ++k) plan.variable_names.push_back("v" + std::to_string(k));
  return plan;
}

/// Edges of the bins that hold anything.
std::vector<std::pair<double, double>> filled(const Histogram& h) {
  std::vector<std::pair<double, double>> edges;
  const double width = (h.high - h.low) / static_cast<double>(h.counts.size());
  for (std::size_t i = 0; i < h.counts.size(); ++i)
    if (h.counts[i] > 0)
      edges.emplace_back(h.low + width * static_cast<double>(i), h.low + width * static_cast<double>(i + 1));
  return edges;
}

TEST(FrequencyCounter, OneVariableInItsOwnUnits) {
  FrequencyCounter counter(plan_with({100.0}));
  const double omega = 3.0;
  counter.add(&omega);
  const auto histograms = counter.histograms();
  ASSERT_EQ(histograms.size(), 1U);
  EXPECT_EQ(histograms[0].variable, "v0");
  EXPECT_EQ(histograms[0].low, 0.0);
  ASSERT_EQ(filled(histograms[0]).size(), 1U);
  EXPECT_LE(filled(histograms[0])[0].first, 300.0);
  EXPECT_GT(filled(histograms[0])[0].second, 300.0);
}

TEST(FrequencyCounter, SeveralVariablesAndTheirNorm) {
  FrequencyCounter counter(plan_with({1.0, 10.0, 0.01}));
  const double omega[] = {3.0, -0.4, 700.0};  // 3, −4, 7 in the units of the variables; norm √74
  counter.add(omega);
  counter.add(omega);
  const auto histograms = counter.histograms();
  ASSERT_EQ(histograms.size(), 4U);
  EXPECT_EQ(histograms[3].variable, "norm");
  const double expected[] = {3.0, -4.0, 7.0, std::sqrt(74.0)};
  for (std::size_t h = 0; h < 4; ++h) {
    EXPECT_EQ(total(histograms[h]), 2U);
    ASSERT_EQ(filled(histograms[h]).size(), 1U);
    EXPECT_LE(filled(histograms[h])[0].first, expected[h] + 1e-12);
    EXPECT_GE(filled(histograms[h])[0].second, expected[h] - 1e-12);
  }
  EXPECT_LT(histograms[0].low, 0.0);
  EXPECT_EQ(histograms[3].low, 0.0);
}

}  // namespace
}  // namespace rfnn::sampled
