#include "cli/progress.hpp"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

namespace rfnn::cli {
namespace {

/// What is printed on standard error, which is no terminal here.
template <class Work>
std::string printed(Work work) {
  ::testing::internal::CaptureStderr();
  work();
  return ::testing::internal::GetCapturedStderr();
}

Progress at(double elapsed, const std::string& stage = "member 0: a wide block") {
  Progress now;
  now.stage = stage;
  now.block = 1;
  now.elapsed = elapsed;
  return now;
}

TEST(ProgressLines, AreSilentForHalfAMinuteAtMost) {
  const std::string text = printed([] {
    ProgressLines lines(Options{});
    for (int second = 0; second <= 95; ++second) lines.progress(at(second));
  });
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3) << text;
  EXPECT_EQ(text.find("... member 0: a wide block"), 0u) << text;
  EXPECT_NE(text.find("30.0 s"), std::string::npos) << text;
}

TEST(ProgressLines, ALineOfABlockIsASignOfLifeToo) {
  const std::string text = printed([] {
    ProgressLines lines(Options{});
    BlockRecord record;
    record.block = 1;
    for (int second = 0; second <= 95; ++second) {
      lines.progress(at(second));
      if (second % 20 == 0) lines.block(record, second);
    }
  });
  EXPECT_EQ(text.find("..."), std::string::npos) << text;
}

}  // namespace
}  // namespace rfnn::cli
