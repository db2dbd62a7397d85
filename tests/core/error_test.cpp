#include "rfnn/core/error.hpp"

#include <gtest/gtest.h>

#include <string>

#include "rfnn/core/version.hpp"

#include "places/places.hpp"

namespace rfnn {
namespace {

TEST(Error, SaysCauseAndCure) {
  const InputError error("The file has no rows.", "Give one row.");
  EXPECT_STREQ(error.what(), "The file has no rows. Give one row.");
  EXPECT_EQ(error.cause(), "The file has no rows.");
  EXPECT_EQ(error.cure(), "Give one row.");
  EXPECT_STREQ(NumericalError("Overflow.", "").what(), "Overflow.");
}

TEST(Error, KindsAreTold) {
  const auto kind = [](auto thrower) -> std::string {
    try {
      thrower();
    } catch (const UsageError&) {
      return "usage";
    } catch (const InputError&) {
      return "input";
    } catch (const NumericalError&) {
      return "numerical";
    }
    return "";
  };
  EXPECT_EQ(kind([] { throw UsageError("a", "b"); }), "usage");
  EXPECT_EQ(kind([] { throw InputError("a", "b"); }), "input");
  EXPECT_EQ(kind([] { throw NumericalError("a", "b"); }), "numerical");
  EXPECT_THROW(throw UsageError("a", "b"), Error);
}

TEST(Version, IsThatOfTheBuild) { EXPECT_EQ(version(), rfnn::testing::build_version); }

}  // namespace
}  // namespace rfnn
