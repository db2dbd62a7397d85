#pragma once

// Private header.

#include <cstddef>
#include <limits>
#include <vector>

#include "rfnn/finders/series/series.hpp"
#include "rfnn/model/law.hpp"

namespace rfnn::series {

/// A law of one part and variance 1, by the numbers that are searched for.
struct Point {
  int order = 0;
  double log_scale = 0.0;                                  ///< ln t
  double log_smoothing = 0.0;                              ///< ln of the smoothing length in spacings
  double error = std::numeric_limits<double>::infinity();  ///< weighted mean square on rows left out
};

FrequencyLaw law_of(const Point& point, double strength = 1.0);

/// σ² over the process's variance: a process of order p is smoothed over l spacings where the noise is l^(2p+2) times
/// what the process does from one place to the next. Negative: there is too little of both for the digits of a sum over
/// centres.
double noise_of(const Point& point, const Series& series);

/// Looks for the scale and the smoothing length of least leave-one-out error, of one order.
class SeriesSearch {
 public:
  SeriesSearch(const Series& series, Interrupt& interrupt);

  /// From a grid, on pieces of the series. False when interrupted; `best` is then what is known.
  bool compare(int order, Point& best);
  /// From there on by steps, on the same pieces or on all places.
  bool improve(bool on_all_places, Point& best);

  [[nodiscard]] bool in_pieces() const { return pieces_.size() > 1; }
  [[nodiscard]] std::size_t visits() const { return visits_; }

 private:
  struct Piece {
    std::size_t first = 0, count = 0;
  };
  bool look(const std::vector<Piece>& pieces, Point at, Point& best);

  const Series& series_;
  Interrupt& interrupt_;
  std::vector<Piece> pieces_;
  least_squares::MarkovSolution solution_;
  std::size_t visits_ = 0;
};

}  // namespace rfnn::series
