#include "rfnn/io/json.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/support.hpp"
#include "rfnn/options/table.hpp"

namespace rfnn::test {
namespace {

using ::testing::HasSubstr;

TEST(Json, DescriptionHasWhatScriptsRelyOn) {
  const Model model = full_model();
  const io::Json json = io::Json::parse(io::describe(model).dump());
  EXPECT_EQ(json["options"], io::Json::parse(options_to_json(model.options)));
  EXPECT_EQ(json["data"]["fingerprint"], model.data_fingerprint);
  EXPECT_EQ(json["data"]["rows"], 90);
  EXPECT_EQ(json["data"]["validation_rows"], 10);
  EXPECT_EQ(json["data"]["inputs"][2]["name"], "größe, \"m\"");
  EXPECT_EQ(json["data"]["targets"][1]["name"], "y2");
  ASSERT_EQ(json["blocks"].size(), 2U);
  EXPECT_EQ(json["blocks"][0]["block"], 1);
  EXPECT_EQ(json["blocks"][0]["train_mse"], 1.0 / 3.0);
  EXPECT_EQ(json["blocks"][0]["validation_mse"], 0.1);
  EXPECT_TRUE(json["blocks"][1]["validation_mse"].is_null());
  EXPECT_EQ(json["blocks"][0]["branches"][0]["acceptance"], 0.25);
  EXPECT_EQ(json["blocks"][0]["kept"], true);
  EXPECT_EQ(json["stop_reason"], "stalled");
  EXPECT_EQ(json["stop_text"], model.stop_text);
  EXPECT_EQ(json["rate_slope"], -0.97);
  EXPECT_EQ(json["warnings"].size(), 2U);
  EXPECT_EQ(json["facts"]["threads"], "2");

  ASSERT_EQ(json["spectrum"].size(), 2U + 2 + 2 + 1 + 3);
  double before = std::numeric_limits<double>::infinity();
  for (const io::Json& line : json["spectrum"]) {
    for (const char* name : {"member", "block", "branch", "frequency", "cycles", "amplitude"})
      ASSERT_TRUE(line.contains(name)) << name;
    EXPECT_EQ(line["amplitude"].size(), 2U);
    EXPECT_EQ(line["frequency"].size(), line["cycles"].size());
    const double size = std::hypot(line["amplitude"][0].get<double>(), line["amplitude"][1].get<double>());
    EXPECT_LE(size, before * (1 + 1e-12)) << "largest first";
    before = size;
  }
}

TEST(Json, RecordsComeBack) {
  const Model model = full_model();
  EXPECT_EQ(io::history_from_json(io::Json::parse(io::to_json(model.history).dump()), "h"), model.history);
  for (const Column& column : model.inputs)
    EXPECT_EQ(io::column_from_json(io::Json::parse(io::to_json(column).dump()), "c"), column);
}

TEST(Json, ProposalRowsAreAllRowsWhereNothingIsSaidOfThem) {
  BlockRecord record = full_model().history.blocks[0];
  record.proposal_rows = 30;
  io::Json json = io::to_json(record);
  EXPECT_EQ(io::block_record_from_json(json, "r"), record);
  json.erase("proposal_rows");
  EXPECT_EQ(io::block_record_from_json(json, "r").proposal_rows, record.rows);
}

TEST(Json, RecordsWithoutMemberAndMethodAreOfTheOneThatWasSampled) {
  BlockRecord record = full_model().history.blocks[0];
  record.member = 2;
  record.method = Method::sequential;
  io::Json json = io::to_json(record);
  EXPECT_EQ(io::block_record_from_json(json, "r"), record);
  json.erase("member");
  json.erase("method");
  EXPECT_EQ(io::block_record_from_json(json, "r").member, 0);
  EXPECT_EQ(io::block_record_from_json(json, "r").method, Method::sampled);
}

TEST(Json, FieldsMissingOrOfAnotherTypeAreNamed) {
  const io::Json good = io::to_json(full_model().history.blocks[0]);
  for (const auto& item : good.items()) {
    io::Json without = good;
    without.erase(item.key());
    if (item.key() != "proposal_rows" && item.key() != "member" && item.key() != "method") {
      // Those came later: files without them load for ever.
      EXPECT_THAT(input_error([&] { io::block_record_from_json(without, "origin"); }),
                  ::testing::AllOf(HasSubstr("origin"), HasSubstr(item.key())));
    }
    io::Json wrong = good;
    wrong[item.key()] = io::Json::array({io::Json::object()});
    EXPECT_NE(input_error([&] { io::block_record_from_json(wrong, "origin"); }), "") << item.key();
  }
  io::Json negative = good;
  negative["rows"] = -1;
  EXPECT_THAT(input_error([&] { io::block_record_from_json(negative, "origin"); }), HasSubstr("rows"));
}

TEST(Json, HostileTextIsRefused) {
  const auto message = [](const std::string& text) { return input_error([&] { io::parse_json(text, "o"); }); };
  EXPECT_EQ(message("{\"a\":[1,2,{\"b\":null}]}"), "");
  EXPECT_NE(message(""), "");
  EXPECT_NE(message("{\"a\":1} x"), "");
  EXPECT_NE(message("\"\xff\""), "");
  EXPECT_NE(message("[1e999]"), "");
  EXPECT_THAT(message(std::string(1'000'000, '[')), HasSubstr("nested deeper"));
  std::string wide = "{\"a\":{";
  for (int i = 0; i < 1500; ++i) wide += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + "\":0";
  EXPECT_THAT(message(wide + "}}"), HasSubstr("more than 1000 names"));
  std::string many = "[";
  for (int i = 0; i < 1500; ++i) many += (i == 0 ? "{\"a\":0}" : ",{\"a\":0}");
  EXPECT_EQ(message(many + "]"), "") << "many objects of few names are fine";
}

}  // namespace
}  // namespace rfnn::test
