#pragma once

// Private header.

#include <cstddef>
#include <cstdint>
#include <string>

#include "rfnn/core/parallel.hpp"
#include "rfnn/rows/ranks/tree.hpp"
#include "rfnn/rows/row_work.hpp"

namespace rfnn::rows {

/// The pieces of spread rows as who asks for passes sees them, wherever they are held: on ranks (PieceHolder), or by
/// tasks of which any may have to be repeated (TaskPieces).
class DistantPieces {
 public:
  virtual ~DistantPieces() = default;
  /// Does what a message asks for on all pieces; the sum over them. Interrupted, it is unspecified.
  virtual Partial call(std::string message, Interrupt& interrupt) = 0;
  /// The number by which messages will know the next rows.
  [[nodiscard]] virtual std::uint64_t next_number() const = 0;
  /// How many rows are known by a number.
  [[nodiscard]] virtual std::size_t rows_of(std::uint64_t number) const = 0;
  /// Work on rows that are here.
  [[nodiscard]] virtual RowWork& work() = 0;
};

}  // namespace rfnn::rows
