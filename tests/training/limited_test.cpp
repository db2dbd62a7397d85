// Fits within the option for memory: rows in temporary files give the network that rows in memory give, bit for bit.

#include "rfnn/training/limited/fit_within_memory.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "rfnn/core/error.hpp"
#include "rfnn/core/scratch_file.hpp"
#include "rfnn/data/canonical.hpp"
#include "rfnn/training/limited/sorted_rows.hpp"
#include "rows/naive.hpp"

namespace rfnn::training {
namespace {

using testing::normal_matrix;

/// Three inputs, the last of them constant, and two targets; some rows are there twice.
Dataset table(std::size_t rows, bool repeated, bool weighted) {
  Dataset data;
  data.inputs = normal_matrix(rows, 3, 1);
  data.targets = Matrix(rows, 2);
  for (std::size_t i = 0; i < rows; ++i) {
    if (repeated && i % 17 == 3)
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
  options.iterations = 15;
  options.threads = 2;
  return options;
}

MemoryPlan plan_for(double sorting) {
  MemoryPlan plan;
  plan.on_disk = true;
  plan.sorting = sorting;
  return plan;
}

void expect_same(const Model& a, const Model& b) {
  EXPECT_EQ(a.members, b.members);
  EXPECT_EQ(a.scaler, b.scaler);
  EXPECT_EQ(a.inputs, b.inputs);
  EXPECT_EQ(a.targets, b.targets);
  EXPECT_EQ(a.train_rows, b.train_rows);
  EXPECT_EQ(a.validation_rows, b.validation_rows);
  EXPECT_EQ(a.data_fingerprint, b.data_fingerprint);
  EXPECT_EQ(a.warnings, b.warnings);
  EXPECT_EQ(a.history.empty_train_mse, b.history.empty_train_mse);
  EXPECT_EQ(a.history.empty_validation_mse, b.history.empty_validation_mse);
  EXPECT_EQ(a.history.final_validation_se, b.history.final_validation_se);
  EXPECT_EQ(final_errors(a).train, final_errors(b).train);
  EXPECT_EQ(final_errors(a).validation, final_errors(b).validation);
}

void expect_same_on_disk(const Dataset& data, const Options& options, const FitExtras& extras = {}) {
  const Model in_memory = fit(data, options, extras);
  for (const double sorting : {1e5, 1e8}) expect_same(fit_on_disk(data, options, extras, plan_for(sorting)), in_memory);
}

TEST(FitOnDisk, HasTheBitsOfAFitInMemory) { expect_same_on_disk(table(5000, false, false), small_paper()); }

TEST(FitOnDisk, MergesEqualRowsAndWeighsThem) {
  expect_same_on_disk(table(3000, true, false), small_paper());
  Options options = small_paper();
  options.validation_fraction = 0.2;
  expect_same_on_disk(table(3000, true, true), options);
}

TEST(FitOnDisk, HoldsRowsOutOrIsGivenThem) {
  Options options = small_paper();
  options.validation_fraction = 0.3;
  options.tolerance = 1e-3;
  expect_same_on_disk(table(3000, false, false), options);
  const Dataset others = table(500, true, false);
  FitExtras extras;
  extras.validation = DatasetView(others);
  options.validation_fraction = 0.0;
  expect_same_on_disk(table(3000, false, false), options, extras);
}

TEST(FitOnDisk, TakesRowsOfBlocksAndOtherSolvers) {
  Options options = small_paper();
  options.blocks = 2;
  options.iterations = 5;
  for (const Solver solver : {Solver::qr, Solver::iterative}) {
    options.solver = solver;
    options.block_rows = solver == Solver::qr ? BlockRows::disjoint : BlockRows::subset;
    expect_same_on_disk(table(1500, solver == Solver::qr, false), options);
  }
}

TEST(FitOnDisk, GoesOn) {
  const Dataset data = table(2000, false, false);
  Options options = small_paper();
  const Model whole = fit(data, options);
  options.blocks = 1;
  const Model start = fit_on_disk(data, options, {}, plan_for(1e6));
  options.blocks = 3;
  FitExtras extras;
  extras.start = &start;
  EXPECT_EQ(fit_on_disk(data, options, extras, plan_for(1e6)).members, whole.members);
}

TEST(FitOnDisk, FitsFewRowsAndConstantTargets) {
  for (const std::size_t rows : {1U, 2U, 5U, 257U}) {
    Options options = small_paper();
    options.blocks = 1;
    expect_same_on_disk(table(rows, false, false), options);
  }
  Dataset constant = table(50, false, false);
  for (std::size_t i = 0; i < 50; ++i) constant.targets(i, 0) = constant.targets(i, 1) = 3.0;
  expect_same_on_disk(constant, small_paper());
}

TEST(FitOnDisk, RefusesWhatItCannotRead) {
  Dataset data = table(100, false, false);
  data.inputs(70, 1) = std::numeric_limits<double>::infinity();
  EXPECT_THROW(fit_on_disk(data, small_paper(), {}, plan_for(1e6)), InputError);
  Options tail = small_paper();
  tail.holdout = Holdout::tail;
  tail.validation_fraction = 0.2;
  EXPECT_THROW(fit_on_disk(table(100, false, false), tail, {}, plan_for(1e6)), UsageError);
}

TEST(FitOnDisk, SaysWhereTemporaryFilesCannotBe) {
  const char* const before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("TMPDIR", "/nowhere/at/all", 1);
  try {
    fit_on_disk(table(100, false, false), small_paper(), {}, plan_for(1e6));
    ADD_FAILURE() << "there is no such folder";
  } catch (const InputError& error) {
    EXPECT_NE(error.cause().find("/nowhere/at/all"), std::string::npos) << error.cause();
  }
  before == nullptr ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", kept.c_str(), 1);
}

/// The rows in their order, each with its weight, one below the other.
std::vector<double> in_order(const Dataset& data) {
  const DatasetView view(data);
  const CanonicalRows rows = canonical_rows(view);
  std::vector<double> listed;
  for (const std::size_t row : rows.order) {
    for (const Columns* columns : {&view.inputs, &view.targets})
      for (const ColumnView& column : *columns) listed.push_back(column[row]);
    listed.push_back(rows.weights.empty() ? 1.0 : rows.weights[row]);
    listed.push_back(rows.copies.empty() ? 1.0 : rows.copies[row]);
  }
  return listed;
}

TEST(SortedRows, AreInTheOrderOfAllInHoweverManyParts) {
  const Interrupt never;
  for (const bool weighted : {false, true}) {
    const Dataset data = table(2000, true, weighted);
    const std::vector<double> expected = in_order(data);
    for (const double memory : {3e4, 1e5, 1e7}) {
      const StoredRecords sorted = sorted_rows(data, memory, never);
      EXPECT_EQ(sorted.rows() * 7, expected.size());
      EXPECT_EQ(sorted.read(0, sorted.rows()), expected) << memory << " bytes";
      EXPECT_EQ(sorted.rows_behind(), canonical_rows(data).rows_behind(canonical_rows(data).order));
    }
    for (const std::size_t most : {1U, 100U, 100000U}) {
      std::vector<double> first = expected;
      first.resize(std::min<std::size_t>(first.size(), 7 * most));
      EXPECT_EQ(first_rows(data, most), first) << most << " rows";
    }
  }
}

TEST(SortedRows, RefuseMoreEqualRowsThanMemoryHolds) {
  Dataset data = table(3000, false, false);
  for (std::size_t i = 0; i < 2000; ++i) {
    for (std::size_t k = 0; k < 3; ++k) data.inputs(i, k) = data.inputs(0, k);
    for (std::size_t o = 0; o < 2; ++o) data.targets(i, o) = data.targets(0, o);
  }
  const Interrupt never;
  EXPECT_THROW(sorted_rows(data, 3e4, never), UsageError);
}

TEST(FitToSome, IsTheFitOfTheFirstRowsAndSaysSo) {
  const Dataset data = table(900, false, false);
  Options options;
  options.blocks = 2;
  options.width = 8;
  options.threads = 1;
  options.memory = 123e6;
  MemoryPlan plan;
  plan.rows = 400;
  const Model some = fit_to_some(data, options, {}, plan);
  ASSERT_FALSE(some.warnings.empty());
  EXPECT_NE(some.warnings.front().find("Of 900 rows 400, drawn at random, are used"), std::string::npos)
      << some.warnings.front();
  EXPECT_NE(some.warnings.front().find("123MB"), std::string::npos) << some.warnings.front();
  const std::vector<std::size_t> order = canonical_rows(data).order;
  Dataset first;
  first.inputs = Matrix(400, 3);
  first.targets = Matrix(400, 2);
  for (std::size_t i = 0; i < 400; ++i) {
    for (std::size_t k = 0; k < 3; ++k) first.inputs(i, k) = data.inputs(order[i], k);
    for (std::size_t o = 0; o < 2; ++o) first.targets(i, o) = data.targets(order[i], o);
  }
  options.memory = 0.0;
  EXPECT_EQ(some.members, fit(first, options).members);
}

TEST(MemoryPlan, KeepsWithinTheOptionOrSaysWhatIsLeast) {
  RunSizes sizes{.rows = 20000000, .inputs = 4, .outputs = 1, .data_bytes = 8e8, .file_bytes = 8e8, .threads = 2};
  Options paper = preset_options(Preset::paper), automatic;
  EXPECT_FALSE(memory_plan(paper, sizes).on_disk);
  EXPECT_EQ(memory_plan(automatic, sizes).rows, sizes.rows);
  for (const double memory : {1e8, 5e8}) {
    paper.memory = automatic.memory = memory;
    const MemoryPlan disk = memory_plan(paper, sizes), fewer = memory_plan(automatic, sizes);
    EXPECT_TRUE(disk.on_disk);
    EXPECT_EQ(disk.rows, sizes.rows);
    EXPECT_LT(disk.need.total() + 0.0, memory);
    EXPECT_LT(disk.sorting, memory);
    EXPECT_GT(disk.disk, 2e9);
    EXPECT_FALSE(fewer.on_disk);
    EXPECT_LT(fewer.rows, 2000000U);
    EXPECT_GT(fewer.rows, 10000U);
    EXPECT_LT(1.25 * fewer.need.total(), memory * 1.0001);
  }
  paper.memory = 1e10;
  EXPECT_FALSE(memory_plan(paper, sizes).on_disk);
  paper.memory = 1e7;
  try {
    memory_plan(paper, sizes);
    ADD_FAILURE() << "10 MB are not enough";
  } catch (const UsageError& error) {
    EXPECT_NE(error.cause().find("memory 10MB is too little"), std::string::npos) << error.cause();
  }
  // Rows that are in memory anyway cannot be put on disk.
  sizes.file_bytes = 0.0;
  paper.memory = 5e8;
  EXPECT_THROW(memory_plan(paper, sizes), UsageError);
}

}  // namespace
}  // namespace rfnn::training
