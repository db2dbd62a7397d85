#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <set>

#include "rfnn/core/random.hpp"
#include "rfnn/diagnostics/spectrum.hpp"

namespace rfnn {
namespace {

Branch branch(BranchKind kind, std::size_t features, std::size_t variables, std::size_t outputs) {
  return {kind, Matrix(features, variables), Matrix(2 * features, outputs)};
}

TEST(Spectrum, TurnsStandardisedFeaturesIntoLinesOfTheData) {
  Model model;
  model.scaler = {{0.0, 5.0}, {2.0, 10.0}, {1.0, 0.0}, {3.0, 0.5}};  // two inputs, two outputs
  model.members.resize(2);
  Branch input = branch(BranchKind::input, 1, 2, 2);
  input.frequencies(0, 0) = 8.0;
  input.frequencies(0, 1) = -30.0;
  input.amplitudes(0, 0) = 3.0, input.amplitudes(1, 0) = -4.0;  // |b| = 5 in output 1
  input.amplitudes(0, 1) = 0.0, input.amplitudes(1, 1) = 2.0;   // 2 in output 2
  Branch state = branch(BranchKind::state, 1, 2, 2);
  state.frequencies(0, 0) = 6.0;
  state.frequencies(0, 1) = 1.0;
  state.amplitudes(0, 0) = 20.0;
  Branch joint = branch(BranchKind::joint, 1, 4, 2);
  for (std::size_t k = 0; k < 4; ++k) joint.frequencies(0, k) = 1.0;
  joint.amplitudes(1, 1) = 1.0;
  model.members[0].blocks = {{{input}}};
  model.members[1].blocks = {{{}}, {{joint, state}}};

  const std::vector<SpectralLine> lines = spectrum(model);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].branch, BranchKind::state);
  EXPECT_EQ(lines[0].member, 1u);
  EXPECT_EQ(lines[0].block, 2u);
  EXPECT_EQ(lines[0].frequency, (std::vector<double>{2.0, 2.0}));
  EXPECT_EQ(lines[0].amplitude, (std::vector<double>{30.0, 0.0}));  // 20 · 3 / 2 members
  EXPECT_EQ(lines[1].branch, BranchKind::input);
  EXPECT_EQ(lines[1].member, 0u);
  EXPECT_EQ(lines[1].block, 1u);
  EXPECT_EQ(lines[1].frequency, (std::vector<double>{4.0, -3.0}));
  EXPECT_DOUBLE_EQ(lines[1].cycles[0], 4.0 / (2.0 * std::numbers::pi));
  EXPECT_DOUBLE_EQ(lines[1].cycles[1], -3.0 / (2.0 * std::numbers::pi));
  EXPECT_EQ(lines[1].amplitude, (std::vector<double>{7.5, 0.5}));
  EXPECT_DOUBLE_EQ(lines[1].phase[0], std::atan2(-4.0, 3.0));
  EXPECT_EQ(lines[2].branch, BranchKind::joint);
  EXPECT_EQ(lines[2].frequency, (std::vector<double>{0.5, 0.1, 1.0 / 3.0, 2.0}));
  EXPECT_EQ(lines[2].amplitude, (std::vector<double>{0.0, 0.25}));
}

TEST(Spectrum, VeryManyLinesMergeLikeFew) {
  // Two lines per place, 0.1 apart, the smaller one with the sign turned: every pair becomes one line.
  constexpr std::size_t places = 50000;
  std::vector<SpectralLine> lines(2 * places);
  for (std::size_t i = 0; i < places; ++i) {
    const double place = 1.0 + static_cast<double>(i);
    lines[2 * i].frequency = lines[2 * i].cycles = {place};
    lines[2 * i].amplitude = {2.0};
    lines[2 * i + 1].frequency = lines[2 * i + 1].cycles = {-place - 0.1};
    lines[2 * i + 1].amplitude = {1.0};
    lines[2 * i].phase = lines[2 * i + 1].phase = {0.0};
  }
  const std::vector<SpectralLine> merged = merged_input_lines(lines, 0.2);
  ASSERT_EQ(merged.size(), places);
  for (const SpectralLine& line : merged) {
    ASSERT_EQ(line.amplitude[0], 3.0);
    ASSERT_EQ(line.frequency[0], std::round(line.frequency[0]));
  }
}

