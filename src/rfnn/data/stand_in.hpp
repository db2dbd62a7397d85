#pragma once

// Private header. How rows that are to be predicted say which of their numbers only stand in for a cell: they are so
// many steps of rounding off the number that stands in, farther than a measured one that equals it is by rounding.

#include <bit>
#include <cstdint>

namespace rfnn {

/// `learnt`: a missing cell of a column with an indicator, which says so.
enum class StandIn : std::uint8_t { missing, unseen, learnt };

/// Of the first two. It differs from the number by less than 10⁻¹⁴ of it, and from 0 by less than 10⁻³⁰⁰.
inline double marked(double value, StandIn why) {
  constexpr double instead_of_zero = 0x1p-1000;
  constexpr std::uint64_t of_missing = 37, of_unseen = 27;
  const auto bits = std::bit_cast<std::uint64_t>(value == 0.0 ? instead_of_zero : value);
  return std::bit_cast<double>(bits + (why == StandIn::missing ? of_missing : of_unseen));
}

}  // namespace rfnn
