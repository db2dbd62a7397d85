// One body for every implementation of row work: whatever a pass over the rows computes must agree with the reference,
// which is the formulas written down, and must not depend on the number of threads. The chain has tests of its own
// (engine_test.cpp).

#include "rfnn/rows/row_work.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rfnn/features/kernels.hpp"
#include "rfnn/rows/reference/reference_work.hpp"
#include "rfnn/rows/threads/threaded_work.hpp"
#include "rows/naive.hpp"

namespace rfnn::rows {
namespace {

using testing::index;
using testing::normal_matrix;
using testing::random_branch;
using testing::random_closed_form;
using testing::to_eigen;

struct Shape {
  std::size_t rows, inputs, outputs;
  bool weighted;
};

std::vector<Shape> shapes() {
  std::vector<Shape> all;
  for (const std::size_t rows : {std::size_t{1}, std::size_t{3}, features::tile_rows - 1, features::tile_rows,
                                 features::tile_rows + 1, std::size_t{1000}})
    for (const std::size_t inputs : {1U, 3U})
      for (const std::size_t outputs : {1U, 3U})
        for (const bool weighted : {false, true}) all.push_back({rows, inputs, outputs, weighted});
  return all;
}

std::string words(const Shape& shape) {
  return std::to_string(shape.rows) + " rows, d = " + std::to_string(shape.inputs) +
         ", m = " + std::to_string(shape.outputs) + (shape.weighted ? ", weighted" : "");
}

/// Rows with a state of their own.
RowState make_rows(const Shape& shape) {
  const Matrix theta = normal_matrix(shape.rows, shape.inputs, 1), target = normal_matrix(shape.rows, shape.outputs, 2),
               z = normal_matrix(shape.rows, shape.outputs, 3);
  std::vector<double> weights;
  for (std::size_t i = 0; shape.weighted && i < shape.rows; ++i)
    weights.push_back(0.5 + static_cast<double>(i * 7 % 5));
  RowState rows(ScaledRows(theta.view(), target.view(), weights));
  for (std::size_t i = 0; i < shape.rows; ++i)
    for (std::size_t o = 0; o < shape.outputs; ++o) rows.state(i, o) = z(i, o);
  for (std::size_t tile = 0; tile < rows.tiles(); ++tile) rows.settle(tile);
  return rows;
}

FeatureBlock make_block(const Shape& shape) {
  const std::size_t variables = shape.inputs + shape.outputs, count = 7;
  const Matrix frequencies = normal_matrix(count, variables, 4, 2.0);
  FeatureBlock block;
  for (std::size_t f = 0; f < count; ++f) {
    Feature feature{std::vector<double>(variables, 0.0), {}};
    // On some of the variables, on none, on all.
    for (std::uint32_t k = 0; k < variables; ++k) {
      if (f == 0 || (f % 3 != 2 && (f + k) % 2 == 0)) continue;
      feature.frequency[k] = frequencies(f, k);
      feature.active.push_back(k);
    }
    block.features.push_back(feature);
  }
  block.amplitudes = to_eigen(normal_matrix(2 * count, shape.outputs, 5, 0.5));
  return block;
}

WideFeatures make_wide(const Shape& shape) {
  WideFeatures wide{normal_matrix(40, shape.inputs, 6, 2.0), std::vector<double>(40)};
  for (std::size_t f = 0; f < 40; ++f) wide.prior[f] = 0.05 + 0.01 * static_cast<double>(f);
  return wide;
}

/// With trends of degree 2, 1 and 0.
Block make_network_block(const Shape& shape) {
  Block block = {{random_branch(BranchKind::input, 4, shape.inputs, shape.outputs, 10),
                  random_branch(BranchKind::state, 3, shape.inputs, shape.outputs, 12),
                  random_branch(BranchKind::joint, 5, shape.inputs, shape.outputs, 14),
                  random_closed_form(BranchKind::input, 70, shape.inputs, shape.outputs, 16),
                  random_closed_form(BranchKind::joint, 5, shape.inputs, shape.outputs, 20)}};
  for (const std::size_t b : {0U, 1U, 2U})
    block.branches[b].trend =
        normal_matrix(1 + (2 - b) * block.branches[b].frequencies.cols(), shape.outputs, 22 + b, 0.3);
  return block;
}

/// What a pass has computed, by name, and the size its sums may have: tolerances are shares of it.
struct Result {
  std::string name;
  std::vector<double> numbers;
  double scale;
};

void note(std::vector<Result>& all, const std::string& name, const Eigen::MatrixXd& values, double scale) {
  all.push_back({name, {values.data(), values.data() + values.size()}, scale});
}
void note(std::vector<Result>& all, const std::string& name, const TiledColumns& values, double scale) {
  all.push_back({name, {}, scale});
  for (std::size_t i = 0; i < values.rows(); ++i)
    for (std::size_t k = 0; k < values.columns(); ++k) all.back().numbers.push_back(values(i, k));
}

void note_grown(RowWork& work, const Shape& shape, std::vector<Result>& all) {
  const RowState rows = make_rows(shape);
  const FeatureBlock block = make_block(shape);
  const auto n = static_cast<double>(10 * shape.rows);
  Interrupt never;
  FeatureSums sums;
  ASSERT_TRUE(work.features(rows, block.features, sums, never));
  note(all, "features: gram", sums.gram, n);
  note(all, "features: rhs", sums.rhs, n);
  note(all, "features: energy", sums.energy, n);
  JacobianSums jacobian;
  ASSERT_TRUE(work.jacobian(rows, block, jacobian, never));
  ASSERT_EQ(jacobian.cross.size(), shape.outputs);
  note(all, "jacobian: gram", jacobian.gram, n);
  note(all, "jacobian: rhs", jacobian.rhs, 10.0 * n);
  note(all, "jacobian: energy", jacobian.energy, 10.0 * n);
  note(all, "jacobian: curvature", jacobian.curvature, 10.0 * n);
  note(all, "jacobian: slope", jacobian.slope, 10.0 * n);
  for (const Eigen::MatrixXd& cross : jacobian.cross) note(all, "jacobian: cross", cross, 10.0 * n);
  Eigen::VectorXd energy;
  ASSERT_TRUE(work.misfit(rows, block, energy, never));
  note(all, "misfit", energy, 10.0 * n);
  TiledColumns left;
  ASSERT_TRUE(work.left_by(rows, block, left, never));
  note(all, "left_by", left, 100.0);
  for (const std::size_t stride : {1U, 2U}) {
    std::vector<double> power;
    ASSERT_TRUE(work.spectrum(rows, left, block.features, stride, power, never));
    all.push_back({"spectrum", power, n * n});
  }
}

void note_wide(RowWork& work, const Shape& shape, std::vector<Result>& all) {
  const RowState rows = make_rows(shape);
  const WideFeatures wide = make_wide(shape);
  const auto n = static_cast<double>(10 * shape.rows);
  Interrupt never;
  TiledColumns product;
  ASSERT_TRUE(work.apply(rows, wide, normal_matrix(80, 2, 7), product, never));
  ASSERT_EQ(product.rows(), shape.rows);
  note(all, "apply", product, 100.0);
  Matrix back;
  ASSERT_TRUE(work.adjoint(rows, wide, weighted_residual(rows), back, never));
  ASSERT_EQ(back.rows(), 80U);
  note(all, "adjoint", to_eigen(back), n);
  Eigen::MatrixXd kernel;
  ASSERT_TRUE(work.row_kernel(rows, wide, kernel, never));
  note(all, "row_kernel", kernel, 100.0);
}

/// A law of two parts over some of the variables, with a map and without.
FrequencyLaw make_law(std::size_t variables, bool mapped) {
  FrequencyLaw law;
  for (std::size_t p = 0; p < 2; ++p) {
    FrequencyLaw::Part part;
    part.strength = 1.0 + static_cast<double>(p);
    for (std::size_t k = 0; k < variables; ++k) {
      part.smooth.push_back(0.3 + 0.1 * static_cast<double>(k + p));
      part.rough.push_back(p == 0 ? 0.0 : 0.2);
    }
    law.parts.push_back(part);
  }
  if (mapped) law.map = normal_matrix(variables, variables, 31);
  return law;
}

void note(std::vector<Result>& all, const std::string& name, const dense::Triangle<double>& values, double scale) {
  all.push_back({name, {}, scale});
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::size_t j = 0; j <= i; ++j) all.back().numbers.push_back(values(i, j));
}

void note_closed_forms(RowWork& work, const Shape& shape, std::vector<Result>& all) {
  const RowState rows = make_rows(shape);
  const auto n = static_cast<double>(10 * shape.rows);
  Interrupt never;
  // The inputs, and (θ, z).
  for (const std::size_t variables : {shape.inputs, shape.inputs + shape.outputs})
    for (const bool mapped : {false, true}) {
      // Pairs of many rows take the reference long; one kind of law shows how they are cut.
      if (shape.rows > 300 && (mapped || variables > 1)) continue;
      const FrequencyLaw law = make_law(variables, mapped);
      dense::Triangle<double> kernel, gram;
      ASSERT_TRUE(work.kernel_matrix(rows, law, kernel, never));
      note(all, "kernel_matrix", kernel, 100.0);
      KernelSlopes slopes;
      ASSERT_TRUE(work.kernel_slopes(rows, law, kernel, slopes, never));
      for (const Eigen::MatrixXd& sum : {Eigen::MatrixXd(slopes.strength), slopes.slope, slopes.curvature, slopes.map})
        note(all, "kernel_slopes", sum, n * n);
      const Matrix centres = normal_matrix(31, variables, 32), c = normal_matrix(31, 2, 33),
                   t = normal_matrix(shape.rows, 2, 34);
      Matrix product;
      ASSERT_TRUE(work.kernel_product(rows, law, t, product, Precision::full, never));
      note(all, "kernel_product", to_eigen(product), 10.0 * n);
      ASSERT_TRUE(work.kernel_product(rows, law, t, product, Precision::single, never));
      note(all, "kernel_product, single precision", to_eigen(product), 1e9 * n);
      ASSERT_TRUE(work.kernel_apply(rows, law, centres, c, product, Precision::full, never));
      ASSERT_EQ(product.rows(), shape.rows);
      note(all, "kernel_apply", to_eigen(product), 1000.0);
      ASSERT_TRUE(work.kernel_adjoint(rows, law, centres, t, product, Precision::full, never));
      ASSERT_EQ(product.rows(), 31U);
      note(all, "kernel_adjoint", to_eigen(product), 10.0 * n);
      ASSERT_TRUE(work.kernel_gram(rows, law, centres, gram, never));
      note(all, "kernel_gram", gram, 10.0 * n);
    }
}

/// A radial law over inputs and state, and windows cut from the rows.
struct WindowProblem {
  explicit WindowProblem(const RowState& rows) : cut(cut_windows(theta_of(rows), aspects(rows), {20, 0.4, 60}, 1)) {
    FrequencyLaw::Part part;
    part.strength = 1.3;
    part.order = 1;
    part.radial = true;
    part.rough.assign(rows.inputs() + 1, 1.5);
    part.smooth.assign(part.rough.size(), 0.0);
    law.parts.push_back(part);
    for (std::size_t w = 0; w < cut.windows.count(); ++w) {
      noise.push_back(0.1 + 0.01 * static_cast<double>(w % 5));
      if (w % 3 != 1) listed.push_back(w);
    }
  }
  static std::vector<double> aspects(const RowState& rows) {
    std::vector<double> aspect;
    for (std::size_t k = 0; k < rows.inputs(); ++k) aspect.push_back(1.0 + 0.5 * static_cast<double>(k));
    return aspect;
  }

