#pragma once

// Private header. Pieces that are held by tasks instead of ranks: a task that is lost is done again by another one, and
// nobody waits for anybody else. Each has pieces of its own, one after the other, and returns the sums of the largest
// branches of the tree that it has whole; who asks adds up the rest, in the same order as ranks do.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rfnn/core/communicator.hpp"
#include "rfnn/rows/ranks/distant_pieces.hpp"
#include "rfnn/rows/ranks/pass_log.hpp"
#include "rfnn/rows/ranks/piece_holder.hpp"

namespace rfnn::rows {

struct OneRankOfItsOwn {
  OneRank alone;
};

/// Pieces first … first + pieces.size() − 1, of the rows that are cut as `cuts` says; `scales` as in SpreadRows. What
/// it is told by messages a run of pieces of another task has been told too.
class PieceRun final : private OneRankOfItsOwn, private PieceHolder {
 public:
  PieceRun(std::size_t first, std::vector<RowState> pieces, std::vector<double> scales, std::vector<std::size_t> cuts,
           std::size_t threads);

  /// Does what a message asks for. The sums of branches, in order, as text.
  std::string answer(const std::string& message);

 private:
  Partial reduce(const SpreadRows& rows, PieceTree::Leaf leaf, const PieceTree::Join& join) override;
  [[nodiscard]] std::string name() const override { return "A worker"; }

  std::vector<Partial> sums_;
};

/// Asks tasks for passes.
class TaskPieces final : public DistantPieces {
 public:
  /// What tasks have answered: for pieces [begin, end).
  struct Answer {
    std::size_t begin = 0, end = 0;
    std::string text;
  };
  /// Runs a message on all pieces, in ascending runs of them; false when interrupted.
  using Ask = std::function<bool(const std::string& message, std::vector<Answer>& answers, Interrupt& interrupt)>;

  /// Number 1 are so many rows, with so many outputs, in so many pieces.
  TaskPieces(std::size_t rows, std::size_t pieces, std::size_t outputs, Ask ask, std::size_t threads);

  Partial call(std::string message, Interrupt& interrupt) override;
  [[nodiscard]] std::uint64_t next_number() const override { return next_; }
  [[nodiscard]] std::size_t rows_of(std::uint64_t /*number*/) const override { return rows_; }
  [[nodiscard]] RowWork& work() override { return *work_; }
  /// What makes lost pieces again, as they are before the message that is being run.
  [[nodiscard]] const PassLog& log() const { return log_; }

 private:
  std::size_t rows_, pieces_, outputs_;
  Ask ask_;
  std::unique_ptr<RowWork> work_;
  std::uint64_t next_ = 2;
  PassLog log_;
};

}  // namespace rfnn::rows
