// Preset auto within a time budget: what was planned and did not come about is said, and only that.

#include "rfnn/training/unfinished.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <thread>

#include "identities/naive_training.hpp"
#include "rfnn/core/random.hpp"
#include "rfnn/training/fit.hpp"
#include "training/expect_valid.hpp"

namespace rfnn::training {
namespace {

using testing::expect_valid;
using testing::wavy_data;

bool told(const Model& model) {
  return std::any_of(model.warnings.begin(), model.warnings.end(), [](const std::string& text) {
    return text.find("Time ended before the plan") != std::string::npos;
  });
}

TEST(Unfinished, IsSaidInPlainWords) {
  EXPECT_FALSE(Unfinished{}.any());
  Unfinished some;
  some.ways = {0, 2};
  some.folds = {3, 4};
  EXPECT_TRUE(some.any());
  EXPECT_EQ(some.text(), "3 of 4 parts of the rows did not judge");
  some.ways.missing = 1;
  some.members = {2, 3};
  some.cut_short = 1;
  EXPECT_EQ(some.text(),
            "1 of 2 ways to begin a network was not tried, 1 network was cut short, 3 of 4 parts of the rows did not "
            "judge, 2 of 3 networks of the average were not trained");
}

TEST(Unfinished, WhatCameLastIsSaidToo) {
  Unfinished some;
  some.behind = 1;
  some.refit = true;
  some.error_bars = true;
  EXPECT_TRUE(some.any());
  EXPECT_EQ(
      some.text(),
      "1 way left the race for want of time, the fit to all rows did not come about, error bars were not learnt to "
      "the end");
}

/// Lets the time for networks go by once the first one has a block.
class Dawdler final : public Observer {
 public:
  explicit Dawdler(std::chrono::steady_clock::time_point until) : until_(until) {}
  bool block_done(const BlockRecord&) override {
    std::this_thread::sleep_until(until_);
    return true;
  }

 private:
  std::chrono::steady_clock::time_point until_;
};

TEST(Unfinished, PartsOfTheRowsThatDoNotJudgeEndTheRunOutOfTime) {
  const Dataset data = wavy_data(200, 4, 1, 1, 0.3);
  Options options;
  options.threads = 1;
  options.max_time = 1.0;
  FitExtras extras;
  extras.started = std::chrono::steady_clock::now();
  // Networks have 80 % of the time but for 5 %; the rest is for the fit to all rows.
  Dawdler dawdler(*extras.started + std::chrono::milliseconds(800));
  extras.observer = &dawdler;
  const Model model = fit(data, options, extras);
  EXPECT_EQ(model.stop_reason, StopReason::out_of_time) << model.stop_text;
  EXPECT_TRUE(told(model));
  expect_valid(model, data);
}

TEST(Unfinished, WhatIsToldAgreesWithWhyItEnded) {
  const Dataset data = wavy_data(300, 5, 1, 1, 0.5);
  for (const std::int64_t threads : {1, 2})
    for (const double seconds : {0.05, 0.15, 0.4}) {
      Options options;
      options.threads = threads;
      options.max_time = seconds;
      const Model model = fit(data, options);
      expect_valid(model, data);
      EXPECT_EQ(told(model), model.stop_reason == StopReason::out_of_time) << seconds << " s: " << model.stop_text;
      if (model.blocks() > 0 && model.history.judge != Judge::cross_fitting) {
        EXPECT_EQ(model.stop_reason, StopReason::out_of_time) << seconds << " s: one part alone has judged";
      }
    }
}

TEST(Unfinished, IsNothingWhereThereIsTime) {
  const Dataset data = wavy_data(60, 2, 1, 1, 0.1);
  Options options;
  options.threads = 2;
  options.max_time = 300.0;
  const Model model = fit(data, options);
  EXPECT_NE(model.stop_reason, StopReason::out_of_time);
  EXPECT_FALSE(told(model));
}

/// Friedman's first function with as much noise as signal.
Dataset weak_signal(std::uint64_t seed) {
  constexpr std::size_t rows = 200, inputs = 10;
  Dataset data{Matrix(rows, inputs), Matrix(rows, 1), {}, {}, {}};
  const Stream uniform({seed, 1}, Purpose::data), normal({seed, 2}, Purpose::data);
  constexpr double sd = 4.9, pi = 3.14159265358979;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < inputs; ++k) data.inputs(i, k) = uniform.uniform(i * inputs + k);
    const auto x = [&](std::size_t k) { return data.inputs(i, k); };
    data.targets(i, 0) = 10.0 * std::sin(pi * x(0) * x(1)) + 20.0 * std::pow(x(2) - 0.5, 2) + 10.0 * x(3) + 5.0 * x(4) +
                         sd * normal.normal(i);
  }
  return data;
}

TEST(WeakSignal, IsNotTakenForNoise) {
  Options options;
  options.threads = 2;
  options.members = 1;
  options.blocks = 1;
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) EXPECT_GT(fit(weak_signal(seed), options).blocks(), 0U) << seed;
}

// One network after the other for each part of the rows: a budget with room for all of them cuts none of them off.
TEST(WeakSignal, IsLearntInAFewTimesTheTimeItTakes) {
  Options options;
  options.threads = 1;
  const Dataset data = weak_signal(1);
  const Model free = fit(data, options);
  options.max_time = 0.5 + 3.0 * free.seconds;
  const Model model = fit(data, options);
  EXPECT_NE(model.stop_reason, StopReason::out_of_time) << model.stop_text;
  EXPECT_FALSE(told(model));
  EXPECT_EQ(model.history.judge, free.history.judge);
  EXPECT_GT(model.blocks(), 0U);
}

}  // namespace
}  // namespace rfnn::training
