#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "rfnn/core/error.hpp"
#include "rfnn/data/sine_integral.hpp"
#include "rfnn/data/targets.hpp"

namespace rfnn {
namespace {

TEST(SineIntegral, MatchesReferencesComputedWithFortyDigits) {
  const struct {
    double x, value;
  } references[] = {{1e-10, 1.000000000000000036431642e-10}, {0.001, 0.000999999944444446131927761},
                    {0.1, 0.09994446110827695570246001},     {0.5, 0.4931074180430666891616267},
                    {1.0, 0.9460830703671830149413533},      {1.5, 1.324683531172119680370473},
                    {2.0, 1.60541297680269484857672},        {2.5, 1.778520173443826642100312},
                    {3.0, 1.84865252799946825639773},        {3.5, 1.833125398665997047939606},
                    {4.0, 1.758203138949053058105559},       {4.5, 1.654140414379243983503922},
                    {5.0, 1.549931244944674137274408},       {6.0, 1.424687551280506535769031},
                    {6.5, 1.421794274435881686959987},       {7.0, 1.454596614248093590614768},
                    {8.0, 1.574186821706942052082971},       {9.0, 1.665040075829602495106653},
                    {10.0, 1.658347594218874049330972},      {12.0, 1.504971241526373370527149},
                    {15.0, 1.618194443708368739123989},      {20.0, 1.548241701043439840163643},
                    {30.0, 1.566756540030351110983731},      {50.0, 1.551617072485935894727986},
                    {100.0, 1.562225466889056293352345},     {1000.0, 1.570233121968771218147963},
                    {1e5, 1.570806320399394122839171},       {1e10, 1.570796326707584656968511}};
  for (const auto& [x, value] : references) {
    EXPECT_NEAR(sine_integral(x), value, 1e-15 * std::min(1.0, x)) << x;
    EXPECT_EQ(sine_integral(-x), -sine_integral(x)) << x;
  }
  EXPECT_EQ(sine_integral(0.0), 0.0);
}

TEST(SineIntegral, HasNoStepWhereItsFormulasMeet) {
  const double below = sine_integral(4.0), above = sine_integral(std::nextafter(4.0, 5.0));
  EXPECT_NEAR(below, above, 1.5e-15);
}

TEST(Targets, NamesAndInputs) {
  ASSERT_EQ(target_names().size(), 3u);
  EXPECT_EQ(target_names()[static_cast<std::size_t>(Target::multiscale)], "multiscale");
  EXPECT_EQ(target_names()[static_cast<std::size_t>(Target::stairstep)], "stairstep");
  EXPECT_EQ(target_names()[static_cast<std::size_t>(Target::sine)], "sine");
  EXPECT_EQ(target_inputs(Target::multiscale), 1u);
  EXPECT_EQ(target_inputs(Target::stairstep), 1u);
  EXPECT_EQ(target_inputs(Target::sine), 3u);
}

double at(Target target, std::vector<double> theta) { return evaluate(target, theta); }

TEST(Targets, Multiscale) {
  EXPECT_NEAR(at(Target::multiscale, {0.0}), 1.35, 1e-15);
  EXPECT_NEAR(at(Target::multiscale, {0.3}), 0.22430507585027984333, 1e-14);
  EXPECT_NEAR(at(Target::multiscale, {-0.77}), -1.2993490818653198192, 1e-14);
  EXPECT_NEAR(at(Target::multiscale, {1.0}), -0.42868531961380320837, 1e-14);
}

TEST(Targets, StairstepIsClosedOnTheLeft) {
  const struct {
    double x, value;
  } steps[] = {{-1.0, 0.0},      {-0.5000001, 0.0},      {-0.5, 1.0 / 3.0}, {-1e-300, 1.0 / 3.0},
               {0.0, 2.0 / 3.0}, {0.4999999, 2.0 / 3.0}, {0.5, 1.0},        {1.0, 1.0}};
  for (const auto& [x, value] : steps) EXPECT_EQ(at(Target::stairstep, {x}), value) << x;
}

TEST(Targets, Sine) {
  EXPECT_EQ(at(Target::sine, {0.5, 0.5, 0.5}), 0.0);
  EXPECT_NEAR(at(Target::sine, {0.1, 0.2, 0.9}), -1.432315468850971517, 2e-15);
  EXPECT_NEAR(at(Target::sine, {0.75, 0.5, 0.25}), 1.6707650834104193359, 2e-15);
  EXPECT_NEAR(at(Target::sine, {1.0, 0.0, 1.0}), 1.0652511275136187987, 2e-15);
  EXPECT_NEAR(at(Target::sine, {0.53, 0.4, 0.4}), 0.29540091861740995363, 2e-15);
}

TEST(Targets, WrongNumberOfInputsIsRefused) {
  EXPECT_THROW(at(Target::sine, {0.5}), UsageError);
  EXPECT_THROW(at(Target::multiscale, {}), UsageError);
}

TEST(Generate, DrawsFromTheDomainWithTheRightNames) {
  for (const Target target : {Target::multiscale, Target::stairstep, Target::sine}) {
    const Dataset data = generate(target, 4000, 3);
    const std::size_t d = target_inputs(target);
    const double low = target == Target::sine ? 0.0 : -1.0;
    ASSERT_EQ(data.inputs.rows(), 4000u);
    ASSERT_EQ(data.inputs.cols(), d);
    ASSERT_EQ(data.targets.cols(), 1u);
    EXPECT_EQ(data.input_names, d == 1 ? std::vector<std::string>{"x"} : (std::vector<std::string>{"x1", "x2", "x3"}));
    EXPECT_EQ(data.target_names, std::vector<std::string>{"y"});
    for (std::size_t k = 0; k < d; ++k) {
      double sum = 0.0, square = 0.0;
      for (std::size_t i = 0; i < 4000; ++i) {
        const double u = (data.inputs(i, k) - low) / (1.0 - low);  // in units of the domain
        EXPECT_GE(u, 0.0);
        EXPECT_LE(u, 1.0);
        sum += u;
        square += u * u;
      }
      EXPECT_NEAR(sum / 4000, 0.5, 0.025);  // five standard errors
      EXPECT_NEAR(square / 4000, 1.0 / 3, 0.025);
    }
    for (std::size_t i = 0; i < 4000; ++i)
      EXPECT_EQ(data.targets(i, 0), evaluate(target, {data.inputs.data() + i * d, d}));
  }
}

TEST(Generate, MoreRowsExtendFewerAndSeedsDiffer) {
  const Dataset few = generate(Target::sine, 50, 7, 0.1);
  const Dataset many = generate(Target::sine, 90, 7, 0.1);
  const Dataset other = generate(Target::sine, 50, 8, 0.1);
  for (std::size_t i = 0; i < 50; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_EQ(few.inputs(i, k), many.inputs(i, k));
      EXPECT_NE(few.inputs(i, k), other.inputs(i, k));
    }
    EXPECT_EQ(few.targets(i, 0), many.targets(i, 0));
  }
}

TEST(Generate, NoiseLeavesTheInputsAndHasItsStandardDeviation) {
  const Dataset clean = generate(Target::multiscale, 5000, 7);
  const Dataset noisy = generate(Target::multiscale, 5000, 7, 0.2);
  EXPECT_EQ(clean.inputs, noisy.inputs);
  double sum = 0.0, square = 0.0;
  for (std::size_t i = 0; i < 5000; ++i) {
    const double error = noisy.targets(i, 0) - clean.targets(i, 0);
    sum += error;
    square += error * error;
  }
  EXPECT_NEAR(sum / 5000, 0.0, 5 * 0.2 / std::sqrt(5000.0));
  EXPECT_NEAR(std::sqrt(square / 5000), 0.2, 5 * 0.2 / std::sqrt(10000.0));
}

TEST(Generate, NoRowsAndBadNoise) {
  EXPECT_EQ(generate(Target::sine, 0, 1).inputs.rows(), 0u);
  EXPECT_THROW(generate(Target::sine, 5, 1, -0.1), UsageError);
  EXPECT_THROW(generate(Target::sine, 5, 1, std::nan("")), UsageError);
  EXPECT_THROW(generate(Target::sine, 5, 1, HUGE_VAL), UsageError);
}

}  // namespace
}  // namespace rfnn
