#include "rfnn/training/ranks/rank_statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "rfnn/data/canonical.hpp"
#include "rfnn/training/ranks/agreement.hpp"

namespace rfnn::training {
namespace {

__extension__ using Wide = __int128;

/// A sum of numbers within ±4 in units of 2⁻⁶⁰: exact, whatever the order.
struct WholeSum {
  std::uint64_t low = 0;
  std::int64_t high = 0;

  void add(double term) { add(static_cast<Wide>(std::llround(term * unit))); }
  void add(const WholeSum& other) { add(other.whole()); }
  [[nodiscard]] double value() const { return static_cast<double>(whole()) / unit; }

 private:
  static constexpr double unit = 0x1p60;
  [[nodiscard]] Wide whole() const { return (static_cast<Wide>(high) << 64) + static_cast<Wide>(low); }
  void add(Wide term) {
    const Wide sum = whole() + term;
    low = static_cast<std::uint64_t>(sum);
    high = static_cast<std::int64_t>(sum >> 64);
  }
};

std::vector<WholeSum> of_all(const std::vector<WholeSum>& own, Communicator& ranks) {
  std::vector<WholeSum> sums(own.size());
  for (const auto& each : gather<WholeSum>(ranks, std::span<const WholeSum>(own)))
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k].add(each[k]);
  return sums;
}

template <class Visit>
void for_each_record(const std::vector<const Records*>& lists, std::size_t width, const Visit& visit) {
  for (const Records* list : lists)
    for (const std::vector<double>& some : *list)
      for (std::size_t at = 0; at < some.size(); at += width) visit(some.data() + at);
}

/// Of the columns and, last, of the weights.
std::vector<Extent> extents_of_all(const std::vector<const Records*>& records, const RecordShape& shape,
                                   Communicator& ranks) {
  std::vector<Extent> extents(shape.columns() + 1);
  for_each_record(records, shape.width(), [&](const double* record) {
    for (std::size_t k = 0; k <= shape.columns(); ++k) extents[k].take(record[k]);
  });
  for (const auto& each : gather<Extent>(ranks, std::span<const Extent>(extents)))
    for (std::size_t k = 0; k < extents.size(); ++k) {
      extents[k].low = std::min(extents[k].low, each[k].low);
      extents[k].high = std::max(extents[k].high, each[k].high);
    }
  return extents;
}

}  // namespace

std::vector<ColumnStatistics> statistics_of_all(const std::vector<const Records*>& records, const RecordShape& shape,
                                                Communicator& ranks) {
  constexpr double constant_below = 16.0 * std::numeric_limits<double>::epsilon();
  const std::size_t columns = shape.columns();
  const std::vector<Extent> extents = extents_of_all(records, shape, ranks);
  const double heaviest = extents[columns].high;
  // Every column in units of its half range around its middle, every weight in units of the largest.
  std::vector<double> centre(columns), half(columns), mean(columns, 0.0);
  for (std::size_t k = 0; k < columns; ++k) {
    centre[k] = 0.5 * extents[k].low + 0.5 * extents[k].high;
    half[k] = 0.5 * extents[k].high - 0.5 * extents[k].low;
  }
  const auto unit = [&](const double* record, std::size_t k) {
    return half[k] > 0.0 ? (record[k] - centre[k]) / half[k] - mean[k] : 0.0;
  };
  std::vector<WholeSum> sums(columns + 1), squares(columns);
  for_each_record(records, shape.width(), [&](const double* record) {
    const double weight = record[shape.weight()] / heaviest;
    for (std::size_t k = 0; k < columns; ++k) sums[k].add(weight * unit(record, k));
    sums[columns].add(weight);
  });
  sums = of_all(sums, ranks);
  const double n = sums[columns].value();
  for (std::size_t k = 0; k < columns; ++k) mean[k] = sums[k].value() / n;
  for_each_record(records, shape.width(), [&](const double* record) {
    const double weight = record[shape.weight()] / heaviest;
    for (std::size_t k = 0; k < columns; ++k) {
      const double deviation = unit(record, k);
      squares[k].add(weight * (deviation * deviation));
    }
  });
  squares = of_all(squares, ranks);
  std::vector<ColumnStatistics> all(columns);
  for (std::size_t k = 0; k < columns; ++k) {
    ColumnStatistics& s = all[k];
    s.min = extents[k].low;
    s.max = extents[k].high;
    s.mean = half[k] > 0.0 ? std::clamp(centre[k] + half[k] * mean[k], s.min, s.max) : s.min;
    s.sd = half[k] * std::sqrt(squares[k].value() / n);
    s.constant = s.max - s.min <= constant_below * std::max(std::abs(s.min), std::abs(s.max));
  }
  return all;
}

// Byte by byte from the highest: how many of the draws that begin as the one looked for have which byte next.
DrawPlace place_of(const std::vector<std::vector<std::uint64_t>>& draws, std::uint64_t wanted, Communicator& ranks) {
  DrawPlace place;
  for (int shift = 56; shift >= 0; shift -= 8) {
    std::array<std::uint64_t, 256> counts{};
    for (const auto& some : draws)
      for (const std::uint64_t draw : some)
        if (shift == 56 || (draw >> (shift + 8)) == (place.draw >> (shift + 8))) ++counts[(draw >> shift) & 255U];
    std::array<std::uint64_t, 256> all{};
    for (const auto& each : gather<std::uint64_t>(ranks, std::span<const std::uint64_t>(counts)))
      for (std::size_t byte = 0; byte < all.size(); ++byte) all[byte] += each[byte];
    std::uint64_t byte = 0;
    while (place.below + all[byte] <= wanted) place.below += all[byte++];
    place.draw |= byte << shift;
    place.up_to = place.below + all[byte];
  }
  return place;
}

}  // namespace rfnn::training