TEST(Spectrum, TheEmptyNetworkHasNone) {
  Model model;
  model.members.resize(1);
  EXPECT_TRUE(spectrum(model).empty());
  EXPECT_TRUE(merged_input_lines({}, 0.5).empty());
}

SpectralLine line(double frequency, double amplitude, BranchKind kind = BranchKind::input) {
  SpectralLine l;
  l.branch = kind;
  l.frequency = {frequency};
  l.cycles = {frequency / (2.0 * std::numbers::pi)};
  l.amplitude = {amplitude};
  return l;
}

TEST(MergedInputLines, NearLinesJoinTheLargest) {
  const std::vector<SpectralLine> merged =
      merged_input_lines({line(70.3, 0.2), line(4.0, 1.0), line(4.4, 0.3), line(3.6, 0.1), line(70.0, 0.25),
                          line(150.0, 0.05), line(4.8, 0.01), line(4.1, 9.0, BranchKind::state)},
                         0.5);
  ASSERT_EQ(merged.size(), 4u);
  EXPECT_EQ(merged[0].frequency[0], 4.0);
  EXPECT_DOUBLE_EQ(merged[0].amplitude[0], 1.4);
  EXPECT_EQ(merged[1].frequency[0], 70.0);
  EXPECT_DOUBLE_EQ(merged[1].amplitude[0], 0.45);
  EXPECT_EQ(merged[2].frequency[0], 150.0);
  EXPECT_EQ(merged[3].frequency[0], 4.8) << "near 4.4, but that line has joined 4.0 already";
}

TEST(MergedInputLines, PhasesCountWhenLinesAdd) {
  SpectralLine large = line(7.0, 12.7), twin = line(7.1, 12.2), other = line(70.0, 0.6), quarter = line(70.2, 0.8);
  twin.phase = {std::numbers::pi};
  quarter.phase = {std::numbers::pi / 2.0};
  const std::vector<SpectralLine> merged = merged_input_lines({large, twin, other, quarter}, 0.5);
  ASSERT_EQ(merged.size(), 2u);
  EXPECT_EQ(merged[0].frequency[0], 70.2);
  EXPECT_NEAR(merged[0].amplitude[0], 1.0, 1e-12);
  EXPECT_NEAR(merged[1].amplitude[0], 0.5, 1e-12) << "twins of opposite sign are worth their difference";
}

TEST(MergedInputLines, SortsByTheMergedAmplitude) {
  const std::vector<SpectralLine> merged = merged_input_lines({line(1.0, 1.0), line(9.0, 0.8), line(9.1, 0.7)}, 0.5);
  ASSERT_EQ(merged.size(), 2u);
  EXPECT_EQ(merged[0].frequency[0], 9.0);
  EXPECT_DOUBLE_EQ(merged[0].amplitude[0], 1.5);
}

TEST(MergedInputLines, AFrequencyAndItsNegativeAreOneLine) {
  SpectralLine a = line(0.0, 2.0), b = line(0.0, 1.0), c = line(0.0, 0.5);
  a.frequency = {0.1, 20.0};
  b.frequency = {0.1, -20.0};
  c.frequency = {0.1, 19.0};
  a.phase = {0.3};
  b.phase = {-0.3};  // cos(−ω·x − 0.3) = cos(ω·x + 0.3)
  const std::vector<SpectralLine> merged = merged_input_lines({a, b, c}, 0.5);
  ASSERT_EQ(merged.size(), 2u);
  EXPECT_DOUBLE_EQ(merged[0].amplitude[0], 3.0);
  EXPECT_EQ(merged[1].frequency, c.frequency);
}

/// One block over two inputs, the second of which the network sees as its logarithm: ranges 2 and log(e⁵) = 5.
Model with_a_logarithm(const std::vector<std::array<double, 3>>& features) {
  Model model;
  model.inputs = {{.name = "a", .min = -1.0, .max = 1.0}, {.name = "b", .min = 1.0, .max = std::exp(5.0)}};
  model.targets = {{.name = "y"}};
  model.scaler = {{0.0, 2.0}, {1.0, 1.0}, {0.0}, {1.0}};
  model.scaler.input_log_from = {0.0, 1.0};
  Branch input = branch(BranchKind::input, features.size(), 2, 1);
  for (std::size_t j = 0; j < features.size(); ++j) {
    input.frequencies(j, 0) = features[j][0];
    input.frequencies(j, 1) = features[j][1];
    input.amplitudes(2 * j, 0) = features[j][2];
  }
  Branch state = branch(BranchKind::state, 1, 1, 1);
  model.members = {{{{{input}}, {{state}}}}};
  return model;
}

