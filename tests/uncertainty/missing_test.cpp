// Models without error bars say why, each with its own cause.

#include "rfnn/uncertainty/missing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rfnn/core/error.hpp"
#include "rfnn/data/targets.hpp"
#include "rfnn/export/export.hpp"
#include "rfnn/io/model_file.hpp"
#include "rfnn/training/fit.hpp"
#include "rfnn/uncertainty/error_bars.hpp"

namespace rfnn::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string said_of(const Model& model) {
  try {
    const ErrorBars bars(model);
  } catch (const UsageError& error) {
    return error.what();
  }
  return {};
}

Options small() {
  Options options;
  options.width = 4;
  options.blocks = 1;
  options.members = 1;
  options.threads = 1;
  return options;
}

TEST(MissingErrorBars, HaveTheirCauseAndItsCure) {
  const Dataset data = generate(Target::sine, 120, 1, 0.1);
  Dataset constant = data;
  for (std::size_t i = 0; i < 120; ++i) constant.targets(i, 0) = 7.0;
  EXPECT_THAT(said_of(fit(constant, small())), AllOf(HasSubstr("The target is constant"), HasSubstr("target varies")));

  Options options = small();
  options.validation_fraction = 0.0;
  EXPECT_THAT(said_of(fit(data, options)),
              AllOf(HasSubstr("No rows were held out"), HasSubstr("without validation-fraction 0")));

  options = preset_options(Preset::paper);
  options.width = 3;
  options.blocks = 1;
  options.iterations = 5;
  EXPECT_THAT(said_of(fit(data, options)), AllOf(HasSubstr("Preset paper"), HasSubstr("with draws 100")));

  const Model start = fit(data, small());
  ASSERT_EQ(said_of(start), "");
  FitExtras extras;
  extras.start = &start;
  options = small();
  options.blocks = 2;
  const Model longer = fit(data, options, extras);
  EXPECT_THAT(said_of(longer), AllOf(HasSubstr("went on from another model"), HasSubstr("without --from")));
  EXPECT_EQ(said_of(model_from_bytes(model_to_bytes(longer), "memory")), said_of(longer));
  EXPECT_THAT(export_text(longer, ExportFormat::python, "m"), HasSubstr("went on from another model"));
}

}  // namespace
}  // namespace rfnn::test
