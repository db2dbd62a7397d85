// Draws of a chain in model files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "io/model_parts.hpp"
#include "io/support.hpp"
#include "places/places.hpp"
#include "rfnn/io/model_file.hpp"
#include "rfnn/rows/predict.hpp"
#include "rfnn/training/fit.hpp"

namespace rfnn::test {
namespace {

using ::testing::HasSubstr;

Model model_with_draws() {
  Dataset data;
  data.inputs = Matrix(60, 2);
  data.targets = Matrix(60, 1);
  for (std::size_t i = 0; i < 60; ++i) {
    const double t = static_cast<double>(i);
    data.inputs(i, 0) = std::fmod(0.37 * t, 1.0);
    data.inputs(i, 1) = std::fmod(0.61 * t, 1.0);
    data.targets(i, 0) = std::sin(6.0 * data.inputs(i, 0)) + data.inputs(i, 1);
  }
  Options options = preset_options(Preset::paper);
  options.width = 3;
  options.blocks = 2;
  options.iterations = 20;
  options.draws = 4;
  options.threads = 1;
  return fit(data, options);
}

TEST(ModelFile, DrawsComeBack) {
  const Model model = model_with_draws();
  ASSERT_EQ(model.draws.count(), 4U);
  const std::string bytes = model_to_bytes(model);
  EXPECT_THAT(bytes, HasSubstr("\"schema\":\"8\""));
  const Model back = model_from_bytes(bytes, "bytes");
  EXPECT_EQ(back.draws, model.draws);
  EXPECT_EQ(model_to_bytes(back), bytes);
}

TEST(ModelFile, DrawsAreWholeOrRefused) {
  const std::string bytes = model_to_bytes(model_with_draws());
  for (const char* name : {"draws.loss", "draws.block1.input.frequencies", "draws.block2.state.amplitudes"}) {
    Parts lacking(bytes);
    rename(lacking, name, std::string(name) + "s");
    EXPECT_THAT(error_of(lacking.bytes()), HasSubstr("draws.")) << name;
  }
}

// The file was written once and is never written again: it stands for all files of its schema that people have.
TEST(ModelFile, Schema8LoadsForEver) {
  const Model loaded = load_model(std::string(testing::source_folder) + "/tests/data/schema8.rfnn");
  ASSERT_EQ(loaded.draws.count(), 4U);
  Matrix row(1, 2);
  row(0, 0) = 0.25;
  row(0, 1) = 0.5;
  EXPECT_NEAR(predict(loaded, row.view())(0, 0), 1.2417810172820347, 1e-9);
  EXPECT_NEAR(loaded.draws.loss(3, 1), 0.048184586235181986, 1e-15);
}

}  // namespace
}  // namespace rfnn::test
