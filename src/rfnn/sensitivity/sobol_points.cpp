#include "rfnn/sensitivity/sobol_points.hpp"

#include <array>
#include <bit>

namespace rfnn::sensitivity {
namespace {

constexpr std::size_t bits = 32;

/// A primitive polynomial, its coefficients as bits, and the first direction numbers, as many as its degree.
struct Direction {
  unsigned polynomial;
  std::array<unsigned, 9> numbers;
};

// Dimensions from 2 on: Joe and Kuo's (2008), chosen so that any two dimensions are filled evenly.
constexpr std::array<Direction, SobolPoints::most_even - 1> directions = {{
    {3, {1}},
    {7, {1, 3}},
    {11, {1, 3, 1}},
    {13, {1, 1, 1}},
    {19, {1, 1, 3, 3}},
    {25, {1, 3, 5, 13}},
    {37, {1, 1, 5, 5, 17}},
    {41, {1, 1, 5, 5, 5}},
    {47, {1, 1, 7, 11, 19}},
    {55, {1, 1, 5, 1, 1}},
    {59, {1, 1, 1, 3, 11}},
    {61, {1, 3, 5, 5, 31}},
    {67, {1, 3, 3, 9, 7, 49}},
    {91, {1, 1, 1, 15, 21, 21}},
    {97, {1, 3, 1, 13, 27, 49}},
    {103, {1, 1, 1, 15, 7, 5}},
    {109, {1, 3, 1, 15, 13, 25}},
    {115, {1, 1, 5, 5, 19, 61}},
    {131, {1, 3, 7, 11, 23, 15, 103}},
    {137, {1, 3, 7, 13, 13, 15, 69}},
    {143, {1, 1, 3, 13, 7, 35, 63}},
    {145, {1, 3, 5, 9, 1, 25, 53}},
    {157, {1, 3, 1, 13, 9, 35, 107}},
    {167, {1, 3, 1, 5, 27, 61, 31}},
    {171, {1, 1, 5, 11, 19, 41, 61}},
    {185, {1, 3, 5, 3, 3, 13, 69}},
    {191, {1, 1, 7, 13, 1, 19, 1}},
    {193, {1, 3, 7, 5, 13, 19, 59}},
    {203, {1, 1, 3, 9, 25, 29, 41}},
    {211, {1, 3, 5, 13, 23, 1, 55}},
    {213, {1, 3, 7, 3, 13, 59, 17}},
    {229, {1, 3, 1, 3, 5, 53, 69}},
    {239, {1, 1, 5, 5, 23, 33, 13}},
    {241, {1, 1, 7, 7, 1, 61, 123}},
    {247, {1, 1, 7, 9, 13, 61, 49}},
    {253, {1, 3, 3, 5, 3, 55, 33}},
    {285, {1, 3, 1, 15, 31, 13, 49, 245}},
    {299, {1, 3, 5, 15, 31, 59, 63, 97}},
    {301, {1, 3, 1, 11, 11, 11, 77, 249}},
    {333, {1, 3, 1, 11, 27, 43, 71, 9}},
    {351, {1, 1, 7, 15, 21, 11, 81, 45}},
    {355, {1, 3, 7, 3, 25, 31, 65, 79}},
    {357, {1, 3, 1, 1, 19, 11, 3, 205}},
    {361, {1, 1, 5, 9, 19, 21, 29, 157}},
    {369, {1, 3, 7, 11, 1, 33, 89, 185}},
    {391, {1, 3, 3, 3, 15, 9, 79, 71}},
    {397, {1, 3, 7, 11, 15, 39, 119, 27}},
    {425, {1, 1, 3, 1, 11, 31, 97, 225}},
    {451, {1, 1, 1, 3, 23, 43, 57, 177}},
    {463, {1, 3, 7, 7, 17, 17, 37, 71}},
    {487, {1, 3, 1, 5, 27, 63, 123, 213}},
    {501, {1, 1, 3, 5, 11, 43, 53, 133}},
    {529, {1, 3, 5, 5, 29, 17, 47, 173, 479}},
    {539, {1, 3, 3, 11, 3, 1, 109, 9, 69}},
    {545, {1, 1, 1, 5, 17, 39, 23, 5, 343}},
    {557, {1, 3, 1, 5, 25, 15, 31, 103, 499}},
    {563, {1, 1, 1, 11, 11, 17, 63, 105, 183}},
    {601, {1, 1, 5, 11, 9, 29, 97, 231, 363}},
    {607, {1, 1, 5, 15, 19, 45, 41, 7, 383}},
    {617, {1, 3, 7, 7, 31, 19, 83, 137, 221}},
    {623, {1, 1, 1, 3, 23, 15, 111, 223, 83}},
    {631, {1, 1, 5, 13, 31, 15, 55, 25, 161}},
    {637, {1, 1, 3, 13, 25, 47, 39, 87, 257}},
}};

using Columns = std::array<std::uint32_t, bits>;

/// What each bit of a point's number adds to a coordinate.
Columns columns_of(std::size_t dimension) {
  Columns v{};
  if (dimension == 0) {
    for (std::size_t i = 0; i < bits; ++i) v[i] = 1U << (bits - 1 - i);
    return v;
  }
  const Direction& direction = directions[dimension - 1];
  const auto degree = static_cast<std::size_t>(std::bit_width(direction.polynomial)) - 1;
  for (std::size_t i = 0; i < bits; ++i) {
    if (i < degree) {
      v[i] = direction.numbers[i] << (bits - 1 - i);
      continue;
    }
    v[i] = v[i - degree] ^ (v[i - degree] >> degree);
    for (std::size_t k = 1; k < degree; ++k)
      if ((direction.polynomial >> (degree - k)) & 1U) v[i] ^= v[i - k];
  }
  return v;
}

std::uint32_t reversed(std::uint32_t x) {
  std::uint32_t y = 0;
  for (std::size_t i = 0; i < bits; ++i, x >>= 1U) y = y << 1U | (x & 1U);
  return y;
}

/// Mixes numbers well enough that neighbours have nothing in common (SplitMix64).
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31U);
}

