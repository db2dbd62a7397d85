// Model files: branches that are more than features: trends, lattices, closed forms.

#include "rfnn/io/model_file.hpp"

#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/model_parts.hpp"
#include "io/support.hpp"

namespace rfnn::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// ---- trends ---------------------------------------------------------------------------------------------------------

TEST(ModelFile, TrendsComeBack) {
  const Model model = model_with_trends();
  expect_equal(round_trip(model), model);
  const Parts parts(model_to_bytes(model));
  EXPECT_EQ(parts.header["__metadata__"]["schema"], "5");
  EXPECT_EQ(parts.header["member0.block2.input.trend"]["shape"], Json({5, 2}));
  EXPECT_EQ(parts.header["member1.block1.input.trend"]["shape"], Json({1, 2}));
  EXPECT_FALSE(parts.header.contains("member0.block1.input.trend"));
}

TEST(ModelFile, TrendsThatAreNoneAreRefused) {
  const char* const trend = "member0.block2.input.trend";
  Parts parts(model_to_bytes(model_with_trends()));
  set_number(parts, trend, std::numeric_limits<double>::infinity());
  EXPECT_THAT(error_of(parts.bytes()), HasSubstr("a trend that is not finite"));
  Parts shape(model_to_bytes(model_with_trends()));
  shape.header[trend]["shape"] = {10};
  EXPECT_THAT(error_of(shape.bytes()), HasSubstr("shape"));
  Model odd = model_with_trends();
  odd.members[0].blocks[1].branches.front().trend = Matrix(4, 2);
  EXPECT_THAT(input_error([&] { model_to_bytes(odd); }), HasSubstr("a trend of 4 × 2 numbers"));
  Model both = model_with_trends();
  both.members[1].blocks[0].branches[1].trend = Matrix(1, 2);
  EXPECT_THAT(input_error([&] { model_to_bytes(both); }), HasSubstr("beside its closed form"));
}

// ---- lattices -------------------------------------------------------------------------------------------------------

TEST(ModelFile, LatticesComeBack) {
  const Model model = model_with_lattice();
  expect_equal(round_trip(model), model);
  const Parts parts(model_to_bytes(model));
  EXPECT_EQ(parts.header["member0.block1.input.lattice"]["shape"], Json::array({2}));
  EXPECT_FALSE(parts.header.contains("member0.block2.input.lattice"));
}

TEST(ModelFile, LatticesThatAreNoneAreRefused) {
  const char* const lattice = "member0.block1.input.lattice";
  for (const auto& [value, message] :
       std::vector<std::pair<double, std::string>>{{0.0, "not positive"},
                                                   {-0.1, "not positive"},
                                                   {std::numeric_limits<double>::quiet_NaN(), "not positive"},
                                                   {0.17, "not on its lattice"},
                                                   {1e-10, "too many points"},
                                                   {1e-300, "lattice"}}) {
    Parts parts(model_to_bytes(model_with_lattice()));
    set_number(parts, lattice, value);
    EXPECT_THAT(error_of(parts.bytes()), HasSubstr(message)) << value;
  }
  Parts parts(model_to_bytes(model_with_lattice()));
  parts.header[lattice]["shape"] = {1, 2};
  EXPECT_THAT(error_of(parts.bytes()), HasSubstr("shape"));
  Parts wrong(model_to_bytes(model_with_lattice()));
  rename(wrong, lattice, "member0.block3.joint.lattice");
  EXPECT_THAT(error_of(wrong.bytes()), HasSubstr("a lattice of 2 steps for 4 variables"));
  Model joint = model_with_lattice();
  Branch& four = joint.members[0].blocks[2].branches[1];
  four.lattice = {1.0, 1.0, 1.0, 1.0};
  four.frequencies = Matrix(3, 4);
  EXPECT_THAT(input_error([&] { model_to_bytes(joint); }), HasSubstr("more than two variables"));
}

// ---- closed forms ---------------------------------------------------------------------------------------------------

TEST(ModelFile, ClosedFormsComeBack) {
  const Model model = model_with_closed_forms();
  expect_equal(round_trip(model), model);
  const Parts parts(model_to_bytes(model));
  EXPECT_EQ(parts.header["__metadata__"]["schema"], "4");
  const auto shape = [&](const std::string& name) { return parts.header.at(name).at("shape"); };
  EXPECT_EQ(shape("member0.block2.kernel.centres"), Json({3, 4}));
  EXPECT_EQ(shape("member0.block2.kernel.coefficients"), Json({3, 2}));
  EXPECT_EQ(shape("member0.block2.kernel.law.strength"), Json::array({2}));
  EXPECT_EQ(shape("member0.block2.kernel.law.smooth"), Json({2, 3}));
  EXPECT_EQ(shape("member0.block2.kernel.law.rough"), Json({2, 4}));
  EXPECT_EQ(shape("member0.block2.kernel.law.order"), Json::array({2}));
  EXPECT_EQ(shape("member0.block2.kernel.law.centre"), Json({2, 4}));
  EXPECT_EQ(shape("member0.block2.kernel.law.map"), Json({3, 4}));
  EXPECT_EQ(shape("member0.block2.kernel2.centres"), Json({2, 2}));
  EXPECT_EQ(shape("member1.block1.kernel.law.smooth"), Json({2, 2}));
  for (const char* unused : {"order", "centre", "map"})
    EXPECT_FALSE(parts.header.contains("member1.block1.kernel.law." + std::string(unused))) << unused;
}

TEST(ModelFile, ACentreOfZerosIsNone) {
  Model model = model_with_closed_forms();
  model.members[1].blocks[0].branches[0].closed_form->law.parts[0].centre = {0.0, -0.0};
  const Model back = round_trip(model);
  EXPECT_EQ(back.members, model_with_closed_forms().members);
}

