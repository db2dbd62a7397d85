#include "rfnn/io/model_file.hpp"

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <tuple>
#include <nlohmann/json.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/support.hpp"
#include "rfnn/io/safetensors.hpp"

namespace rfnn::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

void expect_equal(const Model& a, const Model& b) {
  EXPECT_EQ(a.options, b.options);
  EXPECT_EQ(a.inputs, b.inputs);
  EXPECT_EQ(a.targets, b.targets);
  EXPECT_EQ(a.table, b.table);
  EXPECT_EQ(a.table_columns, b.table_columns);
  EXPECT_EQ(a.named_columns, b.named_columns);
  EXPECT_EQ(a.scaler, b.scaler);
  EXPECT_EQ(a.members, b.members);
  EXPECT_EQ(a.history, b.history);
  EXPECT_EQ(a.stop_reason, b.stop_reason);
  EXPECT_EQ(a.stop_text, b.stop_text);
  EXPECT_EQ(a.warnings, b.warnings);
  EXPECT_EQ(a.data_fingerprint, b.data_fingerprint);
  EXPECT_EQ(a.train_rows, b.train_rows);
  EXPECT_EQ(a.validation_rows, b.validation_rows);
  EXPECT_EQ(a.seconds, b.seconds);
  EXPECT_EQ(a.facts, b.facts);
}

Model round_trip(const Model& model) { return model_from_bytes(model_to_bytes(model), "bytes"); }

/// A file taken apart, to be changed and put together again.
struct Parts {
  Json header;
  std::string data;

  explicit Parts(const std::string& bytes) {
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), 8);
    header = Json::parse(bytes.substr(8, length));
    data = bytes.substr(8 + length);
  }
  [[nodiscard]] std::string bytes() const { return joined(header.dump()); }
  [[nodiscard]] std::string joined(const std::string& json) const {
    const std::uint64_t length = json.size();
    std::string out(8, '\0');
    std::memcpy(out.data(), &length, 8);
    return out + json + data;
  }
  Json& metadata() { return header["__metadata__"]; }
  void sign() {
    std::map<std::string, std::string> texts;
    for (const auto& [key, value] : metadata().items())
      if (value.is_string()) texts[key] = value.get<std::string>();
    metadata()["checksum"] = io::file_checksum(texts, data);
  }
};

std::string error_of(const std::string& bytes) {
  return input_error([&] { model_from_bytes(bytes, "m.rfnn"); });
}

void set_number(Parts& parts, const std::string& tensor, double value) {
  const std::size_t place = parts.header[tensor]["data_offsets"][0];
  std::memcpy(parts.data.data() + place, &value, 8);
  parts.sign();
}

void rename(Parts& parts, const std::string& from, const std::string& to) {
  Json header = Json::object();
  for (const auto& [name, entry] : parts.header.items()) header[name == from ? to : name] = entry;
  parts.header = header;
}

/// Gives a tensor another shape and ones as its numbers.
void resize(Parts& parts, const std::string& tensor, const Json& shape) {
  std::string data;
  for (auto& [name, entry] : parts.header.items()) {
    if (name == "__metadata__") continue;
    const std::size_t begin = entry["data_offsets"][0], end = entry["data_offsets"][1], place = data.size();
    if (name == tensor) {
      entry["shape"] = shape;
      std::size_t count = 1;
      for (const auto& size : shape) count *= size.get<std::size_t>();
      const std::vector<double> ones(count, 1.0);
      data.append(reinterpret_cast<const char*>(ones.data()), 8 * count);
    } else {
      data += parts.data.substr(begin, end - begin);
    }
    entry["data_offsets"] = {place, data.size()};
  }
  parts.data = data;
}

// ---- round trips ----------------------------------------------------------------------------------------------------

TEST(ModelFile, EveryFieldComesBack) {
  const TempFolder folder;
  save_model(full_model(), folder / "m.rfnn");
  expect_equal(load_model(folder / "m.rfnn"), full_model());
  EXPECT_EQ(read_bytes(folder / "m.rfnn"), model_to_bytes(full_model()));
  EXPECT_EQ(folder.files(), 1U);
}

