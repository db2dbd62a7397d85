// Arguments: help, versions, and every way to get them wrong.

#include <regex>

#include "cli/json.hpp"
#include "cli/process.hpp"
#include "rfnn/options/table.hpp"

namespace rfnn::testing {
namespace {

class Usage : public ::testing::Test {
 protected:
  void SetUp() override { must(folder, {"generate", "sine", "--rows", "40", "--seed", "3", "--out", "data.csv"}); }

  /// Exit code 1, nothing on standard output, and the text on standard error.
  std::string refused(const Words& words) {
    const Outcome outcome = run(folder, words);
    EXPECT_EQ(outcome.code, 1) << ::testing::PrintToString(words) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err, "");
    return outcome.err;
  }

  Folder folder;
};

bool mentions(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_F(Usage, AloneItShowsTheCommandsAndEndsWithOne) {
  const std::string text = refused({});
  for (const char* command : {"fit", "predict", "evaluate", "inspect", "generate", "options"})
    EXPECT_TRUE(mentions(text, command));
}

TEST_F(Usage, VersionAndHelpAreResults) {
  const Outcome version = must(folder, {"--version"});
  EXPECT_TRUE(std::regex_match(version.out, std::regex("[0-9]+\\.[0-9]+\\.[0-9]+\n"))) << version.out;
  EXPECT_TRUE(mentions(must(folder, {"--help"}).out, "Commands:"));
  for (const char* command : {"fit", "predict", "evaluate", "inspect", "generate", "options"}) {
    const Outcome help = must(folder, {command, "--help"});
    EXPECT_TRUE(mentions(help.out, "Usage: rfnn " + std::string(command)));
    EXPECT_EQ(help.err, "");
  }
}

TEST_F(Usage, HelpOfFitShowsEveryOptionWithItsDefaultInGroups) {
  const std::string help = must(folder, {"fit", "--help"}).out;
  const std::string flowing = std::regex_replace(help, std::regex("\\s+"), " ");
  for (const Field& field : option_table()) {
    EXPECT_TRUE(mentions(help, "--" + flag_name(field) + " ")) << field.name;
    EXPECT_TRUE(mentions(flowing, std::string(field.help) + " [" + describe_default(field) + "]")) << field.name;
    EXPECT_TRUE(mentions(help, "\n" + std::string(field.group) + ":\n")) << field.name;
  }
}

TEST_F(Usage, SuggestsWhatWasMeant) {
  EXPECT_TRUE(mentions(refused({"fitt", "data.csv"}), "Did you mean `rfnn fit`?"));
  EXPECT_TRUE(mentions(refused({"fit", "data.csv", "--target", "y", "--widht", "3"}), "Did you mean --width?"));
  EXPECT_TRUE(mentions(refused({"fit", "data.csv", "--traget", "y"}), "Did you mean --target?"));
  EXPECT_TRUE(mentions(refused({"fit", "data.csv", "--target", "y", "--standardize-inputs"}), "--standardise-inputs"));
  EXPECT_TRUE(mentions(refused({"generate", "multiscal", "--rows", "3"}), "multiscale"));
  EXPECT_TRUE(mentions(refused({"predict", "m", "d", "--blokcs", "3"}), "--blocks"));
}

TEST_F(Usage, SaysWhatIsStillToCome) {
  EXPECT_TRUE(mentions(refused({"fit", "data.csv", "--target", "y", "--engine", "direct"}), "later version"));
}

TEST_F(Usage, RefusesBadArguments) {
  for (const Words& words :
       std::vector<Words>{{"fit"},
                          {"fit", "data.csv"},
                          {"fit", "data.csv", "-", "--target", "y"},
                          {"fit", "data.csv", "--target"},
                          {"fit", "data.csv", "--target", "y", "--width"},
                          {"fit", "data.csv", "--target", "y", "--width", "0"},
                          {"fit", "data.csv", "--target", "y", "--width", "--json"},
                          {"fit", "data.csv", "--target", "y", "--gamma", "-1"},
                          {"fit", "data.csv", "--target", "y", "--keep=first"},
                          {"fit", "data.csv", "--target", "y", "--standardise-inputs=maybe"},
                          {"fit", "data.csv", "--target", "y", "-x"},
                          {"fit", "data.csv", "--target", "y", "--preset", "published"},
                          {"fit", "data.csv", "--target", "y", "--preset", "paper", "--ridge", "auto"},
                          {"fit", "data.csv", "--target", "y", "--preset", "paper", "--width", "auto"},
                          {"fit", "data.csv", "--target", "y", "--preset", "paper", "--members", "2"},
                          {"fit", "data.csv", "--target", "y", "--preset", "paper", "--branches", "joint"},
                          {"fit", "data.csv", "--target", "y", "--preset", "paper", "--refine"},
                          {"fit", "data.csv", "--target", "y,y"},
                          {"fit", "data.csv", "--target", "y", "--ignore", "y"},
                          {"fit", "data.csv", "--target", "y", "--ignore", "x1,x2,x3"},
                          {"fit", "data.csv", "--target", "y", "--out", "-"},
                          {"fit", "data.csv", "--target", "y", "--out", "data.csv"},
                          {"fit", "data.csv", "--target", "y", "--valid", "data.csv", "--validation-fraction", "0.5"},
                          {"predict"},
                          {"predict", "model.rfnn"},
                          {"predict", "model.rfnn", "data.csv", "--out", "data.csv"},
                          {"predict", "model.rfnn", "data.csv", "--threads", "1025"},
                          {"evaluate"},
                          {"inspect"},
                          {"inspect", "a", "b"},
                          {"generate"},
                          {"generate", "sine"},
                          {"generate", "sine", "--rows", "0"},
                          {"generate", "sine", "--rows", "-5"},
                          {"generate", "sine", "--rows", "2.5"},
                          {"generate", "sine", "--rows", "5", "--noise", "-1"},
                          {"generate", "sine", "--rows", "5", "--seed", "x"},
                          {"options", "--markdown", "--json"},
                          {"options", "extra"}}) {
    refused(words);
  }
  EXPECT_FALSE(fs::exists(folder / "data.rfnn")) << "none of them may have trained";
}

TEST_F(Usage, AValueErrorNamesFieldValueBoundAndHelp) {
  const std::string text = refused({"fit", "data.csv", "--target", "y", "--width", "0"});
  EXPECT_TRUE(mentions(text, "width") && mentions(text, "\"0\"") && mentions(text, "1 to 65536, or auto") &&
              mentions(text, "features per branch"))
      << text;
  EXPECT_TRUE(mentions(refused({"fit", "data.csv"}), "x1, x2, x3, y")) << "the columns to choose from";
}

TEST_F(Usage, OptionsPrintsTheTableInThreeForms) {
  const std::string text = must(folder, {"options"}).out;
  for (const Field& field : option_table()) EXPECT_TRUE(mentions(text, flag_name(field)));
  EXPECT_EQ(must(folder, {"options", "--markdown"}).out, options_to_markdown());
  const Json json = parsed(must(folder, {"options", "--json"}).out);
  ASSERT_EQ(json.size(), option_table().size());
  EXPECT_EQ(json[1]["name"], "width");
  EXPECT_EQ(json[1]["default"], "auto");
  EXPECT_EQ(json[1]["defaults"], (Json{{"auto", "auto"}, {"paper", 6}}));
  EXPECT_EQ(json[1]["paper_only"], false);
  EXPECT_TRUE(std::any_of(json.begin(), json.end(), [](const Json& row) { return row["paper_only"] == true; }));
  EXPECT_TRUE(std::regex_search(text, std::regex("\nblocks +30 +10 +L"))) << text;
  EXPECT_TRUE(std::regex_search(text, std::regex("\niterations +- +5000 +M"))) << text;
  EXPECT_EQ(json[1]["flag"], "--width");
}

TEST_F(Usage, ThePresetComesFirstThenTheConfigFileThenFlags) {
  const auto planned = [&](const Words& more) {
    Words words = {"fit", "data.csv", "--target", "y", "--dry-run", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return parsed(must(folder, words).out);
  };
  const auto options = [&](const Words& more) { return planned(more)["options"]; };
  const Json automatic = parsed(options_to_json(Options{}));
  const Json paper = parsed(options_to_json(preset_options(Preset::paper)));
  EXPECT_EQ(options({}), automatic);
  EXPECT_EQ(options({"--preset", "paper"}), paper);

  write_file(folder / "some.json", R"({"width": 9, "preset": "paper", "seed": 5})");
  Json expected = paper;
  expected["width"] = 9;
  expected["seed"] = 5;
  EXPECT_EQ(options({"--config", "some.json"}), expected) << "the file's preset gives the defaults";
  expected["width"] = 12;
  EXPECT_EQ(options({"--width", "12", "--config", "some.json"}), expected) << "flags win";
  expected = automatic;
  expected["width"] = 9;
  expected["seed"] = 5;
  EXPECT_EQ(options({"--config", "some.json", "--preset", "auto"}), expected) << "the flag's preset gives the defaults";
  write_file(folder / "few.json", R"({"blocks": 3})");
  expected = automatic;
  expected["blocks"] = 3;
  EXPECT_EQ(options({"--config", "few.json"}), expected);

  EXPECT_EQ(options({"--valid", "data.csv"})["validation_fraction"], 0.0) << "rows that are given need no others";
}

TEST_F(Usage, OptionsOfThePublishedAlgorithmAreWarnedOfWithPresetAuto) {
  const auto warnings = [&](const Words& more) {
    Words words = {"fit", "data.csv", "--target", "y", "--dry-run", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return parsed(must(folder, words).out)["warnings"];
  };
  EXPECT_EQ(warnings({"--iterations", "5000"}),
            Json({"--iterations has no effect with preset auto; add --preset paper"}));
  EXPECT_EQ(warnings({"--gamma", "3", "--keep", "last", "--blocks", "3"}),
            Json({"--gamma, --keep have no effect with preset auto; add --preset paper"}));
  EXPECT_EQ(warnings({"--iterations", "50", "--preset", "paper"}), Json::array());
  EXPECT_EQ(warnings({"--width", "5", "--blocks", "3", "--refine", "off", "--members", "2"}), Json::array());
  write_file(folder / "all.json", options_to_json(Options{}));
  EXPECT_EQ(warnings({"--config", "all.json"}), Json::array()) << "a file with everything asks for nothing";
  write_file(folder / "one.json", R"({"solver": "qr"})");
  EXPECT_EQ(warnings({"--config", "one.json"}), Json({"--solver has no effect with preset auto; add --preset paper"}));
  EXPECT_TRUE(mentions(must(folder, {"fit", "data.csv", "--target", "y", "--dry-run", "--delta", "2"}).err,
                       "warning: --delta has no effect with preset auto; add --preset paper"));
}

TEST_F(Usage, ADryRunOfPresetAutoSaysWhatIsKnown) {
  const std::string text = must(folder, {"fit", "data.csv", "--target", "y", "--dry-run"}).err;
  EXPECT_TRUE(mentions(text, "data.csv: 40 rows"));
  EXPECT_TRUE(mentions(text, "work      preset auto: up to 30 blocks; ridge, width and branches chosen on")) << text;
  EXPECT_TRUE(mentions(text, "memory    about "));
  EXPECT_FALSE(mentions(text, "solves"));
  EXPECT_TRUE(mentions(must(folder, {"fit", "data.csv", "--target", "y", "--dry-run", "--members", "3", "--width", "8",
                                     "--ridge", "1e-3", "--branches", "joint"})
                           .err,
                       "preset auto: 3 members of up to 30 blocks of width up to 8\n"));
  const Json json = parsed(must(folder, {"fit", "data.csv", "--target", "y", "--dry-run", "--json"}).out);
  EXPECT_TRUE(json["solves"].is_null());
  EXPECT_GT(json["memory_bytes"].get<double>(), 40 * 4 * 8);
}

TEST_F(Usage, BooleansTakeAValueOrNone) {
  const auto setting = [&](const Words& more) {
    Words words = {"fit", "--preset", "paper", "--dry-run", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    words.insert(words.end(), {"--target", "y"});
    const Json options = parsed(must(folder, words).out)["options"];
    return std::pair(options["standardise_inputs"].get<bool>(), options["standardise_outputs"].get<bool>());
  };
  EXPECT_EQ(setting({"data.csv"}), std::pair(true, false));
  EXPECT_EQ(setting({"--standardise-outputs", "data.csv"}), std::pair(true, true));
  EXPECT_EQ(setting({"--standardise-inputs", "false", "data.csv", "--standardise-outputs=yes"}),
            std::pair(false, true));
  EXPECT_EQ(setting({"data.csv", "--standardise_inputs", "off"}), std::pair(false, false));
}

}  // namespace
}  // namespace rfnn::testing
