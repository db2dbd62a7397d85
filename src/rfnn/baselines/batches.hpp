#pragma once

// Private header.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rfnn::baselines {

/// The rows cut into mini-batches, in an order drawn anew for every epoch: each row is in exactly one batch, all
/// batches have `size` rows but the last, which may have fewer.
class Batches {
 public:
  /// In the order of the data.
  Batches(std::size_t rows, std::size_t size);

  /// A permutation that depends on seed and epoch alone, each equally likely.
  void shuffle(std::uint64_t seed, std::int64_t epoch);
  [[nodiscard]] std::size_t count() const { return (order_.size() + size_ - 1) / size_; }
  [[nodiscard]] std::span<const std::size_t> operator[](std::size_t batch) const;

 private:
  std::vector<std::size_t> order_;
  std::size_t size_;
};

}  // namespace rfnn::baselines