  WindowRows cut;
  FrequencyLaw law;
  std::vector<double> noise;
  std::vector<std::size_t> listed;
};

void note_windows(RowWork& work, const Shape& shape, std::vector<Result>& all) {
  if (shape.outputs > 1 && shape.rows > 300) return;  // takes the reference long
  const RowState rows = make_rows(shape);
  WindowProblem problem(rows);
  if (shape.outputs > 1)
    for (FrequencyLaw::Part& part : problem.law.parts)
      part.rough.resize(rows.inputs()), part.smooth.resize(rows.inputs());
  Interrupt never;
  WindowFits fits;
  ASSERT_TRUE(work.window_fits(rows, problem.law, problem.cut, problem.noise, problem.listed, fits, never));
  note(all, "window_fits: coefficients", to_eigen(fits.coefficients), 1e4);
  note(all, "window_fits: left_out", to_eigen(fits.left_out), 1e3);
  // The sum, of rows within and without, by the coefficients of the windows listed.
  Branch branch;
  branch.kind = shape.outputs > 1 ? BranchKind::input : BranchKind::joint;
  ClosedForm form{problem.law, Matrix(problem.cut.places.size(), problem.law.variables()), fits.coefficients,
                  problem.cut.windows};
  form.windows.scale = Matrix(form.windows.count(), form.centres.cols());
  for (std::size_t w = 0; w < form.windows.count(); ++w)
    for (std::size_t k = 0; k < form.centres.cols(); ++k) form.windows.scale(w, k) = problem.cut.windows.scale(w, k);
  for (std::size_t i = 0; i < form.centres.rows(); ++i)
    for (std::size_t k = 0; k < form.centres.cols(); ++k)
      form.centres(i, k) = rows.variable_of(problem.cut.places[i], k);
  branch.closed_form = form;
  Block block;
  block.branches.push_back(branch);
  const Matrix theta = normal_matrix(shape.rows, shape.inputs, 41, 2.0),
               target = normal_matrix(shape.rows, shape.outputs, 42);
  RowState others(ScaledRows(theta.view(), target.view()));
  ASSERT_TRUE(work.advance(block, others, never));
  note(all, "advance: windows", others.state, 1e4);
}

void note_lattice(RowWork& work, const Shape& shape, std::vector<Result>& all) {
  const std::size_t variables = std::min<std::size_t>(shape.inputs, 2);
  const HalfLattice lattice = variables == 1 ? HalfLattice{15, 0} : HalfLattice{6, 4};
  const RowState rows = make_rows(shape);
  Matrix theta(shape.rows, variables);
  for (std::size_t i = 0; i < shape.rows; ++i)
    for (std::size_t k = 0; k < variables; ++k) theta(i, k) = rows.variable_of(i, k);
  const LatticeMap map{std::vector<double>(variables, 0.1), std::vector<double>(variables, 0.3)};
  const auto points = work.lattice_points(lattice, variables, map.phases(theta.view()));
  std::vector<double> strengths, values;
  for (std::size_t i = 0; i < shape.rows; ++i) strengths.push_back(rows.residual(i, 0));
  Interrupt never;
  Coefficients b;
  ASSERT_TRUE(points->gather(strengths, b, never));
  all.push_back({"lattice: gather", {b.begin(), b.end()}, static_cast<double>(100 * shape.rows)});
  ASSERT_TRUE(points->evaluate(b, values, never));
  all.push_back({"lattice: evaluate", values, static_cast<double>(10000 * shape.rows)});
}

/// Everything there is on rows of a shape.
std::vector<Result> all_of(RowWork& work, const Shape& shape) {
  std::vector<Result> all;
  RowState rows = make_rows(shape);
  note(all, "mean_squares", work.mean_squares(rows), 100.0);
  Interrupt never;
  EXPECT_TRUE(work.advance(make_network_block(shape), rows, never));
  note(all, "advance: state", rows.state, 100.0);
  note(all, "advance: residual", rows.residual, 100.0);
  note_grown(work, shape, all);
  note_wide(work, shape, all);
  note_closed_forms(work, shape, all);
  note_windows(work, shape, all);
  note_lattice(work, shape, all);
  return all;
}

struct WorkCase {
  std::string name;
  std::function<std::unique_ptr<RowWork>(std::size_t threads)> make;
};
std::ostream& operator<<(std::ostream& out, const WorkCase& work) { return out << work.name; }

std::vector<WorkCase> implementations() {
  std::vector<WorkCase> all;
  for (const char* level : {"baseline", "avx2", "avx512"})
    if (const features::Kernels* found = features::kernels(level))
      all.push_back({"threads_" + std::string(level),
                     [found](std::size_t threads) { return std::make_unique<ThreadedWork>(threads, *found); }});
  return all;
}

class EveryRowWork : public ::testing::TestWithParam<WorkCase> {};
INSTANTIATE_TEST_SUITE_P(All, EveryRowWork, ::testing::ValuesIn(implementations()),
                         [](const auto& test) { return test.param.name; });

void expect_near(const std::vector<Result>& found, const std::vector<Result>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t r = 0; r < found.size(); ++r) {
    ASSERT_EQ(found[r].numbers.size(), expected[r].numbers.size()) << found[r].name;
    double off = 0.0;
    for (std::size_t i = 0; i < found[r].numbers.size(); ++i)
      off = std::max(off, std::abs(found[r].numbers[i] - expected[r].numbers[i]));
    EXPECT_LE(off, 1e-13 * found[r].scale) << found[r].name;
  }
}

