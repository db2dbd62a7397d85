// Model files: what is written comes back, in the documented layout, and files of every schema load for ever.

#include "rfnn/io/model_file.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/model_parts.hpp"
#include "io/support.hpp"
#include "places/places.hpp"

namespace rfnn::test {
namespace {

using ::testing::HasSubstr;

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

// ---- for ever -------------------------------------------------------------------------------------------------------

// The files were written once, by save_model(full_model(), path) say, and are never written again: each stands for all
// files of its schema that people have.
TEST(ModelFile, Schema5LoadsForEver) {
  const Model loaded = load_model(std::string(testing::source_folder) + "/tests/data/schema5.rfnn");
  Model expected = model_with_trends();
  EXPECT_EQ(loaded.options.seed, expected.options.seed);
  expected.options = loaded.options;
  expect_equal(loaded, expected);
}

TEST(ModelFile, Schema4LoadsForEver) {
  const Model loaded = load_model(std::string(testing::source_folder) + "/tests/data/schema4.rfnn");
  Model expected = model_with_closed_forms();
  EXPECT_EQ(loaded.options.seed, expected.options.seed);
  expected.options = loaded.options;
  expect_equal(loaded, expected);
}

TEST(ModelFile, Schema3LoadsForEver) {
  const Model loaded = load_model(std::string(testing::source_folder) + "/tests/data/schema3.rfnn");
  Model expected = model_with_lattice();
  EXPECT_EQ(loaded.options.width, expected.options.width);
  EXPECT_EQ(loaded.options.seed, expected.options.seed);
  expected.options = loaded.options;  // others may be there or have other defaults today
  expect_equal(loaded, expected);
}

TEST(ModelFile, Schema2LoadsForEver) {
  const Model loaded = load_model(std::string(testing::source_folder) + "/tests/data/schema2.rfnn");
  EXPECT_EQ(loaded.scaler, model_with_logarithm().scaler);
  EXPECT_EQ(loaded.members, model_with_logarithm().members);
}

TEST(ModelFile, Schema1LoadsForEver) {
  const Model loaded = load_model(std::string(testing::source_folder) + "/tests/data/schema1.rfnn");
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
    const Model loaded = load_model(std::string(testing::source_folder) + "/tests/data/" + name);
    for (const Network& member : loaded.members)
      for (const Block& block : member.blocks)
        for (const Branch& branch : block.branches) EXPECT_TRUE(branch.lattice.empty()) << name;
  }
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
