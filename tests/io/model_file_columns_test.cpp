// What columns of a table hold, in model files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "io/model_parts.hpp"
#include "io/support.hpp"
#include "places/places.hpp"
#include "rfnn/io/model_file.hpp"

namespace rfnn::test {
namespace {

using ::testing::HasSubstr;

/// The three inputs come from a time and a category, the targets are a number and a boolean.
Model model_with_table() {
  Model model = model_with_trends();
  const std::size_t targets = model.targets.size();
  model.table.inputs = {{.name = "when",
                         .position = 0,
                         .kind = ColumnKind::time,
                         .time = {.form = TimeForm::date_time, .zoned = true, .origin = 19844},
                         .fill = {1.5}},
                        {.name = "kind",
                         .position = 1,
                         .kind = ColumnKind::category,
                         .levels = {"10", "größer"},
                         .fill = {0.25, 0.75},
                         .missing = 3}};
  for (std::size_t k = 3; k < model.inputs.size(); ++k)
    model.table.inputs.push_back({.name = "x" + std::to_string(k), .position = 2, .unit = "m", .fill = {0.5}});
  for (std::size_t k = 0; k < targets; ++k)
    model.table.targets.push_back({.name = model.targets[k].name,
                                   .position = model.targets[k].position,
                                   .kind = k == 0 ? ColumnKind::number : ColumnKind::boolean});
  const std::vector<std::string> names = input_names(model.table);
  for (std::size_t k = 0; k < model.inputs.size(); ++k) model.inputs[k].name = names.at(k);
  return model;
}

TEST(ModelFile, ColumnsThatAreNoNumbersComeBack) {
  const Model model = model_with_table();
  expect_equal(round_trip(model), model);
  const Parts parts(model_to_bytes(model));
  EXPECT_EQ(parts.header["__metadata__"]["schema"], "6");
  EXPECT_FALSE(Parts(model_to_bytes(model_with_trends())).header["__metadata__"].contains("table"));
}

TEST(ModelFile, ColumnsThatCannotBeAreRefused) {
  const auto changed = [](const std::function<void(Json&)>& change) {
    Parts parts(model_to_bytes(model_with_table()));
    Json table = Json::parse(parts.metadata()["table"].get<std::string>());
    change(table);
    parts.metadata()["table"] = table.dump();
    parts.sign();
    return error_of(parts.bytes());
  };
  EXPECT_THAT(changed([](Json& t) { t["inputs"][0]["kind"] = "colour"; }), HasSubstr("no column of the kind"));
  EXPECT_THAT(changed([](Json& t) { t["inputs"][0]["origin"] = "2024-02-30"; }), HasSubstr("there is no date"));
  EXPECT_THAT(changed([](Json& t) { t["inputs"][0]["time_unit"] = "hour"; }), HasSubstr("not in days"));
  EXPECT_THAT(changed([](Json& t) { t["inputs"][1]["levels"] = {"10"}; }), HasSubstr("numbers for a missing cell"));
  EXPECT_THAT(changed([](Json& t) { t["inputs"][1]["levels"] = {"b", "a"}; }), HasSubstr("not in order"));
  EXPECT_THAT(changed([](Json& t) { t["inputs"][1]["indicator"] = true; }), HasSubstr("inputs and"));
  EXPECT_THAT(changed([](Json& t) { t["inputs"].erase(0); }), HasSubstr("inputs and"));
  EXPECT_THAT(changed([](Json& t) { t["inputs"][0]["name"] = "then"; }), HasSubstr("make an input \"then\""));
  EXPECT_THAT(changed([](Json& t) { t["inputs"][0]["position"] = 1000; }), HasSubstr("is beyond the"));
  EXPECT_THAT(changed([](Json& t) { t["targets"][0]["kind"] = "category"; }), HasSubstr(""));
  EXPECT_THAT(changed([](Json& t) { t = Json::array(); }), HasSubstr("inputs"));
}

// The file was written once and is never written again: it stands for all files of its schema that people have.
TEST(ModelFile, Schema6LoadsForEver) {
  const Model loaded = load_model(std::string(testing::source_folder) + "/tests/data/schema6.rfnn");
  Model expected = model_with_table();
  expected.options = loaded.options;
  expect_equal(loaded, expected);
}

}  // namespace
}  // namespace rfnn::test
