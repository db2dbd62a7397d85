// One body for every engine: whatever it computes must agree with the reference engine, which is the formulas written
// down. Tolerances: a feature is a number in [−1, 1] whose phase, below about 100 here, is rounded in every engine in
// its own way; so sums over N rows agree to 1e-12·N, and what is solved or added up from them to a like share of its
// size.

#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "conformance/cases.hpp"

namespace rfnn {
namespace {

using testing::Chain;
using testing::Data;
using testing::EngineCase;
using testing::engines;
using testing::index;
using testing::largest;
using testing::largest_difference;
using testing::naive_columns;
using testing::normal_matrix;
using testing::pattern;
using testing::random_branch;
using testing::reference_chain;
using testing::Shape;
using testing::StateErrors;
using testing::to_eigen;
using testing::words;

/// Drives an engine and the reference through the same moves.
class Pair {
 public:
  Pair(const Shape& shape, const EngineCase& engine_case)
      : shape_(shape),
        data_(shape),
        engine_(engine_case.make(data_.train(), data_.validation())),
        oracle_(reference_chain(data_.train(), data_.validation())) {
    for (Chain* e : both()) {
      e->begin_block({{BranchKind::input, 2}}, {});
      e->keep(0, normal_matrix(2, shape.inputs, 5));
    }
    compare_kept();
    // Something for the state branches to see.
    Block block{{random_branch(BranchKind::input, 2, shape.inputs, shape.outputs, 6)}};
    for (Chain* e : both()) EXPECT_TRUE(e->advance(block, never_));
    compare_errors();
  }

  void begin() {
    for (Chain* e : both()) e->begin_block(shape_.branches, data_.block_rows);
    EXPECT_EQ(engine_->block_rows(), data_.block_rows.empty() ? shape_.rows : data_.block_rows.size());
    for (std::size_t b = 0; b < shape_.branches.size(); ++b)
      for (Chain* e : both()) e->keep(b, frequencies(b, 20 + b));
    compare_kept();
  }

  void propose(std::size_t branch, std::uint64_t seed) {
    for (Chain* e : both()) e->propose(branch, frequencies(branch, seed));
    const Eigen::Index n = kept_columns(), p = index(2 * shape_.branches[branch].features);
    least_squares::NormalEquations problems[2];
    for (std::size_t e = 0; e < 2; ++e) {
      least_squares::NormalEquations& problem = problems[e];
      ASSERT_TRUE(both()[e]->reduce_kept(problem, never_));
      problem.gram.conservativeResize(n + p, n + p);
      problem.rhs.conservativeResize(n + p, index(shape_.outputs));
      ASSERT_TRUE(both()[e]->reduce_proposed(problem, never_));
    }
    compare(problems[0], problems[1]);
    // The columns a solver asks for while the proposal is weighed: those of the branch replaced.
    std::vector<std::size_t> columns(static_cast<std::size_t>(n));
    std::iota(columns.begin(), columns.end(), std::size_t{0});
    std::size_t first = 0;
    for (std::size_t b = 0; b < branch; ++b) first += 2 * shape_.branches[b].features;
    for (std::size_t c = 0; c < static_cast<std::size_t>(p); ++c) columns[first + c] = static_cast<std::size_t>(n) + c;
    compare_columns(columns);
    compare_columns({0, static_cast<std::size_t>(n)});
  }

  void accept(const std::vector<char>& accepted) {
    for (Chain* e : both()) e->accept(accepted);
    compare_kept();
  }

  void compare_kept() {
    least_squares::NormalEquations problems[2];
    for (std::size_t e = 0; e < 2; ++e) ASSERT_TRUE(both()[e]->reduce_kept(problems[e], never_));
    compare(problems[0], problems[1]);
    std::vector<std::size_t> columns(static_cast<std::size_t>(problems[1].gram.rows()));
    std::iota(columns.begin(), columns.end(), std::size_t{0});
    compare_columns(columns);
    compare_columns({columns.back(), 0});
  }

  void advance() {
    Block block;
    for (std::size_t b = 0; b < shape_.branches.size(); ++b)
      block.branches.push_back(
          random_branch(shape_.branches[b].kind, shape_.branches[b].features, shape_.inputs, shape_.outputs, 30 + b));
    for (Chain* e : both()) ASSERT_TRUE(e->advance(block, never_));
    compare_errors();
  }

