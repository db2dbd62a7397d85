#include "rfnn/options/nearest.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace rfnn {
namespace {

TEST(Nearest, FindsSlipsAndBeginnings) {
  const std::vector<std::string> words = {"fit", "predict", "evaluate", "inspect"};
  EXPECT_EQ(nearest("predcit", words), "predict");
  EXPECT_EQ(nearest("eval", words), "evaluate");
  EXPECT_EQ(nearest("fti", words), "fit");
  EXPECT_EQ(nearest("qqqqqq", words), "");
  EXPECT_EQ(nearest("", words), "");
}

TEST(Nearest, LettersExchangedAreOneSlip) {
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("widht", "width"), 1u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(nearest("widht", std::vector<std::string>{"weight", "width"}), "width");
}

}  // namespace
}  // namespace rfnn
