// Samples of functions against what they should be by other means: the law's kernel, the dense formula of a Gaussian
// process, the normal law of ridge amplitudes, and coverage on rows whose noise is known.

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <vector>

#include "rfnn/core/error.hpp"
#include "rfnn/core/random.hpp"
#include "rfnn/data/targets.hpp"
#include "rfnn/finders/sampled/drawn_block.hpp"
#include "rfnn/io/model_file.hpp"
#include "rfnn/rows/predict.hpp"
#include "rfnn/training/fit.hpp"
#include "rfnn/uncertainty/error_bars.hpp"
#include "rfnn/uncertainty/function_draws.hpp"
#include "rfnn/uncertainty/law_draws.hpp"

namespace rfnn::test {
namespace {

const Stream numbers(11, Purpose::noise);

/// A law with a part of every kind, mapped.
FrequencyLaw every_kind() {
  FrequencyLaw law;
  law.parts.push_back({.strength = 0.7, .smooth = {1.5, 0.8}, .rough = {0.0, 0.1}});
  law.parts.push_back({.strength = 0.4, .smooth = {0.0, 0.0}, .rough = {2.0, 1.0}, .order = 1});
  law.parts.push_back({.strength = 0.3, .smooth = {0.0, 0.2}, .rough = {1.0, 0.0}, .order = 2, .centre = {0.0, 3.0}});
  law.parts.push_back({.strength = 0.6, .smooth = {0.0, 0.0}, .rough = {1.0, 2.0}, .order = 1, .radial = true});
  law.parts.push_back({.strength = 0.2, .smooth = {0.0, 0.0}, .rough = {0.4, 0.3}, .order = 0, .radial = true});
  law.map = Matrix(2, 2);
  law.map(0, 0) = law.map(1, 1) = 1.0;
  law.map(0, 1) = 0.4;
  return law;
}

double value_of(const Branch& function, const double* x, std::size_t output) {
  double sum = 0.0;
  for (std::size_t j = 0; j < function.frequencies.rows(); ++j) {
    double phase = 0.0;
    for (std::size_t k = 0; k < function.frequencies.cols(); ++k) phase += function.frequencies(j, k) * x[k];
    sum +=
        function.amplitudes(2 * j, output) * std::cos(phase) - function.amplitudes(2 * j + 1, output) * std::sin(phase);
  }
  return sum;
}

TEST(FunctionsOfALaw, HaveItsKernelAsTheirCovariance) {
  const FrequencyLaw law = every_kind();
  constexpr std::size_t draws = 6000;
  const double here[] = {0.3, -0.2};
  const std::vector<std::vector<double>> others = {{0.3, -0.2}, {0.5, -0.2}, {0.3, 0.4}, {1.0, 0.6}, {-2.0, 1.0}};
  std::vector<double> covariance(others.size(), 0.0);
  double across = 0.0, mean = 0.0;
  for (std::size_t k = 0; k < draws; ++k) {
    const Branch function = uncertainty::draw_function(law, 20, 2, 3, k);
    const double a = value_of(function, here, 0);
    for (std::size_t p = 0; p < others.size(); ++p)
      covariance[p] += a * value_of(function, others[p].data(), 0) / draws;
    across += a * value_of(function, here, 1) / draws;
    mean += a / draws;
  }
  for (std::size_t p = 0; p < others.size(); ++p) {
    const double difference[] = {others[p][0] - here[0], others[p][1] - here[1]};
    EXPECT_NEAR(covariance[p], kernel_value(law, difference), 0.1) << p;
  }
  EXPECT_NEAR(across, 0.0, 0.1);
  EXPECT_NEAR(mean, 0.0, 0.07);
}

/// A model that is the posterior mean of a Gaussian process given some rows, and knows its errors to be those of the
/// process.
struct Process {
  static constexpr double noise = 0.02, floor = 0.09;
  Model model;
  Eigen::MatrixXd covariance;

