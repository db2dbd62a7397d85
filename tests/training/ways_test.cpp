#include "rfnn/training/ways.hpp"

#include <gtest/gtest.h>

#include "rfnn/training/tuning.hpp"

namespace rfnn::training {
namespace {

std::vector<Method> methods(const Options& options, std::size_t inputs, std::size_t rows) {
  std::vector<Method> list;
  for (const Way& way : ways_to_begin(options, inputs, rows)) list.push_back(way.first);
  return list;
}

using Methods = std::vector<Method>;

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
