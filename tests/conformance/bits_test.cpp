// The same bits whatever the number of threads and the width of the registers.

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "conformance/cases.hpp"

namespace rfnn {
namespace {

using testing::Chain;
using testing::Data;
using testing::direct_chain;
using testing::index;
using testing::pattern;
using testing::random_branch;
using testing::Shape;

/// Everything an engine computes in one block, end to end, for comparing bits.
std::vector<double> all_numbers(Chain& engine, const Shape& shape) {
  std::vector<double> numbers;
  const auto note = [&](const Eigen::MatrixXd& matrix) {
    numbers.insert(numbers.end(), matrix.data(), matrix.data() + matrix.size());
  };
  Interrupt never;
  Block block;
  for (std::size_t b = 0; b < shape.branches.size(); ++b)
    block.branches.push_back(
        random_branch(shape.branches[b].kind, shape.branches[b].features, shape.inputs, shape.outputs, 60 + b));
  EXPECT_TRUE(engine.advance(block, never));
  engine.begin_block(shape.branches, {});
  for (std::size_t b = 0; b < shape.branches.size(); ++b) engine.keep(b, block.branches[b].frequencies);
  least_squares::NormalEquations problem;
  EXPECT_TRUE(engine.reduce_kept(problem, never));
  const Eigen::Index n = problem.gram.rows(), p = index(2 * shape.branches[0].features);
  problem.gram.conservativeResize(n + p, n + p);
  problem.rhs.conservativeResize(n + p, problem.rhs.cols());
  engine.propose(
      0,
      random_branch(shape.branches[0].kind, shape.branches[0].features, shape.inputs, shape.outputs, 70).frequencies);
  EXPECT_TRUE(engine.reduce_proposed(problem, never));
  note(problem.gram);
  note(problem.rhs);
  note(problem.energy);
  std::vector<std::size_t> columns(static_cast<std::size_t>(n + p));
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  least_squares::Triangle triangle;
  EXPECT_TRUE(engine.triangle(columns, triangle, never));
  note(triangle.upper);
  note(triangle.projected);
  note(triangle.rest);
  Eigen::MatrixXd rhs, product;
  Eigen::VectorXd energy;
  EXPECT_TRUE(engine.correlate(columns, rhs, energy, never));
  note(rhs);
  note(energy);
  EXPECT_TRUE(engine.normal_product(columns, problem.rhs, product, never));
  note(product);
  engine.accept(pattern(shape.branches[0].features, 2));
  EXPECT_TRUE(engine.advance(block, never));
  note(engine.errors().train);
  note(engine.errors().validation);
  return numbers;
}

TEST(DirectEngine, BitsDoNotDependOnTheNumberOfThreads) {
  // Enough work to be spread over threads; features cached, not cached, and a Gram matrix taken for a wide one.
  const Shape shape{20003, 2, 2, {{BranchKind::input, 12}, {BranchKind::state, 12}}};
  const Data data(shape);
  for (const rows::DirectEngine::Limits& limits :
       {rows::DirectEngine::Limits{}, rows::DirectEngine::Limits{.cache = 0},
        rows::DirectEngine::Limits{.cache = 0, .wide_gram = 0, .group = std::size_t{1} << 20}}) {
    const std::vector<double> expected =
        all_numbers(*direct_chain(data.train(), data.validation(), 1, features::kernels(), limits), shape);
    for (const std::size_t threads : {2U, 3U, 4U}) {
      const auto several = direct_chain(data.train(), data.validation(), threads, features::kernels(), limits);
      EXPECT_EQ(all_numbers(*several, shape), expected)
          << threads << " threads, limits " << limits.cache << ", " << limits.wide_gram;
    }
  }
}

TEST(DirectEngine, TheFusedLevelsGiveTheSameBits) {
  const Shape shape{3001, 3, 2, {{BranchKind::input, 5}, {BranchKind::state, 5}}};
  const Data data(shape);
  const features::Kernels *narrow = features::kernels("avx2"), *wide = features::kernels("avx512");
  if (narrow == nullptr || wide == nullptr) return;  // this CPU has nothing to compare
  const auto one = direct_chain(data.train(), data.validation(), 1, *narrow, {}),
             two = direct_chain(data.train(), data.validation(), 1, *wide, {});
  EXPECT_EQ(all_numbers(*one, shape), all_numbers(*two, shape));
}

}  // namespace
}  // namespace rfnn
