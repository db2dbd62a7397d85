#include "rfnn/rows/lattice/lattice_sum.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "rfnn/core/random.hpp"
#include "rfnn/features/kernels.hpp"
#include "rfnn/rows/tiles.hpp"
#include "rows/naive.hpp"

namespace rfnn::rows {
namespace {

using testing::naive_features;
using testing::normal_matrix;
using testing::to_eigen;

TEST(LatticeSum, IsTheSumOfFeatures) {
  for (const std::size_t d : {1u, 2u}) {
    // Multiples of a step, either sign, some twice; the smallest is not the step itself.
    const std::size_t features = 500;
    Branch branch{BranchKind::input, Matrix(features, d), normal_matrix(2 * features, 2, 4),
                  std::vector<double>(d, 0.37)};
    const Stream stream(d, Purpose::data);
    for (std::size_t j = 0; j < features; ++j)
      for (std::size_t v = 0; v < d; ++v)
        branch.frequencies(j, v) = 0.37 * std::round((d == 1 ? 900.0 : 30.0) * (stream.uniform(2 * j + v) - 0.5));
    const std::size_t rows = tile_rows - 3;
    const Matrix theta = normal_matrix(rows, d, 5);
    TiledColumns inputs(rows, d), out(rows, 2);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t v = 0; v < d; ++v) inputs(i, v) = theta(i, v);
      for (std::size_t o = 0; o < 2; ++o) out(i, o) = 1.0;
    }
    Workers workers(2);
    Interrupt never;
    const auto sum = LatticeSum::make(branch, workers, never);
    ASSERT_NE(sum, nullptr);
    std::vector<const double*> columns;
    for (std::size_t v = 0; v < d; ++v) columns.push_back(inputs.column(0, v));
    sum->add(columns, rows, {out.column(0, 0), out.column(0, 1)});
    const Eigen::MatrixXd expected = naive_features(to_eigen(theta), branch.frequencies) * to_eigen(branch.amplitudes);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t o = 0; o < 2; ++o)
        ASSERT_NEAR(out(i, o) - 1.0, expected(testing::index(i), testing::index(o)), 1e-9) << d;
    for (std::size_t i = rows; i < tile_rows; ++i) ASSERT_EQ(out.column(0, 0)[i], 0.0) << "written beyond the rows";
    Interrupt stop([] { return false; });
    EXPECT_EQ(LatticeSum::make(branch, workers, stop), nullptr);
  }
}

}  // namespace
}  // namespace rfnn::rows
