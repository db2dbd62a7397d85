#pragma once

// Private header.

#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rfnn/core/matrix.hpp"
#include "rfnn/rows/ranks/pass.hpp"

namespace rfnn::rows {

/// What one pass of a message asks for, without what it is asked of.
struct Step {
  Pass pass = Pass::sums;
  std::uint64_t number = 0;  ///< of the rows or of the chain; none where the message finishes
  std::string_view bytes;    ///< behind the number
};

/// The passes of a message, in order; a sum is the last one.
std::vector<Step> steps_of(std::string_view message);

/// What makes lost pieces again: the messages so far, without what no longer shows. Who runs them on pieces as they
/// were at first holds what all others hold.
class PassLog {
 public:
  void note(std::string_view message);
  /// Messages to be run one after the other; what they come to is known already.
  [[nodiscard]] std::vector<std::string> messages() const;

 private:
  struct Entry {
    Pass pass = Pass::sums;
    std::uint64_t number = 0;
    std::string bytes;
  };
  /// The frequencies of a chain: of all its moves only where they have led to.
  struct Frequencies {
    std::map<std::uint64_t, Matrix> kept;  ///< by branch
    std::uint64_t proposed_branch = 0;
    std::optional<Matrix> proposed;
  };
  void forget_chain(std::uint64_t number);

  std::list<Entry> entries_;
  std::map<std::uint64_t, Frequencies> chains_;
};

}  // namespace rfnn::rows
