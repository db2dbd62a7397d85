#include "rfnn/data/split.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "rfnn/core/error.hpp"
#include "rfnn/core/random.hpp"
#include "rfnn/data/row_hash.hpp"

namespace rfnn {
namespace {

/// An integer in [0, bound), each equally likely: the high word of bits × bound, drawn again in the rare case that
/// would favour some.
std::uint64_t bounded(Address address, Purpose purpose, std::uint64_t index, std::uint64_t bound) {
  for (;; ++address.attempt) {
    const std::uint64_t bits = Stream(address, purpose).bits(index);
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(bits) * bound;
    const auto low = static_cast<std::uint64_t>(product);
    if (low >= bound || low >= (0 - bound) % bound) return static_cast<std::uint64_t>(product >> 64);
  }
}

/// The first `count` places of a random permutation of [0, rows), and the rest behind them (Fisher and Yates).
std::vector<std::size_t> shuffled(std::size_t rows, std::size_t count, std::uint64_t seed, std::uint64_t block) {
  std::vector<std::size_t> order(rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = 0; i < count; ++i)
    std::swap(order[i], order[i + bounded({seed, block}, Purpose::block_rows, i, rows - i)]);
  return order;
}

}  // namespace

double held_out_share(const Options& options, std::size_t rows) {
  constexpr double few = 0.25, enough = 100.0, tail = 0.15;
  if (options.holdout != Holdout::random)
    return std::max(options.validation_fraction, options.holdout == Holdout::tail ? tail : 0.0);
  if (options.preset != Preset::automatic || !(options.validation_fraction > 0.0)) return options.validation_fraction;
  return std::max(options.validation_fraction, std::min(few, enough / static_cast<double>(rows)));
}

std::size_t rows_to_hold_out(std::size_t rows, double validation_fraction) {
  if (rows < 2 || !(validation_fraction > 0.0)) return 0;
  const double wanted = std::round(validation_fraction * static_cast<double>(rows));
  return static_cast<std::size_t>(std::clamp(wanted, 1.0, static_cast<double>(rows - 1)));
}

// Every row draws a number that depends on its inputs alone; the smallest are held out. Different rows may share one:
// they then stay together for no reason, which does no harm.
std::vector<std::uint64_t> holdout_draws(const Columns& inputs, std::span<const std::size_t> order,
                                         std::uint64_t seed) {
  const Stream stream(seed, Purpose::split);
  std::vector<std::uint64_t> hashes(inputs.rows(), 0), draws(order.size());
  hash_rows(inputs, hashes);
  for (std::size_t i = 0; i < order.size(); ++i) draws[i] = stream.bits(hashes[order[i]]);
  return draws;
}

// The threshold may belong to a group of equal rows that straddles the wanted size: leave it out or take it in,
// whichever comes nearer, but leave neither side empty.
HoldoutCut holdout_cut(std::uint64_t threshold, std::size_t below, std::size_t up_to, std::size_t rows,
                       std::size_t wanted) {
  return {threshold, up_to < rows && (below == 0 || up_to - wanted < wanted - below)};
}

Split holdout_split(const Columns& inputs, std::span<const std::size_t> order, double validation_fraction,
                    std::uint64_t seed) {
  const std::size_t rows = order.size(), wanted = rows_to_hold_out(rows, validation_fraction);
  Split split;
  if (wanted == 0) {
    split.train.assign(order.begin(), order.end());
    return split;
  }
  const std::vector<std::uint64_t> draws = holdout_draws(inputs, order, seed);
  const std::uint64_t threshold = [&] {
    std::vector<std::uint64_t> sorted = draws;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(wanted);
    std::nth_element(sorted.begin(), middle, sorted.end());
    return *middle;
  }();
  std::size_t below = 0, up_to = 0;
  for (const std::uint64_t draw : draws) {
    below += draw < threshold ? 1 : 0;
    up_to += draw <= threshold ? 1 : 0;
  }
  const HoldoutCut cut = holdout_cut(threshold, below, up_to, rows, wanted);
  split.validation.reserve(cut.inclusive ? up_to : below);
  split.train.reserve(rows - split.validation.capacity());
  for (std::size_t i = 0; i < rows; ++i) (cut.holds_out(draws[i]) ? split.validation : split.train).push_back(order[i]);
  return split;
}

std::vector<std::size_t> some_of(std::size_t count, std::size_t wanted, const Address& address, Purpose purpose) {
  // One by one, each with the probability that makes every subset equally likely: no list of all is needed.
  std::vector<std::size_t> chosen;
  chosen.reserve(std::min(wanted, count));
  for (std::size_t i = 0; chosen.size() < wanted && i < count; ++i)
    if (bounded(address, purpose, i, count - i) < wanted - chosen.size()) chosen.push_back(i);
  return chosen;
}

namespace {

/// Places [begin, end) of the rows in order of an input, which are held out; those from `ignored` on take no part.
struct Stretch {
  std::size_t begin = 0, end = 0, ignored = 0;
};

/// The rows, as listed, on either side of a stretch of places; `place` says where each of them is.
Split divide(std::span<const std::size_t> order, const std::vector<std::size_t>& place, const Stretch& stretch) {
  Split split;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (place[i] >= stretch.ignored) continue;
    const bool held_out = place[i] >= stretch.begin && place[i] < stretch.end;
    (held_out ? split.validation : split.train).push_back(order[i]);
  }
  return split;
}

}  // namespace

