#include "rfnn/baselines/batches.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "rfnn/core/random.hpp"

namespace rfnn::baselines {

Batches::Batches(std::size_t rows, std::size_t size) : order_(rows), size_(std::min(size, rows)) {
  std::iota(order_.begin(), order_.end(), std::size_t{0});
}

void Batches::shuffle(std::uint64_t seed, std::int64_t epoch) {
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  const Stream stream(seed, Purpose::batches, static_cast<std::uint64_t>(epoch));
  // Fisher and Yates. The high word of bits × choices favours no choice by more than rows / 2⁶⁴.
  for (std::size_t i = 0; i < order_.size(); ++i) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(stream.bits(i)) * (order_.size() - i);
    std::swap(order_[i], order_[i + static_cast<std::size_t>(product >> 64)]);
  }
}

std::span<const std::size_t> Batches::operator[](std::size_t batch) const {
  const std::size_t first = batch * size_;
  return std::span(order_).subspan(first, std::min(size_, order_.size() - first));
}

}  // namespace rfnn::baselines
