// Which inputs matter, told from rows.

#include "rfnn/finders/grown/screening.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "rfnn/core/random.hpp"
#include "rfnn/finders/grown/tuning.hpp"

namespace rfnn::grown {
namespace {

rows::RowState rows_of(std::size_t count, std::size_t inputs, std::uint64_t seed,
                       const std::function<double(const std::vector<double>&)>& target) {
  const Stream stream(seed, Purpose::data);
  Matrix theta(count, inputs), values(count, 1);
  std::vector<double> point(inputs);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < inputs; ++k) theta(i, k) = point[k] = stream.normal(i * inputs + k);
    values(i, 0) = target(point);
  }
  return rows::RowState(rows::ScaledRows(theta.view(), values.view()));
}

TEST(Screening, TellsTheInputsThatMatter) {
  const auto target = [](const std::vector<double>& x) { return std::sin(2.0 * x[1]) + x[4] * std::cos(x[4] + x[1]); };
  const auto work = rows::make_row_work(rows::Implementation::threads, 1);
  rows::RowWork& passes = *work;
  Interrupt never;
  const std::vector<double> chances =
      screen_inputs(passes, rows_of(2000, 12, 1, target), rows_of(200, 12, 2, target), {1}, never);
  ASSERT_EQ(chances.size(), 12U);
  for (std::size_t k = 0; k < 12; ++k) {
    if (k == 1 || k == 4)
      EXPECT_GE(chances[k], 0.15) << k;
    else
      EXPECT_EQ(chances[k], tuning::screened_out) << k;
  }
}

TEST(Screening, FindsAWeakInputInWhatIsLeft) {
  const auto target = [](const std::vector<double>& x) {
    return 3.0 * std::sin(x[0]) + 2.0 * std::cos(2.0 * x[1]) + 0.05 * std::sin(2.0 * x[7]);
  };
  const auto work = rows::make_row_work(rows::Implementation::threads, 1);
  rows::RowWork& passes = *work;
  Interrupt never;
  // Whether the block has found the little it does or not, and whether it took few features (seeds 2 and 3) or more.
  for (const std::uint64_t seed : {1U, 2U, 3U, 6U}) {
    const std::vector<double> chances =
        screen_inputs(passes, rows_of(4000, 9, 3, target), rows_of(400, 9, 4, target), {seed}, never);
    EXPECT_GT(chances[7], tuning::screened_out) << seed;
    EXPECT_EQ(chances[3], tuning::screened_out) << seed;
  }
}

TEST(Screening, FewInputsAndInterruptsLeaveAll) {
  const auto target = [](const std::vector<double>& x) { return x[0]; };
  const auto work = rows::make_row_work(rows::Implementation::threads, 1);
  rows::RowWork& passes = *work;
  Interrupt never;
  EXPECT_EQ(screen_inputs(passes, rows_of(300, 3, 1, target), rows_of(50, 3, 2, target), {1}, never),
            std::vector<double>(3, 1.0));
  Interrupt stop([] { return false; });
  EXPECT_EQ(screen_inputs(passes, rows_of(300, 5, 1, target), rows_of(50, 5, 2, target), {1}, stop),
            std::vector<double>(5, 1.0));
}

}  // namespace
}  // namespace rfnn::grown