/// Owen's scrambling: whether a bit is turned over depends on all bits above it. Of the number reversed that is a
/// function in which higher bits depend on lower ones (Laine and Karras 2011, Burley 2020).
std::uint32_t scrambled(std::uint32_t x, std::uint32_t key) {
  x = reversed(x) + key;
  x ^= x * 0x6c50b47cU;
  x ^= x * 0xb82f1e52U;
  x ^= x * 0xc7afe638U;
  x ^= x * 0x8d22f6e6U;
  return reversed(x);
}

double as_fraction(std::uint32_t x) { return (static_cast<double>(x) + 0.5) * 0x1p-32; }

}  // namespace

Matrix SobolPoints::draw(std::size_t count, std::uint64_t replicate) const {
  Matrix points(count, dimensions_);
  for (std::size_t d = 0; d < dimensions_; ++d) {
    const std::uint64_t key = mixed(mixed(mixed(seed_) ^ replicate) ^ d);
    if (d >= most_even) {
      for (std::size_t i = 0; i < count; ++i)
        points(i, d) = as_fraction(static_cast<std::uint32_t>(mixed(key ^ i) >> 32U));
      continue;
    }
    const Columns columns = columns_of(d);
    for (std::size_t i = 0; i < count; ++i) {
      std::uint32_t x = 0;
      for (std::size_t bit = 0; bit < bits && (i >> bit) != 0; ++bit)
        if ((i >> bit) & 1U) x ^= columns[bit];
      points(i, d) = as_fraction(scrambled(x, static_cast<std::uint32_t>(key)));
    }
  }
  return points;
}

}  // namespace rfnn::sensitivity