TEST(ModelFile, MembersMethodsAndErrorsOfTheWholeComeBack) {
  Model model = full_model();
  model.options.branches = Branches::joint;
  model.options.members = 2;
  model.history.blocks[1].member = 1;
  model.history.blocks[1].method = Method::sequential;
  model.history.final_train_mse = 0.25;
  model.history.final_validation_mse = 0.5;
  expect_equal(model_from_bytes(model_to_bytes(model), "m.rfnn"), model);
}

TEST(ModelFile, EveryStopReasonComesBack) {
  for (int reason = 0; reason <= static_cast<int>(StopReason::no_inputs); ++reason) {
    Model model = full_model();
    model.stop_reason = static_cast<StopReason>(reason);
    ASSERT_FALSE(name_of(model.stop_reason).empty());
    EXPECT_EQ(round_trip(model).stop_reason, model.stop_reason);
  }
}

TEST(ModelFile, EmptyNetworkIsAModel) {
  Model model;
  model.targets = {{"y", 0, 2.5, 0.0, 2.5, 2.5, true}};
  model.scaler.output_mean = {2.5};
  model.scaler.output_sd = {1.0};
  model.members.resize(1);
  model.stop_reason = StopReason::no_inputs;
  expect_equal(round_trip(model), model);
}

TEST(ModelFile, NumbersOfTheHistoryThatAreNotFiniteComeBackAsNan) {
  Model model = full_model();
  model.history.blocks[0].condition = std::numeric_limits<double>::infinity();
  model.history.blocks[0].trace[1].loss = std::numeric_limits<double>::quiet_NaN();
  model.inputs[0].sd = std::numeric_limits<double>::quiet_NaN();
  const Model back = round_trip(model);
  EXPECT_TRUE(std::isnan(back.history.blocks[0].condition));
  EXPECT_TRUE(std::isnan(back.history.blocks[0].trace[1].loss));
  EXPECT_EQ(back.history.blocks[0].trace[2], model.history.blocks[0].trace[2]);
  EXPECT_TRUE(std::isnan(back.inputs[0].sd));
}

TEST(ModelFile, TextThatIsNotUtf8IsSavedAllTheSame) {
  Model model = full_model();
  model.inputs[0].name =
      "gr\xF6\xDF"
      "e";
  model.stop_text = "\xFF\xC3";
  model.warnings = {"\x80"};
  model.facts["host"] = "\xFE";
  const Model back = round_trip(model);
  EXPECT_EQ(back.inputs[0].name, "größe");
  EXPECT_EQ(back.inputs[2].name, model.inputs[2].name);
}

TEST(ModelFile, TextThatIsOddComesBack) {
  Model model = full_model();
  model.stop_text = std::string("nul \0 quote \" backslash \\ newline \n \x01 \x7f 𝄞", 40);
  model.inputs[0].name = "";
  expect_equal(round_trip(model), model);
}

// ---- layout ---------------------------------------------------------------------------------------------------------

TEST(ModelFile, LayoutIsTheDocumentedOne) {
  const std::string bytes = model_to_bytes(full_model());
  const Parts parts(bytes);
  EXPECT_EQ((bytes.size() - parts.data.size()) % 8, 0U) << "tensors begin at a multiple of 8";
  std::vector<std::string> names;
  std::uint64_t place = 0;
  for (const auto& [name, entry] : parts.header.items()) {
    if (name == "__metadata__") continue;
    names.push_back(name);
    EXPECT_EQ(entry["dtype"], "F64");
    EXPECT_EQ(entry["data_offsets"][0], place);
    place = entry["data_offsets"][1];
  }
  EXPECT_EQ(place, parts.data.size());
  EXPECT_THAT(names,
              ::testing::ElementsAre("scale.input.mean", "scale.input.sd", "scale.output.mean", "scale.output.sd",
                                     "member0.block1.input.frequencies", "member0.block1.input.amplitudes",
                                     "member0.block2.input.frequencies", "member0.block2.input.amplitudes",
                                     "member0.block2.state.frequencies", "member0.block2.state.amplitudes",
                                     "member0.block3.state.frequencies", "member0.block3.state.amplitudes",
                                     "member0.block3.joint.frequencies", "member0.block3.joint.amplitudes"));
  EXPECT_EQ(parts.header["member0.block3.joint.frequencies"]["shape"], Json({3, 4}));
  EXPECT_EQ(parts.header["member0.block3.joint.amplitudes"]["shape"], Json({3, 2, 2}));
  const Json& metadata = parts.header["__metadata__"];
  for (const auto& [name, value] : metadata.items()) EXPECT_TRUE(value.is_string()) << name;
  for (const char* name : {"format", "schema", "options", "scalers", "columns", "history", "stop_reason", "stop_text",
                           "warnings", "data_fingerprint", "checksum", "members", "rows", "seconds", "facts"})
    EXPECT_TRUE(metadata.contains(name)) << name;
  EXPECT_EQ(metadata["format"], "rfnn");
  EXPECT_EQ(metadata["schema"], "3");
  double first = 0.0;
  std::memcpy(&first, parts.data.data(), 8);
  EXPECT_EQ(first, 0.5);
}

