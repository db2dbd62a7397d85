#include "rfnn/rows/ranks/tree.hpp"

#include <algorithm>
#include <bit>

#include "rfnn/rows/ranks/message.hpp"
#include "rfnn/rows/tiles.hpp"

namespace rfnn::rows {
namespace {

std::string as_message(const Partial& partial) {
  Writer out;
  out.put_text(partial.failure);
  out.put_list(std::span<const double>(partial.numbers));
  return out.take();
}

Partial from_message(const std::string& message) {
  Reader in(message);
  Partial partial;
  partial.failure = in.get_text();
  partial.numbers = in.get_list<double>();
  return partial;
}

}  // namespace

std::size_t PieceTree::owner(std::size_t piece) const {
  return static_cast<std::size_t>(std::upper_bound(first_.begin(), first_.end(), piece) - first_.begin()) - 1;
}

Partial PieceTree::reduce(Leaf leaf, const Join& join) const {
  if (begin() == end()) return {};
  return branch(0, pieces(), leaf, join);
}

// Only ranks that have some of [from, to) come here. The sum of a branch is with who has its first piece.
Partial PieceTree::branch(std::size_t from, std::size_t to, Leaf leaf, const Join& join) const {
  if (to - from == 1) return leaf(from);
  const std::size_t middle = from + std::bit_floor(to - from - 1);
  const std::size_t here = ranks_->rank(), left_owner = owner(from), right_owner = owner(middle);
  Partial left, right;
  if (begin() < middle && end() > from) left = branch(from, middle, leaf, join);
  if (begin() < to && end() > middle) right = branch(middle, to, leaf, join);
  if (left_owner != right_owner) {
    if (here == right_owner) ranks_->send(left_owner, as_message(right));
    if (here == left_owner) right = from_message(ranks_->receive(right_owner));
  }
  if (here != left_owner) return {};
  if (left.failure.empty()) left.failure = std::move(right.failure);
  if (left.failure.empty()) join(left.numbers, right.numbers);
  return left;
}

void add(std::vector<double>& into, const std::vector<double>& from) {
  for (std::size_t i = 0; i < std::min(into.size(), from.size()); ++i) into[i] += from[i];
}

// Enough pieces to share among some ranks, and none so large that as many ranks as there are such pieces could not
// have it; a rule of the number of rows alone.
std::vector<std::size_t> piece_cuts(std::size_t rows) {
  constexpr std::size_t least = 64, largest = std::size_t{1} << 19;
  const std::size_t tiles = TiledColumns::tiles_for(rows);
  const std::size_t wanted = std::max(least, std::bit_ceil((rows + largest - 1) / largest));
  const std::size_t pieces = std::max<std::size_t>(1, std::min(wanted, tiles));
  std::vector<std::size_t> cuts;
  for (std::size_t p = 0; p <= pieces; ++p) cuts.push_back(std::min(rows, p * tiles / pieces * tile_rows));
  return cuts;
}

std::vector<std::size_t> pieces_of_ranks(std::size_t pieces, std::size_t ranks) {
  std::vector<std::size_t> first;
  for (std::size_t r = 0; r <= ranks; ++r) first.push_back((r * pieces + ranks - 1) / ranks);  // rank 0 has the first
  return first;
}

}  // namespace rfnn::rows
