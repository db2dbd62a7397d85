#pragma once

// Private header.

#include <cstddef>
#include <cstdint>

#include "rfnn/core/matrix.hpp"

namespace rfnn::sensitivity {

/// Points that fill the unit cube evenly: Sobol's sequence, scrambled. Every replicate is as even, and independent of
/// the others, so that their spread is the error of what is averaged over one. Coordinates beyond the first
/// `most_even` are independent random numbers.
class SobolPoints {
 public:
  static constexpr std::size_t most_even = 64;

  SobolPoints(std::size_t dimensions, std::uint64_t seed) : dimensions_(dimensions), seed_(seed) {}

  /// count × dimensions, in the open interval (0, 1). As even as can be where the count is a power of two.
  [[nodiscard]] Matrix draw(std::size_t count, std::uint64_t replicate) const;

 private:
  std::size_t dimensions_;
  std::uint64_t seed_;
};

}  // namespace rfnn::sensitivity
