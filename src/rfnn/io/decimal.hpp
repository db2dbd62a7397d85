#pragma once

// Private header: the usual decimal numbers, fast.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

namespace rfnn::io {

/// Bytes that must be readable after the text given to parse_decimal.
inline constexpr std::size_t decimal_slack = 8;

/// Adds the decimal digits at `p` to `digits` (modulo 2^64) and returns where they end.
inline const char* take_digits(const char* p, std::uint64_t& digits) {
  static_assert(std::endian::native == std::endian::little);
  static constexpr std::array<std::uint64_t, 9> power = {1,       10,        100,        1'000,      10'000,
                                                         100'000, 1'000'000, 10'000'000, 100'000'000};
  while (true) {
    // Eight bytes at a time. Digits become 0 to 9; adding 0x76 shows all other bytes in their highest bit, reliably
    // for the first of them (there is no carry from a digit).
    std::uint64_t eight = 0;
    std::memcpy(&eight, p, 8);
    eight ^= 0x3030303030303030U;
    const std::uint64_t others = ((eight + 0x7676767676767676U) | eight) & 0x8080808080808080U;
    const int count = others == 0 ? 8 : std::countr_zero(others) / 8;
    if (count == 0) return p;
    eight <<= static_cast<unsigned>(64 - 8 * count);  // so many zeros in front of the digits
    // Neighbours join to numbers below 100, then four of those to one below 10^8.
    eight = eight * 10 + (eight >> 8U);
    eight = ((eight & 0x000000FF000000FFU) * 0x000F424000000064U +
             ((eight >> 16U) & 0x000000FF000000FFU) * 0x0000271000000001U) >>
            32U;
    digits = digits * power[static_cast<std::size_t>(count)] + eight;
    p += count;
    if (count < 8) return p;
  }
}

/// Reads a decimal number at `p` into the nearest double and returns where it ends; nullptr for forms left to
/// std::from_chars: more than 19 digits, large exponents, words, no number at all. The text must end in a character
/// that belongs to no number (a delimiter, a line end) with decimal_slack readable bytes from there on. With an integer
/// m < 2^64 the number is m · 10^e:
/// 1. m ≤ 2^53, |e| ≤ 22: both are doubles, so that one multiplication or division rounds once, correctly.
/// 2. |e| ≤ 27: both are 80-bit numbers, one operation gives 64 correct bits. Rounding those to 53 is correct too
/// unless
///    the 11 bits dropped say exactly one half (it may be a little more or less): those numbers, 1 in 2048, are left.
inline const char* parse_decimal(const char* p, double& value) {
  const bool negative = *p == '-';
  p += negative ? 1 : 0;
  std::uint64_t digits = 0;
  const char* const first = p;
  p = take_digits(p, digits);
  std::ptrdiff_t count = p - first;
  std::ptrdiff_t exponent = 0;
  if (*p == '.') {
    const char* const point = ++p;
    p = take_digits(p, digits);
    exponent = point - p;
    count += p - point;
  }
  if (count == 0 || count > 19) return nullptr;
  if (*p == 'e' || *p == 'E') {
    const char* q = p + 1;
    const bool below = *q == '-';
    if (*q == '-' || *q == '+') ++q;
    std::uint64_t given = 0;
    p = take_digits(q, given);
    if (p == q || p - q > 4) return nullptr;
    exponent += below ? -static_cast<std::ptrdiff_t>(given) : static_cast<std::ptrdiff_t>(given);
  }

  static constexpr std::array<double, 23> power = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  double magnitude = 0.0;
  if (digits <= std::uint64_t{1} << 53U && exponent >= -22 && exponent <= 22) {
    magnitude = static_cast<double>(digits);
    if (exponent < 0)
      magnitude /= power[static_cast<std::size_t>(-exponent)];
    else
      magnitude *= power[static_cast<std::size_t>(exponent)];
  } else if (std::numeric_limits<long double>::digits == 64 && digits != 0 && exponent >= -27 && exponent <= 27) {
    static constexpr std::array<long double, 28> long_power = {
        1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,  1e10L, 1e11L, 1e12L, 1e13L,
        1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L, 1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};
    auto exact = static_cast<long double>(digits);
    if (exponent < 0)
      exact /= long_power[static_cast<std::size_t>(-exponent)];
    else
      exact *= long_power[static_cast<std::size_t>(exponent)];
    std::uint64_t mantissa = 0;
    std::memcpy(&mantissa, &exact, 8);
    if ((mantissa & 2047U) == 1024U) return nullptr;
    magnitude = static_cast<double>(exact);
  } else {
    return nullptr;
  }
  value = negative ? -magnitude : magnitude;
  return p;
}

}  // namespace rfnn::io
