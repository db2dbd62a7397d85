// What is left in residuals: lines that are there are found, noise is called noise.

#include "rfnn/diagnostics/residual_spectrum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "rfnn/core/random.hpp"

namespace rfnn {
namespace {

struct Sample {
  std::vector<double> x, r;
};

/// x uniform on [0, range], r = noise.
Sample noise(std::size_t rows, double range, double sd, std::uint64_t seed) {
  const Stream places(seed, Purpose::data), values(seed, Purpose::noise);
  Sample sample;
  for (std::size_t i = 0; i < rows; ++i) {
    sample.x.push_back(range * places.uniform(i));
    sample.r.push_back(sd * values.normal(i));
  }
  return sample;
}

TEST(ResidualSpectrum, FindsTheLinesThatAreThere) {
  Sample sample = noise(1500, 5.0, 0.02, 1);
  for (std::size_t i = 0; i < sample.x.size(); ++i)
    sample.r[i] += 7.0 + 0.3 * std::sin(40.0 * sample.x[i] + 1.0) + 0.05 * std::cos(123.0 * sample.x[i]);
  const auto spectrum = residual_spectrum(sample.x, sample.r);
  ASSERT_TRUE(spectrum);
  ASSERT_EQ(spectrum->lines.size(), 2U);
  EXPECT_NEAR(spectrum->lines[0].frequency, 40.0, 0.05);
  EXPECT_NEAR(spectrum->lines[0].amplitude, 0.3, 0.01);
  EXPECT_NEAR(spectrum->lines[1].frequency, 123.0, 0.1);
  EXPECT_NEAR(spectrum->lines[1].amplitude, 0.05, 0.01);
  EXPECT_NEAR(spectrum->lines[0].share, 0.045 / (0.045 + 0.00125 + 0.0004), 0.02);
  EXPECT_LE(spectrum->frequency.size(), 600U);
  EXPECT_TRUE(std::is_sorted(spectrum->frequency.begin(), spectrum->frequency.end()));
  const auto top =
      std::max_element(spectrum->amplitude.begin(), spectrum->amplitude.end()) - spectrum->amplitude.begin();
  EXPECT_NEAR(spectrum->frequency[static_cast<std::size_t>(top)], 40.0, 0.4);
  EXPECT_NEAR(spectrum->amplitude[static_cast<std::size_t>(top)], 0.3, 0.02);
}

TEST(ResidualSpectrum, CallsNoiseNoise) {
  std::size_t called_a_line = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Sample sample = noise(300, 2.0, 1.0, seed);
    const auto spectrum = residual_spectrum(sample.x, sample.r);
    ASSERT_TRUE(spectrum);
    called_a_line += spectrum->lines.empty() ? 0 : 1;
    EXPECT_GT(spectrum->strongest.amplitude, 0.0);
    EXPECT_LT(spectrum->strongest.amplitude, 2.0 * spectrum->noise);
  }
  EXPECT_LE(called_a_line, 1U) << "about one in a thousand";
}

TEST(ResidualSpectrum, EndsWhereFrequenciesRepeat) {
  // Equal steps of 0.1: frequencies beyond π/0.1 are not told apart from lower ones.
  Sample sample;
  for (int i = 0; i < 200; ++i) {
    sample.x.push_back(0.1 * i);
    sample.r.push_back(std::sin(5.0 * sample.x.back()));
  }
  const auto spectrum = residual_spectrum(sample.x, sample.r);
  ASSERT_TRUE(spectrum);
  EXPECT_LE(spectrum->frequency.back(), 10.0 * 3.15);
  ASSERT_EQ(spectrum->lines.size(), 1U);
  EXPECT_NEAR(spectrum->lines[0].frequency, 5.0, 0.02);
  EXPECT_GT(spectrum->lines[0].share, 0.99);
}

TEST(ResidualSpectrum, NothingWithoutVariation) {
  const Sample sample = noise(100, 1.0, 1.0, 1);
  EXPECT_FALSE(residual_spectrum(std::vector<double>(100, 1.0), sample.r));
  EXPECT_FALSE(residual_spectrum(sample.x, std::vector<double>(100, 1.0)));
  EXPECT_FALSE(residual_spectrum({}, {}));
  EXPECT_FALSE(residual_spectrum({1, 2, 3}, {1, 2, 1}));
  EXPECT_FALSE(residual_spectrum(sample.x, std::vector<double>(100, std::nan(""))));
}

}  // namespace
}  // namespace rfnn
