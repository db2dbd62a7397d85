#include "rfnn/finders/lattice/lattice_system.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <complex>

#include "rfnn/core/random.hpp"

namespace rfnn::lattice {
namespace {

using Complex = std::complex<double>;

/// A lattice in one or two variables and scattered points, some of them periods away.
struct Case {
  rows::HalfLattice lattice;
  std::size_t variables;
  rows::Phases phases;
  std::vector<double> strengths;
};

Case make_case(std::size_t variables, std::size_t rows = 60) {
  Case c{variables == 1 ? rows::HalfLattice{21, 0} : rows::HalfLattice{6, 4}, variables, {}, {}};
  const Stream stream(variables, Purpose::data);
  for (std::size_t n = 0; n < rows; ++n) {
    const double far = n % 7 == 0 ? 40.0 : 1.0;
    c.phases.push_back({far * (6.0 * stream.uniform(3 * n) - 3.0),
                        variables == 2 ? far * (6.0 * stream.uniform(3 * n + 1) - 3.0) : 0.0});
    c.strengths.push_back(stream.normal(3 * n + 2));
  }
  return c;
}

std::array<double, 2> point(const rows::HalfLattice& lattice, std::size_t i) {
  return {static_cast<double>(i % lattice.columns()),
          static_cast<double>(i / lattice.columns()) - static_cast<double>(lattice.m1)};
}

double phase_of(const std::array<double, 2>& k, const std::array<double, 2>& x) { return k[0] * x[0] + k[1] * x[1]; }

rows::Coefficients direct_gather(const Case& c, const std::vector<double>& strengths) {
  const std::size_t points = c.lattice.points();
  rows::Coefficients b(2 * points);
  for (std::size_t i = 0; i < points; ++i) {
    Complex sum = 0.0;
    for (std::size_t n = 0; n < c.phases.size(); ++n)
      sum += strengths[n] * std::polar(1.0, -phase_of(point(c.lattice, i), c.phases[n]));
    b[i] = sum.real();
    b[points + i] = sum.imag();
  }
  return b;
}

std::vector<double> direct_evaluate(const Case& c, const rows::Coefficients& b) {
  const std::size_t points = c.lattice.points();
  std::vector<double> values(c.phases.size());
  for (std::size_t n = 0; n < values.size(); ++n)
    for (std::size_t i = 0; i < points; ++i) {
      const auto k = point(c.lattice, i);
      const double both = k[0] > 0.0 ? 2.0 : 1.0;
      values[n] += both * (Complex(b[i], b[points + i]) * std::polar(1.0, phase_of(k, c.phases[n]))).real();
    }
  return values;
}

template <class Vector>
double largest(const Vector& values) {
  double most = 0.0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

template <class Vector>
void expect_near(const Vector& actual, const Vector& expected, double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  const double scale = largest(expected);
  for (std::size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], tolerance * scale) << i;
}

class Lattice : public ::testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Variables, Lattice, ::testing::Values(1, 2));

TEST_P(Lattice, GatherIsTheDirectSum) {
  const Case c = make_case(GetParam());
  Workers workers(1);
  Interrupt never;
  rows::Coefficients b;
  ASSERT_TRUE(rows::Nufft(c.lattice, c.variables, workers).gather(c.phases, c.strengths, b, never));
  expect_near(b, direct_gather(c, c.strengths), 3e-12);
}

TEST_P(Lattice, EvaluateIsTheDirectSum) {
  const Case c = make_case(GetParam());
  Workers workers(2);
  Interrupt never;
  const rows::Coefficients b = direct_gather(c, c.strengths);
  std::vector<double> values;
  ASSERT_TRUE(rows::Nufft(c.lattice, c.variables, workers).evaluate(b, c.phases, values, never));
  expect_near(values, direct_evaluate(c, b), 3e-12);
}

TEST_P(Lattice, ProductIsEvaluateThenGather) {
  const Case c = make_case(GetParam());
  const auto work = rows::make_row_work(rows::Implementation::threads, 2);
  Interrupt never;
  LatticeSystem system(*work, c.lattice, c.variables);
  ASSERT_TRUE(system.set_points(c.phases, {}, never));
  const rows::Coefficients b = direct_gather(c, c.strengths);
  rows::Coefficients product;
  ASSERT_TRUE(system.apply(b, product, never));
  expect_near(product, direct_gather(c, direct_evaluate(c, b)), 3e-12);
}

TEST_P(Lattice, SolutionIsThatOfDenseRidge) {
  const Case c = make_case(GetParam(), 90);
  const std::size_t points = c.lattice.points(), rows = c.phases.size();
  std::vector<double> spectrum(points);
  for (std::size_t i = 0; i < points; ++i) {
    const auto k = point(c.lattice, i);
    spectrum[i] = 1.0 / (1.0 + k[0] * k[0] + 3.0 * k[1] * k[1]);
  }
  const double ridge = 0.02;
  // The kernel form of the same problem: values at the rows are K (K + σ²)⁻¹ r with K = A S Aᴴ over the whole lattice.
  Eigen::MatrixXd kernel = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(rows));
  for (std::size_t n = 0; n < rows; ++n)
    for (std::size_t m = 0; m < rows; ++m)
      for (std::size_t i = 0; i < points; ++i) {
        const auto k = point(c.lattice, i);
        kernel(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(m)) +=
            (k[0] > 0.0 ? 2.0 : 1.0) * spectrum[i] * std::cos(phase_of(k, c.phases[n]) - phase_of(k, c.phases[m]));
      }
  const Eigen::Map<const Eigen::VectorXd> target(c.strengths.data(), static_cast<Eigen::Index>(rows));
  Eigen::MatrixXd shifted = kernel;
  shifted.diagonal().array() += ridge;
  const Eigen::VectorXd expected = kernel * shifted.ldlt().solve(target);

