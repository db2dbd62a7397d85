#include "rfnn/finders/series/series_law.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Core>

#include "rfnn/finders/series/series_search.hpp"
#include "rfnn/finders/series/tuning.hpp"
#include "rfnn/least_squares/dense.hpp"

namespace rfnn::series {
namespace {

/// The best law of each order that comes near the best of all. All orders are looked at before one is made better: what
/// is known when interrupted is then the right order at least. False when interrupted.
bool candidates_of(SeriesSearch& search, const Series& series, std::vector<Point>& points) {
  const auto drop_poor = [&](double factor) {
    double least = std::numeric_limits<double>::infinity();
    for (const Point& point : points) least = std::min(least, point.error);
    std::erase_if(points, [&](const Point& point) { return !(point.error <= factor * least); });
  };
  for (int order = 0; order <= 2; ++order) {
    Point best;
    const bool complete = search.compare(order, best);
    if (std::isfinite(best.error)) points.push_back(best);
    if (!complete) return false;
  }
  drop_poor(tuning::hopeless);
  for (const bool on_all_places : {false, true}) {
    if (on_all_places && (!search.in_pieces() || series.places() > tuning::most_places_to_improve)) break;
    for (Point& point : points)
      if (!search.improve(on_all_places, point)) return false;
    drop_poor(tuning::poor);
  }
  return true;
}

/// A candidate with its strength, and its errors on all rows left out one by one.
struct Candidate {
  SeriesPart part;
  std::vector<double> errors;
  double squares = 0.0;
};

Candidate candidate_of(const Point& point, const Series& series) {
  const double noise = noise_of(point, series);
  Interrupt never;
  least_squares::MarkovSolution solution;
  series.solve(law_of(point), noise, 0, series.places(), never, solution);
  double quadratic = 0.0;
  for (const double one : solution.quadratic) quadratic += one;
  const double strength = quadratic / static_cast<double>(series.places() * series.outputs());
  Candidate made{{law_of(point, strength), strength * noise, 0.0},
                 series.left_out(solution, noise, 0, series.places())};
  for (const double error : made.errors) made.squares += error * error;
  return made;
}

/// Shares of an average, of sum 1: those of the least sum of squares among all subsets where none is negative.
Eigen::VectorXd best_shares(const std::vector<Candidate>& candidates) {
  const auto count = static_cast<Eigen::Index>(candidates.size());
  Eigen::MatrixXd products(count, count);
  for (Eigen::Index i = 0; i < count; ++i)
    for (Eigen::Index j = 0; j < count; ++j) {
      const auto& a = candidates[static_cast<std::size_t>(i)].errors;
      const auto& b = candidates[static_cast<std::size_t>(j)].errors;
      double sum = 0.0;
      for (std::size_t row = 0; row < a.size(); ++row) sum += a[row] * b[row];
      products(i, j) = sum;
    }
  Eigen::VectorXd best = Eigen::VectorXd::Zero(count);
  double least = std::numeric_limits<double>::infinity();
  for (unsigned subset = 1; subset < 1U << count; ++subset) {
    std::vector<Eigen::Index> members;
    for (Eigen::Index i = 0; i < count; ++i)
      if ((subset >> i & 1U) != 0) members.push_back(i);
    const Eigen::MatrixXd own = products(members, members);
    const dense::Cholesky factor(own);
    if (!factor.positive_definite()) continue;
    Eigen::MatrixXd shares = Eigen::MatrixXd::Ones(own.rows(), 1);
    factor.solve_in_place(shares);
    shares /= shares.sum();
    const double squares = (shares.transpose() * own * shares)(0, 0);
    if (!(shares.minCoeff() >= tuning::least_share) || !(squares < least)) continue;
    least = squares;
    best.setZero();
    for (std::size_t i = 0; i < members.size(); ++i) best(members[i]) = shares(static_cast<Eigen::Index>(i), 0);
  }
  return best;
}

/// An average gains surely where the sum of its gains, row by row, is well above its standard deviation: a few rows
/// beside jumps decide nothing.
bool surely_better(const std::vector<Candidate>& candidates, const Eigen::VectorXd& shares, const Candidate& single) {
  double gains = 0.0, squares = 0.0;
  for (std::size_t row = 0; row < single.errors.size(); ++row) {
    double error = 0.0;
    for (std::size_t k = 0; k < candidates.size(); ++k)
      error += shares(static_cast<Eigen::Index>(k)) * candidates[k].errors[row];
    const double gain = single.errors[row] * single.errors[row] - error * error;
    gains += gain;
    squares += gain * gain;
  }
  return gains > tuning::sure * std::sqrt(squares);
}

/// Gives each candidate its share, and the mean square of what they leave together.
double share_out(std::vector<Candidate>& candidates, const Series& series) {
  const auto by_squares = [](const Candidate& a, const Candidate& b) { return a.squares < b.squares; };
  Candidate& single = *std::min_element(candidates.begin(), candidates.end(), by_squares);
  const Eigen::VectorXd shares = best_shares(candidates);
  if (surely_better(candidates, shares, single))
    for (std::size_t k = 0; k < candidates.size(); ++k) candidates[k].part.share = shares(static_cast<Eigen::Index>(k));
  else
    single.part.share = 1.0;
  double squares = 0.0;
  for (std::size_t row = 0; row < single.errors.size(); ++row) {
    double error = 0.0;
    for (const Candidate& one : candidates) error += one.part.share * one.errors[row];
    squares += error * error;
  }
  return squares / (series.weight(0, series.places()) * static_cast<double>(series.outputs()));
}

}  // namespace

std::optional<SeriesLaw> learn_series_law(const Series& series, Interrupt& interrupt) {
  if (series.places() < tuning::fewest_places || !(series.mean_square() > 0.0)) return std::nullopt;
  SeriesSearch search(series, interrupt);
  std::vector<Point> points;
  SeriesLaw learnt;
  learnt.complete = candidates_of(search, series, points);
  learnt.visits = search.visits();
  if (points.empty()) return std::nullopt;
  std::vector<Candidate> candidates;
  for (const Point& point : points) candidates.push_back(candidate_of(point, series));
  learnt.left_out = share_out(candidates, series);
  for (Candidate& one : candidates)
    if (one.part.share > 0.0) learnt.parts.push_back(std::move(one.part));
  return learnt;
}

}  // namespace rfnn::series