// One test for all of them: what the reference computes takes longest, and is the same for each.
TEST(RowWork, AgreesWithTheReference) {
  for (const Shape& shape : shapes()) {
    ReferenceWork reference;
    const std::vector<Result> expected = all_of(reference, shape);
    for (const WorkCase& implementation : implementations()) {
      SCOPED_TRACE(implementation.name + ": " + words(shape));
      expect_near(all_of(*implementation.make(2), shape), expected);
    }
  }
}

TEST_P(EveryRowWork, GivesTheSameBitsForAnyThreads) {
  for (const Shape& shape :
       {Shape{3, 3, 3, true}, Shape{1000, 1, 3, true}, Shape{1000, 3, 1, false}, Shape{2000, 3, 3, true}}) {
    SCOPED_TRACE(words(shape));
    const auto one = GetParam().make(1), three = GetParam().make(3);
    const std::vector<Result> alone = all_of(*one, shape), together = all_of(*three, shape);
    ASSERT_EQ(alone.size(), together.size());
    for (std::size_t r = 0; r < alone.size(); ++r) EXPECT_EQ(alone[r].numbers, together[r].numbers) << alone[r].name;
  }
}

TEST_P(EveryRowWork, SaysWhenItWasInterrupted) {
  const Shape shape{3000, 2, 2, true};
  const FeatureBlock block = make_block(shape);
  const WideFeatures wide = make_wide(shape);
  for (const std::size_t threads : {1U, 3U}) {
    const auto work = GetParam().make(threads);
    RowState rows = make_rows(shape);
    Interrupt stopped;
    stopped.stop();
    FeatureSums sums;
    JacobianSums jacobian;
    Eigen::VectorXd energy;
    TiledColumns columns;
    std::vector<double> power;
    Matrix back;
    Eigen::MatrixXd kernel;
    EXPECT_FALSE(work->features(rows, block.features, sums, stopped));
    EXPECT_FALSE(work->jacobian(rows, block, jacobian, stopped));
    EXPECT_FALSE(work->misfit(rows, block, energy, stopped));
    EXPECT_FALSE(work->left_by(rows, block, columns, stopped));
    EXPECT_FALSE(work->spectrum(rows, rows.residual, block.features, 1, power, stopped));
    EXPECT_FALSE(work->apply(rows, wide, normal_matrix(80, 1, 7), columns, stopped));
    EXPECT_FALSE(work->adjoint(rows, wide, rows.residual, back, stopped));
    EXPECT_FALSE(work->row_kernel(rows, wide, kernel, stopped));
    const FrequencyLaw law = make_law(shape.inputs, false);
    dense::Triangle<double> triangle(shape.rows);
    KernelSlopes slopes;
    const Matrix t = normal_matrix(shape.rows, 1, 34), centres = normal_matrix(30, shape.inputs, 32);
    EXPECT_FALSE(work->kernel_matrix(rows, law, triangle, stopped));
    EXPECT_FALSE(work->kernel_slopes(rows, law, triangle, slopes, stopped));
    EXPECT_FALSE(work->kernel_product(rows, law, t, back, Precision::single, stopped));
    EXPECT_FALSE(work->kernel_apply(rows, law, centres, normal_matrix(30, 1, 33), back, Precision::full, stopped));
    EXPECT_FALSE(work->kernel_adjoint(rows, law, centres, t, back, Precision::full, stopped));
    EXPECT_FALSE(work->kernel_gram(rows, law, centres, triangle, stopped));
    const WindowProblem problem(make_rows({3000, 2, 1, true}));
    WindowFits fits;
    EXPECT_FALSE(work->window_fits(make_rows({3000, 2, 1, true}), problem.law, problem.cut, problem.noise,
                                   problem.listed, fits, stopped));
    EXPECT_FALSE(work->advance(make_network_block(shape), rows, stopped));
  }
}

}  // namespace
}  // namespace rfnn::rows
