#include "rfnn/options/table.hpp"

#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>

#include "rfnn/core/error.hpp"
#include "rfnn/options/field_values.hpp"
#include "rfnn/options/number_text.hpp"

namespace {

using namespace rfnn;

std::string failure_of(std::string_view name, std::string_view text) {
  Options options;
  try {
    set_option(options, name, text);
  } catch (const UsageError& error) {
    EXPECT_EQ(options, Options{}) << "a refused value must not change anything";
    return error.what();
  }
  return "";
}

std::string json_failure_of(std::string_view json) {
  Options options;
  try {
    options_from_json(options, json, "the text");
  } catch (const InputError& error) {
    EXPECT_EQ(options, Options{}) << json;
    return error.what();
  }
  return "";
}

TEST(OptionTable, PaperHasThePublishedSettings) {
  const std::vector<std::pair<std::string, std::string>> paper = {{"preset", "paper"},
                                                                  {"width", "6"},
                                                                  {"blocks", "10"},
                                                                  {"members", "1"},
                                                                  {"branches", "input,state"},
                                                                  {"refine", "false"},
                                                                  {"iterations", "5000"},
                                                                  {"gamma", "10"},
                                                                  {"gamma-state", "10"},
                                                                  {"delta", "auto"},
                                                                  {"delta-state", "auto"},
                                                                  {"ridge", "1e-4"},
                                                                  {"keep", "last"},
                                                                  {"state-branch", "sampled"},
                                                                  {"negative", "half-space"},
                                                                  {"standardise-inputs", "true"},
                                                                  {"standardise-outputs", "false"},
                                                                  {"burn-in", "2000"},
                                                                  {"block-rows", "same"},
                                                                  {"solver", "cholesky"},
                                                                  {"tolerance", "0"},
                                                                  {"patience", "0"},
                                                                  {"validation-fraction", "0"},
                                                                  {"max-time", "0"},
                                                                  {"threads", "0"}};
  for (const auto& [name, value] : paper) {
    const Field* field = find_field(name);
    ASSERT_NE(field, nullptr) << name;
    EXPECT_EQ(field->print(preset_options(Preset::paper)), value) << name;
    EXPECT_EQ(flag_name(*field), name);
  }
}

TEST(OptionTable, AutoIsTheDefaultAndChoosesByItself) {
  EXPECT_EQ(Options{}, preset_options(Preset::automatic));
  for (const auto& [name, value] : std::vector<std::pair<std::string, std::string>>{{"preset", "auto"},
                                                                                    {"width", "auto"},
                                                                                    {"blocks", "30"},
                                                                                    {"members", "auto"},
                                                                                    {"branches", "auto"},
                                                                                    {"refine", "true"},
                                                                                    {"ridge", "auto"},
                                                                                    {"keep", "best"},
                                                                                    {"standardise-inputs", "true"},
                                                                                    {"standardise-outputs", "true"},
                                                                                    {"tolerance", "0"},
                                                                                    {"patience", "4"},
                                                                                    {"validation-fraction", "0.1"},
                                                                                    {"max-time", "0"}}) {
    EXPECT_EQ(find_field(name)->print(Options{}), value) << name;
  }
}

TEST(OptionTable, AutoIsAValueLikeOthers) {
  Options options = preset_options(Preset::paper);
  for (const char* name : {"width", "members", "ridge", "branches"}) {
    set_option(options, name, "auto");
    EXPECT_EQ(find_field(name)->print(options), "auto");
  }
  EXPECT_EQ(options.width, 0);
  EXPECT_EQ(options.members, 0);
  EXPECT_TRUE(options.ridge.empty());
  EXPECT_EQ(options.branches, Branches::automatic);
  set_option(options, "branches", "input,state");
  EXPECT_EQ(options.branches, Branches::input_state);
  set_option(options, "branches", "joint");
  EXPECT_EQ(options.branches, Branches::joint);
  set_option(options, "members", "4");
  EXPECT_EQ(options.members, 4);
}

TEST(OptionTable, MarksWhatOnlyThePublishedAlgorithmUses) {
  for (const char* name : {"iterations", "gamma", "gamma-state", "delta", "delta-state", "initial-spread", "keep",
                           "state-branch", "negative", "burn-in", "flat-window", "flat-tolerance", "proposal-fraction",
                           "block-rows", "subset-fraction", "solver", "solver-tolerance"}) {
    EXPECT_TRUE(find_field(name)->paper_only) << name;
  }
  for (const char* name :
       {"preset", "width", "blocks", "members", "branches", "refine", "ridge", "standardise-inputs",
        "standardise-outputs", "tolerance", "patience", "validation-fraction", "max-time", "threads", "seed"}) {
    EXPECT_FALSE(find_field(name)->paper_only) << name;
  }
  EXPECT_EQ(describe_default(*find_field("iterations")), "5000, preset paper only");
  EXPECT_EQ(describe_default(*find_field("blocks")), "30; paper: 10");
  EXPECT_EQ(describe_default(*find_field("seed")), "1");
  EXPECT_EQ(describe_default(*find_field("preset")), "auto");
}

/// What validate says about preset paper with one change.
std::string refused_by_paper(std::string_view name, std::string_view value) {
  Options options = preset_options(Preset::paper);
  set_option(options, name, value);
  try {
    validate(options);
  } catch (const UsageError& error) {
    EXPECT_NE(error.cure().find("preset auto"), std::string::npos) << error.cure();
    return error.what();
  }
  return "";
}

TEST(OptionTable, PaperChoosesNothingAndIsOneNetwork) {
  EXPECT_NO_THROW(validate(preset_options(Preset::paper)));
  EXPECT_NE(refused_by_paper("width", "auto").find("width a number"), std::string::npos);
  EXPECT_NE(refused_by_paper("ridge", "auto").find("ridge a number"), std::string::npos);
  EXPECT_NE(refused_by_paper("members", "2").find("members 1"), std::string::npos);
  EXPECT_NE(refused_by_paper("members", "auto").find("members 1"), std::string::npos);
  EXPECT_NE(refused_by_paper("branches", "joint").find("branches input,state"), std::string::npos);
  EXPECT_NE(refused_by_paper("branches", "auto").find("branches input,state"), std::string::npos);
  EXPECT_NE(refused_by_paper("refine", "true").find("refine false"), std::string::npos);
  EXPECT_EQ(refused_by_paper("width", "7"), "");
  Options options;
  options.width = 7;
  options.members = 3;
  options.branches = Branches::joint;
  options.refine = false;
  EXPECT_NO_THROW(validate(options)) << "all of them are for preset auto to take";
}

TEST(OptionTable, MemoryIsBytesWithAUnitOrWithout) {
  const Field& memory = *find_field("memory");
  Options options;
  EXPECT_EQ(memory.print(options), "none");
  const std::pair<const char*, double> given[] = {
      {"2GB", 2e9},  {"500 MB", 5e8}, {"1.5gb", 1.5e9}, {"2GiB", 0x1p31},        {"3000000", 3e6}, {"4e9", 4e9},
      {"16M", 16e6}, {"2000kB", 2e6}, {"1TB", 1e12},    {"1048577B", 1048577.0}, {"none", 0.0},    {"0", 0.0}};
  for (const auto& [text, bytes] : given) {
    set_option(options, "memory", text);
    EXPECT_EQ(options.memory, bytes) << text;
    Options again;
    set_option(again, "memory", memory.print(options));
    EXPECT_EQ(again.memory, bytes) << memory.print(options);
    options_from_json(again, options_to_json(options), "test");
    EXPECT_EQ(again.memory, bytes) << options_to_json(options);
  }
  options.memory = 2e9;
  EXPECT_EQ(memory.print(options), "2GB");
  options.memory = 1.5e9;
  EXPECT_EQ(memory.print(options), "1500MB");
  options_from_json(options, R"({"memory": 64000000})", "test");
  EXPECT_EQ(options.memory, 64e6);
  for (const char* text : {"", "much", "2 apples", "-1GB", "5", "999kB", "inf", "nan", "1e30", "GB", "2GBB"})
    EXPECT_THROW(set_option(options, "memory", text), UsageError) << text;
}

struct Three {
  int a = 0;
  std::optional<double> b;
  std::vector<double> c = {1.0};
};
static_assert(detail::count_members<Three>() == 3);
static_assert(detail::count_members<Options>() > 20);

TEST(OptionTable, EveryRowIsCompleteAndFoundBothWays) {
  for (const Field& field : option_table()) {
    EXPECT_EQ(find_field(field.name), &field);
    EXPECT_EQ(find_field(flag_name(field)), &field);
    EXPECT_FALSE(field.help.empty());
    EXPECT_FALSE(field.group.empty());
    EXPECT_NE(field.help.back(), '.');
    EXPECT_FALSE(describe_values(field).empty());
    EXPECT_EQ(field.choices.empty(), field.kind != FieldKind::choice);
    // The default itself is a value that may be given.
    Options options;
    set_option(options, field.name, field.print(Options{}));
    EXPECT_EQ(options, Options{});
  }
}

TEST(OptionTable, EveryRowHasAMemberOfItsOwn) {
  for (const Field& field : option_table()) {
    if (field.choices.size() == 1) continue;  // nothing else to set it to
    std::vector<std::string> values = {"0.25", "7", "2GB", "true", "false", "|"};
    values.insert(values.end(), field.choices.begin(), field.choices.end());
    Options options;
    for (const std::string& value : values) {
      try {
        field.parse(field, options, value);
      } catch (const UsageError&) {
      }
      if (options != Options{}) break;
    }
    for (const Field& other : option_table()) {
      EXPECT_EQ(other.print(options) != other.print(Options{}), &other == &field)
          << field.name << " and " << other.name;
    }
  }
}

TEST(OptionTable, ReadsEveryKind) {
  Options options;
  set_option(options, "width", "12");
  set_option(options, "iterations", "1e6");
  set_option(options, "blocks", "20.0");
  set_option(options, "gamma-state", "+2.5");
  set_option(options, "delta", "5.76");
  set_option(options, "delta_state", "auto");
  set_option(options, "ridge", "1e-4, 1e-6,0");
  set_option(options, "negative", "component");
  set_option(options, "standardise-inputs", "off");
  set_option(options, "standardise-outputs", "yes");
  set_option(options, "solver", "qr");
  set_option(options, "seed", "18446744073709551615");
  EXPECT_EQ(options.width, 12);
  EXPECT_EQ(options.iterations, 1000000);
  EXPECT_EQ(options.blocks, 20);
  EXPECT_EQ(options.gamma_state, 2.5);
  EXPECT_EQ(options.delta, 5.76);
  EXPECT_FALSE(options.delta_state.has_value());
  EXPECT_EQ(options.ridge, (std::vector<double>{1e-4, 1e-6, 0.0}));
  EXPECT_EQ(options.negative, Negative::component);
  EXPECT_FALSE(options.standardise_inputs);
  EXPECT_TRUE(options.standardise_outputs);
  EXPECT_EQ(options.solver, Solver::qr);
  EXPECT_EQ(options.seed, std::numeric_limits<std::uint64_t>::max());
  set_option(options, "negative", "half_space");
  EXPECT_EQ(options.negative, Negative::half_space);
}

TEST(OptionTable, RefusesWithFieldValueBoundAndHelp) {
  const std::string text = failure_of("width", "0");
  EXPECT_NE(text.find("width"), std::string::npos) << text;
  EXPECT_NE(text.find("\"0\""), std::string::npos) << text;
  EXPECT_NE(text.find("from 1 to 65536, or auto"), std::string::npos) << text;
  EXPECT_NE(text.find(find_field("width")->help), std::string::npos) << text;
}

TEST(OptionTable, RefusesWhatIsOutOfBoundsOrNoValue) {
  for (const auto& [name, value] : std::vector<std::pair<const char*, const char*>>{{"width", "65537"},
                                                                                    {"width", "6.5"},
                                                                                    {"width", ""},
                                                                                    {"width", "six"},
                                                                                    {"width", "6 6"},
                                                                                    {"width", "0x6"},
                                                                                    {"blocks", "-1"},
                                                                                    {"blocks", "100001"},
                                                                                    {"iterations", "1e13"},
                                                                                    {"gamma", "0"},
                                                                                    {"gamma", "-1"},
                                                                                    {"gamma", "nan"},
                                                                                    {"gamma", "inf"},
                                                                                    {"delta", "0"},
                                                                                    {"delta", "automatic"},
                                                                                    {"ridge", "-1"},
                                                                                    {"ridge", "1,,2"},
                                                                                    {"ridge", ""},
                                                                                    {"ridge", "1,nan"},
                                                                                    {"ridge", "auto,1"},
                                                                                    {"members", "0"},
                                                                                    {"members", "1001"},
                                                                                    {"branches", "input"},
                                                                                    {"branches", "state,input"},
                                                                                    {"refine", "auto"},
                                                                                    {"preset", "automatic"},
                                                                                    {"initial-spread", "0"},
                                                                                    {"subset-fraction", "0"},
                                                                                    {"subset-fraction", "1.01"},
                                                                                    {"validation-fraction", "1"},
                                                                                    {"validation-fraction", "-0.1"},
                                                                                    {"tolerance", "-1e-9"},
                                                                                    {"max-time", "-1"},
                                                                                    {"max-time", "1e999"},
                                                                                    {"threads", "1025"},
                                                                                    {"threads", "-1"},
                                                                                    {"seed", "-1"},
                                                                                    {"seed", "18446744073709551616"},
                                                                                    {"seed", "1.5"},
                                                                                    {"keep", "first"},
                                                                                    {"keep", "Last"},
                                                                                    {"solver", "lu"},
                                                                                    {"standardise-inputs", "maybe"},
                                                                                    {"standardise-inputs", ""},
                                                                                    {"patience", "-1"}}) {
    EXPECT_NE(failure_of(name, value), "") << name << " = " << value;
  }
  Options options;
  set_option(options, "subset-fraction", "1");
  set_option(options, "validation-fraction", "0.999");
  set_option(options, "blocks", "0");
  set_option(options, "ridge", "0");
}

TEST(OptionTable, SaysWhatIsStillToCome) {
  EXPECT_NE(failure_of("engine", "direct").find("later version"), std::string::npos);
  EXPECT_TRUE(is_reserved("engine"));
  EXPECT_FALSE(is_reserved("width"));
  EXPECT_FALSE(is_reserved("widht"));
}

TEST(OptionTable, SuggestsTheNearestName) {
  EXPECT_NE(failure_of("widht", "3").find("Did you mean width?"), std::string::npos);
  EXPECT_NE(failure_of("standardize-inputs", "1").find("standardise-inputs"), std::string::npos);
  EXPECT_NE(failure_of("validation", "1").find("validation-fraction"), std::string::npos);
  EXPECT_EQ(failure_of("zzzzzz", "1").find("Did you mean"), std::string::npos);
  EXPECT_NE(failure_of(std::string(100000, 'w'), "1"), "");
}

TEST(OptionTable, ValidateChecksWhatCodeHasSet) {
  EXPECT_NO_THROW(validate(Options{}));
  const auto refused = [](auto change) {
    Options options;
    change(options);
    EXPECT_THROW(validate(options), UsageError);
  };
  refused([](Options& o) { o.width = -1; });
  refused([](Options& o) { o.members = -1; });
  refused([](Options& o) { o.gamma = std::nan(""); });
  refused([](Options& o) { o.delta = -1.0; });
  refused([](Options& o) { o.ridge = {1.0, -1.0}; });
  refused([](Options& o) { o.solver = static_cast<Solver>(17); });
  refused([](Options& o) { o.max_time = std::numeric_limits<double>::infinity(); });
  refused([](Options& o) { o.validation_fraction = 1.0; });
}

TEST(NumberText, IsShortAndPlain) {
  EXPECT_EQ(shortest(1e-4), "1e-4");
  EXPECT_EQ(shortest(1e12), "1e12");
  EXPECT_EQ(shortest(5.76), "5.76");
  EXPECT_EQ(shortest(-2.5e-300), "-2.5e-300");
  EXPECT_EQ(shortest(0.0), "0");
  EXPECT_EQ(shortest(1e100), "1e100");
}

RC_GTEST_PROP(NumberText, ReadsBackExactly, (std::uint64_t bits)) {
  double value = 0.0;
  std::memcpy(&value, &bits, sizeof value);
  RC_PRE(std::isfinite(value));
  const auto back = number_from<double>(shortest(value));
  RC_ASSERT(back.has_value());
  RC_ASSERT(std::memcmp(&*back, &value, sizeof value) == 0);
}

rc::Gen<double> positive_number() {
  return rc::gen::map(
      rc::gen::pair(rc::gen::inRange<std::int64_t>(1, std::int64_t{1} << 53), rc::gen::inRange(-400, 300)),
      [](const auto& p) { return std::ldexp(static_cast<double>(p.first), p.second); });
}

RC_GTEST_PROP(OptionJson, RoundTripIsExact, ()) {
  Options options;
  options.preset = *rc::gen::element(Preset::automatic, Preset::paper);
  options.width = *rc::gen::inRange<std::int64_t>(0, 65537);
  options.members = *rc::gen::inRange<std::int64_t>(0, 1001);
  options.branches = *rc::gen::element(Branches::automatic, Branches::input_state, Branches::joint);
  options.refine = *rc::gen::arbitrary<bool>();
  options.blocks = *rc::gen::inRange<std::int64_t>(0, 100001);
  options.iterations = *rc::gen::inRange<std::int64_t>(0, 1000000000000);
  options.gamma = *positive_number();
  if (*rc::gen::arbitrary<bool>()) options.delta = *positive_number();
  options.ridge = *rc::gen::container<std::vector<double>>(positive_number());
  options.keep = *rc::gen::element(Keep::last, Keep::best);
  options.negative = *rc::gen::element(Negative::half_space, Negative::component);
  options.block_rows = *rc::gen::element(BlockRows::same, BlockRows::disjoint, BlockRows::subset);
  options.solver = *rc::gen::element(Solver::cholesky, Solver::qr, Solver::svd, Solver::iterative);
  options.standardise_outputs = *rc::gen::arbitrary<bool>();
  options.seed = *rc::gen::arbitrary<std::uint64_t>();
  Options back;
  options_from_json(back, options_to_json(options, *rc::gen::element(-1, 0, 2)), "round trip");
  RC_ASSERT(back == options);
  Options flags;
  for (const Field& field : option_table()) set_option(flags, flag_name(field), field.print(options));
  RC_ASSERT(flags == options);
}

TEST(OptionJson, HasTheTypesPeopleExpect) {
  Options options = preset_options(Preset::paper);
  options.seed = 18446744073709551615u;
  auto json = nlohmann::ordered_json::parse(options_to_json(options, 2));
  EXPECT_EQ(json.size(), option_table().size());
  EXPECT_TRUE(json["width"].is_number_integer());
  EXPECT_TRUE(json["gamma"].is_number());
  EXPECT_EQ(json["delta"], "auto");
  EXPECT_EQ(json["ridge"], 1e-4);
  EXPECT_EQ(json["negative"], "half-space");
  EXPECT_EQ(json["standardise_inputs"], true);
  EXPECT_EQ(json["seed"].get<std::uint64_t>(), 18446744073709551615u);
  EXPECT_EQ(json.begin().key(), "preset");
  EXPECT_EQ(json["branches"], "input,state");
  EXPECT_EQ(json["members"], 1);
  const auto automatic = nlohmann::ordered_json::parse(options_to_json(Options{}));
  for (const char* name : {"preset", "width", "members", "branches", "ridge"}) EXPECT_EQ(automatic[name], "auto");
  options.ridge = {1e-4, 1e-6};
  options.delta = 5.76;
  json = nlohmann::ordered_json::parse(options_to_json(options));
  EXPECT_EQ(json["ridge"], (std::vector<double>{1e-4, 1e-6}));
  EXPECT_EQ(json["delta"], 5.76);
}

TEST(OptionJson, SetsWhatIsNamedAndLeavesTheRest) {
  Options options;
  options.width = 9;
  options_from_json(options,
                    R"({"gamma-state": 3, "ridge": [1e-3, 1e-5], "seed": 18446744073709551615, "keep": "best"})", "x");
  EXPECT_EQ(options.width, 9);
  EXPECT_EQ(options.gamma_state, 3.0);
  EXPECT_EQ(options.ridge, (std::vector<double>{1e-3, 1e-5}));
  EXPECT_EQ(options.seed, 18446744073709551615u);
  EXPECT_EQ(options.keep, Keep::best);
  options_from_json(options, "{}", "x");
  EXPECT_EQ(options.width, 9);
}

TEST(OptionJson, ARecordLeavesOutWhatWasNotThereYet) {
  const Options before = recorded_options(R"({"preset": "paper", "width": 9})", "x");
  Options expected = preset_options(Preset::paper);
  expected.width = 9;
  EXPECT_EQ(before, expected);
  EXPECT_EQ(recorded_options("{}", "x"), preset_options(Preset::paper));
  EXPECT_EQ(recorded_options(R"({"seed": 1, "preset": "auto"})", "x"), Options{});
  EXPECT_EQ(preset_in_json("{}", "x", Preset::automatic), Preset::automatic);
  EXPECT_EQ(preset_in_json(R"({"blocks": 3, "preset": "paper"})", "x", Preset::automatic), Preset::paper);
  EXPECT_THROW(preset_in_json(R"({"widht": 3})", "x", Preset::automatic), InputError);
}

TEST(OptionJson, RefusesEverythingElse) {
  for (const char* text : {"",
                           " ",
                           "{",
                           "}",
                           "[]",
                           "3",
                           "\"width\"",
                           "null",
                           "{\"width\"}",
                           "{\"width\": }",
                           "{\"width\": 6,}",
                           "{\"width\": 6} {}",
                           "{\"width\": \"6\"}",
                           "{\"width\": 0}",
                           "{\"width\": [6]}",
                           "{\"width\": null}",
                           "{\"width\": 6, \"width\": 6}",
                           "{\"gamma-state\": 6, \"gamma_state\": 6}",
                           "{\"width\": {}}",
                           "{\"width\": true}",
                           "{\"standardise_inputs\": 1}",
                           "{\"standardise_inputs\": \"true\"}",
                           "{\"keep\": \"auto\"}",
                           "{\"keep\": 1}",
                           "{\"ridge\": []}",
                           "{\"ridge\": [[1]]}",
                           "{\"ridge\": [\"1\"]}",
                           "{\"ridge\": [true]}",
                           "{\"ridge\": \"1,2\"}",
                           "{\"ridge\": [null]}",
                           "{\"delta\": \"automatic\"}",
                           "{\"seed\": 1e30}",
                           "{\"seed\": -1}",
                           "{\"gamma\": 1e999}",
                           "{\"gamma\": NaN}",
                           "{\"\\u0000\": 1}",
                           "{\"\xff\": 1}"}) {
    EXPECT_NE(json_failure_of(text), "") << text;
  }
  EXPECT_NE(json_failure_of("{\"widht\": 6}").find("Did you mean width?"), std::string::npos);
  EXPECT_NE(json_failure_of("{\"width\": 0}").find("the text"), std::string::npos);
}

TEST(OptionJson, DepthAndLengthDoNoHarm) {
  EXPECT_NE(json_failure_of(std::string(1000000, '[')), "");
  EXPECT_NE(json_failure_of("{\"ridge\": " + std::string(1000000, '[')), "");
  std::string objects;
  for (int i = 0; i < 100000; ++i) objects += "{\"width\":";
  EXPECT_NE(json_failure_of(objects), "");
  EXPECT_NE(json_failure_of("{\"" + std::string(1000000, 'a') + "\": 1}"), "");
  EXPECT_LT(json_failure_of("{\"keep\": \"" + std::string(1000000, 'a') + "\"}").size(), 2000u);
}

RC_GTEST_PROP(OptionJson, AnyTextIsReadOrRefused, (const std::string& text)) {
  Options options;
  try {
    options_from_json(options, text, "text");
    validate(options);
  } catch (const InputError&) {
  } catch (const UsageError&) {  // preset paper with what only auto takes
  }
}

}  // namespace