  explicit Process(std::size_t centres) {
    model.inputs = {{.name = "a", .mean = 1.0, .sd = 2.0, .min = -9.0, .max = 9.0},
                    {.name = "b", .mean = 0.0, .sd = 0.5, .min = -9.0, .max = 9.0}};
    model.targets = {{.name = "y", .mean = 0.0, .sd = 3.0}};
    model.scaler = {{1.0, 0.0}, {2.0, 0.5}, {5.0}, {3.0}};
    ClosedForm form;
    form.law = every_kind();
    form.centres = Matrix(centres, 2);
    for (std::size_t i = 0; i < form.centres.size(); ++i) form.centres.data()[i] = numbers.normal(i);
    form.coefficients = Matrix(centres, 1);
    const auto size = static_cast<Eigen::Index>(centres);
    covariance.resize(size, size);
    Eigen::VectorXd right(size);
    for (Eigen::Index i = 0; i < size; ++i) {
      right(i) = std::sin(form.centres(static_cast<std::size_t>(i), 0));
      for (Eigen::Index j = 0; j < size; ++j)
        covariance(i, j) =
            kernel(form, static_cast<std::size_t>(i), static_cast<std::size_t>(j)) + (i == j ? noise : 0);
    }
    const Eigen::VectorXd solved = covariance.ldlt().solve(right);
    for (std::size_t i = 0; i < centres; ++i) form.coefficients(i, 0) = solved(static_cast<Eigen::Index>(i));
    model.members.resize(1);
    model.members[0].blocks.push_back({{{.kind = BranchKind::input, .closed_form = form}}});
    Uncertainty known{.place = Uncertainty::Place{}, .noise = noise, .gain = {1.0}, .spread = {0.0}, .floor = {floor}};
    known.scores = Matrix(2, 1);
    known.scores(0, 0) = -1.0;
    known.scores(1, 0) = 1.0;
    model.uncertainty = known;
    check(model);
  }

