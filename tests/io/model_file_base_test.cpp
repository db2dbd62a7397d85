// Models in model files that add to a base.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "io/model_parts.hpp"
#include "io/support.hpp"
#include "places/places.hpp"
#include "rfnn/io/model_file.hpp"
#include "rfnn/rows/predict.hpp"

namespace rfnn::test {
namespace {

using ::testing::HasSubstr;

/// On a base that has one of its own.
Model model_on_bases() {
  const Model plain = model_with_windows();
  const auto on = [&](const Model& below) {
    Model model = plain;
    model.base.model = std::make_shared<const Model>(below);
    for (std::size_t k = 0; k < plain.inputs.size(); ++k) model.base.inputs.push_back(k);
    model.base.factor.assign(plain.targets.size(), 1.5);
    return model;
  };
  return on(on(plain));
}

TEST(ModelFile, BasesComeBack) {
  const Model model = model_on_bases();
  const std::string bytes = model_to_bytes(model);
  EXPECT_THAT(bytes, HasSubstr("\"schema\":\"7\""));
  EXPECT_THAT(bytes, HasSubstr("base.base.scale.input.mean"));
  const Model back = model_from_bytes(bytes, "bytes");
  expect_equal(back, model);
  expect_equal(*back.base.model, *model.base.model);
  expect_equal(*back.base.model->base.model, *model.base.model->base.model);
  EXPECT_EQ(back.base.inputs, model.base.inputs);
  EXPECT_EQ(back.base.factor, model.base.factor);
  EXPECT_EQ(model_to_bytes(back), bytes);

  Model columns = model_with_windows();
  columns.base.inputs.assign(columns.targets.size(), 0);
  columns.base.factor.assign(columns.targets.size(), 1.0);
  EXPECT_EQ(round_trip(columns).base.inputs, columns.base.inputs);
  EXPECT_EQ(round_trip(columns).base.model, nullptr);
}

TEST(ModelFile, ABaseIsWholeOrRefused) {
  const std::string bytes = model_to_bytes(model_on_bases());
  Parts lacking(bytes);
  rename(lacking, "base.scale.input.mean", "base.scale.input.men");
  EXPECT_NE(error_of(lacking.bytes()), "");
  for (const char* text : {"{}", "{\"inputs\":[99],\"factor\":[1.0]}", "{\"inputs\":[],\"factor\":[]}", "[]"}) {
    Parts parts(bytes);
    parts.metadata()["base"] = text;
    parts.sign();
    EXPECT_NE(error_of(parts.bytes()), "") << text;
  }
}

// The file was written once and is never written again: it stands for all files of its kind that people have.
TEST(ModelFile, AFileWithABaseLoadsForEver) {
  const Model loaded = load_model(std::string(testing::source_folder) + "/tests/data/base.rfnn");
  Matrix row(1, 2);
  row(0, 0) = 0.25;
  row(0, 1) = 0.5;
  EXPECT_NEAR(predict(loaded, row.view())(0, 0), 1.7002124302313102, 1e-9);
}

TEST(PredictOnABase, AddsItInEveryStage) {
  const Model model = model_on_bases();
  Model plain = model;
  plain.base = {};
  Matrix inputs(300, model.input_count());
  for (std::size_t i = 0; i < inputs.size(); ++i) inputs.data()[i] = 0.01 * static_cast<double>(i % 97);
  const Matrix networks = predict(plain, inputs.view()), whole = predict(model, inputs.view(), {.threads = 2});
  for (std::size_t i = 0; i < whole.rows(); ++i)
    for (std::size_t o = 0; o < whole.cols(); ++o)
      EXPECT_NEAR(whole(i, o), networks(i, o) * (1.0 + 1.5 * (1.0 + 1.5)), 1e-12 * std::abs(whole(i, o)));
  std::size_t seen = 0;
  Predictor(model).stages(inputs.view(), [&](std::size_t blocks, ConstMatrixView outputs) {
    const Matrix staged = predict(model, inputs.view(), {.blocks = blocks});
    for (std::size_t i = 0; i < staged.rows(); ++i) ASSERT_EQ(outputs(i, 0), staged(i, 0));
    ++seen;
  });
  EXPECT_EQ(seen, model.blocks() + 1);
}

}  // namespace
}  // namespace rfnn::test
