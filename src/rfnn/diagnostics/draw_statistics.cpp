#include "rfnn/diagnostics/draw_statistics.hpp"

#include <cmath>

#include "rfnn/diagnostics/chain_statistics.hpp"

namespace rfnn {
namespace {

double square_of(const Matrix& values) {
  double sum = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) sum += values.data()[i] * values.data()[i];
  return sum;
}

double value_of(const Block& block, DrawQuantity quantity) {
  double sum = 0.0;
  std::size_t features = 0;
  for (const Branch& branch : block.branches) {
    sum += square_of(quantity == DrawQuantity::frequency ? branch.frequencies : branch.amplitudes);
    features += branch.width();
  }
  const bool mean = quantity == DrawQuantity::frequency && features > 0;
  return std::sqrt(mean ? sum / static_cast<double>(features) : sum);
}

}  // namespace

Matrix values_of(const ChainDraws& draws, DrawQuantity quantity) {
  if (quantity == DrawQuantity::loss) return draws.loss;
  Matrix values(draws.loss.rows(), draws.loss.cols());
  for (std::size_t k = 0; k < values.rows(); ++k)
    for (std::size_t l = 0; l < values.cols(); ++l) values(k, l) = value_of(draws.networks[k].blocks[l], quantity);
  return values;
}

std::vector<DrawStatistic> draw_statistics(const std::vector<const ChainDraws*>& chains) {
  std::vector<DrawStatistic> statistics;
  if (chains.empty() || chains.front()->empty()) return statistics;
  for (std::size_t l = 0; l < chains.front()->loss.cols(); ++l)
    for (const DrawQuantity quantity : draw_quantities) {
      std::vector<std::vector<double>> values;
      DrawStatistic statistic{.block = l + 1, .quantity = quantity};
      double count = 0.0;
      for (const ChainDraws* const chain : chains) {
        const Matrix all = values_of(*chain, quantity);
        std::vector<double>& of_chain = values.emplace_back();
        for (std::size_t k = 0; k < all.rows(); ++k) of_chain.push_back(all(k, l));
        for (const double value : of_chain) statistic.mean += value;
        count += static_cast<double>(of_chain.size());
      }
      statistic.mean /= count;
      for (const std::vector<double>& chain : values)
        for (const double value : chain) statistic.sd += (value - statistic.mean) * (value - statistic.mean);
      statistic.sd = count > 1.0 ? std::sqrt(statistic.sd / (count - 1.0)) : 0.0;
      statistic.r_hat = split_r_hat(values);
      statistic.samples = effective_samples(values);
      statistics.push_back(statistic);
    }
  return statistics;
}

}  // namespace rfnn