 private:
  [[nodiscard]] std::vector<Chain*> both() const { return {engine_.get(), oracle_.get()}; }
  [[nodiscard]] double rows() const { return static_cast<double>(oracle_->block_rows()); }
  [[nodiscard]] Matrix frequencies(std::size_t branch, std::uint64_t seed) const {
    const rows::BranchShape& b = shape_.branches[branch];
    return normal_matrix(b.features, variables_of(b.kind, shape_.inputs, shape_.outputs), seed, 3.0);
  }
  [[nodiscard]] Eigen::Index kept_columns() const {
    std::size_t features = 0;
    for (const rows::BranchShape& branch : shape_.branches) features += branch.features;
    return index(2 * features);
  }

  void compare(const least_squares::NormalEquations& actual, const least_squares::NormalEquations& expected) const {
    EXPECT_LE(largest_difference(actual.gram, expected.gram), 1e-12 * rows());
    EXPECT_EQ(largest_difference(actual.gram, actual.gram.transpose()), 0.0);
    EXPECT_LE(largest_difference(actual.rhs, expected.rhs), 1e-12 * rows() * 5.0);
    EXPECT_LE(largest_difference(actual.energy, expected.energy), 1e-12 * largest(expected.energy));
    EXPECT_EQ(actual.rows, rows());
  }

  void compare_columns(const std::vector<std::size_t>& columns) {
    const double scale = 1e-12 * rows();
    const Eigen::Index n = index(columns.size()), m = index(shape_.outputs);
    Eigen::MatrixXd rhs[2], product[2];
    Eigen::VectorXd energy[2];
    const Eigen::MatrixXd v = to_eigen(normal_matrix(columns.size(), shape_.outputs, 7));
    for (std::size_t e = 0; e < 2; ++e) {
      ASSERT_TRUE(both()[e]->correlate(columns, rhs[e], energy[e], never_));
      ASSERT_TRUE(both()[e]->normal_product(columns, v, product[e], never_));
    }
    ASSERT_EQ(rhs[0].rows(), n);
    ASSERT_EQ(product[0].rows(), n);
    EXPECT_LE(largest_difference(rhs[0], rhs[1]), 5.0 * scale);
    EXPECT_LE(largest_difference(energy[0], energy[1]), 1e-12 * largest(energy[1]));
    EXPECT_LE(largest_difference(product[0], product[1]), scale * static_cast<double>(n) * 5.0);

    // The reduction is unique up to signs; its products are unique.
    least_squares::Triangle triangle;
    ASSERT_TRUE(engine_->triangle(columns, triangle, never_));
    ASSERT_EQ(triangle.upper.rows(), n);
    ASSERT_EQ(triangle.projected.cols(), m);
    EXPECT_EQ(triangle.rows, rows());
    EXPECT_EQ(largest(triangle.upper.triangularView<Eigen::StrictlyLower>()), 0.0);
    EXPECT_LE(largest_difference(triangle.upper.transpose() * (triangle.upper * v), product[1]),
              scale * static_cast<double>(n) * 5.0);
    EXPECT_LE(largest_difference(triangle.upper.transpose() * triangle.projected, rhs[1]), 5.0 * scale);
    const Eigen::VectorXd total = triangle.projected.colwise().squaredNorm().transpose() + triangle.rest;
    EXPECT_LE(largest_difference(total, energy[1]), 1e-12 * largest(energy[1]));
  }

  void compare_errors() const {
    const StateErrors actual = engine_->errors(), expected = oracle_->errors();
    EXPECT_LE(largest_difference(actual.train, expected.train), 1e-11 * largest(expected.train));
    ASSERT_EQ(actual.validation.size(), expected.validation.size());
    EXPECT_LE(largest_difference(actual.validation, expected.validation), 1e-11 * largest(expected.validation));
  }

