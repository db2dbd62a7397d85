#pragma once

#include <cstdint>

namespace rfnn {

/// What random numbers are drawn for; streams of different purposes are independent.
enum class Purpose : std::uint32_t {
  initial,
  proposal,
  acceptance,
  split,
  block_rows,
  data,
  noise,
  amplitudes,
  batches,
  report,
  proposal_rows
};

/// Counter-based random numbers (Philox 4×64, ten rounds): each value is a pure function of (seed, purpose, a, b,
/// index), so no draw depends on the order in which others are made or on the thread that makes it.
class Stream {
 public:
  Stream(std::uint64_t seed, Purpose purpose, std::uint64_t a = 0, std::uint64_t b = 0)
      : seed_(seed), purpose_(static_cast<std::uint64_t>(purpose)), a_(a), b_(b) {}

  [[nodiscard]] std::uint64_t bits(std::uint64_t index) const;
  /// Uniform in the open interval (0, 1).
  [[nodiscard]] double uniform(std::uint64_t index) const;
  /// Standard normal (Box–Muller on the two halves of one counter value).
  [[nodiscard]] double normal(std::uint64_t index) const;

 private:
  std::uint64_t seed_, purpose_, a_, b_;
};

}  // namespace rfnn
