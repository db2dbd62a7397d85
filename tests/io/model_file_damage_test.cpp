// Model files: what was damaged or forged is refused, with a reason.

#include "rfnn/io/model_file.hpp"

#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/model_parts.hpp"
#include "io/support.hpp"
#include "rfnn/io/safetensors.hpp"

namespace rfnn::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// ---- the checksum ---------------------------------------------------------------------------------------------------

// As docs/model-file.md describes it, without the functions of the library.
TEST(ModelFile, TheChecksumIsTheDocumentedOne) {
  Parts parts(model_to_bytes(model_with_lattice()));
  std::map<std::string, std::string> sorted;
  for (const auto& [key, value] : parts.metadata().items()) sorted[key] = value.get<std::string>();
  std::string signed_bytes;
  const auto add = [&](const std::string& text) {
    const std::uint64_t length = text.size();
    signed_bytes.append(reinterpret_cast<const char*>(&length), 8);
    signed_bytes += text;
  };
  for (const auto& [key, value] : sorted) {
    if (key == "checksum") continue;
    add(key);
    add(value);
  }
  EXPECT_EQ(sorted["checksum"], io::tensor_checksum(signed_bytes + parts.data));
}

TEST(ModelFile, TheOrderOfMetadataAndTheirEscapesDoNotMatter) {
  Parts parts(model_to_bytes(full_model()));
  Json reversed = Json::object();
  std::vector<std::string> keys;
  for (const auto& item : parts.metadata().items()) keys.push_back(item.key());
  for (auto key = keys.rbegin(); key != keys.rend(); ++key) reversed[*key] = parts.metadata()[*key];
  parts.metadata() = reversed;
  expect_equal(model_from_bytes(parts.joined(parts.header.dump(1, ' ', true)), "m"), full_model());
}

TEST(ModelFile, EveryFlippedBitOfTheMetadataIsNoticed) {
  const std::string bytes = model_to_bytes(full_model());
  const std::size_t end = bytes.find("\"scale.input.mean\":{");
  ASSERT_NE(end, std::string::npos);
  for (std::size_t i = 8; i < end; ++i)
    for (unsigned bit = 0; bit < 8; ++bit) {
      std::string changed = bytes;
      changed[i] = static_cast<char>(changed[i] ^ static_cast<char>(1U << bit));
      ASSERT_NE(error_of(changed), "") << i << " " << bit << " " << bytes.substr(i - 8, 16);
    }
}

TEST(ModelFile, AnOlderSchemaDoesNotExcuseTheMetadata) {
  Parts parts(model_to_bytes(full_model()));
  parts.metadata()["schema"] = "2";
  EXPECT_THAT(error_of(parts.bytes()), HasSubstr("checksum"));
}

// ---- hostile files --------------------------------------------------------------------------------------------------

TEST(ModelFile, EveryTruncationIsRefused) {
  const std::string bytes = model_to_bytes(full_model());
  for (std::size_t length = 0; length < bytes.size(); length += length < 64 ? 1 : 37)
    ASSERT_THAT(error_of(bytes.substr(0, length)), HasSubstr("m.rfnn is damaged or no model file")) << length;
  EXPECT_THAT(error_of(bytes + "x"), HasSubstr("bytes of tensors"));
}

TEST(ModelFile, EveryFlippedBitOfTheTensorsIsNoticed) {
  const std::string bytes = model_to_bytes(full_model());
  const std::size_t start = bytes.size() - Parts(bytes).data.size();
  for (std::size_t i = start; i < bytes.size(); i += 5) {
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ (1 << (i % 8)));
    ASSERT_THAT(error_of(changed), HasSubstr("checksum")) << i;
  }
}

TEST(ModelFile, LengthsAreNotBelieved) {
  const Parts parts(model_to_bytes(full_model()));
  std::string bytes = parts.bytes();
  for (const std::uint64_t length : {std::uint64_t{0}, std::uint64_t{1} << 62U, ~std::uint64_t{0},
                                     std::uint64_t{100'000'001}, std::uint64_t{99'999'999}}) {
    std::memcpy(bytes.data(), &length, 8);
    EXPECT_NE(error_of(bytes), "") << length;
  }
  EXPECT_NE(error_of("x,y\n1,2\n3,4\n5,6\n"), "");
}

