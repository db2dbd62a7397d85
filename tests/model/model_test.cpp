#include "rfnn/model/model.hpp"

#include <functional>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/support.hpp"

namespace rfnn::test {
namespace {

using ::testing::HasSubstr;

std::string error_after(const std::function<void(Model&)>& change) {
  Model model = full_model();
  change(model);
  return input_error([&] { check(model); });
}

TEST(Model, SoundModelsPass) {
  EXPECT_EQ(error_after([](Model&) {}), "");
  EXPECT_EQ(error_after([](Model& m) { m.members[0].blocks.clear(); }), "") << "the empty network";
  EXPECT_EQ(error_after([](Model& m) {
              m.members[0].blocks[0].branches[0] = {BranchKind::input, Matrix(0, 2), Matrix(0, 2)};
            }),
            "")
      << "a branch without features";
  EXPECT_EQ(error_after([](Model& m) { m.inputs[0].sd = std::numeric_limits<double>::quiet_NaN(); }), "")
      << "only describes";
}

TEST(Model, NamesOfATableAreDistinct) {
  EXPECT_THAT(error_after([](Model& m) { m.inputs[1].name = "x"; }), HasSubstr("two inputs are named \"x\""));
  EXPECT_THAT(error_after([](Model& m) { m.targets[1].name = "y1"; }), HasSubstr("two targets are named \"y1\""));
  EXPECT_EQ(error_after([](Model& m) { m.inputs[0].name = "y1"; }), "") << "an array named like a column";
  EXPECT_EQ(error_after([](Model& m) {
              m.named_columns = false;
              m.inputs[1].name = "x";
            }),
            "")
      << "matched by position";
}

TEST(Model, WithoutOriginNothingTellsWhereItWasTrained) {
  Model model = full_model();
  for (const char* name : {"host", "system", "folder", "command", "data", "validation"}) model.facts[name] = "secret";
  without_origin(model);
  EXPECT_EQ(model.facts, full_model().facts);
}

TEST(Model, BlocksAreKeptPerMember) {
  Model model = full_model();  // three blocks, and none
  BlockRecord record;
  record.block = 3;
  EXPECT_TRUE(is_kept(model, record));
  record.block = 4;
  EXPECT_FALSE(is_kept(model, record));
  record.block = 1;
  record.member = 1;
  EXPECT_FALSE(is_kept(model, record));
  for (const auto& [member, block] : {std::pair{2, 1}, std::pair{-1, 1}, std::pair{0, 0}, std::pair{0, -1}}) {
    record.member = member;
    record.block = block;
    EXPECT_FALSE(is_kept(model, record)) << member << " " << block;
  }
}

TEST(Model, FinalErrorsAreThoseOfTheModelAsItIs) {
  Model model = full_model();
  EXPECT_EQ(final_errors(model).train, std::nullopt) << "that of an average is not known from those of its parts";
  model.history.final_train_mse = 0.25;
  EXPECT_EQ(final_errors(model).train, 0.25);
  EXPECT_EQ(final_errors(model).validation, std::nullopt);
  model.history.final_train_mse.reset();

  model.members.resize(1);
  model.members[0].blocks.resize(1);  // went back from block 2
  model.history.blocks[1].train_mse = 0.01;
  EXPECT_EQ(final_errors(model).train, 1.0 / 3.0);
  EXPECT_EQ(final_errors(model).validation, 0.1);
  model.members[0].blocks.clear();
  EXPECT_EQ(final_errors(model).train, 1.25);
  EXPECT_EQ(final_errors(model).validation, 1.5);
}

TEST(Model, Counts) {
  const Model model = full_model();
  EXPECT_EQ(model.input_count(), 3U);
  EXPECT_EQ(model.used_inputs(), 2U);
  EXPECT_EQ(model.outputs(), 2U);
  EXPECT_EQ(model.blocks(), 3U);
}

TEST(Model, UnsoundModelsAreRefusedWithAReason) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(error_after([](Model& m) { m.targets.clear(); }), HasSubstr("no targets"));
  EXPECT_THAT(error_after([](Model& m) { m.members.clear(); }), HasSubstr("no members"));
  EXPECT_THAT(error_after([](Model& m) { m.inputs[0].used = false; }), HasSubstr("2 means"));
  EXPECT_THAT(error_after([](Model& m) { m.scaler.output_sd.pop_back(); }),
              HasSubstr("1 standard deviations for 2 outputs"));
  EXPECT_THAT(error_after([](Model& m) { m.scaler.input_sd[0] = 0.0; }), HasSubstr("not positive"));
  const auto logarithms = [](std::vector<double> from) {
    return error_after([=](Model& m) {
      m.scaler.input_log_from = from;
      m.scaler.input_log_from.resize(m.used_inputs() + from.size() - 1, 0.0);
    });
  };
  EXPECT_EQ(logarithms({0.5}), "");
  EXPECT_THAT(logarithms({0.5, 0.5}), HasSubstr("logarithms for"));
  EXPECT_THAT(logarithms({0.0}), HasSubstr("without any"));
  EXPECT_THAT(logarithms({-0.5}), HasSubstr("negative"));
  EXPECT_THAT(logarithms({nan}), HasSubstr("not finite"));
  EXPECT_THAT(error_after([=](Model& m) { m.scaler.input_sd[0] = nan; }), HasSubstr("not finite"));
  EXPECT_THAT(error_after([=](Model& m) { m.scaler.output_mean[1] = nan; }),
              HasSubstr("mean of the outputs is not finite"));
  EXPECT_THAT(error_after([](Model& m) { m.inputs[0].position = 6; }), HasSubstr("beyond the 6"));
  EXPECT_THAT(error_after([](Model& m) { m.members[0].blocks[1].branches.clear(); }),
              HasSubstr("block 2 of member 0 has no branches"));
  EXPECT_THAT(
      error_after([](Model& m) { std::swap(m.members[0].blocks[1].branches[0], m.members[0].blocks[1].branches[1]); }),
      HasSubstr("order input, state, joint"));
  EXPECT_THAT(error_after([](Model& m) { m.members[0].blocks[1].branches[1] = m.members[0].blocks[1].branches[0]; }),
              HasSubstr("each at most once"));
  EXPECT_THAT(error_after([](Model& m) { m.members[0].blocks[0].branches[0].frequencies = Matrix(2, 3); }),
              HasSubstr("3 variables, not 2"));
  EXPECT_THAT(error_after([](Model& m) { m.members[0].blocks[0].branches[0].amplitudes = Matrix(3, 2); }),
              HasSubstr("3 × 2"));
  EXPECT_THAT(error_after([](Model& m) { m.members[0].blocks[0].branches[0].amplitudes = Matrix(4, 1); }),
              HasSubstr("4 × 1"));
  EXPECT_THAT(error_after([=](Model& m) { m.members[0].blocks[2].branches[1].amplitudes(5, 1) = nan; }),
              HasSubstr("joint branch of block 3"));
  EXPECT_THAT(error_after([=](Model& m) { m.members[0].blocks[2].branches[0].frequencies(0, 1) = nan; }),
              HasSubstr("frequency"));
}

/// The same of a model with closed forms; the change is of the joint one in block 2.
std::string closed_form_error(const std::function<void(Branch&, ClosedForm&)>& change) {
  Model model = model_with_closed_forms();
  Branch& branch = model.members[0].blocks[1].branches[2];
  change(branch, *branch.closed_form);
  return input_error([&] { check(model); });
}

TEST(Model, ClosedFormsAreSound) {
  EXPECT_EQ(closed_form_error([](Branch&, ClosedForm&) {}), "");
  EXPECT_EQ(closed_form_error([](Branch&, ClosedForm& f) {
              f.centres = Matrix(0, 4);
              f.coefficients = Matrix(0, 2);
            }),
            "")
      << "without centres";
  EXPECT_EQ(closed_form_error([](Branch&, ClosedForm& f) { f.law.parts[0].strength = 0.0; }), "");
  EXPECT_TRUE(holds_rows(model_with_closed_forms()));
  EXPECT_FALSE(holds_rows(model_with_lattice()));
  EXPECT_EQ(model_with_closed_forms().members[0].blocks[1].branches[2].width(), 3U);
  EXPECT_EQ(model_with_closed_forms().members[0].blocks[1].branches[0].width(), 2U);
}

TEST(Model, ClosedFormsThatAreNoneAreRefusedWithAReason) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const auto refused = [](const std::function<void(Branch&, ClosedForm&)>& change, const std::string& reason) {
    EXPECT_THAT(closed_form_error(change), HasSubstr(reason));
  };
  refused([](Branch& b, ClosedForm&) { b.kind = BranchKind::state; }, "the state alone");
  refused([](Branch& b, ClosedForm&) { b.kind = BranchKind::input; }, "centres of 4 variables, not 2");
  refused([](Branch& b, ClosedForm&) { b.frequencies = Matrix(1, 4); }, "frequencies beside its closed form");
  refused([](Branch&, ClosedForm& f) { f.coefficients = Matrix(2, 2); }, "2 × 2 coefficients for 3 centres");
  refused([](Branch&, ClosedForm& f) { f.coefficients = Matrix(3, 1); }, "3 × 1 coefficients");
  refused([=](Branch&, ClosedForm& f) { f.centres(2, 3) = nan; }, "centre that is not finite");
  refused([=](Branch&, ClosedForm& f) { f.coefficients(0, 0) = inf; }, "coefficient that is not finite");
  refused([](Branch&, ClosedForm& f) { f.law.parts.clear(); }, "without parts");
  refused([](Branch&, ClosedForm& f) { f.law.map = Matrix(3, 3); }, "map is of 3 variables, not 4");
  refused([=](Branch&, ClosedForm& f) { f.law.map(0, 0) = nan; }, "map is not finite");
  refused([](Branch&, ClosedForm& f) { f.law.map = {}; }, "3 smooth scales");
  refused([](Branch&, ClosedForm& f) { f.law.parts[1].rough.pop_back(); }, "part 2 of the law");
  refused([](Branch&, ClosedForm& f) { f.law.parts[1].centre.pop_back(); }, "a centre of 3");
  refused([](Branch&, ClosedForm& f) { f.law.parts[0].strength = -1.0; }, "strength");
  refused([](Branch&, ClosedForm& f) { f.law.parts[0].smooth[1] = -1.0; }, "scale");
  refused([=](Branch&, ClosedForm& f) { f.law.parts[0].rough[1] = inf; }, "scale");
  refused([](Branch&, ClosedForm& f) { f.law.parts[0].order = 3; }, "not 0, 1 or 2");
  refused([=](Branch&, ClosedForm& f) { f.law.parts[1].centre[0] = nan; }, "centre that is not finite");
  EXPECT_THAT(closed_form_error([](Branch& b, ClosedForm&) { b.kind = BranchKind::state; }),
              HasSubstr("the closed-form state branch of block 2 of member 0"));
  Model model = model_with_closed_forms();
  auto& branches = model.members[0].blocks[1].branches;
  std::swap(branches[1], branches[2]);
  EXPECT_THAT(input_error([&] { check(model); }), HasSubstr("closed forms last"));
}

