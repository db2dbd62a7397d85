#include "rfnn/rows/row_state.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "rfnn/rows/threads/threaded_work.hpp"
#include "rows/naive.hpp"

namespace rfnn::rows {
namespace {

using testing::naive_states;
using testing::normal_matrix;
using testing::random_branch;
using testing::to_eigen;
using testing::uniform_matrix;

constexpr std::size_t row_counts[] = {1, tile_rows - 1, tile_rows, tile_rows + 1, 3 * tile_rows + 7};

RowState rows_of(const Matrix& theta, const Matrix& target) {
  return RowState(ScaledRows(theta.view(), target.view()));
}

Eigen::MatrixXd states_of(const RowState& rows) {
  Eigen::MatrixXd z(testing::index(rows.count()), testing::index(rows.outputs()));
  for (std::size_t i = 0; i < rows.count(); ++i)
    for (std::size_t o = 0; o < rows.outputs(); ++o)
      z(testing::index(i), testing::index(o)) = rows.variable_of(i, rows.inputs() + o);
  return z;
}

Eigen::MatrixXd residuals_of(const RowState& rows) {
  Eigen::MatrixXd r(testing::index(rows.count()), testing::index(rows.outputs()));
  for (std::size_t i = 0; i < rows.count(); ++i)
    for (std::size_t o = 0; o < rows.outputs(); ++o) r(testing::index(i), testing::index(o)) = rows.residual(i, o);
  return r;
}

/// What fills up the last tile takes part in no sum.
void expect_zero_beyond(const TiledColumns& columns) {
  const std::size_t tile = columns.tiles() - 1;
  for (std::size_t k = 0; k < columns.columns(); ++k)
    for (std::size_t i = columns.rows_in(tile); i < tile_rows; ++i) ASSERT_EQ(columns.column(tile, k)[i], 0.0);
}

bool advance_with(const Block& block, RowState& rows, std::size_t threads = 1,
                  const features::Kernels& level = features::kernels()) {
  Interrupt never;
  return ThreadedWork(threads, level).advance(block, rows, never);
}

TEST(RowState, RowsBehindOthers) {
  const Matrix theta = normal_matrix(300, 2, 41), target = normal_matrix(300, 1, 42);
  std::vector<double> weights(300);
  for (std::size_t i = 0; i < 300; ++i) weights[i] = 1.0 + static_cast<double>(i % 4);
  RowState all(ScaledRows(theta.view(), target.view(), weights));
  for (std::size_t i = 0; i < 300; ++i) all.state(i, 0) = 0.01 * static_cast<double>(i);
  for (std::size_t tile = 0; tile < all.tiles(); ++tile) all.settle(tile);
  std::vector<std::size_t> first(200), rest(100);
  for (std::size_t i = 0; i < 300; ++i) (i < 200 ? first[i] : rest[i - 200]) = i;
  const RowState joined = all.at(first).with(all.at(rest));
  ASSERT_EQ(joined.count(), 300U);
  for (std::size_t i = 0; i < 300; ++i) {
    EXPECT_EQ(joined.variable_of(i, 0), theta(i, 0));
    EXPECT_EQ(joined.variable_of(i, 2), all.variable_of(i, 2));
    EXPECT_EQ(joined.residual(i, 0), all.residual(i, 0));
    EXPECT_NEAR(joined.weight(i), all.weight(i), 1e-12);
  }
  EXPECT_EQ(all.with(RowState()).count(), 300U);
}

TEST(RowState, BeginWithoutStateAndWithTheTargetLeft) {
  for (const std::size_t count : row_counts) {
    const Matrix theta = normal_matrix(count, 3, 1), target = normal_matrix(count, 2, 2);
    const RowState rows = rows_of(theta, target);
    ASSERT_EQ(rows.count(), count);
    ASSERT_EQ(rows.inputs(), 3U);
    ASSERT_EQ(rows.outputs(), 2U);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t k = 0; k < 3; ++k) ASSERT_EQ(rows.variable_of(i, k), theta(i, k));
      for (std::size_t o = 0; o < 2; ++o) {
        ASSERT_EQ(rows.variable_of(i, 3 + o), 0.0);
        ASSERT_EQ(rows.residual(i, o), target(i, o));
      }
    }
    expect_zero_beyond(rows.theta());
    expect_zero_beyond(rows.state);
    expect_zero_beyond(rows.residual);
  }
}

