// What --dry-run promises of preset auto, beside peaks that were measured.

#include "rfnn/training/memory.hpp"

#include <gtest/gtest.h>

namespace rfnn::training {
namespace {

/// Peaks of `rfnn fit` on NPY files of doubles, one target, of the program's own count of resident pages.
struct Measured {
  std::size_t rows, inputs, threads;
  double max_time;
  Holdout holdout;
  double megabytes;
  std::int64_t width = 0;
};

TEST(MemoryOfAuto, IsWithinAQuarterOfWhatWasMeasured) {
  for (const Measured& run : {Measured{50, 10000, 2, 0.0, Holdout::random, 452.0},
                              {50, 10000, 1, 0.0, Holdout::random, 351.0},
                              {800, 8, 2, 0.0, Holdout::random, 21.0},
                              {1503, 5, 2, 0.0, Holdout::random, 43.0},
                              {1503, 5, 2, 60.0, Holdout::random, 85.0},
                              {2000, 2, 2, 0.0, Holdout::tail, 51.0},
                              {3500, 8, 2, 0.0, Holdout::random, 115.0},
                              {3500, 8, 2, 30.0, Holdout::random, 142.0},
                              {3500, 8, 2, 0.0, Holdout::gap, 116.0},
                              {20000, 1, 2, 20.0, Holdout::tail, 22.0},
                              {20000, 1, 1, 6.0, Holdout::random, 75.6},
                              {100000, 1, 1, 6.0, Holdout::random, 119.4},
                              {200000, 1, 1, 6.0, Holdout::random, 253.4},
                              {500000, 1, 1, 6.0, Holdout::random, 571.7},
                              {20000, 2, 2, 0.0, Holdout::random, 71.0},
                              {200000, 2, 2, 0.0, Holdout::random, 245.0},
                              {1000000, 2, 2, 60.0, Holdout::random, 541.0},
                              {10000000, 4, 2, 30.0, Holdout::random, 708.0},
                              {600, 4, 2, 0.0, Holdout::random, 35.6, 300},
                              {3000, 8, 2, 0.0, Holdout::random, 145.6, 300},
                              {3500, 5, 2, 0.0, Holdout::random, 196.0, 2000},
                              {20000, 8, 2, 0.0, Holdout::random, 124.7, 300}}) {
    Options options;
    options.max_time = run.max_time;
    options.holdout = run.holdout;
    options.width = run.width;
    const RunSizes sizes{.rows = run.rows,
                         .inputs = run.inputs,
                         .outputs = 1,
                         .data_bytes = 8.0 * static_cast<double>(run.rows * (run.inputs + 1)),
                         .threads = run.threads};
    const double ratio = memory_needed(options, sizes).total() / (1e6 * run.megabytes);
    EXPECT_GT(ratio, 0.8) << run.rows << " × " << run.inputs << ", " << run.max_time << " s, width " << run.width;
    EXPECT_LT(ratio, 1.25) << run.rows << " × " << run.inputs << ", " << run.max_time << " s, width " << run.width;
  }
}

// With few features how far blocks grow depends on the function: sin(6 x₀) x₁ with noise, or sixty waves.
TEST(MemoryOfAuto, OfFewFeaturesIsBetweenWhatEasyAndHardFunctionsTake) {
  struct Range {
    std::size_t rows, inputs;
    std::int64_t width;
    double least, most;  ///< megabytes
  };
  for (const Range& run : {Range{3000, 8, 20, 18.8, 27.2},
                           {20000, 2, 20, 16.7, 39.9},
                           {20000, 2, 300, 18.6, 54.0},
                           {20000, 2, 5000, 20.1, 55.8}}) {
    Options options;
    options.width = run.width;
    const RunSizes sizes{.rows = run.rows,
                         .inputs = run.inputs,
                         .outputs = 1,
                         .data_bytes = 8.0 * static_cast<double>(run.rows * (run.inputs + 1)),
                         .threads = 2};
    const double megabytes = memory_needed(options, sizes).total() / 1e6;
    EXPECT_GT(megabytes, run.least) << run.rows << " × " << run.inputs << ", width " << run.width;
    EXPECT_LT(megabytes, 1.25 * run.most) << run.rows << " × " << run.inputs << ", width " << run.width;
  }
}

}  // namespace
}  // namespace rfnn::training
