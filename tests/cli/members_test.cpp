// Models of several members, joint branches and wide blocks, as commands see them.

#include "cli/json.hpp"
#include "cli/process.hpp"
#include "rfnn/data/targets.hpp"
#include "rfnn/io/model_file.hpp"
#include "rfnn/training/fit.hpp"

namespace rfnn::testing {
namespace {

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

class Members : public ::testing::Test {
 protected:
  void SetUp() override {
    must(folder, {"generate", "multiscale", "--rows", "100", "--out", "data.csv"});
    must(folder, quick_fit("data.csv", {"--out", "paper.rfnn"}));
    model = load_model(folder / "paper.rfnn");
    model.options = Options{};
    model.history.rate_slope.reset();
    for (BlockRecord& record : model.history.blocks) {
      record.method = Method::sequential;
      record.iterations = 0;
      for (BranchRecord& branch : record.branches) branch.proposed = branch.accepted = 0;
    }
  }

  /// Member 0 with two blocks, the second one joint; member 1 with one.
  void make_members() {
    Branch& joint = model.members[0].blocks[1].branches[0];
    joint = {BranchKind::joint, Matrix(1, 2), Matrix(2, 1)};
    joint.frequencies(0, 0) = 2.0;
    joint.frequencies(0, 1) = 3.0;
    joint.amplitudes(0, 0) = 1000.0;
    model.members[0].blocks[1].branches.resize(1);
    model.members.push_back(model.members[0]);
    model.members[1].blocks.resize(1);
    BlockRecord record = model.history.blocks[0];
    record.member = 1;
    model.history.blocks.push_back(record);
    record.block = 2;
    record.method = Method::random;
    model.history.blocks.push_back(record);
    save_model(model, folder / "members.rfnn");
  }

  Folder folder;
  Model model;
};

TEST_F(Members, InspectTellsThemApart) {
  make_members();
  const std::string text = must(folder, {"inspect", "members.rfnn"}).out;
  EXPECT_NE(text.find("2 members of up to 2 blocks"), std::string::npos) << text;
  EXPECT_NE(text.find("member 0, block 2, joint"), std::string::npos) << text;
  EXPECT_NE(text.find("member 1, block 1, input"), std::string::npos) << text;
  EXPECT_NE(text.find("sequential"), std::string::npos) << text;
  EXPECT_NE(text.find("given up again"), std::string::npos) << text;
  EXPECT_EQ(text.find("accepted"), std::string::npos) << "there was no chain\n" << text;
  EXPECT_EQ(text.find("iterations"), std::string::npos) << text;
  EXPECT_NE(text.find("Options that are not the default of preset auto\n  all at its defaults"), std::string::npos);

  const Json json = parsed(must(folder, {"inspect", "members.rfnn", "--json"}).out);
  EXPECT_EQ(json["members"], 2);
  EXPECT_TRUE(json["train_mse"].is_null());
  ASSERT_EQ(json["blocks"].size(), 4U);
  const bool kept[] = {true, true, true, false};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(json["blocks"][i]["member"], i / 2);
    EXPECT_EQ(json["blocks"][i]["method"], i == 3 ? "random" : "sequential");
    EXPECT_EQ(json["blocks"][i]["kept"], kept[i]) << i;
  }
  const Json& largest = json["spectrum"][0];
  EXPECT_EQ(largest["member"], 0);
  EXPECT_EQ(largest["block"], 2);
  EXPECT_EQ(largest["branch"], "joint");
  ASSERT_EQ(largest["cycles"].size(), 2U) << "of the input, then of the state";
  EXPECT_DOUBLE_EQ(largest["frequency"][0].get<double>(), 2.0 / model.scaler.input_sd[0]);
  EXPECT_DOUBLE_EQ(largest["frequency"][1].get<double>(), 3.0 / model.scaler.output_sd[0]);
  EXPECT_EQ(largest["amplitude"][0], 500.0) << "the model is the average";
}

TEST_F(Members, DepthsAreThoseOfTheDeepest) {
  make_members();
  const auto predicted = [&](const Words& more) {
    Words words = {"predict", "members.rfnn", "data.csv"};
    words.insert(words.end(), more.begin(), more.end());
    return must(folder, words).out;
  };
  EXPECT_EQ(predicted({"--blocks", "2"}), predicted({}));
  EXPECT_NE(predicted({"--blocks", "1"}), predicted({}));
  EXPECT_EQ(run(folder, {"predict", "members.rfnn", "data.csv", "--blocks", "3"}).code, 1);
  must(folder, {"evaluate", "members.rfnn", "data.csv", "--blocks", "2"});
  const std::string report = "report.html";
  must(folder, {"report", "members.rfnn", "--data", "data.csv", "--out", report});
  EXPECT_NE(read_file(folder / report).find("member 1, block 1"), std::string::npos);
}

TEST_F(Members, FrequenciesOfALogarithmSaySo) {
  make_members();
  EXPECT_EQ(parsed(must(folder, {"inspect", "members.rfnn", "--json"}).out)["transforms"], Json::array());
  const std::string name = model.inputs[0].name;
  model.scaler.input_log_from = {0.5};
  save_model(model, folder / "log.rfnn");
  const std::string text = must(folder, {"inspect", "log.rfnn"}).out;
  EXPECT_NE(text.find("input, as its logarithm"), std::string::npos) << text;
  EXPECT_NE(text.find("Frequencies of log(" + name + ")"), std::string::npos) << text;
  const Json json = parsed(must(folder, {"inspect", "log.rfnn", "--json"}).out);
  ASSERT_EQ(json["transforms"].size(), 1U);
  EXPECT_EQ(json["transforms"][0]["input"], name);
  EXPECT_EQ(json["transforms"][0]["transform"], "log");
  EXPECT_EQ(json["transforms"][0]["from"], 0.5);
  must(folder, {"report", "log.rfnn", "--data", "data.csv", "--out", "log.html"});
  EXPECT_NE(read_file(folder / "log.html").find("log(" + name + ")"), std::string::npos);
}

TEST_F(Members, AWideBlockIsInspectedInFew) {
  constexpr std::size_t features = 100000;
  Branch& branch = model.members[0].blocks[0].branches[0];
  branch = {BranchKind::input, Matrix(features, 1), Matrix(2 * features, 1)};
  for (std::size_t j = 0; j < features; ++j) {
    branch.frequencies(j, 0) = 0.37 * static_cast<double>(j);
    branch.amplitudes(2 * j, 0) = 1.0 / static_cast<double>(j + 1);
  }
  save_model(model, folder / "wide.rfnn");
  const std::string text = must(folder, {"inspect", "wide.rfnn"}).out;
  EXPECT_LT(lines_of(text), 80U);
  EXPECT_NE(text.find("more; --json lists them all"), std::string::npos);
  const Json json = parsed(must(folder, {"inspect", "wide.rfnn", "--json"}).out);
  EXPECT_GE(json["spectrum"].size(), features);
}

}  // namespace
}  // namespace rfnn::testing
