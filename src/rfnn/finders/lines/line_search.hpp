#pragma once

// Private header. Trend, lines and background of a series, found together: the strongest line of what is left over its
// surroundings joins, all frequencies move, the background is learnt anew, until nothing stands out any more.

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>

#include "rfnn/core/parallel.hpp"
#include "rfnn/finders/lines/background.hpp"
#include "rfnn/finders/lines/line_fit.hpp"
#include "rfnn/finders/lines/timeline.hpp"
#include "rfnn/rows/row_work.hpp"

namespace rfnn::lines {

struct LineSeries {
  LineModel model;
  Background background;
  double score = 0.0;    ///< the background's loss and what the trend costs
  bool complete = true;  ///< false: interrupted
};

/// Degrees of the trend up to `most_degree` are compared by likelihood, each coefficient at ½ ln N, without lines and
/// with them. Nothing when interrupted before there was anything.
std::optional<LineSeries> find_lines(rows::RowWork& work, const Timeline& timeline, int most_degree,
                                     std::size_t most_lines, Interrupt& interrupt,
                                     const std::function<void(std::string_view)>& tell);

/// The same trend and lines for other rows: frequencies move, and the background is learnt from where it was. Nothing
/// when interrupted.
std::optional<LineSeries> refit_lines(const Timeline& timeline, const LineSeries& found, Interrupt& interrupt);

/// Σ_j of the inverse covariance with what is left: places × outputs. Of backgrounds that wander at places no two of
/// which are the same.
Matrix background_coefficients(const Timeline& timeline, const LineSeries& series);

}  // namespace rfnn::lines