TEST(RowState, AreTheRowsListedInStandardisedUnits) {
  const Matrix theta = normal_matrix(400, 2, 3), target = normal_matrix(400, 1, 4);
  std::vector<std::size_t> list;
  for (std::size_t i = 0; i < 300; ++i) list.push_back((7 * i + 3) % 400);
  const RowState rows(ScaledRows({theta.view(), {{1.0, 0.5}, {-2.0, 4.0}}}, {target.view(), {{0.25, 2.0}}}, list));
  ASSERT_EQ(rows.count(), 300U);
  for (std::size_t i = 0; i < 300; ++i) {
    ASSERT_DOUBLE_EQ(rows.variable_of(i, 0), (theta(list[i], 0) - 1.0) / 0.5);
    ASSERT_DOUBLE_EQ(rows.variable_of(i, 1), (theta(list[i], 1) + 2.0) / 4.0);
    ASSERT_DOUBLE_EQ(rows.residual(i, 0), (target(list[i], 0) - 0.25) / 2.0);
  }
}

TEST(RowState, AdvanceIsTheFormulaForEveryKindOfBranch) {
  const std::size_t inputs = 3, outputs = 2;
  // A first block gives a state that is not zero; the second is of each kind alone, then of all kinds.
  const Block first{{random_branch(BranchKind::input, 6, inputs, outputs, 10)}};
  const std::vector<std::vector<BranchKind>> kinds = {{BranchKind::input},
                                                      {BranchKind::state},
                                                      {BranchKind::joint},
                                                      {BranchKind::input, BranchKind::state, BranchKind::joint}};
  for (const auto& list : kinds) {
    Block second;
    for (const BranchKind kind : list)
      second.branches.push_back(random_branch(kind, 5, inputs, outputs, 20 + 3 * second.branches.size()));
    for (const std::size_t count : row_counts) {
      const Matrix theta = normal_matrix(count, inputs, 5), target = normal_matrix(count, outputs, 6);
      RowState rows = rows_of(theta, target);
      const auto states = naive_states({{first, second}}, to_eigen(theta), testing::index(outputs));
      ASSERT_TRUE(advance_with(first, rows));
      EXPECT_LE((states_of(rows) - states[1]).cwiseAbs().maxCoeff(), 1e-12);
      ASSERT_TRUE(advance_with(second, rows));
      EXPECT_LE((states_of(rows) - states[2]).cwiseAbs().maxCoeff(), 1e-12) << count << " rows";
      EXPECT_LE((residuals_of(rows) - (to_eigen(target) - states[2])).cwiseAbs().maxCoeff(), 1e-12);
      for (std::size_t i = 0; i < count; ++i)
        for (std::size_t k = 0; k < inputs; ++k) ASSERT_EQ(rows.variable_of(i, k), theta(i, k));
      expect_zero_beyond(rows.theta());
      expect_zero_beyond(rows.state);
      expect_zero_beyond(rows.residual);
    }
  }
}

TEST(RowState, AdvanceGivesTheSameBitsForAnyThreads) {
  const Block block{{random_branch(BranchKind::input, 40, 2, 2, 30), random_branch(BranchKind::joint, 30, 2, 2, 33)}};
  const Matrix theta = normal_matrix(3000, 2, 7), target = normal_matrix(3000, 2, 8);
  RowState alone = rows_of(theta, target);
  ASSERT_TRUE(advance_with(block, alone));
  for (const std::size_t threads : {2U, 3U}) {
    RowState rows = rows_of(theta, target);
    ASSERT_TRUE(advance_with(block, rows, threads));
    EXPECT_EQ(states_of(rows), states_of(alone)) << threads;
    EXPECT_EQ(residuals_of(rows), residuals_of(alone)) << threads;
  }
  RowState plain = rows_of(theta, target);
  ASSERT_TRUE(advance_with(block, plain, 1, *features::kernels("baseline")));
  EXPECT_LE((states_of(plain) - states_of(alone)).cwiseAbs().maxCoeff(), 1e-12);
}

