#pragma once

// Private header. The fingerprint of a table (data/dataset.hpp) whose rows come one part after the other.

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "rfnn/data/columns.hpp"

namespace rfnn {

class Fingerprint {
 public:
  Fingerprint();
  /// Goes on where another one, maybe in another process, has got to.
  explicit Fingerprint(std::string_view state);

  /// Columns begin, of so many rows in all.
  void begin(std::size_t rows, std::size_t columns);
  /// The next rows of them.
  void add(const Columns& columns);

  [[nodiscard]] std::string state() const;
  [[nodiscard]] std::string text() const;

 private:
  struct State;
  struct Free {
    void operator()(State* state) const;
  };
  std::unique_ptr<State, Free> state_;
};

}  // namespace rfnn
