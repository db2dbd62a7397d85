#pragma once

// Private header.

#include <array>
#include <cstddef>
#include <limits>

#include "rfnn/rows/row_state.hpp"

namespace rfnn::finders {

/// Where the best of several candidates is chosen on held-out rows, its error there is too good. Here each half of the
/// rows is judged by the candidate that the other half would have chosen: every row serves, none chooses for itself.
class Halves {
 public:
  explicit Halves(const rows::RowState& held_out) : rows_(held_out) {}

  /// What a candidate leaves on the rows.
  void consider(const rows::TiledColumns& left) {
    for (std::size_t half = 0; half < 2; ++half) {
      double squares = 0.0;
      for (std::size_t i = half; i < left.rows(); i += 2)
        for (std::size_t o = 0; o < left.columns(); ++o) squares += rows_.weight(i) * left(i, o) * left(i, o);
      if (!(squares < least_[half])) continue;
      least_[half] = squares;
      chosen_[half] = left;
    }
  }

  /// What is left on each row by the choice of the half it does not belong to. Empty without candidates.
  [[nodiscard]] rows::TiledColumns left() const {
    rows::TiledColumns result = chosen_[0];
    for (std::size_t i = 0; i < result.rows(); ++i)
      for (std::size_t o = 0; o < result.columns(); ++o) result(i, o) = chosen_[1 - i % 2](i, o);
    return result;
  }

  template <class Archive>
  friend void fields(Archive& archive, Halves& halves) {
    archive(halves.least_, halves.chosen_);
  }

 private:
  const rows::RowState& rows_;
  std::array<double, 2> least_ = {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  std::array<rows::TiledColumns, 2> chosen_;
};

}  // namespace rfnn::finders