  [[nodiscard]] const ClosedForm& form() const { return *model.members[0].blocks[0].branches[0].closed_form; }
  static double kernel(const ClosedForm& form, std::size_t i, std::size_t j) {
    const double difference[] = {form.centres(i, 0) - form.centres(j, 0), form.centres(i, 1) - form.centres(j, 1)};
    return kernel_value(form.law, difference);
  }
  /// Of the function at two rows, given the centres, in the target's units.
  [[nodiscard]] double posterior(const double* a, const double* b) const {
    const auto size = covariance.rows();
    Eigen::VectorXd of_a(size), of_b(size);
    const auto standard = [](const double* x) { return std::vector<double>{(x[0] - 1.0) / 2.0, x[1] / 0.5}; };
    const std::vector<double> at = standard(a), to = standard(b);
    for (Eigen::Index i = 0; i < size; ++i) {
      const double* const centre = form().centres.data() + 2 * i;
      const double from_a[] = {at[0] - centre[0], at[1] - centre[1]}, from_b[] = {to[0] - centre[0], to[1] - centre[1]};
      of_a(i) = kernel_value(form().law, from_a);
      of_b(i) = kernel_value(form().law, from_b);
    }
    const double between[] = {at[0] - to[0], at[1] - to[1]};
    return 9.0 * (kernel_value(form().law, between) - of_a.dot(covariance.ldlt().solve(of_b)));
  }
};

Matrix some_places(std::size_t count) {
  Matrix places(count, 2);
  for (std::size_t i = 0; i < count; ++i) {
    places(i, 0) = 1.0 + 2.0 * 1.5 * numbers.normal(7000 + 2 * i);
    places(i, 1) = 0.5 * 1.5 * numbers.normal(7001 + 2 * i);
  }
  return places;
}

Matrix functions_at(const Model& model, const Matrix& places, const DrawOptions& which, std::size_t threads = 1) {
  const Matrix predictions = predict(model, places.view());
  Matrix values(places.rows(), which.count * model.outputs());
  EXPECT_TRUE(
      FunctionDraws(model, which).values(places.view(), predictions.view(), values.view(), {.threads = threads}));
  return values;
}

TEST(FunctionDraws, HaveMeanAndCovarianceOfTheDensePosterior) {
  const Process process(60);
  constexpr std::size_t count = 2000, places = 6;
  Matrix at = some_places(places);
  at(1, 0) = at(0, 0) + 0.3;  // a neighbour
  at(1, 1) = at(0, 1);
  const Matrix predictions = predict(process.model, at.view()),
               values = functions_at(process.model, at, {.count = count, .seed = 5}),
               noisy = functions_at(process.model, at, {.count = count, .seed = 5, .noise = true});
  for (std::size_t i = 0; i < places; ++i) {
    const double variance = process.posterior(at.data() + 2 * i, at.data() + 2 * i), sd = std::sqrt(variance);
    double mean = 0.0, with_noise = 0.0;
    for (std::size_t k = 0; k < count; ++k) {
      mean += values(i, k) / count;
      const double noise = noisy(i, k) - values(i, k);
      with_noise += noise * noise / count;
    }
    EXPECT_NEAR(mean, predictions(i, 0), 4.0 * sd / std::sqrt(count)) << i;
    EXPECT_NEAR(with_noise, 9.0 * Process::floor, 0.1 * 9.0 * Process::floor);
    for (std::size_t j = 0; j <= i; ++j) {
      double covariance = 0.0;
      for (std::size_t k = 0; k < count; ++k)
        covariance += (values(i, k) - predictions(i, 0)) * (values(j, k) - predictions(j, 0)) / count;
      const double other = std::sqrt(process.posterior(at.data() + 2 * j, at.data() + 2 * j));
      EXPECT_NEAR(covariance, process.posterior(at.data() + 2 * i, at.data() + 2 * j), 0.12 * sd * other) << i << j;
    }
  }
}

TEST(FunctionDraws, AreTheSameFunctionsInEveryBatchOrderCountAndForAllThreads) {
  const Process process(40);
  constexpr std::size_t rows = 600;
  const Matrix at = some_places(rows);
  const Matrix all = functions_at(process.model, at, {.count = 3, .seed = 2, .noise = true}, 1);
  EXPECT_TRUE(all == functions_at(process.model, at, {.count = 3, .seed = 2, .noise = true}, 3));
  Matrix turned(rows, 2), some(2, 2);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = 0; k < 2; ++k) turned(i, k) = at(rows - 1 - i, k);
  const Matrix backwards = functions_at(process.model, turned, {.count = 2, .seed = 2, .noise = true});
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = 0; k < 2; ++k) ASSERT_EQ(all(i, k), backwards(rows - 1 - i, k)) << i;
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t k = 0; k < 2; ++k) some(i, k) = at(300 + i, k);
  const Matrix alone = functions_at(process.model, some, {.count = 1, .seed = 2, .noise = true});
  EXPECT_EQ(all(300, 0), alone(0, 0));
  EXPECT_EQ(all(301, 0), alone(1, 0));
  EXPECT_NE(all(300, 0), functions_at(process.model, some, {.count = 1, .seed = 3, .noise = true})(0, 0));
}

TEST(FunctionDraws, WithoutAPosteriorAreRefused) {
  Process process(20);
  EXPECT_EQ(functions_to_draw(process.model), std::nullopt);
  process.model.uncertainty->place.reset();
  EXPECT_EQ(functions_to_draw(process.model), 0U);
  EXPECT_THROW(FunctionDraws(process.model, {}), UsageError);
  process.model.uncertainty.reset();
  EXPECT_THROW(FunctionDraws(process.model, {}), UsageError);
}

// ---- chains ------------------------------------------------------------------------------------------------------

