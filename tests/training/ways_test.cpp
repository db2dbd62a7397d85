#include "rfnn/training/ways.hpp"

#include <gtest/gtest.h>

#include "rfnn/training/networks.hpp"
#include "rfnn/training/tuning.hpp"

namespace rfnn::training {
namespace {

std::vector<Method> methods(const Options& options, std::size_t inputs, std::size_t rows) {
  std::vector<Method> list;
  for (const Way& way : ways_to_begin(options, inputs, rows)) list.push_back(way.first);
  return list;
}

using Methods = std::vector<Method>;

// Shares of the time for training: until all have ended, of this network, of later ones, used by now.
TEST(EndOfWindow, TakesWhatLaterOnesDoNotNeedAndSharesWhatIsTooLittle) {
  EXPECT_DOUBLE_EQ(end_of_window(0.8, 0.55, 0.15, 0.0), 0.65);
  EXPECT_DOUBLE_EQ(end_of_window(0.8, 0.1, 0.05, 0.3), 0.75);
  EXPECT_DOUBLE_EQ(end_of_window(0.8, 0.5, 0.0, 0.1), 0.8);
  EXPECT_DOUBLE_EQ(end_of_window(0.8, 0.5, 1.5, 0.4), 0.5);
  EXPECT_DOUBLE_EQ(end_of_window(0.8, 0.5, 0.0, 0.6), 0.8);
  EXPECT_DOUBLE_EQ(end_of_window(0.8, 0.0, 1.0, 0.4), 0.4);
  // Nothing is left: it ends as it begins.
  EXPECT_DOUBLE_EQ(end_of_window(0.8, 0.5, 1.0, 0.9), 0.9);
}

TEST(Ways, FollowFromInputsAndRows) {
  const Options options;
  EXPECT_EQ(methods(options, 1, 500), (Methods{Method::series, Method::lattice, Method::kernel, Method::sequential}));
  EXPECT_EQ(methods(options, 1, 50000), (Methods{Method::series, Method::lattice, Method::sequential}));
  EXPECT_EQ(methods(options, 2, 3000), (Methods{Method::lattice, Method::kernel, Method::sequential}));
  EXPECT_EQ(methods(options, 2, 5000),
            (Methods{Method::windows, Method::lattice, Method::windows, Method::kernel, Method::sequential}));
  EXPECT_EQ(methods(options, 2, 50000),
            (Methods{Method::windows, Method::lattice, Method::windows, Method::sequential}));
  EXPECT_EQ(methods(options, 3, 50000), (Methods{Method::windows, Method::kernel, Method::kernel, Method::sequential}));
  EXPECT_EQ(methods(options, 8, 500), (Methods{Method::kernel, Method::sequential}));
  EXPECT_EQ(methods(options, 8, 50000), (Methods{Method::kernel, Method::kernel, Method::sequential}));
}

TEST(Ways, ABoundOnTheWidthOrARidgeLeavesOnlyWhatKeepsToIt) {
  Options options;
  options.width = 12;
  EXPECT_EQ(methods(options, 1, 500), Methods{Method::sequential});
  EXPECT_EQ(methods(options, 2, 50000), Methods{Method::sequential});
  options.width = static_cast<std::int64_t>(tuning::wide);
  EXPECT_EQ(methods(options, 8, 500), (Methods{Method::random, Method::sequential}));
  EXPECT_EQ(methods(options, 2, 500), (Methods{Method::lattice, Method::sequential}));
  options = Options{};
  options.ridge = {1e-3};
  EXPECT_EQ(methods(options, 8, 500), Methods{Method::sequential});
}

TEST(Ways, BeyondTheRowsThoseThatGoOnComeFirst) {
  Options options;
  EXPECT_FALSE(beyond(options));
  options.holdout = Holdout::tail;
  EXPECT_TRUE(beyond(options));
  EXPECT_EQ(methods(options, 1, 500), (Methods{Method::lines, Method::series}));
  options.holdout = Holdout::gap;
  EXPECT_EQ(methods(options, 1, 500), (Methods{Method::lines, Method::series, Method::lattice}));
  EXPECT_EQ(methods(options, 3, 500), (Methods{Method::lines, Method::kernel, Method::sequential}));
  options.width = 12;
  EXPECT_EQ(methods(options, 1, 500), (Methods{Method::lines, Method::sequential}));
}

}  // namespace
}  // namespace rfnn::training