TEST(ModelFile, AmplitudesAreCosThenMinusSinPerFeature) {
  const Model model = full_model();
  const Parts parts(model_to_bytes(model));
  const std::size_t begin = parts.header["member0.block1.input.amplitudes"]["data_offsets"][0];
  const Matrix& amplitudes = model.members[0].blocks[0].branches[0].amplitudes;
  EXPECT_EQ(std::memcmp(parts.data.data() + begin, amplitudes.data(), amplitudes.size() * 8), 0);
}

TEST(ModelFile, OnlyTheTensorsDecideTheirBytes) {
  Model other = full_model();
  other.seconds = 99.0;
  other.facts["host"] = "elsewhere";
  other.history.blocks.clear();
  EXPECT_EQ(Parts(model_to_bytes(other)).data, Parts(model_to_bytes(full_model())).data);
}

TEST(ModelFile, AnotherWriterMayOrderTensorsAsItLikes) {
  Parts parts(model_to_bytes(full_model()));
  Json reordered = Json::object();
  std::string data;
  std::vector<std::string> names;
  for (const auto& item : parts.header.items()) names.push_back(item.key());
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    reordered[*name] = parts.header[*name];
    if (*name == "__metadata__") continue;
    auto& offsets = reordered[*name]["data_offsets"];
    const std::size_t begin = offsets[0], end = offsets[1];
    offsets = {data.size(), data.size() + end - begin};
    data += parts.data.substr(begin, end - begin);
  }
  parts.header = reordered;
  parts.data = data;
  parts.sign();
  expect_equal(model_from_bytes(parts.bytes(), "m"), full_model());
}

TEST(ModelFile, UnknownMetadataAreIgnored) {
  Parts parts(model_to_bytes(full_model()));
  parts.metadata()["note"] = "mine";
  parts.sign();
  expect_equal(model_from_bytes(parts.bytes(), "m"), full_model());
}

TEST(ModelFile, LogarithmsOfInputsComeBack) {
  const Model model = model_with_logarithm();
  const Model loaded = round_trip(model);
  expect_equal(loaded, model);
  Parts parts(model_to_bytes(model));
  set_number(parts, "scale.input.log_from", -1.0);
  EXPECT_THAT(error_of(parts.bytes()), HasSubstr("negative"));
  EXPECT_FALSE(Parts(model_to_bytes(full_model())).header.contains("scale.input.log_from"));
}

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

// ---- for ever -------------------------------------------------------------------------------------------------------

// The files were written once, by save_model(full_model(), path) say, and are never written again: each stands for all
// files of its schema that people have.
TEST(ModelFile, Schema6LoadsForEver) {
  const Model loaded = load_model(std::string(RFNN_SOURCE_DIR) + "/tests/data/schema6.rfnn");
  Model expected = model_with_table();
  expected.options = loaded.options;
  expect_equal(loaded, expected);
}

TEST(ModelFile, Schema5LoadsForEver) {
  const Model loaded = load_model(std::string(RFNN_SOURCE_DIR) + "/tests/data/schema5.rfnn");
  Model expected = model_with_trends();
  EXPECT_EQ(loaded.options.seed, expected.options.seed);
  expected.options = loaded.options;
  expect_equal(loaded, expected);
}

