#pragma once

#include <optional>
#include <string>

#include "rfnn/core/export.hpp"

namespace rfnn {

/// Pieces of the work of a long run under addresses, so that a run that was ended need not do again what it had done.
/// An address says what the piece is, not when it was made. Its bytes are the business of who makes it. A piece that
/// takes long may note where it stands. Called from several threads at a time.
class RFNN_API Journal {
 public:
  virtual ~Journal() = default;
  /// Bytes of the piece; nothing: it has still to be made.
  virtual std::optional<std::string> find(const std::string& address) = 0;
  /// The piece is done. Where it stood is forgotten.
  virtual void keep(const std::string& address, std::string bytes) = 0;
  /// Is it time for a piece that is being made to note where it stands?
  virtual bool due(const std::string& address) = 0;
  /// Where a piece stands, in place of an earlier note.
  virtual void note(const std::string& address, std::string bytes) = 0;
  /// The last note of a piece that is not done; nothing: it has to begin anew.
  virtual std::optional<std::string> noted(const std::string& address) = 0;
};

}  // namespace rfnn
