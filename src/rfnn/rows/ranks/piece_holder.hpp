#pragma once

// Private header.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rfnn/core/communicator.hpp"
#include "rfnn/rows/ranks/distant_pieces.hpp"
#include "rfnn/rows/ranks/message.hpp"
#include "rfnn/rows/ranks/pass.hpp"
#include "rfnn/rows/ranks/tree.hpp"
#include "rfnn/rows/row_work.hpp"

namespace rfnn::rows {

/// A rank's pieces of rows that are spread over several ranks, each piece a RowState of its own.
struct SpreadRows {
  std::vector<std::size_t> cuts;   ///< of all rows into pieces
  std::vector<std::size_t> first;  ///< of the pieces onto ranks
  std::vector<RowState> pieces;    ///< those that are here
  /// Mean of the given weights of a piece here over that of all rows: the mean of a piece's own is 1.
  std::vector<double> scales;

  [[nodiscard]] std::size_t rows() const { return cuts.back(); }
};

/// What every rank runs, rank 0 among them: holds the rank's pieces and does on each what a message asks for. What a
/// piece comes to depends on the message and the piece alone; PieceTree adds it up.
class PieceHolder : public DistantPieces {
 public:
  PieceHolder(Communicator& ranks, std::size_t threads);

  [[nodiscard]] Communicator& ranks() { return ranks_; }
  [[nodiscard]] RowWork& work() override { return *work_; }

  /// Of all ranks at once; the number by which messages know these rows.
  std::uint64_t hold(SpreadRows rows);
  /// The number of the next ones, the same on all ranks.
  [[nodiscard]] std::uint64_t next_number() const override { return next_; }
  [[nodiscard]] std::size_t rows_of(std::uint64_t number) const override { return rows_.at(number).rows(); }

  /// Of rank 0: sends the message to all, and runs it.
  Partial call(std::string message, Interrupt& interrupt) override;
  /// Does what a message asks for, on all ranks at once; the sum, on rank 0. Interrupted, it is unspecified.
  Partial run(const std::string& message, Interrupt& interrupt);
  /// All ranks but 0: runs the messages of rank 0 until it has finished. Returns the text it finishes with.
  std::string serve();

 protected:
  /// Adds up over the pieces of these rows, those that are here among them.
  virtual Partial reduce(const SpreadRows& rows, PieceTree::Leaf leaf, const PieceTree::Join& join);
  /// Who holds them, for messages.
  [[nodiscard]] virtual std::string name() const;

 private:
  /// A chain on one piece.
  struct Chain {
    std::unique_ptr<Engine> engine;
    bool idle = false;    ///< none of the block's rows are in this piece
    double weight = 1.0;  ///< mean of the given weights of the block's rows in this piece
    double scale = 1.0;   ///< what its sums are to be multiplied by: that over the mean of all the block's rows
  };
  struct Chains {
    std::uint64_t rows = 0;
    std::vector<BranchShape> branches;
    std::size_t proposed = 0;  ///< columns
    std::vector<Chain> pieces;
  };
  using OnPiece = std::function<Numbers(const RowState& rows)>;
  using OnChain = std::function<Numbers(Chain&)>;

  void change(Pass pass, Reader& in);
  Partial sum(Pass pass, Reader& in, Interrupt& interrupt);
  Partial sum_of_chain(Pass pass, Reader& in, Interrupt& interrupt);
  Partial begin_block(Reader& in);
  Numbers begin_piece(const SpreadRows& rows, std::size_t piece, const std::vector<std::size_t>& chosen,
                      Chains& chains);
  Partial advance(SpreadRows& rows, const Block& block, Interrupt& interrupt);
  Partial over(const SpreadRows& rows, const PieceTree::Join& join,
               const std::function<Numbers(std::size_t)>& on_piece);
  Partial over(const SpreadRows& rows, const OnPiece& on_piece);
  Partial over_chains(Chains& chains, std::size_t numbers, const PieceTree::Join& join, const OnChain& on_chain);

  Communicator& ranks_;
  std::unique_ptr<RowWork> work_;
  std::uint64_t next_ = 1;
  std::map<std::uint64_t, SpreadRows> rows_;
  std::map<std::uint64_t, Chains> chains_;
  std::optional<std::string> finished_;
};

}  // namespace rfnn::rows
