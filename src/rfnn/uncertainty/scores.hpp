#pragma once

// Private header. The distribution of scores t = (y − ŷ)/s, as it is kept: K numbers, quantiles at k/(K + 1).
//
//   inside    between two of them along a straight line
//   outside   a tail that falls like a power of the distance from the median, |t − median|^(−1/ξ), ξ by Hill's
//             estimator from the outermost tenth on that side, and within bounds; it goes on from the outermost score
//
// With the scores of K rows that are exchangeable with a new one, the new one's score lies below the k-th with
// probability k/(K + 1): so a stated coverage is met in the mean, however few the rows are.

#include <cstddef>
#include <vector>

#include "rfnn/core/matrix.hpp"

namespace rfnn::uncertainty {

/// At most tuning::most_scores quantiles at k/(K + 1) of scores with weights (empty: all alike), which are sorted; of
/// few scores that count alike they are the scores.
std::vector<double> kept_scores(std::vector<double> scores, const std::vector<double>& weights);

/// Student's law.
struct Student {
  double location = 0.0, scale = 1.0, freedom = 1.0;

  [[nodiscard]] double log_density(double score) const;
};

class ScoreDistribution {
 public:
  /// `scores`: ascending, one at the least.
  explicit ScoreDistribution(std::vector<double> scores);

  /// For 0 < p < 1.
  [[nodiscard]] double quantile(double p) const;
  /// Its inverse.
  [[nodiscard]] double probability(double score) const;
  /// What quantiles are made of: the scores, their median, and ξ on either side.
  [[nodiscard]] const std::vector<double>& scores() const { return scores_; }
  [[nodiscard]] double median() const { return median_; }
  [[nodiscard]] double lower_index() const { return lower_index_; }
  [[nodiscard]] double upper_index() const { return upper_index_; }
  /// √ of the mean square of the scores: the standard deviation around the prediction.
  [[nodiscard]] double deviation() const { return deviation_; }
  /// Continuous ranked probability score of the scores as equally likely values: mean |t − t_k| − ½ mean |t_j − t_k|.
  [[nodiscard]] double crps(double score) const;
  /// ln of the density of the Student law that is likeliest for the scores.
  [[nodiscard]] double log_density(double score) const { return student_.log_density(score); }

 private:
  void fit_student();
  [[nodiscard]] double tail_index(bool upper) const;

  std::vector<double> scores_, sums_;  ///< sums of the first k
  double median_ = 0.0, deviation_ = 0.0, half_spread_ = 0.0;
  double lower_index_ = 0.0, upper_index_ = 0.0;  ///< ξ
  Student student_;
};

/// −ln of a density up to a constant: Student's law with 5 degrees of freedom and variance `square`, at an error.
double student_cost(double error, double square);

}  // namespace rfnn::uncertainty
