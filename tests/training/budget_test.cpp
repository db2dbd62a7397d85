#include "rfnn/training/budget.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

namespace rfnn::training {
namespace {

Options limited_to(double seconds) {
  Options options;
  options.max_time = seconds;
  return options;
}

FitExtras started_before(double seconds) {
  FitExtras extras;
  extras.started = Clock::now() - std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  return extras;
}

TEST(Budget, WithoutALimitNothingEnds) {
  Budget budget(Options{}, started_before(1e5));
  budget.begin_training();
  EXPECT_FALSE(budget.limited());
  EXPECT_FALSE(budget.used_up());
  EXPECT_TRUE(std::isinf(budget.left()));
  EXPECT_EQ(budget.share_used(), 0.0);
  EXPECT_EQ(budget.training_used(), 0.0);
  EXPECT_EQ(budget.end_of(0.0), Clock::time_point::max());
  EXPECT_GE(budget.elapsed(), 1e5);
}

// Reading a table before the call of fit() counts.
TEST(Budget, TheClockStartsWhenTheCallerSays) {
  const Budget fresh(limited_to(1000.0), {}), late(limited_to(1000.0), started_before(600.0)),
      over(limited_to(1000.0), started_before(2000.0));
  EXPECT_GT(fresh.left(), 900.0);
  EXPECT_LT(fresh.left(), 1000.0);  // a little is kept for the end
  EXPECT_LT(late.left(), 400.0);
  EXPECT_GT(late.left(), 300.0);
  EXPECT_GE(late.share_used(), 0.6);
  EXPECT_LT(late.share_used(), 0.7);
  EXPECT_FALSE(late.used_up());
  EXPECT_TRUE(over.used_up());
  EXPECT_LT(over.left(), 0.0);
  EXPECT_EQ(over.share_used(), 1.0);
}

TEST(Budget, KeepsALittleForTheEnd) {
  // A share of a short budget, a quarter of a second of a long one.
  EXPECT_LE(Budget(limited_to(2.0), {}).left(), 1.9);
  EXPECT_TRUE(Budget(limited_to(2.0), started_before(1.95)).used_up());
  EXPECT_LE(Budget(limited_to(1000.0), {}).left(), 999.75);
  EXPECT_GT(Budget(limited_to(1e6), {}).left(), 999000.0);
}

TEST(Budget, WindowsAreSharesOfWhatIsLeftWhenTrainingBegins) {
  Budget budget(limited_to(1000.0), started_before(500.0));
  budget.begin_training();
  const auto now = Clock::now();
  const double window = seconds_between(now, budget.end_of(1.0));
  EXPECT_LT(window, 500.0);
  EXPECT_GT(window, 400.0);
  for (const double share : {0.1, 0.4, 0.8})
    EXPECT_NEAR(seconds_between(now, budget.end_of(share)), share * window, 1e-2 * window);
  EXPECT_GE(budget.training_used(), 0.0);
  EXPECT_LT(budget.training_used(), 0.2);

  // Nothing left: all windows have ended.
  Budget over(limited_to(10.0), started_before(20.0));
  over.begin_training();
  EXPECT_LE(over.end_of(1.0), Clock::now());
  EXPECT_EQ(over.training_used(), 1.0);
}

TEST(Budget, SharesLeaveRoomForTheFitToAllRows) {
  EXPECT_LT(shares::networks, 1.0);
  EXPECT_LE(shares::logarithms_window + shares::series + shares::lattice + shares::kernel_beside_lattice +
                shares::grown_beside_lattice,
            shares::networks);
  EXPECT_LE(shares::logarithms_window + shares::wide + shares::wide_to_stand_on + shares::grown_beside_wide,
            shares::networks);
}

TEST(Effort, FollowsFromTheRows) {
  EXPECT_DOUBLE_EQ(operations_without_limit(10000), 5.6e11);
  EXPECT_NEAR(operations_without_limit(1000), 5.6e11 * std::pow(0.1, 0.85), 1e3);
  EXPECT_NEAR(operations_without_limit(100000), 5.6e11 * std::pow(10.0, 0.4), 1e3);
  // Few rows take no less than a hundred do, very many no more than 10⁵.
  EXPECT_EQ(operations_without_limit(1), operations_without_limit(100));
  EXPECT_EQ(operations_without_limit(10000000), operations_without_limit(100000));
}

TEST(Effort, FollowsFromTheTimeWhereThereIsALimit) {
  EXPECT_EQ(operations_for(Options{}, 5000, 8), operations_without_limit(5000));
  const Options limited = limited_to(10.0);
  EXPECT_EQ(operations_for(limited, 100, 2), operations_for(limited, 1000000, 2));
  EXPECT_DOUBLE_EQ(operations_for(limited, 100, 4), 2.0 * operations_for(limited, 100, 2));
}

}  // namespace
}  // namespace rfnn::training
