#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

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

}  // namespace
}  // namespace rfnn
