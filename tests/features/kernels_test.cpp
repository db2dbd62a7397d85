#include "rfnn/features/kernels.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "rfnn/core/random.hpp"
#include "rfnn/core/version.hpp"
#include "rfnn/rows/tiles.hpp"

namespace rfnn::features {
namespace {

/// Every level this CPU has.
std::vector<const Kernels*> levels() {
  std::vector<const Kernels*> found;
  for (const char* name : {"baseline", "avx2", "avx512"})
    if (const Kernels* level = kernels(name)) found.push_back(level);
  return found;
}

/// One tile of columns with pointers to them.
struct Tile {
  explicit Tile(std::size_t count) : columns(tile_rows, count) {
    for (std::size_t c = 0; c < count; ++c) {
      writable.push_back(columns.column(0, c));
      readable.push_back(columns.column(0, c));
    }
  }
  Tile(Tile&&) = default;  // a copy's pointers would be the original's
  rows::TiledColumns columns;
  std::vector<double*> writable;
  std::vector<const double*> readable;
};

Tile random_tile(std::size_t count, std::uint64_t seed, double scale = 1.0) {
  Tile tile(count);
  const Stream stream(seed, Purpose::data);
  for (std::size_t c = 0; c < count; ++c)
    for (std::size_t row = 0; row < tile_rows; ++row) tile.columns(row, c) = scale * stream.normal(c * tile_rows + row);
  return tile;
}

/// Steps between representable numbers from a to b.
std::int64_t ulps(double a, double b) {
  const auto place = [](double x) {
    const auto bits = std::bit_cast<std::int64_t>(x);
    return bits < 0 ? std::numeric_limits<std::int64_t>::min() - bits : bits;
  };
  return std::abs(place(a) - place(b));
}

struct Pairs {
  Tile cosine, minus_sine;
};
Pairs features_of(const Kernels& level, const Tile& variables, const std::vector<std::vector<double>>& frequencies,
                  std::size_t rows) {
  Pairs out{Tile(frequencies.size()), Tile(frequencies.size())};
  for (double* column : out.cosine.writable) std::fill_n(column, tile_rows, 99.0);
  for (double* column : out.minus_sine.writable) std::fill_n(column, tile_rows, 99.0);
  std::vector<const double*> pointers;
  for (const auto& omega : frequencies) pointers.push_back(omega.data());
  level.features(variables.readable.data(), variables.readable.size(), pointers.data(), pointers.size(), rows,
                 out.cosine.writable.data(), out.minus_sine.writable.data());
  return out;
}

TEST(Kernels, TheBestLevelIsTheOneNamed) {
  EXPECT_EQ(simd_level(), kernels().name);
  EXPECT_EQ(kernels(simd_level()), &kernels());
  EXPECT_EQ(levels().back(), &kernels());
  EXPECT_NE(kernels("baseline"), nullptr);
  EXPECT_EQ(kernels("sse9"), nullptr);
  EXPECT_EQ(kernels(""), nullptr);
  for (const Kernels* level : levels()) EXPECT_EQ(kernels(level->name), level);
}

TEST(Kernels, CosineAndSineToFourUlps) {
  // One variable: the phase is a single rounded product, the same everywhere.
  const Tile variable = random_tile(1, 1);
  std::vector<std::vector<double>> frequencies = {{0.0}, {-0.0}, {1e-300}, {-1.0}};
  for (double omega = 1e-9; omega < 2e12; omega *= 7.3) frequencies.push_back({omega});
  for (const Kernels* level : levels()) {
    const Pairs pairs = features_of(*level, variable, frequencies, tile_rows);
    for (std::size_t j = 0; j < frequencies.size(); ++j)
      for (std::size_t row = 0; row < tile_rows; ++row) {
        const double phase = frequencies[j][0] * variable.columns(row, 0);
        ASSERT_LE(ulps(pairs.cosine.columns(row, j), static_cast<double>(std::cos(static_cast<long double>(phase)))), 4)
            << level->name << " cos " << phase;
        ASSERT_LE(
            ulps(pairs.minus_sine.columns(row, j), static_cast<double>(-std::sin(static_cast<long double>(phase)))), 4)
            << level->name << " -sin " << phase;
      }
  }
}

TEST(Kernels, HugePhasesAreReducedExactly) {
  Tile variable(1);
  for (std::size_t row = 0; row < tile_rows; ++row) variable.columns(row, 0) = 1e12 + 7919.0 * static_cast<double>(row);
  for (const Kernels* level : levels()) {
    const Pairs pairs = features_of(*level, variable, {{1.0}, {1e3}, {-1e10}}, tile_rows);
    for (std::size_t row = 0; row < tile_rows; ++row)
      for (std::size_t j = 0; j < 3; ++j) {
        const double phase = (j == 0 ? 1.0 : j == 1 ? 1e3 : -1e10) * variable.columns(row, 0);
        ASSERT_NEAR(pairs.cosine.columns(row, j), std::cos(phase), 1e-15) << level->name << " " << phase;
        ASSERT_NEAR(pairs.minus_sine.columns(row, j), -std::sin(phase), 1e-15) << level->name << " " << phase;
      }
  }
}

TEST(Kernels, PhasesAddUpOverVariables) {
  for (const std::size_t variables : {1U, 2U, 3U, 10U}) {
    const Tile tile = random_tile(variables, 2);
    const Stream stream(3, Purpose::data);
    std::vector<std::vector<double>> frequencies(5, std::vector<double>(variables));
    for (std::size_t j = 0; j < 5; ++j)
      for (std::size_t k = 0; k < variables; ++k) frequencies[j][k] = 20.0 * stream.normal(j * variables + k);
    for (const Kernels* level : levels()) {
      const Pairs pairs = features_of(*level, tile, frequencies, tile_rows);
      for (std::size_t j = 0; j < 5; ++j)
        for (std::size_t row = 0; row < tile_rows; ++row) {
          long double phase = 0.0L;
          double size = 1.0;
          for (std::size_t k = 0; k < variables; ++k) {
            phase += static_cast<long double>(frequencies[j][k]) * tile.columns(row, k);
            size += std::abs(frequencies[j][k] * tile.columns(row, k));
          }
          // Rounding of the phase: half an ulp of each partial sum.
          const double tolerance = 0x1p-52 * size * static_cast<double>(variables + 1);
          ASSERT_NEAR(pairs.cosine.columns(row, j), static_cast<double>(std::cos(phase)), tolerance) << level->name;
          ASSERT_NEAR(pairs.minus_sine.columns(row, j), static_cast<double>(-std::sin(phase)), tolerance)
              << level->name;
        }
    }
  }
}

TEST(Kernels, RowsBeyondTheDataAreZero) {
  const Tile tile = random_tile(2, 4);
  for (const Kernels* level : levels())
    for (const std::size_t rows : {0U, 1U, 2U, 7U, 8U, 9U, 100U, 255U, 256U}) {
      const Pairs pairs = features_of(*level, tile, {{1.0, 2.0}, {0.0, 0.0}}, rows);
      for (std::size_t j = 0; j < 2; ++j)
        for (std::size_t row = 0; row < tile_rows; ++row) {
          if (row >= rows) {
            ASSERT_EQ(pairs.cosine.columns(row, j), 0.0) << level->name << " rows " << rows << " row " << row;
            ASSERT_EQ(pairs.minus_sine.columns(row, j), 0.0);
          } else {
            ASSERT_NE(pairs.cosine.columns(row, j), 0.0);
            ASSERT_NE(pairs.cosine.columns(row, j), 99.0);
          }
        }
    }
}

TEST(Kernels, GramOfEverySmallSize) {
  const Tile a = random_tile(13, 5), b = random_tile(13, 6);
  constexpr std::size_t stride = 17;
  for (const Kernels* level : levels())
    for (std::size_t a_count = 0; a_count <= 13; ++a_count)
      for (std::size_t b_count = 0; b_count <= 13; ++b_count)
        for (const bool upper : {false, true}) {
          std::vector<double> sums(14 * stride, 0.25);
          level->gram(a.readable.data(), a_count, b.readable.data(), b_count, upper, sums.data(), stride);
          for (std::size_t i = 0; i < 14; ++i)
            for (std::size_t j = 0; j < stride; ++j) {
              double expected = 0.25, size = 1.0;
              if (i < a_count && j < b_count)
                for (std::size_t row = 0; row < tile_rows; ++row) {
                  expected += a.columns(row, i) * b.columns(row, j);
                  size += std::abs(a.columns(row, i) * b.columns(row, j));
                }
              const double value = sums[i * stride + j];
              if (upper && j < i && value == 0.25) continue;  // below the diagonal nothing need be done
              ASSERT_NEAR(value, expected, 1e-15 * size) << level->name << " " << a_count << "x" << b_count
                                                         << (upper ? " upper" : "") << " at " << i << "," << j;
              const bool outside = i >= a_count || j >= b_count;
              ASSERT_TRUE(!outside || value == 0.25) << "written outside";
            }
        }
}

TEST(Kernels, GramOfATileWithItselfIsSymmetric) {
  const Tile a = random_tile(13, 7);
  for (const Kernels* level : levels()) {
    std::vector<double> sums(13 * 13, 0.0);
    level->gram(a.readable.data(), 13, a.readable.data(), 13, false, sums.data(), 13);
    for (std::size_t i = 0; i < 13; ++i)
      for (std::size_t j = 0; j < i; ++j) ASSERT_EQ(sums[i * 13 + j], sums[j * 13 + i]) << level->name;
  }
}

TEST(Kernels, CombineAddsToWhatIsThere) {
  for (const std::size_t outputs : {1U, 2U, 3U, 5U})
    for (const std::size_t columns : {0U, 1U, 2U, 7U, 24U}) {
      const Tile tile = random_tile(columns, 8);
      const Stream stream(9, Purpose::data);
      std::vector<double> coefficients(columns * outputs);
      for (std::size_t c = 0; c < coefficients.size(); ++c) coefficients[c] = stream.normal(c);
      for (const Kernels* level : levels()) {
        Tile out = random_tile(outputs, 10);
        const Tile before = random_tile(outputs, 10);
        level->combine(tile.readable.data(), columns, coefficients.data(), outputs, out.writable.data());
        for (std::size_t o = 0; o < outputs; ++o)
          for (std::size_t row = 0; row < tile_rows; ++row) {
            double expected = before.columns(row, o), size = std::abs(expected);
            for (std::size_t c = 0; c < columns; ++c) {
              expected += coefficients[c * outputs + o] * tile.columns(row, c);
              size += std::abs(coefficients[c * outputs + o] * tile.columns(row, c));
            }
            ASSERT_NEAR(out.columns(row, o), expected, 1e-14 * size) << level->name;
          }
      }
    }
}

TEST(Kernels, TheTwoFusedLevelsGiveTheSameBits) {
  // Nothing to compare on a CPU that has only one of them.
  std::vector<const Kernels*> fused;
  for (const Kernels* level : levels())
    if (level->name != "baseline") fused.push_back(level);
  const Tile variables = random_tile(3, 11), a = random_tile(13, 12), b = random_tile(11, 13);
  const Stream stream(14, Purpose::data);
  std::vector<std::vector<double>> frequencies(40, std::vector<double>(3));
  for (std::size_t j = 0; j < 40; ++j)
    for (std::size_t k = 0; k < 3; ++k)
      frequencies[j][k] = std::pow(10.0, static_cast<double>(j % 8) - 3.0) * stream.normal(3 * j + k);
  for (std::size_t second = 1; second < fused.size(); ++second) {
    const Kernels &one = *fused[0], &two = *fused[second];
    for (const std::size_t rows : {3U, 256U}) {
      const Pairs left = features_of(one, variables, frequencies, rows),
                  right = features_of(two, variables, frequencies, rows);
      for (std::size_t j = 0; j < 40; ++j)
        for (std::size_t row = 0; row < tile_rows; ++row) {
          ASSERT_EQ(left.cosine.columns(row, j), right.cosine.columns(row, j));
          ASSERT_EQ(left.minus_sine.columns(row, j), right.minus_sine.columns(row, j));
        }
    }
    for (const bool upper : {false, true}) {
      std::vector<double> left(13 * 11, 0.5), right(13 * 11, 0.5);
      one.gram(a.readable.data(), 13, b.readable.data(), 11, upper, left.data(), 11);
      two.gram(a.readable.data(), 13, b.readable.data(), 11, upper, right.data(), 11);
      for (std::size_t i = 0; i < 13; ++i)
        for (std::size_t j = upper ? i : 0; j < 11; ++j) ASSERT_EQ(left[i * 11 + j], right[i * 11 + j]);
    }
    Tile left = random_tile(2, 15), right = random_tile(2, 15);
    std::vector<double> coefficients(26);
    for (std::size_t c = 0; c < 26; ++c) coefficients[c] = stream.normal(1000 + c);
    one.combine(a.readable.data(), 13, coefficients.data(), 2, left.writable.data());
    two.combine(a.readable.data(), 13, coefficients.data(), 2, right.writable.data());
    for (std::size_t o = 0; o < 2; ++o)
      for (std::size_t row = 0; row < tile_rows; ++row) ASSERT_EQ(left.columns(row, o), right.columns(row, o));
  }
}

}  // namespace
}  // namespace rfnn::features