TEST(ModelFile, TensorsOfClosedFormsAreAllNeededAndFitTogether) {
  const std::string name = "member0.block2.kernel";
  for (const char* tensor : {"centres", "coefficients", "law.strength", "law.smooth", "law.rough"}) {
    Parts parts(model_to_bytes(model_with_closed_forms()));
    rename(parts, name + "." + tensor, "member0.block2.kernel3." + std::string(tensor));
    EXPECT_THAT(error_of(parts.bytes()), HasSubstr("tensor " + name + "." + tensor + " is missing"));
    Parts flat(model_to_bytes(model_with_closed_forms()));
    Json& shape = flat.header[name + "." + tensor]["shape"];
    shape = shape.size() == 1 ? Json({1, shape[0]}) : Json::array({shape[0].get<int>() * shape[1].get<int>()});
    EXPECT_THAT(error_of(flat.bytes()), AllOf(HasSubstr("shape"), HasSubstr(name + "." + tensor)));
  }
  const auto reshaped = [&](const std::string& tensor, const Json& shape) {
    Parts parts(model_to_bytes(model_with_closed_forms()));
    parts.header[name + "." + tensor]["shape"] = shape;
    return error_of(parts.bytes());
  };
  EXPECT_THAT(reshaped("centres", {4, 3}), HasSubstr("shape"));
  EXPECT_THAT(reshaped("coefficients", {2, 3}), HasSubstr("shape"));
  EXPECT_THAT(reshaped("law.map", {4, 3}), HasSubstr("shape"));
  EXPECT_THAT(reshaped("law.smooth", {3, 2}), HasSubstr("shape"));
  EXPECT_THAT(reshaped("law.rough", {4, 2}), HasSubstr("shape"));
  EXPECT_THAT(reshaped("law.centre", {1, 8}), HasSubstr("shape"));
}

TEST(ModelFile, ClosedFormsThatAreNoneAreRefused) {
  for (const auto& [tensor, value, message] : std::vector<std::tuple<std::string, double, std::string>>{
           {"centres", std::numeric_limits<double>::quiet_NaN(), "centre that is not finite"},
           {"coefficients", std::numeric_limits<double>::infinity(), "coefficient that is not finite"},
           {"law.strength", -1.0, "strength"},
           {"law.smooth", -1.0, "scale"},
           {"law.rough", std::numeric_limits<double>::infinity(), "scale"},
           {"law.order", 0.5, "not 0, 1 or 2"},
           {"law.order", 3.0, "not 0, 1 or 2"},
           {"law.order", std::numeric_limits<double>::quiet_NaN(), "not 0, 1 or 2"},
           {"law.centre", std::numeric_limits<double>::quiet_NaN(), "centre that is not finite"},
           {"law.map", std::numeric_limits<double>::quiet_NaN(), "map"}}) {
    Parts parts(model_to_bytes(model_with_closed_forms()));
    set_number(parts, "member0.block2.kernel." + tensor, value);
    EXPECT_THAT(error_of(parts.bytes()), AllOf(HasSubstr("m.rfnn"), HasSubstr(message))) << tensor;
  }
  for (const char* odd : {"kernel1.centres", "kernel02.centres", "kernel0.centres", "kernelx.centres", "kernel.centre",
                          "kernel2", "kernel.law.", "kernel18446744073709551616.centres"}) {
    Parts parts(model_to_bytes(model_with_closed_forms()));
    rename(parts, "member0.block2.kernel2.centres", "member0.block2." + std::string(odd));
    EXPECT_THAT(error_of(parts.bytes()), HasSubstr("does not belong to the model")) << odd;
  }
  Parts gap(model_to_bytes(model_with_closed_forms()));
  for (const char* tensor :
       {"centres", "coefficients", "law.strength", "law.smooth", "law.rough", "law.order", "law.centre", "law.map"})
    rename(gap, "member0.block2.kernel2." + std::string(tensor), "member0.block2.kernel3." + std::string(tensor));
  EXPECT_THAT(error_of(gap.bytes()), HasSubstr("member0.block2.kernel3 without member0.block2.kernel2"));
  Parts kinds(model_to_bytes(model_with_closed_forms()));
  kinds.header["member0.block2.kernel2.centres"]["shape"] = {4, 1};
  EXPECT_THAT(error_of(kinds.bytes()), HasSubstr("member0.block2.kernel2.coefficients"));
}

TEST(ModelFile, AClosedFormIsOfTheInputsOrOfTheseAndTheState) {
  const std::string name = "member1.block1.kernel";
  Parts parts(model_to_bytes(model_with_closed_forms()));
  const auto with_columns = [&](const std::string& tensor, int rows, int cols) {
    resize(parts, name + "." + tensor, Json({rows, cols}));
  };
  with_columns("centres", 4, 3);
  with_columns("law.smooth", 2, 3);
  with_columns("law.rough", 2, 3);
  parts.sign();
  EXPECT_THAT(error_of(parts.bytes()),
              HasSubstr(name + " has centres of 3 variables, which are neither the 2 inputs used nor these and the 2"));
  with_columns("centres", 4, 0);
  parts.sign();
  EXPECT_THAT(error_of(parts.bytes()), HasSubstr(name + ".centres has no variables"));
  with_columns("centres", 4, 4);
  with_columns("law.smooth", 2, 4);
  with_columns("law.rough", 2, 4);
  parts.sign();
  EXPECT_EQ(model_from_bytes(parts.bytes(), "m").members[1].blocks[0].branches[0].kind, BranchKind::joint);
}

}  // namespace
}  // namespace rfnn::test