  const auto work = rows::make_row_work(rows::Implementation::threads, 1);
  Interrupt never;
  LatticeSystem system(*work, c.lattice, c.variables);
  ASSERT_TRUE(system.set_points(c.phases, {}, never));
  rows::Coefficients b;
  const rows::Coefficients right = direct_gather(c, c.strengths);
  const auto steps = system.solve(right, spectrum, ridge, 2000, 1e-12, b, never);
  ASSERT_TRUE(steps.has_value());
  EXPECT_LT(*steps, 2000u);
  expect_near(direct_evaluate(c, b), std::vector<double>(expected.begin(), expected.end()), 1e-8);

  // From the solution there is nothing left to do.
  const auto again = system.solve(right, spectrum, ridge, 2000, 1e-10, b, never);
  ASSERT_TRUE(again.has_value());
  EXPECT_LE(*again, 2u);
}

TEST_P(Lattice, BitsDoNotDependOnThreads) {
  Case c = make_case(GetParam(), 5000);
  c.lattice = GetParam() == 1 ? rows::HalfLattice{300, 0} : rows::HalfLattice{40, 35};
  Interrupt never;
  std::vector<rows::Coefficients> solutions;
  std::vector<std::vector<double>> values(2);
  for (const std::size_t threads : {std::size_t{1}, std::size_t{3}}) {
    const auto work = rows::make_row_work(rows::Implementation::threads, threads);
    LatticeSystem system(*work, c.lattice, c.variables);
    ASSERT_TRUE(system.set_points(c.phases, {}, never));
    rows::Coefficients right, b;
    ASSERT_TRUE(system.points().gather(c.strengths, right, never));
    ASSERT_TRUE(system.solve(right, std::vector<double>(c.lattice.points(), 1e-3), 0.1, 12, 0.0, b, never));
    ASSERT_TRUE(system.points().evaluate(b, values[solutions.size()], never));
    solutions.push_back(b);
  }
  EXPECT_EQ(solutions[0], solutions[1]);
  EXPECT_EQ(values[0], values[1]);
}

TEST_P(Lattice, InterruptEndsTheSolution) {
  const Case c = make_case(GetParam());
  const auto work = rows::make_row_work(rows::Implementation::threads, 1);
  Interrupt never, stopped;
  LatticeSystem system(*work, c.lattice, c.variables);
  ASSERT_TRUE(system.set_points(c.phases, {}, never));
  stopped.stop();
  rows::Coefficients b;
  EXPECT_FALSE(system.solve(direct_gather(c, c.strengths), std::vector<double>(c.lattice.points(), 1.0), 0.1, 50, 0.0,
                            b, stopped));
  EXPECT_FALSE(system.set_points(c.phases, {}, stopped));
}

}  // namespace
}  // namespace rfnn::lattice