std::vector<Split> splits_along(Holdout holdout, const Columns& inputs, std::size_t along,
                                std::span<const std::size_t> order, double share) {
  constexpr std::size_t most = 3;
  constexpr double least_to_train_on = 0.4;
  const std::size_t rows = order.size();
  share = std::max(share, 1.0 / static_cast<double>(std::max<std::size_t>(rows, 1)));
  std::vector<double> values(rows);
  for (std::size_t i = 0; i < rows; ++i) values[i] = inputs[along][order[i]];
  std::vector<std::size_t> by_value(rows), place(rows);
  std::iota(by_value.begin(), by_value.end(), std::size_t{0});
  std::stable_sort(by_value.begin(), by_value.end(),
                   [&](std::size_t i, std::size_t j) { return values[i] < values[j]; });
  for (std::size_t i = 0; i < rows; ++i) place[by_value[i]] = i;
  // The first of the rows at one place.
  const auto cut_at = [&](double part) {
    auto cut = static_cast<std::size_t>(std::round(std::clamp(part, 0.0, 1.0) * static_cast<double>(rows)));
    while (cut > 0 && cut < rows && values[by_value[cut - 1]] == values[by_value[cut]]) --cut;
    return cut;
  };
  std::vector<Split> splits;
  for (std::size_t k = 0; k < most; ++k) {
    const double number = static_cast<double>(k);
    Stretch stretch;
    if (holdout == Holdout::tail) {
      const double end = 1.0 - number * share;
      if (k > 0 && end - share < least_to_train_on) break;
      stretch = {cut_at(end - share), cut_at(end), cut_at(end)};
    } else {
      constexpr double middles[most] = {0.5, 1.0 / 6.0, 5.0 / 6.0};
      stretch = {cut_at(middles[k] - 0.5 * share), cut_at(middles[k] + 0.5 * share), rows};
    }
    Split split = divide(order, place, stretch);
    if (!split.train.empty() && !split.validation.empty()) splits.push_back(std::move(split));
  }
  return splits;
}

std::vector<std::size_t> block_rows(BlockRows mode, double subset_fraction, std::size_t rows, std::int64_t blocks,
                                    std::int64_t block, std::uint64_t seed) {
  std::vector<std::size_t> chosen;
  if (mode == BlockRows::disjoint) {
    const auto parts = static_cast<std::size_t>(blocks);
    if (rows < parts)
      throw UsageError("There are " + std::to_string(rows) + " training rows for " + std::to_string(parts) +
                           " blocks with disjoint rows.",
                       "Lower blocks, or set block-rows to same or subset.");
    // The same permutation for all blocks; the first rows % parts of them get one row more.
    const auto part = static_cast<std::size_t>(block - 1) % parts;
    const std::size_t first = part * (rows / parts) + std::min(part, rows % parts);
    const std::size_t count = rows / parts + (part < rows % parts ? 1 : 0);
    const std::vector<std::size_t> order = shuffled(rows, first + count, seed, 0);
    chosen.assign(order.begin() + static_cast<std::ptrdiff_t>(first),
                  order.begin() + static_cast<std::ptrdiff_t>(first + count));
  } else if (mode == BlockRows::subset && rows > 0) {
    const double wanted = std::round(subset_fraction * static_cast<double>(rows));
    const auto count = static_cast<std::size_t>(std::clamp(wanted, 1.0, static_cast<double>(rows)));
    chosen = shuffled(rows, count, seed, static_cast<std::uint64_t>(block));
    chosen.resize(count);
    chosen.shrink_to_fit();
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

std::vector<std::size_t> proposal_rows(double fraction, std::size_t count, std::vector<std::size_t> rows,
                                       std::int64_t block, std::uint64_t seed) {
  const std::size_t all = rows.empty() ? count : rows.size();
  const auto wanted =
      std::max<std::size_t>(1, static_cast<std::size_t>(std::round(fraction * static_cast<double>(all))));
  if (wanted >= all) return rows;
  std::vector<std::size_t> chosen =
      some_of(all, wanted, {seed, static_cast<std::uint64_t>(block)}, Purpose::proposal_rows);
  if (!rows.empty())
    for (std::size_t& row : chosen) row = rows[row];
  return chosen;
}

}  // namespace rfnn
