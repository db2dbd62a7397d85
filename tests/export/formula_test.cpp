// The formula of a small network, as text.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <regex>
#include <string>

#include <gtest/gtest.h>

#include "export/random_models.hpp"
#include "rfnn/export/export.hpp"
#include "rows/naive.hpp"

namespace rfnn::testing {
namespace {

/// Two members of one feature that does not turn and one that does, with a trend's constant.
Model of_members(std::size_t second_blocks) {
  const std::vector<NamedModel> models = random_models();
  Model model =
      std::find_if(models.begin(), models.end(), [](const NamedModel& of) { return of.name == "fast_waves"; })->model;
  model.members.assign(2, {});
  for (std::size_t e = 0; e < 2; ++e) {
    Branch branch = random_branch(BranchKind::input, 2, 1, 1, 3 + e);
    branch.frequencies(0, 0) = 0.0;
    branch.frequencies(1, 0) = 1.5;
    branch.trend = Matrix(2, 1, 0.5);
    model.members[e].blocks = {{{branch}}};
    for (std::size_t l = 0; l < second_blocks; ++l)
      model.members[e].blocks.push_back({{random_branch(BranchKind::state, 2, 1, 1, 5 + e)}});
  }
  return model;
}

TEST(ExportedFormula, HasOneConstantAndNoWaveThatDoesNotTurn) {
  const Model model = of_members(0);
  const std::string text = export_text(model, ExportFormat::formula, "m");
  EXPECT_FALSE(std::regex_search(text, std::regex(R"(cos\([-0-9.e]*\))"))) << text;
  double constant = model.scaler.output_mean[0];
  for (const Network& member : model.members) {
    const Branch& branch = member.blocks[0].branches[0];
    constant += 0.5 * model.scaler.output_sd[0] * (branch.amplitudes(0, 0) + branch.trend(0, 0));
  }
  const std::size_t equals = text.find("y0 = ");
  ASSERT_NE(equals, std::string::npos) << text;
  EXPECT_NEAR(std::strtod(text.c_str() + equals + 5, nullptr), constant, 1e-3 * std::abs(constant)) << text;
}

TEST(ExportedFormula, OfStatesHasTheConstantWhereItIsSeen) {
  const std::string text = export_text(of_members(1), ExportFormat::formula, "m");
  EXPECT_FALSE(std::regex_search(text, std::regex(R"(cos\([-0-9.e]*\))"))) << text;
}

}  // namespace
}  // namespace rfnn::testing
