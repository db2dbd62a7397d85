#include "rfnn/finders/series/series_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "rfnn/finders/series/tuning.hpp"

namespace rfnn::series {
namespace {

double least_log_smoothing(int order) { return std::log(tuning::least_noise) / (2.0 * order + 2.0); }

/// ln t at the least: of order 0 the process may well be a walk that never returns.
double least_log_scale(int order, const Series& series) {
  return std::log((order == 0 ? tuning::least_scale_of_walks : tuning::least_scale) / series.extent());
}

}  // namespace

FrequencyLaw law_of(const Point& point, double strength) {
  return {{{strength, {0.0}, {std::exp(point.log_scale)}, point.order, {}}}, {}};
}

double noise_of(const Point& point, const Series& series) {
  std::array<double, 9> q{};
  least_squares::MarkovProcess(law_of(point)).noise(series.spacing(), q.data());
  const double share = std::exp((2.0 * point.order + 2.0) * point.log_smoothing);
  const double noise = q[0] * std::max(share, tuning::least_noise);
  return q[0] + noise >= tuning::least_innovation ? noise : -1.0;
}

SeriesSearch::SeriesSearch(const Series& series, Interrupt& interrupt) : series_(series), interrupt_(interrupt) {
  const std::size_t places = series.places(), count = tuning::places_to_compare / tuning::pieces;
  if (places <= tuning::places_to_compare)
    pieces_ = {{0, places}};
  else
    for (std::size_t k = 0; k < tuning::pieces; ++k)
      pieces_.push_back({k * (places - count) / (tuning::pieces - 1), count});
}

bool SeriesSearch::look(const std::vector<Piece>& pieces, Point at, Point& best) {
  const double noise = noise_of(at, series_);
  if (noise < 0.0) return true;
  double squares = 0.0, weights = 0.0;
  for (const Piece& piece : pieces) {
    if (!series_.solve(law_of(at), noise, piece.first, piece.count, interrupt_, solution_)) return false;
    visits_ += piece.count;
    for (const double error : series_.left_out(solution_, noise, piece.first, piece.count)) squares += error * error;
    weights += series_.weight(piece.first, piece.count);
  }
  at.error = squares / (weights * static_cast<double>(series_.outputs()));
  if (at.error < (1.0 - tuning::better) * best.error) best = at;
  return true;
}

/// What reaches farthest and has the least noise comes first: where others are no better, it stays.
bool SeriesSearch::compare(int order, Point& best) {
  const double longest = std::log(static_cast<double>(pieces_.front().count) / tuning::longest_smoothing);
  const double last = std::log(tuning::last_scale / series_.spacing());
  for (double scale = least_log_scale(order, series_); scale < last; scale += std::log(tuning::scale_factor)) {
    if (!look(pieces_, {order, scale, least_log_smoothing(order)}, best)) return false;
    for (double smoothing = std::log(tuning::first_smoothing); smoothing < longest;
         smoothing += std::log(tuning::smoothing_factor))
      if (!look(pieces_, {order, scale, smoothing}, best)) return false;
  }
  return true;
}

/// Along both axes, by steps that are halved where none leads further.
bool SeriesSearch::improve(bool on_all_places, Point& best) {
  const std::vector<Piece> all = {{0, series_.places()}};
  const std::vector<Piece>& pieces = on_all_places ? all : pieces_;
  if (on_all_places) {
    Point again = best;
    again.error = std::numeric_limits<double>::infinity();
    if (!look(pieces, best, again)) return false;
    best = again;
  }
  const double most = std::log(tuning::most_scale / series_.spacing()), least = least_log_scale(best.order, series_);
  constexpr std::array<std::array<double, 2>, 4> ways = {{{-1.0, 0.0}, {1.0, 0.0}, {0.0, -1.0}, {0.0, 1.0}}};
  for (double step = tuning::first_step; step > tuning::last_step; step *= 0.5)
    for (bool moved = true; moved;) {
      const Point from = best;
      for (const auto& way : ways) {
        Point next = from;
        next.log_scale = std::clamp(from.log_scale + way[0] * step, least, most);
        next.log_smoothing = std::max(from.log_smoothing + way[1] * step, least_log_smoothing(from.order));
        const bool elsewhere = next.log_scale != from.log_scale || next.log_smoothing != from.log_smoothing;
        if (elsewhere && !look(pieces, next, best)) return false;
      }
      moved = best.error < from.error;
    }
  return true;
}

}  // namespace rfnn::series