TEST(DistinguishableLines, TheRangeThatTheNetworkSeesDecides) {
  // Over log b, whose range is 5, a difference of 0.19 is less than a radian, one of 0.21 is not; over b, whose range
  // is 147, neither would be.
  const Model model = with_a_logarithm({{3.0, 10.0, 1.0}, {3.0, 10.19, 0.5}, {3.0, 9.79, 0.25}});
  const std::vector<SpectralLine> lines = distinguishable_lines(model);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].frequency, (std::vector<double>{3.0, 10.0}));
  EXPECT_DOUBLE_EQ(lines[0].amplitude[0], 1.5);
  EXPECT_DOUBLE_EQ(lines[0].cycles[1], 10.0 / (2.0 * std::numbers::pi));
  EXPECT_EQ(lines[1].frequency, (std::vector<double>{3.0, 9.79}));
  const std::vector<Column> seen = variables_seen(model, BranchKind::joint);
  ASSERT_EQ(seen.size(), 3U);
  EXPECT_EQ(seen[0].name, "a");
  EXPECT_EQ(seen[1].name, "log(b)");
  EXPECT_DOUBLE_EQ(seen[1].max - seen[1].min, 5.0);
  EXPECT_EQ(seen[2].name, "y");
}

TEST(DistinguishableLines, EachKindOfBranchHasItsOwn) {
  Model model = with_a_logarithm({{3.0, 10.0, 1.0}});
  model.targets[0].min = 0.0, model.targets[0].max = 10.0;
  EXPECT_EQ(distinguishable_lines(model, BranchKind::state).size(), 1U);
  EXPECT_TRUE(distinguishable_lines(model, BranchKind::joint).empty());
  EXPECT_TRUE(distinguishable_lines(model, std::vector<SpectralLine>{}).empty());
}

TEST(DistinguishableLines, VeryManyInSeveralDimensionsAreThoseOfEveryPairCompared) {
  // Drawn so densely that most of them have neighbours; compared here with all larger ones, plainly.
  constexpr std::size_t count = 3000, variables = 5;
  Model model;
  for (std::size_t k = 0; k < variables; ++k) model.inputs.push_back({.name = "x", .min = 0.0, .max = 1.0});
  model.targets = {{.name = "y"}};
  model.scaler = {std::vector<double>(variables, 0.0), std::vector<double>(variables, 1.0), {0.0}, {1.0}};
  Branch input = branch(BranchKind::input, count, variables, 1);
  const Stream places(1, Purpose::data), sizes(2, Purpose::data);
  for (std::size_t j = 0; j < count; ++j) {
    for (std::size_t k = 0; k < variables; ++k)
      input.frequencies(j, k) = 3.0 * places.uniform(j * variables + k) - (k == 0 ? 0.0 : 1.5);
    input.amplitudes(2 * j, 0) = sizes.uniform(j) + 0.1;
  }
  model.members = {{{{{input}}}}};
  std::vector<SpectralLine> kept;
  for (const SpectralLine& line : spectrum(model)) {
    const bool joins = std::any_of(kept.begin(), kept.end(), [&](const SpectralLine& larger) {
      double same = 0.0, opposite = 0.0;
      for (std::size_t k = 0; k < variables; ++k) {
        same = std::hypot(same, line.frequency[k] - larger.frequency[k]);
        opposite = std::hypot(opposite, line.frequency[k] + larger.frequency[k]);
      }
      return same <= 1.0 || opposite <= 1.0;
    });
    if (!joins) kept.push_back(line);
  }
  const std::vector<SpectralLine> lines = distinguishable_lines(model);
  ASSERT_LT(kept.size(), count / 2);
  ASSERT_EQ(lines.size(), kept.size());
  std::set<std::vector<double>> expected, found;
  for (const SpectralLine& line : kept) expected.insert(line.frequency);
  for (const SpectralLine& line : lines) found.insert(line.frequency);
  EXPECT_EQ(found, expected);
}

TEST(DistinguishableLines, HugeFrequenciesAreLinesToo) {
  const Model model = with_a_logarithm({{1e300, 0.0, 1.0}, {-1e300, 0.0, 0.5}, {1e200, 1e17, 0.1}});
  EXPECT_EQ(distinguishable_lines(model).size(), 2U);
}

}  // namespace
}  // namespace rfnn
