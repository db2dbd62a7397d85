#include "rfnn/finders/wide/chosen_features.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "rfnn/core/random.hpp"
#include "rfnn/finders/wide/drawn_features.hpp"
#include "rfnn/finders/wide/drawn_size.hpp"
#include "rfnn/finders/wide/tuning.hpp"
#include "rfnn/least_squares/dense_cholesky.hpp"

namespace rfnn::wide {

std::optional<std::vector<double>> leverages(const FrequencyLaw& law, double noise, const rows::WideFeatures& features,
                                             std::uint64_t seed, rows::RowWork& work, const rows::RowState& rows,
                                             Interrupt& interrupt) {
  dense::Triangle<double> kernel;
  if (!work.kernel_matrix(rows, law, kernel, interrupt)) return std::nullopt;
  for (std::size_t i = 0; i < rows.count(); ++i)
    kernel(i, i) += noise / rows.weight(i) + tuning::rounding * law.variance();
  if (!dense::factor(kernel, work.workers(), interrupt)) return std::nullopt;
  // E[(aᵀ L⁻ᵀ g)²] = aᵀ (L Lᵀ)⁻¹ a for standard normal g.
  const Stream normals(seed, Purpose::leverage);
  Matrix projections(rows.count(), tuning::projections);
  for (std::size_t i = 0; i < projections.size(); ++i)
    projections.data()[i] = normals.normal(i) / std::sqrt(static_cast<double>(tuning::projections));
  if (!dense::solve_backward(kernel, projections.view(), work.workers(), interrupt)) return std::nullopt;
  rows::TiledColumns columns(rows.count(), tuning::projections);
  for (std::size_t i = 0; i < rows.count(); ++i)
    for (std::size_t c = 0; c < tuning::projections; ++c) columns(i, c) = projections(i, c);
  Matrix products;
  if (!work.adjoint(rows, features, columns, products, interrupt)) return std::nullopt;
  std::vector<double> sums(features.size());
  for (std::size_t i = 0; i < products.rows(); ++i)
    for (std::size_t c = 0; c < products.cols(); ++c) sums[i / 2] += products(i, c) * products(i, c);
  return sums;
}

std::vector<double> inclusion(const std::vector<double>& leverages, std::size_t count) {
  std::vector<double> sorted = leverages;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double below = 0.0;  // of those not certain to be taken
  for (const double leverage : sorted) below += leverage;
  // The largest are taken for certain, as long as the others' share leaves them above 1.
  std::size_t certain = 0;
  while (certain < count && sorted[certain] * static_cast<double>(count - certain) >= below) below -= sorted[certain++];
  const double factor = below > 0.0 ? static_cast<double>(count - certain) / below : 0.0;
  std::vector<double> shares;
  for (const double leverage : leverages)
    shares.push_back(certain > 0 && leverage >= sorted[certain - 1] ? 1.0 : std::min(1.0, factor * leverage));
  return shares;
}

std::optional<rows::WideFeatures> choose_features(const LearntLaw& law, std::size_t count, std::uint64_t seed,
                                                  std::uint64_t member, rows::RowWork& work, const rows::RowState& rows,
                                                  Interrupt& interrupt) {
  const std::size_t pool = drawn_for(count);
  rows::WideFeatures drawn = draw_features(law.law, pool, seed, member);
  if (pool <= count) return drawn;
  const rows::RowState some = rows.some(tuning::leverage_rows, Stream({seed, member}, Purpose::leverage_rows));
  // Some rows tell as much as all if their noise is less by as many.
  const double noise =
      std::max(law.noise, tuning::least_noise) * static_cast<double>(some.count()) / static_cast<double>(rows.count());
  const std::optional<std::vector<double>> known = leverages(law.law, noise, drawn, seed, work, some, interrupt);
  if (!known) return std::nullopt;
  const std::vector<double> shares = inclusion(*known, count);
  rows::WideFeatures chosen{Matrix(count, drawn.frequencies.cols()), std::vector<double>(count)};
  // Systematic: frequency f is taken where the running sum of the shares passes another whole number and a half.
  double sum = 0.0;
  std::size_t taken = 0;
  for (std::size_t f = 0; f < pool && taken < count; ++f) {
    sum += shares[f];
    const bool last = pool - f <= count - taken;
    if (sum < static_cast<double>(taken) + 0.5 && !last) continue;
    for (std::size_t k = 0; k < drawn.frequencies.cols(); ++k) chosen.frequencies(taken, k) = drawn.frequencies(f, k);
    chosen.prior[taken] = drawn.prior[f] / std::sqrt(std::max(shares[f], tuning::least_share));
    ++taken;
  }
  return chosen;
}

}  // namespace rfnn::wide
