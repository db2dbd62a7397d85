// Fits of several ranks, which are threads here: the same bits whatever their number, and the fit of one process up to
// rounding.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "rfnn/core/error.hpp"
#include "rfnn/rows/predict.hpp"
#include "rfnn/training/fit.hpp"
#include "rfnn/training/ranks/agreement.hpp"
#include "rows/naive.hpp"
#include "rows/thread_ranks.hpp"

namespace rfnn {
namespace {

using testing::normal_matrix;
using testing::run_ranks;

/// A smooth target of three inputs, the last of them constant; some rows are there twice.
Dataset table(std::size_t rows, bool weighted) {
  Dataset data;
  data.inputs = normal_matrix(rows, 3, 1);
  data.targets = Matrix(rows, 2);
  for (std::size_t i = 0; i < rows; ++i) {
    if (i % 17 == 3)
      for (std::size_t k = 0; k < 3; ++k) data.inputs(i, k) = data.inputs(i - 1, k);
    data.inputs(i, 2) = 7.0;
    const double x = data.inputs(i, 0), y = data.inputs(i, 1);
    data.targets(i, 0) = std::sin(2.0 * x) + 0.3 * y * y;
    data.targets(i, 1) = std::cos(x + y);
    if (weighted) data.weights.push_back(static_cast<double>(i % 4));
  }
  return data;
}

Options small_paper() {
  Options options = preset_options(Preset::paper);
  options.width = 4;
  options.blocks = 3;
  options.iterations = 25;
  options.threads = 1;
  return options;
}

/// Rows [first, last) of a table.
Dataset part_of(const Dataset& data, std::size_t first, std::size_t last) {
  Dataset part;
  part.inputs = Matrix(last - first, data.inputs.cols());
  part.targets = Matrix(last - first, data.targets.cols());
  for (std::size_t i = first; i < last; ++i) {
    for (std::size_t k = 0; k < data.inputs.cols(); ++k) part.inputs(i - first, k) = data.inputs(i, k);
    for (std::size_t o = 0; o < data.targets.cols(); ++o) part.targets(i - first, o) = data.targets(i, o);
    if (!data.weights.empty()) part.weights.push_back(data.weights[i]);
  }
  return part;
}

/// The models of all ranks; their parts are uneven.
std::vector<Model> fit_on(std::size_t ranks, const Dataset& data, const Options& options) {
  std::vector<Model> models(ranks);
  const auto failures = run_ranks(ranks, [&](Communicator& rank) {
    const auto cut = [&](std::size_t r) { return r * r * data.inputs.rows() / (ranks * ranks); };
    const Dataset part = part_of(data, cut(rank.rank()), cut(rank.rank() + 1));
    DatasetView view{part.inputs.view(), part.targets.view()};
    if (!data.weights.empty()) view.weights = ColumnView(part.weights.data());
    FitExtras extras;
    extras.ranks = &rank;
    models[rank.rank()] = fit(view, options, extras);
  });
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
  return models;
}

double largest_difference(const Model& a, const Model& b, const Dataset& data) {
  const Matrix p = predict(a, data.inputs.view()), q = predict(b, data.inputs.view());
  double largest = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i) largest = std::max(largest, std::abs(p.data()[i] - q.data()[i]));
  return largest;
}

/// Everything that a model file holds of the fit but times.
void expect_same(const Model& a, const Model& b) {
  EXPECT_EQ(a.members, b.members);
  EXPECT_EQ(a.scaler, b.scaler);
  EXPECT_EQ(a.inputs, b.inputs);
  EXPECT_EQ(a.targets, b.targets);
  EXPECT_EQ(a.train_rows, b.train_rows);
  EXPECT_EQ(a.validation_rows, b.validation_rows);
  EXPECT_EQ(a.data_fingerprint, b.data_fingerprint);
  EXPECT_EQ(a.history.empty_train_mse, b.history.empty_train_mse);
  EXPECT_EQ(final_errors(a).train, final_errors(b).train);
  EXPECT_EQ(final_errors(a).validation, final_errors(b).validation);
}

void expect_ranks_agree(const Dataset& data, const Options& options, double tolerance = 1e-10) {
  const Model alone = fit(data, options);
  const Model one = fit_on(1, data, options).front();
  ASSERT_FALSE(one.members.empty());
  EXPECT_EQ(one.blocks(), alone.blocks());
  EXPECT_EQ(one.data_fingerprint, alone.data_fingerprint);
  EXPECT_EQ(one.train_rows, alone.train_rows);
  EXPECT_EQ(one.validation_rows, alone.validation_rows);
  EXPECT_EQ(one.warnings, alone.warnings);
  EXPECT_NEAR(one.history.empty_train_mse, alone.history.empty_train_mse, 1e-12);
  EXPECT_NEAR(*final_errors(one).train, *final_errors(alone).train, tolerance);
  EXPECT_LE(largest_difference(one, alone, data), tolerance);
  for (std::size_t ranks = 2; ranks <= 4; ++ranks) {
    const std::vector<Model> models = fit_on(ranks, data, options);
    expect_same(models.front(), one);
    EXPECT_EQ(largest_difference(models.back(), one, data), 0.0) << "the last of " << ranks << " ranks";
  }
}

TEST(Ranks, FitTheSamePaperNetworkWhateverTheirNumber) { expect_ranks_agree(table(3000, false), small_paper()); }

TEST(Ranks, WeighRowsAndHoldSomeOut) {
  Options options = small_paper();
  options.validation_fraction = 0.2;
  expect_ranks_agree(table(3000, true), options);
}

TEST(Ranks, TakeRowsOfBlocksAndOtherSolvers) {
  Options options = small_paper();
  options.blocks = 2;
  options.iterations = 5;
  for (const Solver solver : {Solver::qr, Solver::iterative}) {
    options.solver = solver;
    options.block_rows = solver == Solver::qr ? BlockRows::disjoint : BlockRows::subset;
    // Conjugate gradients end where a tolerance says.
    expect_ranks_agree(table(1000, solver == Solver::qr), options, solver == Solver::qr ? 1e-10 : 1e-7);
  }
}

TEST(Ranks, FitFewRows) {
  for (const std::size_t rows : {1U, 2U, 5U}) {
    Options options = small_paper();
    options.blocks = 1;
    const Dataset data = table(rows, false);
    const Model alone = fit(data, options);
    for (const std::size_t ranks : {1U, 4U})
      EXPECT_LE(largest_difference(fit_on(ranks, data, options)[0], alone, data), 1e-10);
  }
}

TEST(Ranks, FitTheModelOfPresetAuto) {
  Options options;
  options.threads = 1;
  options.blocks = 2;
  options.width = 16;
  const Dataset data = table(300, false);
  const Model alone = fit(data, options);
  for (const std::size_t ranks : {1U, 3U}) {
    const std::vector<Model> models = fit_on(ranks, data, options);
    expect_same(models.front(), alone);
    EXPECT_EQ(largest_difference(models.back(), alone, data), 0.0);
  }
}

TEST(Ranks, FailTogether) {
  Dataset data = table(1000, false);
  data.targets(900, 1) = std::numeric_limits<double>::quiet_NaN();
  try {
    fit_on(4, data, small_paper());
    FAIL() << "a table with a NaN was fitted";
  } catch (const InputError& error) {
    EXPECT_NE(error.cause().find("Row 901"), std::string::npos) << error.cause();
  }
  const auto failures = run_ranks(3, [&](Communicator& rank) {
    const Dataset part = table(10, rank.rank() == 1);
    FitExtras extras;
    extras.ranks = &rank;
    fit(part, small_paper(), extras);
  });
  for (const std::exception_ptr& failure : failures) EXPECT_THROW(std::rethrow_exception(failure), UsageError);
}

// Ranks of other presets would wait for each other for ever, others fit what rank 0 was told to.
TEST(Ranks, RefuseOtherOptionsOnOtherRanks) {
  const auto refused = [](const Options& first, const Options& other) {
    std::string cause;
    const auto failures = run_ranks(3, [&](Communicator& rank) {
      const Dataset part = table(10, false);
      FitExtras extras;
      extras.ranks = &rank;
      fit({part.inputs.view(), part.targets.view()}, rank.rank() == 2 ? other : first, extras);
    });
    for (const std::exception_ptr& failure : failures) {
      try {
        if (failure) std::rethrow_exception(failure);
      } catch (const UsageError& error) {
        cause += error.cause() + "\n";
      }
    }
    return cause;
  };
  const std::string why = "The ranks were not all given the same: ";
  const auto thrice = [](const std::string& line) { return line + "\n" + line + "\n" + line + "\n"; };
  const Options options = small_paper();
  Options other = options;
  other.preset = Preset::automatic;
  EXPECT_EQ(refused(options, other), thrice(why + "preset is paper on rank 0 and auto on rank 2."));
  other = options;
  other.seed = 9;
  EXPECT_EQ(refused(options, other), thrice(why + "seed is 1 on rank 0 and 9 on rank 2."));
  other = options;  // machines differ in these
  other.threads = 2;
  other.memory = 1e9;
  EXPECT_EQ(refused(options, other), "");
}

/// Fails when the first block is there.
template <class Failure>
struct Failing final : Observer {
  explicit Failing(Failure what) : failure(std::move(what)) {}
  bool block_done(const BlockRecord&) override { throw failure; }
  Failure failure;
};

/// The failures of three ranks, of which the first has an observer that fails.
template <class Failure>
std::vector<std::exception_ptr> failures_with(Failure failure, const Options& options) {
  const Dataset data = table(300, false);
  Failing<Failure> observer(std::move(failure));
  return run_ranks(3, [&](Communicator& rank) {
    const Dataset part = part_of(data, rank.rank() * 100, (rank.rank() + 1) * 100);
    FitExtras extras;
    extras.ranks = &rank;
    if (rank.rank() == 0) extras.observer = &observer;
    fit(part, options, extras);
  });
}

// Whoever ends the processes asks whether all have the failure; what is not rfnn's own stays what it is.
TEST(Ranks, KnowWhichFailuresAllHave) {
  Options automatic;
  automatic.threads = 1;
  automatic.blocks = 1;
  automatic.width = 8;
  for (const Options& options : {small_paper(), automatic}) {
    for (const std::exception_ptr& failure : failures_with(InputError("The disk is full.", ""), options)) {
      ASSERT_TRUE(failure);
      EXPECT_THROW(std::rethrow_exception(failure), InputError);
      EXPECT_THROW(std::rethrow_exception(failure), training::HadByAll);
    }
    const auto other = failures_with(std::out_of_range("A callback's."), options);
    EXPECT_THROW(std::rethrow_exception(other[0]), std::out_of_range);
    for (const std::size_t rank : {1U, 2U}) EXPECT_THROW(std::rethrow_exception(other[rank]), NumericalError);
  }
  const auto agreed = run_ranks(3, [](Communicator& rank) {
    training::agree(rank, [&] {
      if (rank.rank() == 1) throw std::bad_alloc();
    });
  });
  for (const std::exception_ptr& failure : agreed) EXPECT_THROW(std::rethrow_exception(failure), training::HadByAll);
}

// An observer that ends the run ends it for all ranks.
TEST(Ranks, StopTogether) {
  struct Stop final : Observer {
    bool block_done(const BlockRecord&) override { return false; }
  } stop;
  const Dataset data = table(2000, false);
  std::vector<Model> models(3);
  const auto failures = run_ranks(3, [&](Communicator& rank) {
    const Dataset part = part_of(data, rank.rank() * 600, rank.rank() == 2 ? 2000 : (rank.rank() + 1) * 600);
    FitExtras extras;
    extras.ranks = &rank;
    if (rank.rank() == 0) extras.observer = &stop;
    models[rank.rank()] = fit(part, small_paper(), extras);
  });
  for (const std::exception_ptr& failure : failures) EXPECT_EQ(failure, nullptr);
  for (const Model& model : models) EXPECT_EQ(model.blocks(), 1U);
}

}  // namespace
}  // namespace rfnn
