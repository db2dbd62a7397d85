// Row work over several ranks, which are threads here, must agree with the reference, and its bits must not depend on
// how many there are.

#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "rfnn/rows/ranks/piece_holder.hpp"
#include "rfnn/rows/ranks/ranks_work.hpp"
#include "rfnn/rows/reference/reference_work.hpp"
#include "rows/naive.hpp"
#include "rows/thread_ranks.hpp"

namespace rfnn::rows {
namespace {

using testing::index;
using testing::normal_matrix;
using testing::random_branch;
using testing::run_ranks;
using testing::to_eigen;

struct Shape {
  std::size_t rows;
  bool weighted, subset;
};

RowState make_rows(const Shape& shape) {
  const Matrix theta = normal_matrix(shape.rows, 2, 1), target = normal_matrix(shape.rows, 2, 2);
  std::vector<double> weights;
  for (std::size_t i = 0; shape.weighted && i < shape.rows; ++i)
    weights.push_back(0.5 + static_cast<double>(i * 7 % 5));
  return RowState(ScaledRows(theta.view(), target.view(), weights));
}

/// The pieces of some rows that a rank is to hold.
SpreadRows spread(const RowState& all, const Communicator& ranks) {
  SpreadRows rows;
  rows.cuts = piece_cuts(all.count());
  rows.first = pieces_of_ranks(rows.cuts.size() - 1, ranks.size());
  for (std::size_t p = rows.first[ranks.rank()]; p < rows.first[ranks.rank() + 1]; ++p) {
    std::vector<std::size_t> places(rows.cuts[p + 1] - rows.cuts[p]);
    std::iota(places.begin(), places.end(), rows.cuts[p]);
    rows.pieces.push_back(all.at(places));
    double sum = 0.0;
    for (const std::size_t place : places) sum += all.weight(place);
    rows.scales.push_back(sum / static_cast<double>(places.size()));
  }
  return rows;
}

FeatureBlock make_block() {
  const Matrix frequencies = normal_matrix(4, 4, 4, 2.0);
  FeatureBlock block;
  for (std::size_t f = 0; f < 4; ++f) {
    Feature feature{std::vector<double>(4, 0.0), {}};
    for (std::uint32_t k = 0; k < 4; ++k) {
      if ((f + k) % 3 == 0) continue;
      feature.frequency[k] = frequencies(f, k);
      feature.active.push_back(k);
    }
    block.features.push_back(feature);
  }
  block.amplitudes = to_eigen(normal_matrix(8, 2, 5, 0.5));
  return block;
}

/// All that the passes come to, one number after the other.
Numbers all_sums(RowWork& work, RowState& rows, const Shape& shape) {
  Packer out;
  Interrupt never;
  EXPECT_TRUE(work.advance(Block{{random_branch(BranchKind::input, 3, 2, 2, 6)}}, rows, never));
  RowState before = rows;  // what is copied stays as it is
  EXPECT_TRUE(work.advance(Block{{random_branch(BranchKind::state, 2, 2, 2, 7)}}, rows, never));
  out.put(work.mean_squares(rows));
  out.put(work.mean_squares(before));
  const FeatureBlock block = make_block();
  FeatureSums features;
  EXPECT_TRUE(work.features(rows, block.features, features, never));
  Numbers sums = packed(features);
  out.put(Eigen::Map<const Eigen::VectorXd>(sums.data(), index(sums.size())));
  JacobianSums jacobian;
  EXPECT_TRUE(work.jacobian(rows, block, jacobian, never));
  sums = packed(jacobian);
  out.put(Eigen::Map<const Eigen::VectorXd>(sums.data(), index(sums.size())));
  Eigen::VectorXd energy;
  EXPECT_TRUE(work.misfit(rows, block, energy, never));
  out.put(energy);

  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; shape.subset && i < shape.rows / 2 + 1; ++i) chosen.push_back(i * 7919 % shape.rows);
  const std::unique_ptr<Engine> chain = work.chain(rows);
  chain->begin_block({{BranchKind::input, 2}, {BranchKind::state, 1}}, chosen);
  EXPECT_EQ(chain->block_rows(), chosen.empty() ? shape.rows : chosen.size());
  chain->keep(0, normal_matrix(2, 2, 8));
  chain->keep(1, normal_matrix(1, 2, 9));
  for (const std::vector<char>& accepted : {std::vector<char>{1, 0}, std::vector<char>{0, 1}}) {
    least_squares::NormalEquations problem;
    EXPECT_TRUE(chain->reduce_kept(problem, never));
    EXPECT_EQ(problem.rows, static_cast<double>(chain->block_rows()));
    chain->propose(0, normal_matrix(2, 2, 10));
    problem.gram.conservativeResize(10, 10);
    problem.rhs.conservativeResize(10, 2);
    EXPECT_TRUE(chain->reduce_proposed(problem, never));
    out.put(problem.gram);
    out.put(problem.rhs);
    out.put(problem.energy);
    chain->accept(accepted);
  }
  const std::vector<std::size_t> columns = {4, 0, 3};
  least_squares::Triangle triangle;
  EXPECT_TRUE(chain->triangle(columns, triangle, never));
  out.put(triangle.upper.transpose() * triangle.upper);  // signs are free
  out.put(triangle.upper.transpose() * triangle.projected);
  out.put(triangle.rest);
  Eigen::MatrixXd rhs, product;
  EXPECT_TRUE(chain->correlate(columns, rhs, energy, never));
  out.put(rhs);
  out.put(energy);
  EXPECT_TRUE(chain->normal_product(columns, to_eigen(normal_matrix(3, 2, 11)), product, never));
  out.put(product);
  return out.take();
}

Numbers sums_of_ranks(std::size_t count, const Shape& shape) {
  Numbers sums;
  const auto failures = run_ranks(count, [&](Communicator& ranks) {
    PieceHolder holder(ranks, ranks.rank() == 1 ? 2 : 1);
    const std::uint64_t number = holder.hold(spread(make_rows(shape), ranks));
    if (ranks.rank() != 0) {
      EXPECT_EQ(holder.serve(), "that is all");
      return;
    }
    RanksWork work(holder);
    RowState rows = work.rows(number, 2, 2);
    EXPECT_EQ(rows.count(), shape.rows);
    sums = all_sums(work, rows, shape);
    work.finish("that is all");
  });
  for (const std::exception_ptr& failure : failures) EXPECT_EQ(failure, nullptr);
  return sums;
}

TEST(RanksWork, AgreesWithTheReferenceAndWithItselfOnAnyNumberOfRanks) {
  for (const std::size_t rows : {1U, 3U, 257U, 1500U})
    for (const bool weighted : {false, true})
      for (const bool subset : {false, true}) {
        const Shape shape{rows, weighted, subset};
        SCOPED_TRACE(std::to_string(rows) + " rows" + (weighted ? ", weighted" : "") + (subset ? ", subset" : ""));
        ReferenceWork reference;
        RowState oracle = make_rows(shape);
        const Numbers expected = all_sums(reference, oracle, shape), one = sums_of_ranks(1, shape);
        ASSERT_EQ(one.size(), expected.size());
        for (std::size_t i = 0; i < one.size(); ++i)
          ASSERT_NEAR(one[i], expected[i], 2e-11 * static_cast<double>(rows + 10)) << "number " << i;
        for (const std::size_t ranks : {2U, 3U, 7U}) ASSERT_EQ(sums_of_ranks(ranks, shape), one) << ranks << " ranks";
      }
}

}  // namespace
}  // namespace rfnn::rows
