// Logarithms of inputs over several decades: when they are taken, and what follows.

#include "rfnn/training/logarithms.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "identities/naive_training.hpp"
#include "rfnn/core/random.hpp"
#include "rfnn/options/table.hpp"
#include "rfnn/rows/predict.hpp"
#include "rfnn/training/fit.hpp"

namespace rfnn::training {
namespace {

using testing::mse;

/// A saturating response to a concentration over four decades, and a plain factor.
Dataset kinetics(std::size_t rows, std::uint64_t seed = 1) {
  Dataset data{Matrix(rows, 2), Matrix(rows, 1), {}, {}, {}};
  const Stream stream(seed, Purpose::data);
  for (std::size_t i = 0; i < rows; ++i) {
    const double s = std::pow(10.0, 4.0 * stream.uniform(2 * i) - 2.0), v = 1.0 + 4.0 * stream.uniform(2 * i + 1);
    data.inputs(i, 0) = s;
    data.inputs(i, 1) = v;
    data.targets(i, 0) = v * s / (0.3 + s);
  }
  return data;
}

/// Beginning at zero a column has no logarithm; standardised it is the same.
Dataset from_zero(Dataset data, double least) {
  for (std::size_t i = 0; i < data.inputs.rows(); ++i) data.inputs(i, 0) -= least;
  return data;
}

Options quick(std::int64_t threads = 1) {
  Options options;
  options.threads = threads;
  options.blocks = 1;
  options.members = 1;
  options.width = 40;
  return options;
}

/// Rows prepared as fit() has them.
struct Prepared {
  explicit Prepared(const Dataset& data, const Options& options = quick()) : view(data) {
    model.options = options;
    Interrupt never;
    rows = prepare(view, options, {}, model, never);
  }
  std::optional<Scaler> choice(std::size_t threads = 1) const {
    const auto work = rows::make_row_work(rows::Implementation::threads, threads);
    Interrupt never;
    const LogarithmChoice made = choose_logarithms(view, rows, model, 1e9, false, *work, never);
    EXPECT_FALSE(made.cut_short);
    return made.scaler;
  }
  DatasetView view;
  Model model;
  PreparedRows rows;
};

TEST(Transforms, DecadesAreTakenAsLogarithms) {
  const Dataset data = kinetics(300), test = kinetics(500, 2);
  const Model model = fit(data, quick());
  ASSERT_EQ(model.scaler.input_log_from.size(), 2U);
  EXPECT_EQ(model.scaler.input_log_from[0], model.inputs[0].min);
  EXPECT_EQ(model.scaler.input_log_from[1], 0.0) << "a factor of five is no case for it";
  EXPECT_NO_THROW(check(model));

  const double least = 0.01;
  const Model without = fit(from_zero(data, model.inputs[0].min), quick());
  EXPECT_TRUE(without.scaler.input_log_from.empty());
  const Dataset shifted = from_zero(test, model.inputs[0].min);
  EXPECT_LT(mse(test.targets, predict(model, test.inputs.view())),
            0.1 * mse(shifted.targets, predict(without, shifted.inputs.view())));

  // Below the rows seen, down to numbers without a logarithm, the smallest one seen stands in.
  Matrix low(4, 2, 2.0);
  const double values[] = {model.inputs[0].min, 1e-3 * least, 0.0, -1e300};
  for (std::size_t i = 0; i < 4; ++i) low(i, 0) = values[i];
  const Matrix predictions = predict(model, low.view());
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(predictions(i, 0), predictions(0, 0)) << low(i, 0);
  EXPECT_TRUE(std::isfinite(predictions(0, 0)));
  low(0, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(predict(model, low.view())(0, 0)));
}

// A clock leaves less effort for the question, and may end it.
TEST(Transforms, FoundWithinATimeBudgetToo) {
  Options options = quick(2);
  options.max_time = 30.0;
  const Model model = fit(kinetics(300), options);
  ASSERT_EQ(model.scaler.input_log_from.size(), 2U);
  EXPECT_EQ(model.scaler.input_log_from[0], model.inputs[0].min);
  EXPECT_TRUE(model.warnings.empty()) << model.warnings.front();
}

TEST(Transforms, OneInputToo) {
  Dataset data{Matrix(200, 1), Matrix(200, 1), {}, {}, {}};
  for (std::size_t i = 0; i < 200; ++i) {
    const double u = Stream(3, Purpose::data).uniform(i);
    data.inputs(i, 0) = std::pow(10.0, 6.0 * u);
    data.targets(i, 0) = std::sin(9.0 * u);
  }
  EXPECT_FALSE(fit(data, quick()).scaler.input_log_from.empty());
}

TEST(Transforms, DecadesThatDoNotMatterStay) {
  // The target is a wave over the input itself, which its logarithm would bend.
  Dataset data = kinetics(300);
  for (std::size_t i = 0; i < 300; ++i)
    data.targets(i, 0) = std::sin(0.1 * data.inputs(i, 0)) + 0.3 * data.inputs(i, 1);
  const Prepared prepared(data);
  ASSERT_EQ(logarithms_to_try(prepared.view, prepared.rows, prepared.model).size(), 1U);
  EXPECT_FALSE(prepared.choice());
}

TEST(Transforms, NoiseDoesNotAskForThem) {
  Dataset data = kinetics(300);
  for (std::size_t i = 0; i < 300; ++i) data.targets(i, 0) = Stream(5, Purpose::noise).normal(i);
  EXPECT_FALSE(Prepared(data).choice());
}

TEST(Transforms, CandidatesArePositiveWideAndSkewed) {
  constexpr std::size_t rows = 400;
  Dataset data{Matrix(rows, 6), Matrix(rows, 1), {}, {}, {}};
  const Stream stream(4, Purpose::data);
  for (std::size_t i = 0; i < rows; ++i) {
    const double u = stream.uniform(i);
    data.inputs(i, 0) = std::exp(7.0 * u);           // over three decades
    data.inputs(i, 1) = std::exp(2.0 * u);           // a factor of seven
    data.inputs(i, 2) = 1e-6 + u;                    // wide, not skewed
    data.inputs(i, 3) = std::exp(7.0 * u) - 2.0;     // not positive
    data.inputs(i, 4) = 1001.0 - std::exp(6.9 * u);  // skewed to the left
    data.inputs(i, 5) = 3.0;                         // constant
    data.targets(i, 0) = u;
  }
  const Prepared prepared(data);
  const auto found = logarithms_to_try(prepared.view, prepared.rows, prepared.model);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].input, 0U);
  EXPECT_NEAR(found[0].mean, 3.5, 0.3);
  EXPECT_NEAR(found[0].sd, 7.0 / std::sqrt(12.0), 0.2);
  EXPECT_EQ(found[0].from, prepared.model.inputs[0].min);
}

