// Closed forms of windows in model files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "io/support.hpp"
#include "rfnn/io/model_file.hpp"

namespace rfnn::test {
namespace {

using ::testing::HasSubstr;

TEST(ModelFile, WindowsComeBack) {
  const Model model = model_with_windows();
  const std::string bytes = model_to_bytes(model);
  EXPECT_THAT(bytes, HasSubstr("\"schema\":\"6\""));
  EXPECT_THAT(bytes, HasSubstr("member0.block2.kernel.windows.rows"));
  const Model back = model_from_bytes(bytes, "bytes");
  EXPECT_EQ(back.members, model.members);
  EXPECT_TRUE(has_windows(back));
  EXPECT_FALSE(has_windows(model_with_closed_forms()));
}

/// A tensor's name in the header, changed to another of the same length: the tensor is then missing, or too many.
std::string error_of(const std::string& from, const std::string& to) {
  std::string bytes = model_to_bytes(model_with_windows());
  bytes.replace(bytes.find(from), from.size(), to);
  return input_error([&] { static_cast<void>(model_from_bytes(bytes, "bytes")); });
}

TEST(ModelFile, TensorsOfWindowsAreAllNeeded) {
  for (const std::string tensor : {"low", "high", "scale", "rows"})
    EXPECT_NE(error_of("windows." + tensor, "window_." + tensor), "") << tensor;
  EXPECT_NE(error_of("law.radial", "law.radia_"), "");
}

}  // namespace
}  // namespace rfnn::test