/// All multiples of a step from 0 on, or for two variables those of a half plane.
Block lattice_of(std::size_t variables, std::size_t outputs, double step) {
  Matrix frequencies(variables == 1 ? 400 : 18 * 35, variables);
  for (std::size_t j = 0; j < frequencies.rows(); ++j)
    if (variables == 1) {
      frequencies(j, 0) = step * static_cast<double>(j);
    } else {
      frequencies(j, 0) = step * static_cast<double>(j / 35);
      frequencies(j, 1) = step * (static_cast<double>(j % 35) - 17.0);
    }
  const double share = 1.0 / static_cast<double>(frequencies.rows());
  const Matrix amplitudes = normal_matrix(2 * frequencies.rows(), outputs, 40, share);
  return {{{BranchKind::input, frequencies, amplitudes, std::vector<double>(variables, step)}}};
}

/// The same function in two branches that do not say they are a lattice.
Block in_two_branches(const Block& block) {
  const Branch& whole = block.branches.front();
  Block halves;
  const std::size_t width = whole.frequencies.rows(), half = width / 2;
  for (const auto& [first, count] : {std::pair{std::size_t{0}, half}, std::pair{half, width - half}}) {
    Branch part{BranchKind::input, Matrix(count, whole.frequencies.cols()), Matrix(2 * count, whole.amplitudes.cols())};
    std::copy_n(whole.frequencies.data() + first * part.frequencies.cols(), part.frequencies.size(),
                part.frequencies.data());
    std::copy_n(whole.amplitudes.data() + 2 * first * part.amplitudes.cols(), part.amplitudes.size(),
                part.amplitudes.data());
    halves.branches.push_back(std::move(part));
  }
  return halves;
}

TEST(RowState, TheShortcutOfALatticeAgreesWithThePlainSum) {
  for (const std::size_t variables : {1U, 2U}) {
    const Block block = lattice_of(variables, 2, 0.37), plain = in_two_branches(block);
    const Matrix theta = uniform_matrix(900, variables, 9, -1.7, 1.7), target = normal_matrix(900, 2, 10);
    RowState by_lattice = rows_of(theta, target), by_sum = rows_of(theta, target);
    // From a state of its own, which has to stay in.
    const Block before{{random_branch(BranchKind::input, 4, variables, 2, 50)}};
    ASSERT_TRUE(advance_with(before, by_lattice) && advance_with(before, by_sum));
    ASSERT_TRUE(advance_with(block, by_lattice) && advance_with(plain, by_sum));
    const auto states = naive_states({{before, block}}, to_eigen(theta), 2);
    EXPECT_LE((states_of(by_lattice) - states[2]).cwiseAbs().maxCoeff(), 1e-11);
    EXPECT_LE((states_of(by_lattice) - states_of(by_sum)).cwiseAbs().maxCoeff(), 1e-11);
    EXPECT_LE((residuals_of(by_lattice) - (to_eigen(target) - states[2])).cwiseAbs().maxCoeff(), 1e-11);
    expect_zero_beyond(by_lattice.residual);
    expect_zero_beyond(by_lattice.state);
  }
}

// What a branch says decides, not what its numbers look like.
TEST(RowState, FrequenciesThatAreNotSaidToBeALatticeAreSummedPlainly) {
  Block block = lattice_of(1, 1, 0.37);
  block.branches[0].lattice.clear();
  block.branches[0].frequencies(123, 0) += 0.37 / std::numbers::pi;
  const Matrix theta = uniform_matrix(900, 1, 11, -1.7, 1.7), target = normal_matrix(900, 1, 12);
  RowState rows = rows_of(theta, target);
  ASSERT_TRUE(advance_with(block, rows));
  EXPECT_LE((states_of(rows) - naive_states({{block}}, to_eigen(theta), 1)[1]).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(RowState, AdvanceSaysWhenItWasInterrupted) {
  for (const Block& block : {lattice_of(1, 1, 0.37), Block{{random_branch(BranchKind::input, 4, 1, 1, 60)}}})
    for (const std::size_t threads : {1U, 2U}) {
      RowState rows = rows_of(uniform_matrix(900, 1, 13, -1.7, 1.7), normal_matrix(900, 1, 14));
      Interrupt stop([] { return false; });
      EXPECT_FALSE(ThreadedWork(threads).advance(block, rows, stop));
    }
}

TEST(RowState, MeanSquaresAreThoseOfTheResidual) {
  for (const std::size_t count : row_counts) {
    const Matrix target = normal_matrix(count, 3, 15);
    const Eigen::VectorXd expected = to_eigen(target).colwise().squaredNorm() / static_cast<double>(count);
    const Eigen::VectorXd found = ThreadedWork(1).mean_squares(rows_of(normal_matrix(count, 1, 16), target));
    ASSERT_EQ(found.size(), 3);
    EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), 1e-13 * expected.maxCoeff());
  }
  EXPECT_EQ(ThreadedWork(1).mean_squares(rows_of(Matrix(0, 1), Matrix(0, 2))), Eigen::VectorXd::Zero(2).eval());
}

