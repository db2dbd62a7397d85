// What every finder promises: a block whose record and shape are sound, the same block again from the same rows, and
// an end when told, with nothing or with a sound block.

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "rfnn/finders/block_finder.hpp"
#include "rfnn/rows/row_work.hpp"
#include "rows/naive.hpp"

namespace rfnn::finders {
namespace {

struct FinderCase {
  Method method;
  std::size_t inputs;
};
std::ostream& operator<<(std::ostream& out, const FinderCase& one) { return out << name_of(one.method); }

/// A wave with noise over the inputs, some rows held out.
struct Problem {
  explicit Problem(const FinderCase& one, std::size_t count = 400)
      : train(make(count, one.inputs, 1)), held_out(make(60, one.inputs, 5)) {
    options = one.method == Method::sampled ? preset_options(Preset::paper) : Options{};
    if (one.method == Method::sampled) {
      options.iterations = 40;
      options.width = 8;
      options.ridge = {1e-3};
    }
    for (std::size_t k = 0; k < one.inputs; ++k) {
      model.inputs.push_back({"x" + std::to_string(k), k, 0.0, 1.0, -2.0, 2.0, true});
      model.scaler.input_mean.push_back(0.0);
      model.scaler.input_sd.push_back(1.0);
    }
    model.targets = {{"y", one.inputs, 0.0, 1.0, -3.0, 3.0, true}};
    model.scaler.output_mean = {0.0};
    model.scaler.output_sd = {1.0};
    model.options = options;
  }

  static rows::RowState make(std::size_t count, std::size_t inputs, std::uint64_t seed) {
    const Matrix theta = testing::uniform_matrix(count, inputs, seed, -1.7, 1.7);
    Matrix target = testing::normal_matrix(count, 1, seed + 1, 0.1);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t k = 0; k < inputs; ++k) target(i, 0) += std::sin((3.0 + static_cast<double>(k)) * theta(i, k));
    return rows::RowState(rows::ScaledRows(theta.view(), target.view()));
  }

  std::optional<FoundBlock> find(BlockFinder& finder, Interrupt& interrupt) {
    const Search search{*work,
                        train,
                        held_out,
                        network,
                        0,
                        1,
                        1e9,
                        [] { return std::numeric_limits<double>::infinity(); },
                        std::numeric_limits<double>::infinity(),
                        interrupt,
                        [](std::string_view) {}};
    return finder.find(search);
  }

  [[nodiscard]] Setting setting() {
    return {options, model, [](std::int64_t) { return std::vector<std::size_t>(); }, &chain};
  }