TEST(Transforms, WeightsCountAsRepeats) {
  Dataset data = kinetics(200);
  for (std::size_t i = 0; i < 200; ++i) data.weights.push_back(1.0 + static_cast<double>(i % 3));
  std::vector<std::size_t> list;
  for (std::size_t i = 0; i < 200; ++i) list.insert(list.end(), 1 + i % 3, i);
  Dataset repeated{Matrix(list.size(), 2), Matrix(list.size(), 1), {}, {}, {}};
  for (std::size_t i = 0; i < list.size(); ++i) {
    for (std::size_t k = 0; k < 2; ++k) repeated.inputs(i, k) = data.inputs(list[i], k);
    repeated.targets(i, 0) = data.targets(list[i], 0);
  }
  const auto weighted = Prepared(data).choice(), plain = Prepared(repeated).choice();
  ASSERT_TRUE(weighted && plain);
  EXPECT_EQ(*weighted, *plain);
  const auto unweighted = Prepared(kinetics(200)).choice();
  ASSERT_TRUE(unweighted);
  EXPECT_NE(weighted->input_mean, unweighted->input_mean);
}

TEST(Transforms, SameBitsForAnyThreads) {
  const Dataset data = kinetics(300);
  const Model one = fit(data, quick(1)), three = fit(data, quick(3));
  EXPECT_EQ(one.scaler, three.scaler);
  EXPECT_EQ(one.members, three.members);
}

TEST(Transforms, RefusedWhereInputsStayAsTheyAreAndInThePublishedAlgorithm) {
  const Dataset data = kinetics(200);
  Options options = quick();
  options.standardise_inputs = false;
  EXPECT_TRUE(fit(data, options).scaler.input_log_from.empty());
  options = preset_options(Preset::paper);
  options.blocks = 1;
  options.iterations = 5;
  EXPECT_TRUE(fit(data, options).scaler.input_log_from.empty());
}

TEST(Transforms, InterruptedChoosesNothing) {
  const Dataset data = kinetics(300);
  const Prepared prepared(data);
  const auto work = rows::make_row_work(rows::Implementation::threads, 1);
  Interrupt interrupt;
  interrupt.stop();
  const LogarithmChoice made =
      choose_logarithms(prepared.view, prepared.rows, prepared.model, 1e9, false, *work, interrupt);
  EXPECT_FALSE(made.scaler);
  EXPECT_TRUE(made.cut_short);
}

TEST(Transforms, GoingOnKeepsThem) {
  const Dataset data = kinetics(200);
  const Model model = fit(data, quick());
  ASSERT_FALSE(model.scaler.input_log_from.empty());
  FitExtras extras;
  extras.start = &model;
  Options more = quick();
  more.blocks = 2;
  EXPECT_EQ(fit(data, more, extras).scaler, model.scaler);
}

}  // namespace
}  // namespace rfnn::training