TEST(RowState, CopiesShareWhatNeverChanges) {
  const Matrix theta = normal_matrix(300, 2, 17), target = normal_matrix(300, 1, 18);
  const std::vector<double> weights(300, 2.0);
  const RowState first(ScaledRows(theta.view(), target.view(), weights));
  RowState copy = first;
  EXPECT_EQ(copy.theta().column(0, 0), first.theta().column(0, 0));
  EXPECT_EQ(copy.target().column(0, 0), first.target().column(0, 0));
  EXPECT_EQ(copy.root().column(0, 0), first.root().column(0, 0));
  EXPECT_EQ(copy.given_weights().data(), first.given_weights().data());
  // The state is each one's own.
  EXPECT_NE(copy.state.column(0, 0), first.state.column(0, 0));
  ASSERT_TRUE(advance_with({{random_branch(BranchKind::input, 4, 2, 1, 70)}}, copy));
  EXPECT_EQ(residuals_of(first), to_eigen(target));
  EXPECT_NE(residuals_of(copy), to_eigen(target));
}

TEST(RowState, TheResidualIsTheTargetLessTheState) {
  for (const std::size_t count : row_counts) {
    const Matrix target = normal_matrix(count, 2, 20);
    RowState rows = rows_of(normal_matrix(count, 1, 19), target);
    for (std::size_t tile = 0; tile < rows.tiles(); ++tile) {
      // What a kernel leaves beyond the rows is not to stay.
      for (std::size_t o = 0; o < 2; ++o)
        for (std::size_t i = 0; i < tile_rows; ++i) rows.state.column(tile, o)[i] = 0.25 * static_cast<double>(i + o);
      rows.settle(tile);
    }
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t o = 0; o < 2; ++o) ASSERT_EQ(rows.residual(i, o), target(i, o) - rows.state(i, o));
    expect_zero_beyond(rows.state);
    expect_zero_beyond(rows.residual);
  }
}

TEST(RowState, SomeOfTheRowsAreRowsWithStateAndResidual) {
  const std::size_t count = tile_rows + 30;
  RowState rows = rows_of(normal_matrix(count, 2, 21), normal_matrix(count, 1, 22));
  ASSERT_TRUE(advance_with({{random_branch(BranchKind::input, 4, 2, 1, 71)}}, rows));
  const RowState some = rows.some(40, Stream(3, Purpose::data));
  ASSERT_EQ(some.count(), 40U);
  std::vector<bool> taken(count, false);
  for (std::size_t i = 0; i < 40; ++i) {
    std::size_t row = 0;
    while (row < count && rows.variable_of(row, 0) != some.variable_of(i, 0)) ++row;
    ASSERT_LT(row, count);
    EXPECT_FALSE(taken[row]) << "drawn twice";
    taken[row] = true;
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(some.variable_of(i, k), rows.variable_of(row, k));
    EXPECT_EQ(some.residual(i, 0), rows.residual(row, 0));
    EXPECT_EQ(some.target()(i, 0), rows.target()(row, 0));
  }
  expect_zero_beyond(some.residual);
  EXPECT_EQ(rows.some(10 * count, Stream(3, Purpose::data)).count(), count);
  EXPECT_EQ(RowState().some(5, Stream(3, Purpose::data)).count(), 0U);
}

}  // namespace
}  // namespace rfnn::rows