TEST(ModelFile, DeepAndWideHeadersAreRefusedQuickly) {
  Parts parts(model_to_bytes(full_model()));
  parts.data.clear();
  EXPECT_NE(error_of(parts.joined("{\"a\":" + std::string(1'000'000, '['))), "");
  EXPECT_NE(error_of(parts.joined(std::string(1'000'000, '['))), "");
  std::string deep = "{\"a\":";
  for (int i = 0; i < 100'000; ++i) deep += "{\"a\":";
  EXPECT_NE(error_of(parts.joined(deep)), "");
  std::string wide = "{\"__metadata__\":{\"format\":\"rfnn\"";
  for (int i = 0; i < 200'000; ++i) wide += ",\"k" + std::to_string(i) + "\":\"\"";
  EXPECT_THAT(error_of(parts.joined(wide + "}}")), HasSubstr("schema"));
}

struct Change {
  const char* what;
  std::function<void(Parts&)> apply;
  std::string message;
};

class ChangedFile : public ::testing::TestWithParam<Change> {};

TEST_P(ChangedFile, IsRefusedWithAReason) {
  Parts parts(model_to_bytes(full_model()));
  GetParam().apply(parts);
  const bool about_checksum = std::string(GetParam().what).find("checksum") != std::string::npos;
  if (!about_checksum && parts.header.contains("__metadata__")) parts.sign();  // the change is to be met, not the sum
  EXPECT_THAT(error_of(parts.bytes()), AllOf(HasSubstr("m.rfnn"), HasSubstr(GetParam().message))) << GetParam().what;
}

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

std::vector<Change> changes() {
  const std::string frequencies = "member0.block1.input.frequencies", amplitudes = "member0.block1.input.amplitudes";
  std::vector<Change> all = {
      {"format", [](Parts& p) { p.metadata()["format"] = "other"; }, "format rfnn"},
      {"no metadata", [](Parts& p) { p.header.erase("__metadata__"); }, "format rfnn"},
      {"newer schema", [](Parts& p) { p.metadata()["schema"] = "9"; }, "Upgrade rfnn"},
      {"no schema", [](Parts& p) { p.metadata()["schema"] = "one"; }, "schema"},
      {"schema 0", [](Parts& p) { p.metadata()["schema"] = "0"; }, "schema"},
      {"number as metadata", [](Parts& p) { p.metadata()["schema"] = 1; }, "a number where none belongs"},
      {"checksum", [](Parts& p) { p.metadata()["checksum"] = "xxh3-128:00"; }, "checksum"},
      {"no checksum", [](Parts& p) { p.metadata().erase("checksum"); }, "checksum"},
      {"dtype", [=](Parts& p) { p.header[frequencies]["dtype"] = "F32"; }, "not F64"},
      {"shape",
       [=](Parts& p) {
         p.header[frequencies]["shape"] = {2, 3};
       },
       "do not fit its shape"},
      {"huge shape",
       [=](Parts& p) {
         p.header[frequencies]["shape"] = {1ULL << 63U, 1ULL << 63U};
       },
       "too large"},
      {"negative shape",
       [=](Parts& p) {
         p.header[frequencies]["shape"] = {-2, 2};
       },
       "negative number"},
      {"fractional shape",
       [=](Parts& p) {
         p.header[frequencies]["shape"] = {2.5, 2};
       },
       "fraction"},
      {"transposed to a vector", [=](Parts& p) { p.header[frequencies]["shape"] = {4}; }, "shape"},
      {"features differ",
       [=](Parts& p) {
         p.header[frequencies]["shape"] = {1, 4};
       },
       "variables"},
      {"amplitudes flat",
       [=](Parts& p) {
         p.header[amplitudes]["shape"] = {4, 2};
       },
       "shape"},
      {"amplitudes turned",
       [=](Parts& p) {
         p.header[amplitudes]["shape"] = {1, 2, 4};
       },
       "shape"},
      {"offsets reversed",
       [=](Parts& p) {
         p.header[frequencies]["data_offsets"] = {32, 0};
       },
       "do not fit its shape"},
      {"overlap",
       [=](Parts& p) { p.header[amplitudes]["data_offsets"] = p.header["scale.input.mean"]["data_offsets"]; },
       "tensor"},
      {"three offsets",
       [=](Parts& p) {
         p.header[frequencies]["data_offsets"] = {0, 8, 8};
       },
       "list too long"},
      {"one offset", [=](Parts& p) { p.header[frequencies]["data_offsets"] = Json::array({0}); },
       "not described completely"},
      {"no dtype", [=](Parts& p) { p.header[frequencies].erase("dtype"); }, "not described completely"},
      {"extra field", [=](Parts& p) { p.header[frequencies]["x"] = 1; }, "a field \"x\""},
      {"not a number", [=](Parts& p) { set_number(p, frequencies, std::numeric_limits<double>::quiet_NaN()); },
       "not finite"},
      {"infinite", [=](Parts& p) { set_number(p, amplitudes, -std::numeric_limits<double>::infinity()); },
       "not finite"},
      {"zero sd", [](Parts& p) { set_number(p, "scale.input.sd", 0.0); }, "not positive"},
      {"negative sd", [](Parts& p) { set_number(p, "scale.output.sd", -1.0); }, "not positive"},
      {"nan mean", [](Parts& p) { set_number(p, "scale.output.mean", std::numeric_limits<double>::quiet_NaN()); },
       "not finite"},
      {"unknown tensor",
       [](Parts& p) {
         p.header["extra"] = {{"dtype", "F64"}, {"shape", {0}}, {"data_offsets", {0, 0}}};
       },
       "does not belong"},
      {"members too many", [](Parts& p) { p.metadata()["members"] = "[1000000000000000]"; }, "fewer tensors"},
      {"members too few", [](Parts& p) { p.metadata()["members"] = "[2,0]"; }, "does not belong"},
      {"no members", [](Parts& p) { p.metadata()["members"] = "[]"; }, "does not belong"},
      {"a block without tensors", [](Parts& p) { p.metadata()["members"] = "[4,0]"; }, "has no branches"},
      {"members no list", [](Parts& p) { p.metadata()["members"] = "{}"; }, "members"},
      {"stop reason", [](Parts& p) { p.metadata()["stop_reason"] = "bored"; }, "bored"},
      {"options malformed", [](Parts& p) { p.metadata()["options"] = "{"; }, "options"},
      {"unknown option", [](Parts& p) { p.metadata()["options"] = "{\"widht\":3}"; }, "widht"},
      {"history malformed", [](Parts& p) { p.metadata()["history"] = "{\"blocks\":"; }, "history"},
      {"history of another type", [](Parts& p) { p.metadata()["history"] = "[]"; }, "history"},
      {"history deep", [](Parts& p) { p.metadata()["history"] = nested(100'000); }, "nested deeper"},
      {"columns", [](Parts& p) { p.metadata()["columns"] = "{\"inputs\":3}"; }, "not a list"},
      {"no targets",
       [](Parts& p) { p.metadata()["columns"] = R"({"inputs":[],"targets":[],"table_columns":0,"named":true})"; },
       "no targets"},
      {"an input twice",
       [](Parts& p) {
         std::string columns = p.metadata()["columns"];
         p.metadata()["columns"] = columns.replace(columns.find("\"constant\""), 10, "\"x\"");
       },
       "two inputs are named \"x\""},
      {"a target twice",
       [](Parts& p) {
         std::string columns = p.metadata()["columns"];
         p.metadata()["columns"] = columns.replace(columns.find("\"y2\""), 4, "\"y1\"");
       },
       "two targets are named \"y1\""},
      {"facts", [](Parts& p) { p.metadata()["facts"] = "{\"a\":1}"; }, "fact"},
      {"warnings", [](Parts& p) { p.metadata()["warnings"] = "[1]"; }, "warnings"},
      {"seconds", [](Parts& p) { p.metadata()["seconds"] = "soon"; }, "seconds"},
  };
  for (const char* key : {"options", "members", "columns", "rows", "history", "stop_reason", "stop_text", "warnings",
                          "data_fingerprint", "seconds", "facts"})
    all.push_back({key, [key](Parts& p) { p.metadata().erase(key); }, std::string("no \"") + key + "\""});
  for (const char* name :
       {"member0.block01.input.frequencies", "member0.block0.input.frequencies", "member00.block1.input.frequencies",
        "member7.block1.input.frequencies", "member0.block9.input.frequencies", "member0.block1.inputs.frequencies",
        "member0.block1.input.frequencies ", "member0.block1.input", "member-1.block1.input.frequencies",
        "member99999999999999999999999.block1.input.frequencies", "", "scale.input.max"})
    all.push_back({name, [=](Parts& p) { rename(p, frequencies, name); }, "does not belong"});
  all.push_back({"moved to another block",
                 [=](Parts& p) { rename(p, frequencies, "member0.block2.joint.frequencies"); }, "not sound"});
  all.push_back({"no scale", [](Parts& p) { rename(p, "scale.input.sd", "member0.block1.state.frequencies"); }, ""});
  return all;
}

INSTANTIATE_TEST_SUITE_P(ModelFile, ChangedFile, ::testing::ValuesIn(changes()));

TEST(ModelFile, NamesTwiceAreRefused) {
  Parts parts(model_to_bytes(full_model()));
  std::string json = parts.header.dump();
  json.insert(json.size() - 1, ",\"scale.input.sd\":{\"dtype\":\"F64\",\"shape\":[0],\"data_offsets\":[0,0]}");
  EXPECT_THAT(error_of(parts.joined(json)), HasSubstr("twice"));
}

}  // namespace
}  // namespace rfnn::test
