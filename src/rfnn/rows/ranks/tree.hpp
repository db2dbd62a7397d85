#pragma once

// Private header.

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "rfnn/core/communicator.hpp"
#include "rfnn/core/function_ref.hpp"

namespace rfnn::rows {

/// What a pass makes of some rows: numbers that add up, or why there are none.
struct Partial {
  std::vector<double> numbers;
  std::string failure;
};

/// Adds up over pieces of rows in the order of a binary tree that depends on the number of pieces alone: the bits are
/// the same however many ranks share them. Rank r has the pieces first[r] … first[r + 1] − 1; only sums of whole
/// branches travel, of each rank about twice the logarithm of the number of pieces.
class PieceTree {
 public:
  using Leaf = FunctionRef<Partial(std::size_t piece)>;
  using Join = std::function<void(std::vector<double>& into, const std::vector<double>& from)>;

  PieceTree(Communicator& ranks, std::vector<std::size_t> first) : ranks_(&ranks), first_(std::move(first)) {}

  [[nodiscard]] std::size_t pieces() const { return first_.back(); }
  [[nodiscard]] std::size_t begin() const { return first_[ranks_->rank()]; }
  [[nodiscard]] std::size_t end() const { return first_[ranks_->rank() + 1]; }

  /// Of all ranks at once. `leaf` is asked for the pieces that are here, in their order. The sum over all, on rank 0;
  /// the first failure, where there was one.
  Partial reduce(Leaf leaf, const Join& join) const;

 private:
  Partial branch(std::size_t from, std::size_t to, Leaf leaf, const Join& join) const;
  [[nodiscard]] std::size_t owner(std::size_t piece) const;

  Communicator* ranks_;
  std::vector<std::size_t> first_;
};

/// Numbers added one by one.
void add(std::vector<double>& into, const std::vector<double>& from);

/// Cuts of `rows` rows: pieces of whole tiles, as many as their number says, piece p being [cuts[p], cuts[p + 1]).
std::vector<std::size_t> piece_cuts(std::size_t rows);

/// PieceTree's `first` for so many pieces on so many ranks: as even as can be.
std::vector<std::size_t> pieces_of_ranks(std::size_t pieces, std::size_t ranks);

}  // namespace rfnn::rows