TEST(ChainDraws, AmplitudesHaveTheRidgePosterior) {
  constexpr Eigen::Index rows = 50, columns = 4;
  constexpr double lambda = 0.02;
  Eigen::MatrixXd a(rows, columns), r(rows, 1);
  for (Eigen::Index i = 0; i < rows; ++i) {
    for (Eigen::Index j = 0; j < columns; ++j)
      a(i, j) = numbers.normal(static_cast<std::uint64_t>(100 + i * columns + j));
    r(i, 0) = a(i, 0) - 0.5 * a(i, 2) + 0.3 * numbers.normal(static_cast<std::uint64_t>(1000 + i));
  }
  const least_squares::NormalEquations problem{a.transpose() * a, a.transpose() * r, r.colwise().squaredNorm(),
                                               static_cast<double>(rows)};
  const Eigen::MatrixXd inverse =
      (problem.gram + rows * lambda * Eigen::MatrixXd::Identity(columns, columns)).inverse();
  const Eigen::VectorXd solution = inverse * problem.rhs;
  const double sigma2 = (r - a * solution).squaredNorm() / static_cast<double>(rows - columns);
  constexpr std::uint64_t draws = 4000;
  Eigen::VectorXd mean = Eigen::VectorXd::Zero(columns);
  Eigen::MatrixXd squares = Eigen::MatrixXd::Zero(columns, columns);
  for (std::uint64_t k = 0; k < draws; ++k) {
    const Eigen::VectorXd b = sampled::draw_amplitudes(problem, lambda, 1, k, 1) - solution;
    mean += b / draws;
    squares += b * b.transpose() / draws;
  }
  const Eigen::MatrixXd expected = sigma2 * inverse;
  for (Eigen::Index i = 0; i < columns; ++i) {
    EXPECT_NEAR(mean(i), 0.0, 4.0 * std::sqrt(expected(i, i) / draws));
    for (Eigen::Index j = 0; j < columns; ++j)
      EXPECT_NEAR(squares(i, j), expected(i, j), 0.1 * std::sqrt(expected(i, i) * expected(j, j)));
  }
}

TEST(ChainDraws, StatesAreSpreadEvenlyAfterBurnIn) {
  Options options = preset_options(Preset::paper);
  options.iterations = 100;
  options.burn_in = 40;
  for (const std::int64_t draws : {1, 7, 20, 60, 1000}) {
    options.draws = draws;
    std::vector<std::int64_t> kept;
    for (std::int64_t i = 0; i <= options.iterations; ++i)
      if (sampled::keeps_state(options, i)) kept.push_back(i);
    ASSERT_EQ(static_cast<std::int64_t>(kept.size()), std::min<std::int64_t>(draws, 60));
    EXPECT_EQ(kept.back(), 100);
    EXPECT_GT(kept.front(), 40);
    for (std::size_t k = 1; k < kept.size(); ++k)
      EXPECT_NEAR(static_cast<double>(kept[k] - kept[k - 1]), 60.0 / static_cast<double>(kept.size()), 1.0);
  }
  options.draws = 0;
  EXPECT_FALSE(sampled::keeps_state(options, 100));
}

Options short_chains() {
  Options options = preset_options(Preset::paper);
  options.blocks = 4;
  options.iterations = 60;
  options.burn_in = 20;
  options.threads = 1;
  return options;
}

Dataset noisy_multiscale(std::size_t rows, std::uint64_t seed) { return generate(Target::multiscale, rows, seed, 0.2); }

TEST(ChainDraws, LeaveTheChainAsItWasAndEndWithItsState) {
  const Dataset data = noisy_multiscale(300, 1);
  Options options = short_chains();
  const Model without = fit(data, options);
  EXPECT_TRUE(without.draws.empty());
  EXPECT_FALSE(without.uncertainty);
  options.draws = 12;
  const Model with = fit(data, options);
  EXPECT_EQ(with.members, without.members);
  ASSERT_EQ(with.draws.count(), 12U);
  for (std::size_t l = 0; l < 4; ++l) {
    const auto &kept = with.members[0].blocks[l].branches, &last = with.draws.networks.back().blocks[l].branches,
               &first = with.draws.networks.front().blocks[l].branches;
    for (std::size_t b = 0; b < kept.size(); ++b) {
      EXPECT_EQ(last[b].frequencies, kept[b].frequencies);
      EXPECT_NE(first[b].frequencies, kept[b].frequencies);
      EXPECT_NE(last[b].amplitudes, kept[b].amplitudes);
    }
    EXPECT_NEAR(with.draws.loss(11, l) / with.history.blocks[l].train_mse, 1.0, 0.5);
  }
  EXPECT_EQ(with.uncertainty.value().judge, Judge::training);
  EXPECT_FALSE(with.warnings.empty());
  options.threads = 3;
  const Model threads = fit(data, options);
  EXPECT_EQ(threads.draws, with.draws);
  EXPECT_EQ(threads.uncertainty, with.uncertainty);
  const Model loaded = model_from_bytes(model_to_bytes(with), "memory");
  EXPECT_EQ(loaded.draws, with.draws);
  EXPECT_EQ(loaded.uncertainty, with.uncertainty);
}