TEST(Model, WindowsThatAreNoneAreRefusedWithAReason) {
  EXPECT_NO_THROW(check(model_with_windows()));
  const auto refused = [](const std::function<void(ClosedForm&)>& change, const std::string& reason) {
    Model model = model_with_windows();
    change(*model.members[0].blocks[1].branches[2].closed_form);
    EXPECT_THAT(input_error([&] { check(model); }), HasSubstr(reason));
  };
  refused([](ClosedForm& f) { f.windows.low = Matrix(1, 2); }, "corners or scales");
  refused([](ClosedForm& f) { f.windows.high = Matrix(2, 4); }, "corners or scales");
  refused([](ClosedForm& f) { f.windows.scale = Matrix(2, 2); }, "corners or scales");
  refused([](ClosedForm& f) { f.windows.rows = {3, 0}; }, "centres are not those");
  refused([](ClosedForm& f) { f.windows.rows = {2, 2}; }, "centres are not those");
  refused([](ClosedForm& f) { f.windows.rows = {1, 1}; }, "belong to no window");
  refused([](ClosedForm& f) { f.windows.high(1, 1) = f.windows.low(1, 1); }, "without extent");
  refused([](ClosedForm& f) { f.windows.low(0, 0) = -std::numeric_limits<double>::infinity(); }, "without extent");
  refused([](ClosedForm& f) { f.windows.scale(1, 3) = -1.0; }, "scale is not finite or is negative");
  refused([](ClosedForm& f) { f.law.parts[1].smooth[0] = 1.0; }, "radial and has a smooth scale");
  refused([](ClosedForm& f) { f.law.parts[1].centre = {0.0, 0.0, 0.0, 1.0}; }, "radial and has a centre");
}

}  // namespace
}  // namespace rfnn::test