  Shape shape_;
  Data data_;
  std::unique_ptr<Chain> engine_, oracle_;
  Interrupt never_;
};

class EveryEngine : public ::testing::TestWithParam<EngineCase> {
 protected:
  /// A block as the sampler runs it: keep, then propose and accept in branch after branch, then join.
  static void run(const Shape& shape, std::size_t rounds) {
    SCOPED_TRACE(words(shape));
    Pair pair(shape, GetParam());
    for (int block = 0; block < 2; ++block) {
      pair.begin();
      for (std::size_t round = 0; round < rounds; ++round)
        for (std::size_t b = 0; b < shape.branches.size(); ++b) {
          pair.propose(b, 40 + 10 * round + b);
          pair.accept(pattern(shape.branches[b].features, round));
        }
      pair.advance();
    }
  }
};
INSTANTIATE_TEST_SUITE_P(All, EveryEngine, ::testing::ValuesIn(engines()),
                         [](const auto& test) { return test.param.name; });

const std::vector<std::vector<rows::BranchShape>> layouts = {
    {{BranchKind::input, 3}},
    {{BranchKind::input, 3}, {BranchKind::state, 3}},
    {{BranchKind::input, 4}, {BranchKind::state, 1}, {BranchKind::joint, 2}},
    {{BranchKind::joint, 5}},
};

TEST_P(EveryEngine, AgreesAtAwkwardRowCounts) {
  std::size_t turn = 0;
  for (const std::size_t rows :
       {std::size_t{1}, std::size_t{2}, std::size_t{3}, features::tile_rows - 1, features::tile_rows,
        features::tile_rows + 1, 2 * features::tile_rows + 3, std::size_t{5000}})
    for (const std::size_t outputs : {1U, 3U}) {
      const std::size_t inputs = std::vector<std::size_t>{1, 3, 10}[turn % 3];
      run({rows, inputs, outputs, layouts[turn % layouts.size()], turn % 5 == 0}, rows > 1000 ? 2 : 4);
      ++turn;
    }
}

TEST_P(EveryEngine, AgreesForAllDimensionsAndBranches) {
  for (const std::size_t inputs : {1U, 3U, 10U})
    for (const std::size_t outputs : {1U, 3U})
      for (const auto& layout : layouts)
        for (const bool subset : {false, true}) run({300, inputs, outputs, layout, subset}, 2);
}

// Many rows; engines that keep no features make them anew at every visit, also those that moved.
TEST_P(EveryEngine, AgreesOnManyRows) {
  const Shape shape{60000, 2, 1, {{BranchKind::input, 12}, {BranchKind::state, 12}}};
  const Data data(shape);
  const auto engine = GetParam().make(data.train(), {});
  Interrupt never;
  std::vector<Matrix> kept = {normal_matrix(12, 2, 20), normal_matrix(12, 1, 21)};
  const Block first{{random_branch(BranchKind::input, 2, 2, 1, 6)}};
  ASSERT_TRUE(engine->advance(first, never));
  engine->begin_block(shape.branches, {});
  for (std::size_t b = 0; b < 2; ++b) engine->keep(b, kept[b]);
  least_squares::NormalEquations problem;
  for (std::size_t b = 0; b < 2; ++b) {
    const Matrix proposed = normal_matrix(12, 2 - b, 22 + b);
    engine->propose(b, proposed);
    ASSERT_TRUE(engine->reduce_kept(problem, never));
    problem.gram.conservativeResize(72, 72);
    problem.rhs.conservativeResize(72, 1);
    ASSERT_TRUE(engine->reduce_proposed(problem, never));
    const std::vector<char> accepted = pattern(12, 2 + b);
    engine->accept(accepted);
    for (std::size_t j = 0; j < 12; ++j)
      for (std::size_t k = 0; k < kept[b].cols() && accepted[j]; ++k) kept[b](j, k) = proposed(j, k);
  }

  // What was proposed last, and what is kept now, against the formulas.
  const Eigen::MatrixXd theta = to_eigen(data.train_inputs);
  const Eigen::MatrixXd z =
      naive_columns(first, theta, Eigen::MatrixXd::Zero(60000, 1)) * testing::naive_amplitudes(first);
  const Eigen::MatrixXd r = to_eigen(data.train_targets) - z;
  Eigen::MatrixXd a(60000, 48);
  a << testing::naive_features(theta, kept[0]), testing::naive_features(z, kept[1]);
  const Eigen::MatrixXd fresh = testing::naive_features(z, normal_matrix(12, 1, 23));
  const double tolerance = 1e-12 * 60000;
  EXPECT_LE(largest_difference(problem.gram.bottomRightCorner(24, 24), fresh.transpose() * fresh), tolerance);
  EXPECT_LE(largest_difference(problem.gram.block(0, 48, 24, 24), a.leftCols(24).transpose() * fresh), tolerance);
  EXPECT_LE(largest_difference(problem.rhs.bottomRows(24), fresh.transpose() * r), 5.0 * tolerance);
  least_squares::NormalEquations now;
  ASSERT_TRUE(engine->reduce_kept(now, never));
  EXPECT_LE(largest_difference(now.gram, a.transpose() * a), tolerance);
  EXPECT_LE(largest_difference(now.rhs, a.transpose() * r), 5.0 * tolerance);
  std::vector<std::size_t> columns(48);
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  least_squares::Triangle triangle;
  ASSERT_TRUE(engine->triangle(columns, triangle, never));
  EXPECT_LE(largest_difference(triangle.upper.transpose() * triangle.upper, a.transpose() * a), tolerance);
  Eigen::MatrixXd product;
  ASSERT_TRUE(engine->normal_product(columns, Eigen::MatrixXd::Ones(48, 1), product, never));
  EXPECT_LE(largest_difference(product, a.transpose() * (a * Eigen::MatrixXd::Ones(48, 1))), 48.0 * tolerance);
}

TEST_P(EveryEngine, AnInterruptedPassLeavesTheKeptFrequencies) {
  const Shape shape{3000, 2, 2, {{BranchKind::input, 4}, {BranchKind::state, 4}}};
  const Data data(shape);
  const auto engine = GetParam().make(data.train(), data.validation());
  Interrupt never, stopped;
  stopped.stop();
  engine->begin_block(shape.branches, {});
  for (std::size_t b = 0; b < 2; ++b) engine->keep(b, normal_matrix(4, 2, 20 + b));
  least_squares::NormalEquations before, after, scratch;
  EXPECT_FALSE(engine->reduce_kept(scratch, stopped));
  ASSERT_TRUE(engine->reduce_kept(before, never));
  engine->propose(0, normal_matrix(4, 2, 22));
  scratch = before;
  scratch.gram.conservativeResize(24, 24);
  scratch.rhs.conservativeResize(24, 2);
  EXPECT_FALSE(engine->reduce_proposed(scratch, stopped));
  least_squares::Triangle triangle;
  Eigen::MatrixXd rhs, product;
  Eigen::VectorXd energy;
  const std::vector<std::size_t> columns = {0, 1, 16, 17};
  EXPECT_FALSE(engine->triangle(columns, triangle, stopped));
  EXPECT_FALSE(engine->correlate(columns, rhs, energy, stopped));
  EXPECT_FALSE(engine->normal_product(columns, Eigen::MatrixXd::Ones(4, 2), product, stopped));
  ASSERT_TRUE(engine->reduce_kept(after, never));
  EXPECT_EQ(before.gram, after.gram);
  EXPECT_EQ(before.rhs, after.rhs);
}

// The rows not accepted are gone with the next proposal; keep() starts the branch anew.
TEST_P(EveryEngine, KeepReplacesWhatWasAccepted) {
  const Shape shape{600, 2, 1, {{BranchKind::input, 3}}};
  const Data data(shape);
  const auto engine = GetParam().make(data.train(), data.validation());
  Interrupt never;
  engine->begin_block(shape.branches, {});
  engine->keep(0, normal_matrix(3, 2, 20));
  least_squares::NormalEquations first, moved, again;
  ASSERT_TRUE(engine->reduce_kept(first, never));
  engine->propose(0, normal_matrix(3, 2, 21));
  least_squares::NormalEquations both = first;
  both.gram.conservativeResize(12, 12);
  both.rhs.conservativeResize(12, 1);
  ASSERT_TRUE(engine->reduce_proposed(both, never));
  engine->accept({1, 0, 1});
  ASSERT_TRUE(engine->reduce_kept(moved, never));
  EXPECT_NE(first.gram, moved.gram);
  engine->keep(0, normal_matrix(3, 2, 20));
  ASSERT_TRUE(engine->reduce_kept(again, never));
  EXPECT_EQ(first.gram, again.gram);
}

// Accepting needs no reduction before it, and a problem may have room for a wider branch's proposal.
TEST_P(EveryEngine, TakesMovesInAnyOrderAndProblemsWithRoomToSpare) {
  const Shape shape{700, 2, 1, {{BranchKind::input, 4}, {BranchKind::state, 2}}};
  const Data data(shape);
  const auto engine = GetParam().make(data.train(), data.validation());
  const auto oracle = reference_chain(data.train(), data.validation());
  Interrupt never;
  const Block first{{random_branch(BranchKind::input, 2, 2, 1, 6)}};
  least_squares::NormalEquations problems[2];
  Chain* const both[] = {engine.get(), oracle.get()};
  for (std::size_t e = 0; e < 2; ++e) {
    ASSERT_TRUE(both[e]->advance(first, never));
    both[e]->begin_block(shape.branches, {});
    both[e]->keep(0, normal_matrix(4, 2, 20));
    both[e]->keep(1, normal_matrix(2, 1, 21));
    ASSERT_TRUE(both[e]->reduce_kept(problems[e], never));
    both[e]->propose(0, normal_matrix(4, 2, 22));
    both[e]->accept({1, 0, 0, 1});
    ASSERT_TRUE(both[e]->reduce_kept(problems[e], never));
    both[e]->propose(1, normal_matrix(2, 1, 23));
    both[e]->propose(1, normal_matrix(2, 1, 24));  // thought better of it
    const least_squares::NormalEquations kept = problems[e];
    problems[e].gram = Eigen::MatrixXd::Constant(20, 20, -7.0);
    problems[e].rhs = Eigen::MatrixXd::Constant(20, 1, -7.0);
    problems[e].gram.topLeftCorner(12, 12) = kept.gram;
    problems[e].rhs.topRows(12) = kept.rhs;
    ASSERT_TRUE(both[e]->reduce_proposed(problems[e], never));
  }
  EXPECT_LE(largest_difference(problems[0].gram, problems[1].gram), 1e-12 * 700);
  EXPECT_LE(largest_difference(problems[0].rhs, problems[1].rhs), 5e-12 * 700);
  EXPECT_EQ(problems[0].gram(19, 19), -7.0) << "written outside";
  Matrix kept = normal_matrix(4, 2, 20);
  for (const std::size_t j : {0U, 3U})
    for (std::size_t k = 0; k < 2; ++k) kept(j, k) = normal_matrix(4, 2, 22)(j, k);
  const Eigen::MatrixXd a = testing::naive_features(to_eigen(data.train_inputs), kept);
  EXPECT_LE(largest_difference(problems[0].gram.topLeftCorner(8, 8), a.transpose() * a), 1e-12 * 700);
}

TEST_P(EveryEngine, WithoutValidationRowsThereIsNoValidationError) {
  const Shape shape{40, 1, 1, {{BranchKind::input, 2}}};
  const Data data(shape);
  const auto engine = GetParam().make(data.train(), {});
  Interrupt never;
  EXPECT_NEAR(engine->errors().train(0), to_eigen(data.train_targets).squaredNorm() / 40.0, 1e-14);
  EXPECT_TRUE(engine->advance({{random_branch(BranchKind::input, 2, 1, 1, 5)}}, never));
  EXPECT_EQ(engine->errors().validation.size(), 0);
}

// The reference itself against a block made by hand, so that all engines cannot be wrong together.
TEST(Reference, IsTheFormula) {
  const Shape shape{50, 2, 2, layouts[2]};
  const Data data(shape);
  const auto engine = reference_chain(data.train(), data.validation());
  Interrupt never;
  Block block{{random_branch(BranchKind::input, 3, 2, 2, 1)}};
  ASSERT_TRUE(engine->advance(block, never));
  const Eigen::MatrixXd theta = to_eigen(data.train_inputs), target = to_eigen(data.train_targets);
  const Eigen::MatrixXd z =
      naive_columns(block, theta, Eigen::MatrixXd::Zero(50, 2)) * testing::naive_amplitudes(block);
  EXPECT_LE(largest_difference(engine->errors().train, (target - z).colwise().squaredNorm().transpose() / 50.0), 1e-13);

  engine->begin_block(shape.branches, std::vector<std::size_t>{3, 3, 17});
  Block frequencies;
  for (std::size_t b = 0; b < 3; ++b) {
    frequencies.branches.push_back(random_branch(shape.branches[b].kind, shape.branches[b].features, 2, 2, 10 + b));
    engine->keep(b, frequencies.branches[b].frequencies);
  }
  const std::vector<Eigen::Index> chosen = {3, 3, 17};
  const Eigen::MatrixXd a = naive_columns(frequencies, theta, z)(chosen, Eigen::all),
                        r = (target - z)(chosen, Eigen::all);
  least_squares::NormalEquations problem;
  ASSERT_TRUE(engine->reduce_kept(problem, never));
  EXPECT_LE(largest_difference(problem.gram, a.transpose() * a), 1e-13);
  EXPECT_LE(largest_difference(problem.rhs, a.transpose() * r), 1e-13);
  EXPECT_LE(largest_difference(problem.energy, r.colwise().squaredNorm().transpose()), 1e-13);
  EXPECT_EQ(problem.rows, 3.0);
}

TEST(Reference, NeedsNoValidationRows) {
  const Data data({30, 2, 1, {{BranchKind::input, 2}}});
  const auto engine = reference_chain(data.train(), {});
  Interrupt never;
  EXPECT_TRUE(engine->advance({{random_branch(BranchKind::input, 2, 2, 1, 1)}}, never));
  EXPECT_EQ(engine->errors().validation.size(), 0);
}

}  // namespace
}  // namespace rfnn
