// What an observer hears of a run.

#include "rfnn/training/supervision.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace rfnn::training {
namespace {

struct Listener final : Observer {
  bool progress(const Progress& now) override {
    last = now;
    return true;
  }
  Progress last;
};

TEST(Supervision, TellsTheStageAndOfAChainOnlyWhereThereIsOne) {
  Listener listener;
  FitExtras extras;
  extras.observer = &listener;
  Options options = preset_options(Preset::paper);
  Supervision published(options, extras);
  EXPECT_TRUE(published.poll());
  EXPECT_EQ(listener.last.stage, "");
  EXPECT_EQ(listener.last.iterations, 5000);
  EXPECT_TRUE(std::isnan(listener.last.loss));

  options = Options{};
  Supervision automatic(options, extras);
  automatic.tell(1, 3, "block 3: refining");
  EXPECT_TRUE(automatic.poll());
  EXPECT_EQ(listener.last.stage, "block 3: refining");
  EXPECT_EQ(listener.last.member, 1);
  EXPECT_EQ(listener.last.block, 3);
  EXPECT_EQ(listener.last.iterations, 0);
}

}  // namespace
}  // namespace rfnn::training
