#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string_view>
#include <vector>

namespace rfnn {

/// Insertions, deletions, substitutions and exchanges of neighbours that turn one word into the other.
inline std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, above(b.size() + 1), row(b.size() + 1);
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = above;
    above = row;
  }
  return above.back();
}

/// The word of `words` that `wanted` is most likely a slip of (or the beginning of); empty when none is close.
template <class Words>
std::string_view nearest(std::string_view wanted, const Words& words) {
  constexpr std::size_t longest = 64;  // the distance costs length²: hostile names are not worth it
  if (wanted.empty() || wanted.size() > longest) return {};
  std::string_view best;
  std::size_t best_distance = wanted.size() / 3 + 2;  // what still counts as a slip, plus one
  for (const auto& candidate : words) {
    const std::string_view word = candidate;
    const bool beginning = wanted.size() >= 3 && word.substr(0, wanted.size()) == wanted;
    const std::size_t distance = beginning ? 1 : edit_distance(wanted, word);
    if (distance < best_distance) {
      best = word;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace rfnn