TEST(ChainDraws, GoOnFromThoseThereAre) {
  const Dataset data = noisy_multiscale(200, 2);
  Options options = short_chains();
  options.draws = 6;
  const Model whole = fit(data, options);
  options.blocks = 2;
  const Model half = fit(data, options);
  options.blocks = 4;
  FitExtras extras;
  extras.start = &half;
  const Model more = fit(data, options, extras);
  EXPECT_EQ(more.members, whole.members);
  EXPECT_EQ(more.draws, whole.draws);
  // Blocks that have no draws are the same in all.
  Model bare = half;
  bare.draws = {};
  extras.start = &bare;
  const Model some = fit(data, options, extras);
  ASSERT_EQ(some.draws.count(), 6U);
  EXPECT_EQ(some.draws.networks[0].blocks[1], half.members[0].blocks[1]);
  EXPECT_NE(some.draws.networks[0].blocks[2].branches[0].frequencies,
            some.draws.networks[1].blocks[2].branches[0].frequencies);
}

TEST(ChainDraws, BarsCoverWhatTheySayWithRowsHeldOut) {
  Options options = short_chains();
  options.blocks = 6;
  options.iterations = 150;
  options.burn_in = 75;
  options.draws = 25;
  options.validation_fraction = 0.2;
  double inside = 0.0, all = 0.0;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    options.seed = seed;
    const Model model = fit(noisy_multiscale(800, seed), options);
    ASSERT_TRUE(model.uncertainty);
    EXPECT_EQ(model.uncertainty->judge, Judge::held_out);
    EXPECT_GT(model.uncertainty->spread[0], 0.0);
    const ErrorBars bars(model);
    const Dataset test = noisy_multiscale(1500, 100 + seed);
    const Matrix predictions = predict(model, test.inputs.view());
    Matrix widths(predictions.rows(), 1);
    bars.widths(test.inputs.view(), predictions.view(), widths.view());
    for (std::size_t i = 0; i < widths.rows(); ++i) {
      const double score = (test.targets(i, 0) - predictions(i, 0)) / widths(i, 0);
      inside += score >= bars.quantile(0, 0.05) && score <= bars.quantile(0, 0.95) ? 1.0 : 0.0;
    }
    all += static_cast<double>(widths.rows());
    // Samples have the variance that the bars leave to the function.
    Matrix of_function(widths.rows(), 1);
    bars.function_widths(test.inputs.view(), predictions.view(), of_function.view());
    const Matrix values = functions_at(model, test.inputs, {.count = 25});
    double expected = 0.0, found = 0.0;
    for (std::size_t i = 0; i < widths.rows(); ++i) {
      expected += std::pow(bars.deviation(0) * of_function(i, 0), 2);
      for (std::size_t k = 0; k < 25; ++k) found += std::pow(values(i, k) - predictions(i, 0), 2) / 25.0;
    }
    EXPECT_NEAR(found / expected, 1.0, 1e-9);
    EXPECT_THROW(FunctionDraws(model, {.count = 26}), UsageError);
  }
  EXPECT_GT(inside / all, 0.80);
  EXPECT_LT(inside / all, 0.97);
}

}  // namespace
}  // namespace rfnn::test