TEST(ModelFile, Schema4LoadsForEver) {
  const Model loaded = load_model(std::string(RFNN_SOURCE_DIR) + "/tests/data/schema4.rfnn");
  Model expected = model_with_closed_forms();
  EXPECT_EQ(loaded.options.seed, expected.options.seed);
  expected.options = loaded.options;
  expect_equal(loaded, expected);
}

TEST(ModelFile, Schema3LoadsForEver) {
  const Model loaded = load_model(std::string(RFNN_SOURCE_DIR) + "/tests/data/schema3.rfnn");
  Model expected = model_with_lattice();
  EXPECT_EQ(loaded.options.width, expected.options.width);
  EXPECT_EQ(loaded.options.seed, expected.options.seed);
  expected.options = loaded.options;  // others may be there or have other defaults today
  expect_equal(loaded, expected);
}

TEST(ModelFile, Schema2LoadsForEver) {
  const Model loaded = load_model(std::string(RFNN_SOURCE_DIR) + "/tests/data/schema2.rfnn");
  EXPECT_EQ(loaded.scaler, model_with_logarithm().scaler);
  EXPECT_EQ(loaded.members, model_with_logarithm().members);
}

TEST(ModelFile, Schema1LoadsForEver) {
  const Model loaded = load_model(std::string(RFNN_SOURCE_DIR) + "/tests/data/schema1.rfnn");
  Model expected = full_model();
  EXPECT_EQ(loaded.options.width, expected.options.width);
  EXPECT_EQ(loaded.options.delta, expected.options.delta);
  EXPECT_EQ(loaded.options.ridge, expected.options.ridge);
  EXPECT_EQ(loaded.options.keep, expected.options.keep);
  EXPECT_EQ(loaded.options.seed, expected.options.seed);
  // It was written before there were presets to choose from: what it does not say is the published algorithm's.
  EXPECT_EQ(loaded.options.preset, Preset::paper);
  EXPECT_EQ(loaded.options.members, 1);
  EXPECT_EQ(loaded.options.branches, Branches::input_state);
  EXPECT_FALSE(loaded.options.refine);
  EXPECT_FALSE(loaded.options.standardise_outputs);
  EXPECT_EQ(loaded.options.validation_fraction, 0.0);
  expected.options = loaded.options;  // the others may have other defaults today
  expect_equal(loaded, expected);
}

TEST(ModelFile, BlocksOfOlderFilesAreNoLattices) {
  for (const char* name : {"schema1.rfnn", "schema2.rfnn"}) {
    const Model loaded = load_model(std::string(RFNN_SOURCE_DIR) + "/tests/data/" + name);
    for (const Network& member : loaded.members)
      for (const Block& block : member.blocks)
        for (const Branch& branch : block.branches) EXPECT_TRUE(branch.lattice.empty()) << name;
  }
}

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
      {"newer schema", [](Parts& p) { p.metadata()["schema"] = "7"; }, "Upgrade rfnn"},
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

TEST(ModelFile, MissingFileAndUnwritablePlace) {
  const TempFolder folder;
  EXPECT_THAT(input_error([&] { load_model(folder / "none.rfnn"); }), HasSubstr("does not exist"));
  EXPECT_THAT(input_error([&] { load_model(folder.path()); }), HasSubstr("is a folder"));
  EXPECT_THAT(input_error([&] { save_model(full_model(), folder / "none/m.rfnn"); }), HasSubstr("Create the folder"));
  EXPECT_THAT(input_error([&] { save_model(full_model(), "/dev/full"); }), HasSubstr("disk is full"));
}

TEST(ModelFile, AModelThatIsNotSoundIsNotSaved) {
  const TempFolder folder;
  write_bytes(folder / "m", "old");
  Model model = full_model();
  model.members[0].blocks[0].branches[0].amplitudes(0, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(input_error([&] { save_model(model, folder / "m"); }), HasSubstr("not finite"));
  EXPECT_EQ(read_bytes(folder / "m"), "old");
}

TEST(ModelFile, ComesThroughAPipeToo) {
  const std::string bytes = model_to_bytes(full_model());
  ASSERT_LT(bytes.size(), 65536U);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  ::close(ends[1]);
  expect_equal(load_model("/dev/fd/" + std::to_string(ends[0])), full_model());
  ::close(ends[0]);
}

}  // namespace
}  // namespace rfnn::test
