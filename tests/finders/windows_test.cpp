// Closed forms of windows: how rows are cut, what is left out, and what a block on top of another learns.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <set>
#include <vector>

#include "rfnn/finders/windows/window_search.hpp"
#include "rfnn/finders/windows/windows_finder.hpp"
#include "rfnn/rows/windows.hpp"
#include "rows/naive.hpp"

namespace rfnn::windows {
namespace {

using finders::FoundBlock;
using finders::Search;
using rows::RowState;

/// A front that is steep at one end and smooth at the other, with a little noise.
RowState front(std::size_t count, std::uint64_t seed, double noise = 0.01) {
  const Matrix theta = testing::uniform_matrix(count, 2, seed, -1.7, 1.7);
  Matrix target = testing::normal_matrix(count, 1, seed + 1, noise);
  for (std::size_t i = 0; i < count; ++i)
    target(i, 0) += std::tanh(std::exp(2.0 * theta(i, 1)) * (theta(i, 0) + 0.3 * theta(i, 1)));
  return RowState(rows::ScaledRows(theta.view(), target.view()));
}

struct Fixture {
  std::optional<FoundBlock> find(finders::BlockFinder& finder, const RowState& train, const RowState& held_out = {},
                                 const Network& network = {}) {
    return finder.find(Search{*work, train, held_out, network, 0, 1, 1e9, seconds_left,
                              std::numeric_limits<double>::infinity(), never, [](std::string_view) {}});
  }
  double error(const Block& block, RowState rows) {
    EXPECT_TRUE(work->advance(block, rows, never));
    return work->mean_squares(rows).sum();
  }
  std::unique_ptr<rows::RowWork> work = rows::make_row_work(rows::Implementation::threads, 2);
  Interrupt never;
  std::function<double()> seconds_left = [] { return std::numeric_limits<double>::infinity(); };
};

TEST(Windows, EveryRowIsOfOneWindowAndAPlaceHasAWeight) {
  // A grid, so that many rows have equal numbers, and some rows far denser than the others.
  Matrix inputs(1000, 2);
  for (std::size_t i = 0; i < 900; ++i) {
    inputs(i, 0) = static_cast<double>(i % 30);
    inputs(i, 1) = static_cast<double>(i / 30);
  }
  for (std::size_t i = 900; i < 1000; ++i) {
    inputs(i, 0) = 7.0 + 1e-3 * static_cast<double>(i % 10);
    inputs(i, 1) = 7.0 + 1e-3 * static_cast<double>(i / 10);
  }
  const rows::WindowRows cut = rows::cut_windows(inputs, {1.0, 1.0}, {25, 0.4, 150}, 0);
  std::vector<int> own(1000, 0);
  for (std::size_t w = 0; w < cut.windows.count(); ++w) {
    EXPECT_LE(cut.own[w], 25U);
    EXPECT_LE(cut.windows.rows[w], 150U);
    std::set<std::size_t> rows;
    for (std::size_t i = cut.first[w]; i < cut.first[w + 1]; ++i) {
      const double at[] = {inputs(cut.places[i], 0), inputs(cut.places[i], 1)};
      EXPECT_GT(window_weight(cut.windows, w, at), 0.0);
      EXPECT_TRUE(rows.insert(cut.places[i]).second);
      if (i < cut.first[w] + cut.own[w]) ++own[cut.places[i]];
    }
  }
  EXPECT_EQ(std::count(own.begin(), own.end(), 1), 1000);
  for (const double x : {0.0, 3.3, 7.002, 14.5, 29.0})
    for (const double y : {0.0, 6.9, 7.05, 22.25, 29.0}) {
      const double at[] = {x, y};
      double total = 0.0;
      for (std::size_t w = 0; w < cut.windows.count(); ++w) total += window_weight(cut.windows, w, at);
      EXPECT_GT(total, 0.0) << x << ", " << y;
    }
}

TEST(Windows, RowsThatAreAllAlikeAreOneWindow) {
  const rows::WindowRows cut = rows::cut_windows(Matrix(40, 2), {1.0, 1.0}, {10, 0.4, 100}, 1);
  ASSERT_EQ(cut.windows.count(), 1U);
  EXPECT_EQ(cut.windows.rows[0], 40U);
  EXPECT_LT(cut.windows.low(0, 0), cut.windows.high(0, 0));
}

// With all rows in one window, what is left of a row is what a fit without it leaves there.
TEST(Windows, LeftOutIsWhatAFitWithoutTheRowLeaves) {
  Fixture fixture;
  const RowState all = front(40, 3);
  const WindowLaw law{.order = 1, .scale = 2.0, .noise = 1e-3, .aspect = {1.0, 1.0}, .own_rows = 100};
  std::size_t moves = 0;
  const auto never_again = [] { return false; };
  const auto fitted = fit_windows(*fixture.work, all, law, 0, moves, never_again, fixture.never);
  ASSERT_TRUE(fitted);
  ASSERT_EQ(fitted->cut.windows.count(), 1U);
  const rows::TiledColumns left = blended(all, *fitted);
  const FrequencyLaw frequencies = law.law(0);
  for (const std::size_t out : {0U, 17U, 39U}) {
    Eigen::MatrixXd kernel(39, 39);
    Eigen::VectorXd right(39), across(39);
    const auto value = [&](std::size_t i, std::size_t j) {
      double apart[2];
      for (std::size_t k = 0; k < 2; ++k)
        apart[k] = fitted->cut.windows.scale(0, k) * (all.variable_of(i, k) - all.variable_of(j, k));
      return kernel_value(frequencies, apart);
    };
    for (std::size_t i = 0, a = 0; i < 40; ++i) {
      if (i == out) continue;
      for (std::size_t j = 0, b = 0; j < 40; ++j)
        if (j != out) kernel(static_cast<int>(a), static_cast<int>(b++)) = value(i, j) + (i == j ? law.noise : 0.0);
      across(static_cast<int>(a)) = value(i, out);
      right(static_cast<int>(a++)) = all.residual(i, 0);
    }
    EXPECT_NEAR(left(out, 0), all.residual(out, 0) - across.dot(kernel.inverse() * right), 1e-8);
  }
}

TEST(Windows, FollowWhatChangesItsNature) {
  Fixture fixture;
  WindowsFinder finder;
  const auto found = fixture.find(finder, front(3000, 1));
  ASSERT_TRUE(found);
  const double left = fixture.error(found->block, front(500, 7));
  EXPECT_LT(left, 4e-4) << "the noise alone is 1e-4";
  const Windows& windows = found->block.branches[0].closed_form->windows;
  std::set<double> scales;
  for (std::size_t w = 0; w < windows.count(); ++w) scales.insert(windows.scale(w, 0));
  EXPECT_GT(scales.size(), 1U);
}

// Of rows with noise an interpolant is worse than the mean; it must not be what a search begins with that may be cut.
TEST(Windows, ASearchWithoutTimeEndsWithALawForRowsWithNoise) {
  const RowState rows = front(3000, 1, 1.0);
  for (const int laws : {1, 2, 12}) {
    Fixture fixture;
    // Asked twice before the search begins, then before every law but the first.
    int looks = 1 + laws;
    fixture.seconds_left = [&] { return looks-- > 0 ? 1e3 : 1e-3; };
    WindowsFinder finder;
    const auto found = fixture.find(finder, rows);
    ASSERT_TRUE(found);
    EXPECT_LT(fixture.error(found->block, front(500, 7, 1.0)), 1.25) << laws << " laws; the noise alone is 1";
    EXPECT_EQ(found->record.complete, laws > 9) << laws << " laws of the first nine";
  }
}

/// A picture of discs on a shaded ground, 60 × 60 points of a grid of which every seventh or so, three kinds of them,
/// is taken out.
RowState picture(int kind) {
  std::vector<std::array<double, 3>> points;
  for (int x = 0; x < 60; ++x)
    for (int y = 0; y < 60; ++y) {
      const int hash = (x * 7919 + y * 104729 + x * y * 31) % 14;
      if ((hash < 3 ? hash : 3) != kind) continue;
      double value = 0.2 * std::sin(0.1 * x) + 0.004 * y;
      for (const auto& [cx, cy, radius] : {std::array{15.0, 18.0, 8.0}, std::array{40.0, 25.0, 13.0},
                                           std::array{20.0, 45.0, 10.0}, std::array{48.0, 50.0, 6.0}})
        if (std::hypot(x - cx, y - cy) < radius) value += 1.0 - 0.03 * radius;
      points.push_back({x / 17.0 - 1.7, y / 17.0 - 1.7, value});
    }
  Matrix theta(points.size(), 2), target(points.size(), 1);
  for (std::size_t i = 0; i < points.size(); ++i) {
    theta(i, 0) = points[i][0];
    theta(i, 1) = points[i][1];
    target(i, 0) = points[i][2];
  }
  return RowState(rows::ScaledRows(theta.view(), target.view()));
}

/// A lattice, what it leaves on rows left out, and windows on top of it.
struct OnTop {
  OnTop(Fixture& fixture, const RowState& train, const RowState& held_out) {
    const Options options;
    const Model model;
    const auto lattice = finders::make_finder(Method::lattice, {options, model, {}, nullptr});
    first = fixture.find(*lattice, train, held_out);
    const auto left = lattice->left_out(*first, *fixture.work, train, fixture.never);
    for (std::size_t i = 0; i < train.count(); ++i)
      squares += (*left)(i, 0) * (*left)(i, 0) / static_cast<double>(train.count());
    left_out = train.leaving(*left);
    Network network;
    network.blocks.push_back(first->block);
    WindowsFinder finder;
    RowState judge = held_out;
    EXPECT_TRUE(fixture.work->advance(first->block, judge, fixture.never));
    second = fixture.find(finder, left_out, judge, network);
  }
  std::optional<FoundBlock> first, second;
  RowState left_out;
  double squares = 0.0;  ///< mean, of what is left on rows left out
};

// What a lattice leaves on rows left out is what it leaves on new rows; on rows it was fitted to it leaves less. A
// block on top of it learns from that, and rows never seen say how much of it to believe.
TEST(Windows, OnTopOfABlockLearnFromItsRowsLeftOut) {
  Fixture fixture;
  const RowState train = picture(3);
  const OnTop networks(fixture, train, picture(1));
  RowState judge = picture(0);
  const double fresh = fixture.error(networks.first->block, judge);
  EXPECT_NEAR(networks.squares, fresh, 0.4 * fresh);
  EXPECT_LT(fixture.error(networks.first->block, train), 0.3 * networks.squares);
  for (const std::size_t i : {0U, 100U, 2000U})
    EXPECT_DOUBLE_EQ(networks.left_out.state(i, 0) + networks.left_out.residual(i, 0), train.target()(i, 0));
  if (!networks.second) return;  // nothing of it is to be believed
  EXPECT_EQ(networks.second->block.branches[0].kind, BranchKind::joint);
  EXPECT_EQ(networks.second->honest.rows(), picture(1).count());
  ASSERT_TRUE(fixture.work->advance(networks.first->block, judge, fixture.never));
  EXPECT_LT(fixture.error(networks.second->block, judge), 1.05 * fresh);
}

}  // namespace
}  // namespace rfnn::windows