  rows::RowState train, held_out;
  Options options;
  Model model;
  Network network;
  ChainProgress chain;
  std::unique_ptr<rows::RowWork> work = rows::make_row_work(rows::Implementation::threads, 1);
};

void expect_sound(const FoundBlock& found, const FinderCase& one) {
  EXPECT_EQ(found.record.method, one.method);
  EXPECT_EQ(found.record.width, static_cast<std::int64_t>(width_of(found.block)));
  EXPECT_GE(found.record.ridge, 0.0);
  ASSERT_FALSE(found.block.branches.empty());
  EXPECT_EQ(found.record.branches.size(), found.block.branches.size());
  for (const Branch& branch : found.block.branches) {
    if (branch.closed_form) {
      EXPECT_EQ(branch.closed_form->law.variables(), variables_of(branch.kind, one.inputs, 1));
      EXPECT_EQ(branch.closed_form->centres.cols(), branch.closed_form->law.variables());
      EXPECT_EQ(branch.closed_form->coefficients.rows(), branch.closed_form->centres.rows());
      EXPECT_EQ(branch.closed_form->coefficients.cols(), 1U);
      EXPECT_GT(branch.width(), 0U);
      for (std::size_t i = 0; i < branch.closed_form->coefficients.size(); ++i)
        ASSERT_TRUE(std::isfinite(branch.closed_form->coefficients.data()[i]));
      continue;
    }
    EXPECT_EQ(branch.frequencies.cols(), variables_of(branch.kind, one.inputs, 1));
    EXPECT_EQ(branch.amplitudes.rows(), 2 * branch.frequencies.rows());
    EXPECT_EQ(branch.amplitudes.cols(), 1U);
    EXPECT_GT(branch.frequencies.rows() + branch.trend.rows(), 0U);
    for (std::size_t i = 0; i < branch.frequencies.size(); ++i)
      ASSERT_TRUE(std::isfinite(branch.frequencies.data()[i]));
    for (std::size_t i = 0; i < branch.amplitudes.size(); ++i) ASSERT_TRUE(std::isfinite(branch.amplitudes.data()[i]));
    EXPECT_TRUE(branch.lattice.empty() || branch.lattice.size() == one.inputs);
  }
}

class EveryFinder : public ::testing::TestWithParam<FinderCase> {};
INSTANTIATE_TEST_SUITE_P(
    All, EveryFinder,
    ::testing::Values(FinderCase{Method::sampled, 2}, FinderCase{Method::sequential, 3}, FinderCase{Method::random, 3},
                      FinderCase{Method::lattice, 1}, FinderCase{Method::lattice, 2}, FinderCase{Method::kernel, 1},
                      FinderCase{Method::kernel, 3}, FinderCase{Method::series, 1}, FinderCase{Method::lines, 1},
                      FinderCase{Method::lines, 2}, FinderCase{Method::windows, 2}, FinderCase{Method::windows, 3}),
    [](const auto& test) { return std::string(name_of(test.param.method)) + "_" + std::to_string(test.param.inputs); });

TEST_P(EveryFinder, FindsABlockThatGains) {
  Problem problem(GetParam());
  const auto finder = make_finder(GetParam().method, problem.setting());
  Interrupt never;
  const auto found = problem.find(*finder, never);
  ASSERT_TRUE(found);
  expect_sound(*found, GetParam());
  EXPECT_TRUE(found->record.complete);
  rows::RowState after = problem.held_out;
  ASSERT_TRUE(problem.work->advance(found->block, after, never));
  EXPECT_LT(problem.work->mean_squares(after).sum(), 0.7 * problem.work->mean_squares(problem.held_out).sum());
}

// Whoever has the seed and the rows has the block.
TEST_P(EveryFinder, FindsTheSameBlockAgain) {
  Interrupt never;
  std::vector<Block> blocks;
  for (const std::size_t threads : {1U, 3U}) {
    Problem problem(GetParam());
    problem.work = rows::make_row_work(rows::Implementation::threads, threads);
    const auto finder = make_finder(GetParam().method, problem.setting());
    const auto found = problem.find(*finder, never);
    ASSERT_TRUE(found);
    blocks.push_back(found->block);
  }
  EXPECT_TRUE(blocks[0] == blocks[1]);
}

TEST_P(EveryFinder, RefitOnTheSameRowsReproducesTheBlock) {
  Problem problem(GetParam());
  problem.options.refine = false;  // frequencies stay
  const auto finder = make_finder(GetParam().method, problem.setting());
  Interrupt never;
  const auto found = problem.find(*finder, never);
  ASSERT_TRUE(found);
  // Frequencies and options are all that a sampled block needs.
  EXPECT_EQ(found->recipe != nullptr, GetParam().method != Method::sampled);
  const auto again = finder->refit(*found, *problem.work, problem.train, never);
  ASSERT_TRUE(again);
  rows::RowState by_found = problem.held_out, by_again = problem.held_out;
  ASSERT_TRUE(problem.work->advance(found->block, by_found, never));
  ASSERT_TRUE(problem.work->advance(*again, by_again, never));
  double off = 0.0;
  for (std::size_t i = 0; i < by_found.count(); ++i)
    off = std::max(off, std::abs(by_found.state(i, 0) - by_again.state(i, 0)));
  // Iterations that go on from where they were may move a little; the noise is 0.1.
  EXPECT_LT(off, 1e-4);
  ASSERT_EQ(again->branches.size(), found->block.branches.size());
  for (std::size_t b = 0; b < again->branches.size(); ++b)
    EXPECT_EQ(again->branches[b].kind, found->block.branches[b].kind);
}

TEST_P(EveryFinder, RefitEndsWhenInterrupted) {
  Problem problem(GetParam());
  const auto finder = make_finder(GetParam().method, problem.setting());
  Interrupt never, stopped;
  const auto found = problem.find(*finder, never);
  ASSERT_TRUE(found);
  stopped.stop();
  EXPECT_FALSE(finder->refit(*found, *problem.work, problem.train, stopped));
}

TEST_P(EveryFinder, InterruptedItGivesNothingOrASoundBlock) {
  {
    Problem problem(GetParam());
    const auto finder = make_finder(GetParam().method, problem.setting());
    Interrupt at_once;
    at_once.stop();
    const auto found = problem.find(*finder, at_once);
    if (found) {
      expect_sound(*found, GetParam());
      EXPECT_FALSE(found->record.complete);
    }
  }
  // At any later moment: after so many looks at the clock, which come every few milliseconds of work.
  for (const int looks : {1, 2, 4, 8, 16}) {
    Problem problem(GetParam(), 3000);
    problem.options.iterations = 2000;
    const auto finder = make_finder(GetParam().method, problem.setting());
    int left = looks;
    Interrupt soon([&] { return --left > 0; });
    const auto found = problem.find(*finder, soon);
    if (!found) continue;
    expect_sound(*found, GetParam());
    if (soon.stopped()) {
      EXPECT_FALSE(found->record.complete);
    } else {
      EXPECT_TRUE(found->record.complete);
    }
  }
}

TEST_P(EveryFinder, ATargetOfZerosGivesNothingOrZeros) {
  Problem problem(GetParam());
  for (rows::RowState* rows : {&problem.train, &problem.held_out}) {
    const Matrix zero(rows->count(), 1);
    *rows = rows::RowState(rows::ScaledRows(rows::theta_of(*rows).view(), zero.view()));
  }
  const auto finder = make_finder(GetParam().method, problem.setting());
  Interrupt never;
  const auto found = problem.find(*finder, never);
  if (!found) return;
  expect_sound(*found, GetParam());
  rows::RowState after = problem.held_out;
  ASSERT_TRUE(problem.work->advance(found->block, after, never));
  EXPECT_LT(problem.work->mean_squares(after).sum(), 1e-12);
}

}  // namespace
}  // namespace rfnn::finders
