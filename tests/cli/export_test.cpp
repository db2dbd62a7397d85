// rfnn export.

#include <cstdio>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/json.hpp"
#include "cli/process.hpp"
#include "places/places.hpp"

namespace rfnn::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// A small network, one with a closed form, and one with error bars.
class Export : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<Folder>();
    must(*folder_, {"generate", "multiscale", "--rows", "60", "--seed", "1", "--out", "t.csv"});
    must(*folder_, {"fit", "t.csv", "--target", "y", "--preset", "paper", "--blocks", "2", "--iterations", "20",
                    "--quiet", "--out", "my model.rfnn"});
    must(*folder_, {"fit", "t.csv", "--target", "y", "--quiet", "--out", "bars.rfnn"});
    fs::copy_file(fs::path(source_folder) / "tests/data/closed_form.rfnn", *folder_ / "closed.rfnn");
  }
  static void TearDownTestSuite() { folder_.reset(); }
  static std::unique_ptr<Folder> folder_;
};
std::unique_ptr<Folder> Export::folder_;

TEST_F(Export, WritesCAndSaysHowFarItIsFromPredict) {
  const Outcome outcome = run(*folder_, {"export", "my model.rfnn", "--format", "c", "--out", "other.c"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("wrote other.c"), HasSubstr("largest difference from predict"),
                                 HasSubstr("compiled by"), Not(HasSubstr("rows of the training table"))));
  // Functions are named after the model.
  EXPECT_THAT(read_file(*folder_ / "other.c"), HasSubstr("void my_model_predict(const double *inputs"));
}

TEST_F(Export, ComparesIntervalsToo) {
  const Outcome outcome = run(*folder_, {"export", "bars.rfnn", "--format", "c"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr(" of the length of intervals (compiled by"));
  double of_prediction = 1.0, of_interval = 1.0;
  const std::size_t found = outcome.err.find("sample rows: ");
  ASSERT_NE(found, std::string::npos) << outcome.err;
  ASSERT_EQ(std::sscanf(outcome.err.c_str() + found, "sample rows: %lf of the prediction, %lf of the length",
                        &of_prediction, &of_interval),
            2);
  EXPECT_LT(of_interval, 1e-8);
  EXPECT_THAT(read_file(*folder_ / "bars.c"), HasSubstr("void bars_interval(const double *inputs, double coverage"));

  const Outcome json = run(*folder_, {"export", "bars.rfnn", "--format", "json"});
  EXPECT_THAT(json.err, HasSubstr(": 0 of the prediction, 0 of the length of intervals"));

  const Outcome without = run(*folder_, {"export", "bars.rfnn", "--format", "c", "--no-interval", "--out", "small.c"});
  EXPECT_THAT(without.err, Not(HasSubstr("intervals")));
  EXPECT_THAT(read_file(*folder_ / "small.c"),
              AllOf(HasSubstr("There is no bars_interval:\n   the model has no error bars"),
                    Not(HasSubstr("void bars_interval"))));
}

TEST_F(Export, SaysWhereNobodyCanComputeWithTheFile) {
  const Setting nowhere{
      .standard_input = {}, .environment = {{"PATH", "/nowhere"}, {"CC", ""}}, .standard_output = {}, .in_child = {}};
  for (const std::string format : {"c", "onnx", "python"}) {
    const Outcome outcome = run(*folder_, {"export", "my model.rfnn", "--format", format}, nowhere);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("wrote my model."), HasSubstr("not checked against predict"))) << format;
  }
}

TEST_F(Export, WritesAFormulaOfWhatIsSmall) {
  const Outcome outcome = run(*folder_, {"export", "my model.rfnn", "--format", "formula", "--out", "f.txt"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("computed here with the numbers shown"));
  EXPECT_THAT(read_file(*folder_ / "f.txt"),
              AllOf(HasSubstr("u1 = x "), HasSubstr("s2 = s1\n"), HasSubstr("\\begin{align*}")));
  const Outcome refused = run(*folder_, {"export", "closed.rfnn", "--format", "formula", "--out", "g.txt"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("closed form"));
  EXPECT_FALSE(fs::exists(*folder_ / "g.txt"));
}

TEST_F(Export, JsonIsReadBack) {
  const Outcome outcome = run(*folder_, {"export", "closed.rfnn", "--format", "json"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, AllOf(HasSubstr(": 0 of the prediction"), HasSubstr("rows of the training table")));
  EXPECT_EQ(parsed(read_file(*folder_ / "closed.json")).at("format"), "rfnn-json");
}

TEST_F(Export, RefusesWhatIsNoFormatOrNoModel) {
  EXPECT_EQ(run(*folder_, {"export", "my model.rfnn"}).code, 1);
  const Outcome outcome = run(*folder_, {"export", "my model.rfnn", "--format", "fortran"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("onnx, c, python, formula, json"));
  EXPECT_EQ(run(*folder_, {"export", "t.csv", "--format", "c"}).code, 2);
  EXPECT_EQ(run(*folder_, {"export", "my model.rfnn", "--format", "c", "--out", "my model.rfnn"}).code, 1);
  EXPECT_EQ(run(*folder_, {"export", "my model.rfnn", "--format", "c", "--out", "no/folder/m.c"}).code, 2);
}

}  // namespace
}  // namespace rfnn::testing
