#include "rfnn/training/error_control.hpp"

#include <gtest/gtest.h>

#include <string>

namespace rfnn::training {
namespace {

BlockRecord record(std::int64_t block, double train, std::optional<double> validation = {}) {
  BlockRecord result;
  result.block = block;
  result.train_mse = train;
  result.validation_mse = validation;
  return result;
}

History start(double train, std::optional<double> validation = {}) {
  History history;
  history.empty_train_mse = train;
  history.empty_validation_mse = validation;
  return history;
}

Options with(std::int64_t blocks, double tolerance, std::int64_t patience) {
  Options options = preset_options(Preset::paper);
  options.blocks = blocks;
  options.tolerance = tolerance;
  options.patience = patience;
  return options;
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(ErrorControl, GoesOnToTheLastBlock) {
  ErrorControl control(with(3, 0.0, 0), start(1.0));
  EXPECT_FALSE(control.at_start());
  EXPECT_FALSE(control.after(record(1, 2.0)));
  EXPECT_FALSE(control.after(record(2, 0.0)));  // an error of zero is no reason without a tolerance
  EXPECT_EQ(control.after(record(3, 5.0)), StopReason::all_blocks);
  EXPECT_EQ(control.blocks_to_keep(), 3);
  EXPECT_TRUE(says(control.words(StopReason::all_blocks, 1.0), "3"));
}

TEST(ErrorControl, StopsAtTheTolerance) {
  ErrorControl control(with(10, 0.1, 0), start(1.0));
  EXPECT_FALSE(control.after(record(1, 0.11)));
  EXPECT_EQ(control.after(record(2, 0.1)), StopReason::tolerance);
  EXPECT_EQ(control.blocks_to_keep(), 2);
  const std::string words = control.words(StopReason::tolerance, 1.0);
  EXPECT_TRUE(says(words, "training")) << words;
  EXPECT_TRUE(says(words, "0.1")) << words;
}

TEST(ErrorControl, TheMeanAloneMayBeEnough) {
  EXPECT_EQ(ErrorControl(with(10, 0.1, 0), start(0.05)).at_start(), StopReason::tolerance);
  EXPECT_FALSE(ErrorControl(with(10, 0.1, 0), start(0.05, 0.2)).at_start());
  EXPECT_EQ(ErrorControl(with(10, 0.1, 0), start(0.2, 0.05)).at_start(), StopReason::tolerance);
}

TEST(ErrorControl, ValidationRowsDecideWhereThereAreAny) {
  ErrorControl control(with(10, 0.1, 0), start(1.0, 1.0));
  EXPECT_FALSE(control.after(record(1, 0.01, 0.5)));
  EXPECT_EQ(control.after(record(2, 0.5, 0.05)), StopReason::tolerance);
  EXPECT_TRUE(says(control.words(StopReason::tolerance, 1.0), "validation"));
}

TEST(ErrorControl, PatienceCountsBlocksWithoutGainAndGoesBack) {
  ErrorControl control(with(10, 0.0, 2), start(1.0, 1.0));
  EXPECT_FALSE(control.after(record(1, 0.5, 0.9)));
  EXPECT_FALSE(control.after(record(2, 0.4, 0.95)));
  EXPECT_FALSE(control.after(record(3, 0.3, 0.8)));
  EXPECT_FALSE(control.after(record(4, 0.2, 0.8)));  // equal is no gain
  EXPECT_EQ(control.after(record(5, 0.1, 0.85)), StopReason::stalled);
  EXPECT_EQ(control.blocks_to_keep(), 3);
  const std::string words = control.words(StopReason::stalled, 1.0);
  EXPECT_TRUE(says(words, "3 of 5")) << words;
}

TEST(ErrorControl, PatienceMayGoBackToTheMeanAlone) {
  ErrorControl control(with(10, 0.0, 1), start(1.0, 1.0));
  EXPECT_EQ(control.after(record(1, 0.1, 2.0)), StopReason::stalled);
  EXPECT_EQ(control.blocks_to_keep(), 0);
}

TEST(ErrorControl, WithPatienceTheBestIsKeptAtTheEndToo) {
  ErrorControl control(with(3, 0.0, 5), start(1.0));
  control.after(record(1, 0.5));
  control.after(record(2, 0.4));
  EXPECT_EQ(control.after(record(3, 0.45)), StopReason::all_blocks);
  EXPECT_EQ(control.blocks_to_keep(), 2);
}

TEST(ErrorControl, EveryReasonHasWords) {
  const ErrorControl control(with(3, 0.1, 1), start(1.0));
  for (const StopReason reason :
       {StopReason::all_blocks, StopReason::tolerance, StopReason::stalled, StopReason::out_of_time,
        StopReason::interrupted, StopReason::constant_target, StopReason::no_inputs}) {
    EXPECT_GT(control.words(reason, 1.5).size(), 10U);
    EXPECT_FALSE(name_of(reason).empty());
  }
}

}  // namespace
}  // namespace rfnn::training
