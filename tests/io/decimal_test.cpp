#include "rfnn/io/decimal.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace rfnn::test {
namespace {

/// What parse_decimal makes of a text, checked against the standard library; false: left to it.
bool agrees(const std::string& text, std::size_t& left) {
  const std::string padded = text + "," + std::string(io::decimal_slack, '9');
  double ours = 0.0, theirs = 0.0;
  const char* end = io::parse_decimal(padded.data(), ours);
  if (end == nullptr) {
    ++left;
    return true;
  }
  const auto result = std::from_chars(text.data(), text.data() + text.size(), theirs);
  return result.ec == std::errc{} && end - padded.data() == result.ptr - text.data() && ours == theirs &&
         std::signbit(ours) == std::signbit(theirs);
}

TEST(Decimal, IsTheNearestDoubleOrLeftAlone) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  std::size_t left = 0, count = 0;
  char text[128];
  for (int i = 0; i < 200'000; ++i) {
    const double value = std::ldexp(normal(random), static_cast<int>(random() % 120) - 60);
    for (const char* format : {"%.17g", "%.16g", "%.18e", "%.6g", "%.3f", "%.0f"}) {
      const int length = std::snprintf(text, sizeof text, format, value);
      ++count;
      ASSERT_TRUE(agrees(std::string(text, static_cast<std::size_t>(length)), left)) << text;
    }
  }
  EXPECT_LT(left, count / 2);
}

TEST(Decimal, DigitsPointsAndExponentsAnywhere) {
  std::mt19937_64 random(4);
  std::size_t left = 0;
  for (int i = 0; i < 300'000; ++i) {
    const std::size_t length = 1 + random() % 22, point = random() % 24;
    std::string text = random() % 2 == 0 ? "-" : "";
    for (std::size_t k = 0; k < length; ++k) {
      if (k == point) text += '.';
      text += static_cast<char>('0' + (random() % 4 == 0 ? 0 : random() % 10));
    }
    if (random() % 2 == 0)
      text += (random() % 2 == 0 ? "e" : "E+") + std::to_string(random() % 40);
    else if (random() % 2 == 0)
      text += "e-" + std::to_string(random() % 40);
    ASSERT_TRUE(agrees(text, left)) << text;
  }
}

TEST(Decimal, LeavesWhatIsNoPlainNumber) {
  for (const char* text :
       {"", "-", ".", "-.", "e5", "nan", "inf", "+1", " 1", "12345678901234567890", "1e12345", "1e", "1e+", "x"}) {
    std::size_t left = 0;
    EXPECT_TRUE(agrees(text, left));
    EXPECT_EQ(left, 1U) << text;
  }
}

TEST(Decimal, HalfwayCasesAreNotRoundedTwice) {
  // 2^53 + 1 and its like lie exactly between two doubles; a digit more or less decides.
  for (const char* text :
       {"9007199254740993", "9007199254740993.0", "9007199254740992.999", "9007199254740993.001", "9007199254740995",
        "1.0000000000000001110", "1.000000000000000111", "1.000000000000000112", "0.50000000000000005551"}) {
    std::size_t left = 0;
    EXPECT_TRUE(agrees(text, left)) << text;
  }
}

}  // namespace
}  // namespace rfnn::test
