#include "rfnn/core/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace rfnn {
namespace {

// Philox 4×64 with ten rounds, counter {index, a, b, 0}, key {seed, purpose}: first word, and what it becomes. Computed
// from the definition of the generator in exact integer arithmetic; the first line is also a known answer of its
// authors.
struct Known {
  std::uint64_t seed;
  Purpose purpose;
  std::uint64_t a, b, index, bits;
  double uniform, normal;
};
constexpr std::uint64_t most = ~std::uint64_t{0};
const Known known_answers[] = {
    {0, Purpose::initial, 0, 0, 0, 0x16554d9eca36314c, 0.0872391235991124, 1.3643421337447958},
    {1, Purpose::initial, 0, 0, 0, 0xcb7ea744cf19bb4c, 0.7949013274183931, -0.4386751461507515},
    {1, Purpose::initial, 0, 0, 1, 0x4db6a27b756282df, 0.30356803430675866, 0.8974446665924707},
    {1, Purpose::proposal, 3, 1, 7, 0x7b1b9a8d71c0ac2c, 0.4808899493525611, -1.1725528904772506},
    {42, Purpose::acceptance, 10, 0, 123456789, 0xc875d19558abd106, 0.7830477704634824, -0.038988315612578185},
    {most, Purpose::noise, most, most, most, 0x996e49eb66aac792, 0.59933912274452, -0.30292403983902294},
    {2024, Purpose::split, 0, 0, 5, 0x5a042a59fe08fd76, 0.3516260595043014, -0.9214095409160177},
    {2024, Purpose::block_rows, 2, 0, 5, 0x30bb643ae2f86ab8, 0.19035936772977075, -1.36496962317966},
    {2024, Purpose::data, 0, 4, std::uint64_t{1} << 40, 0xbaef753861ef6ce7, 0.7302163374569639, 0.6728233600570943},
};

TEST(Random, KnownAnswers) {
  for (const Known& known : known_answers) {
    const Stream stream(known.seed, known.purpose, known.a, known.b);
    EXPECT_EQ(stream.bits(known.index), known.bits);
    EXPECT_NEAR(stream.uniform(known.index), known.uniform, 0x1p-51);
    EXPECT_NEAR(stream.normal(known.index), known.normal, 1e-12);
  }
}

TEST(Random, AValueIsAFunctionOfItsPlaceAlone) {
  const Stream stream(7, Purpose::proposal, 2, 1);
  std::vector<double> forwards;
  for (std::uint64_t i = 0; i < 100; ++i) forwards.push_back(stream.normal(i));
  for (std::uint64_t i = 100; i-- > 0;) {
    EXPECT_EQ(stream.normal(i), forwards[i]);
    EXPECT_EQ(Stream(7, Purpose::proposal, 2, 1).normal(i), forwards[i]);
    EXPECT_EQ(stream.uniform(i), Stream(stream).uniform(i));
  }
}

TEST(Random, AnAddressHasFourNumbersAndTheTwoOfASampledBlockAreTheMiddleOnes) {
  EXPECT_EQ(Stream({7, 2, 1}, Purpose::proposal).bits(5), Stream(7, Purpose::proposal, 2, 1).bits(5));
  const Address address{7, 2, 1, 3};
  std::set<std::uint64_t> seen = {Stream(address, Purpose::pool).bits(5), Stream(address, Purpose::choice).bits(5)};
  for (std::uint64_t Address::*number : {&Address::seed, &Address::member, &Address::attempt, &Address::part}) {
    Address other = address;
    ++(other.*number);
    seen.insert(Stream(other, Purpose::pool).bits(5));
  }
  EXPECT_EQ(seen.size(), 6U);
}

std::vector<Stream> neighbours() {
  std::vector<Stream> streams;
  for (const Purpose purpose : {Purpose::initial, Purpose::proposal, Purpose::acceptance, Purpose::split,
                                Purpose::block_rows, Purpose::data, Purpose::noise})
    for (const std::uint64_t seed : {1U, 2U})
      for (const std::uint64_t block : {1U, 2U})
        for (const std::uint64_t branch : {0U, 1U}) streams.emplace_back(seed, purpose, block, branch);
  return streams;
}

TEST(Random, NoValueOccursTwiceInNeighbouringStreams) {
  std::set<std::uint64_t> seen;
  std::size_t drawn = 0;
  for (const Stream& stream : neighbours())
    for (std::uint64_t i = 0; i < 200; ++i, ++drawn) seen.insert(stream.bits(i));
  EXPECT_EQ(seen.size(), drawn);
}

TEST(Random, NeighbouringStreamsAreUncorrelated) {
  constexpr std::uint64_t count = 2000;
  const auto streams = neighbours();
  for (std::size_t s = 0; s < streams.size(); ++s)
    for (std::size_t t = s; t < streams.size(); ++t) {
      double sum = 0.0;
      for (std::uint64_t i = 0; i < count; ++i) sum += streams[s].normal(i) * streams[t].normal(i + (s == t ? 1 : 0));
      // About 1600 correlations of standard deviation 1/√count; 5 of them never happen by chance.
      EXPECT_LT(std::abs(sum / count), 5.0 / std::sqrt(static_cast<double>(count))) << s << " " << t;
    }
}

// Largest distance of the empirical distribution to `cumulative`, times √n.
template <class Cumulative>
double kolmogorov(std::vector<double> values, Cumulative cumulative) {
  std::sort(values.begin(), values.end());
  const double n = static_cast<double>(values.size());
  double distance = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double p = cumulative(values[i]);
    distance = std::max({distance, p - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - p});
  }
  return distance * std::sqrt(n);
}

TEST(Random, UniformIsUniformOnTheOpenInterval) {
  constexpr std::uint64_t count = 100000;
  const Stream stream(11, Purpose::acceptance, 1, 0);
  std::vector<double> values;
  double sum = 0.0, squares = 0.0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const double u = stream.uniform(i);
    ASSERT_GT(u, 0.0);
    ASSERT_LT(u, 1.0);
    values.push_back(u);
    sum += u;
    squares += u * u;
  }
  EXPECT_NEAR(sum / count, 0.5, 4.0 * std::sqrt(1.0 / 12.0 / count));
  EXPECT_NEAR(squares / count, 1.0 / 3.0, 4.0 * std::sqrt(4.0 / 45.0 / count));
  EXPECT_LT(kolmogorov(values, [](double u) { return u; }), 1.63);  // one in a hundred
}

TEST(Random, NormalIsStandardNormal) {
  constexpr std::uint64_t count = 100000;
  const Stream stream(12, Purpose::proposal, 1, 0);
  std::vector<double> values;
  double moment[5] = {};
  for (std::uint64_t i = 0; i < count; ++i) {
    const double x = stream.normal(i);
    ASSERT_TRUE(std::isfinite(x));
    values.push_back(x);
    double power = 1.0;
    for (double& m : moment) {
      m += power / count;
      power *= x;
    }
  }
  const double scale = 4.0 / std::sqrt(static_cast<double>(count));
  EXPECT_NEAR(moment[1], 0.0, scale);
  EXPECT_NEAR(moment[2], 1.0, scale * std::sqrt(2.0));
  EXPECT_NEAR(moment[3], 0.0, scale * std::sqrt(15.0));
  EXPECT_NEAR(moment[4], 3.0, scale * std::sqrt(96.0));
  EXPECT_LT(kolmogorov(values, [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }), 1.63);
}

}  // namespace
}  // namespace rfnn
