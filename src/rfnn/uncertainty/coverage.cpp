#include "rfnn/uncertainty/coverage.hpp"

#include <algorithm>
#include <cmath>

namespace rfnn {

CoverageSum::CoverageSum(const ErrorBars& bars, std::size_t outputs) : bars_(bars), sums_(outputs) {
  for (std::size_t o = 0; o < outputs; ++o)
    for (std::size_t c = 0; c < looked_at.size(); ++c) {
      sums_[o].low[c] = bars.quantile(o, 0.5 * (1.0 - looked_at[c]));
      sums_[o].high[c] = bars.quantile(o, 0.5 * (1.0 + looked_at[c]));
    }
}

void CoverageSum::add(ConstMatrixView targets, ConstMatrixView predictions, ConstMatrixView widths,
                      ConstMatrixView weights) {
  rows_ += targets.rows();
  for (std::size_t i = 0; i < targets.rows(); ++i) {
    const double weight = weights.rows() > 0 ? weights(i, 0) : 1.0;
    for (std::size_t o = 0; o < sums_.size(); ++o) {
      const double width = widths(i, o), score = (targets(i, o) - predictions(i, o)) / width;
      if (!std::isfinite(score)) continue;
      Sums& sums = sums_[o];
      for (std::size_t c = 0; c < looked_at.size(); ++c) {
        const double below = std::max(sums.low[c] - score, 0.0), above = std::max(score - sums.high[c], 0.0);
        if (below == 0.0 && above == 0.0) sums.inside[c] += weight;
        sums.score[c] += weight * width * (sums.high[c] - sums.low[c] + 2.0 / (1.0 - looked_at[c]) * (below + above));
      }
      sums.crps += weight * width * bars_.crps(o, score);
      sums.nll += weight * (std::log(width) - bars_.log_density(o, score));
      sums.weight += weight;
    }
  }
}

Coverage CoverageSum::coverage() const {
  Coverage result;
  result.rows = rows_;
  for (const Sums& sums : sums_) {
    for (std::size_t c = 0; c < looked_at.size(); ++c) {
      result.share[c].push_back(sums.inside[c] / sums.weight);
      result.score[c].push_back(sums.score[c] / sums.weight);
    }
    result.crps.push_back(sums.crps / sums.weight);
    result.nll.push_back(sums.nll / sums.weight);
  }
  return result;
}

}  // namespace rfnn
