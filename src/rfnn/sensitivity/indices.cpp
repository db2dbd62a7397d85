#include "rfnn/sensitivity/indices.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "rfnn/core/error.hpp"
#include "rfnn/rows/predict.hpp"
#include "rfnn/sensitivity/sobol_points.hpp"

namespace rfnn {
namespace {

/// Predictions without `samples` given: seconds for most models. And the points of a replicate they make.
constexpr double usual_evaluations = 1'000'000.0;
constexpr std::size_t fewest_samples = 128, most_samples = 8192;
/// Main effects: values of a factor, and points of all replicates that the mean is taken over.
constexpr std::size_t effect_values = 41, effect_points = 512;
/// Energy by scale: predictions per factor, and places along a line at most; the fewer factors, the longer the lines.
constexpr std::size_t scale_evaluations = 32768, longest_line = 1024, shortest_line = 128;

/// The model at points of the factors.
class Sampler {
 public:
  Sampler(const Model& model, const std::vector<Factor>& factors, const SensitivityOptions& options)
      : model_(model), factors_(factors), options_(options), predictor_(model, options.threads) {
    for (std::size_t f = 0; f < factors.size(); ++f) {
      const Factor& factor = factors[f];
      const bool sound = !factor.continuous() || !factor.used ||
                         (factor.spread == Spread::normal    ? std::isfinite(factor.mean) && factor.sd >= 0.0
                          : factor.spread == Spread::uniform ? std::isfinite(factor.high - factor.low)
                                                             : !factor.values.empty());
      if (!sound)
        throw UsageError("The input " + factor.name + " has no values to draw.",
                         "Give it a finite range, a mean and a standard deviation, or values.");
      if (factor.varies()) varying_.push_back(f);
    }
  }

  [[nodiscard]] const std::vector<std::size_t>& varying() const { return varying_; }
  [[nodiscard]] std::size_t evaluations() const { return evaluations_; }

  /// Values of the varying factors, in columns from `first` on, as rows of the model's inputs.
  [[nodiscard]] Matrix rows_of(const Matrix& points, std::size_t first) const {
    Matrix rows(points.rows(), model_.input_count());
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      double* const row = rows.data() + i * rows.cols();
      for (const Factor& factor : factors_) factor.put(factor.at(0.5), row);
      for (std::size_t j = 0; j < varying_.size(); ++j) {
        const Factor& factor = factors_[varying_[j]];
        factor.put(factor.at(points(i, first + j)), row);
      }
    }
    return rows;
  }

  /// `rows` with the inputs of a varying factor from `others`.
  [[nodiscard]] Matrix mixed(const Matrix& rows, const Matrix& others, std::size_t j) const {
    const Factor& factor = factors_[varying_[j]];
    Matrix all = rows;
    for (std::size_t i = 0; i < all.rows(); ++i)
      for (std::size_t k = factor.first; k < factor.first + factor.inputs; ++k) all(i, k) = others(i, k);
    return all;
  }

  /// Outputs minus their training means, so that nothing large cancels. False when ended.
  bool evaluate(const Matrix& rows, Matrix& outputs) {
    outputs = Matrix(rows.rows(), model_.outputs());
    evaluations_ += rows.rows();
    if (!predictor_.predict(rows.view(), outputs.view(), {.threads = options_.threads, .proceed = options_.proceed}))
      return false;
    for (std::size_t i = 0; i < rows.rows(); ++i)
      for (std::size_t o = 0; o < outputs.cols(); ++o) outputs(i, o) -= model_.targets[o].mean;
    return true;
  }

 private:
  const Model& model_;
  const std::vector<Factor>& factors_;
  const SensitivityOptions& options_;
  Predictor predictor_;
  std::vector<std::size_t> varying_;
  std::size_t evaluations_ = 0;
};

/// The mean of the ratios' numerators over that of their denominators, with the standard error by the delta method.
Estimate ratio_of(const std::vector<double>& over, const std::vector<double>& under) {
  const auto count = static_cast<double>(over.size());
  double a = 0.0, b = 0.0;
  for (std::size_t r = 0; r < over.size(); ++r) {
    a += over[r] / count;
    b += under[r] / count;
  }
  if (!(b > 0.0)) return {};
  Estimate ratio{a / b, 0.0};
  double squares = 0.0;
  for (std::size_t r = 0; r < over.size(); ++r) {
    const double left = over[r] - ratio.value * under[r];
    squares += left * left;
  }
  ratio.standard_error = std::sqrt(squares / (count * std::max(count - 1.0, 1.0))) / b;
  return ratio;
}

/// The sums of one replicate and output.
struct Sums {
  double mean = 0.0, variance = 0.0;
  std::vector<double> first, total, pairs;  ///< numerators: per varying factor, per pair of them
};

/// Outputs at A and B, and where each varying factor is exchanged: `ab` is A with a column of B, `ba` the reverse.
struct Crossed {
  Matrix a, b;
  std::vector<Matrix> ab, ba;
};

bool evaluate(Sampler& sampler, const Matrix& points, Crossed& at) {
  const std::size_t count = sampler.varying().size();
  const Matrix a = sampler.rows_of(points, 0), b = sampler.rows_of(points, count);
  at.ab.resize(count);
  at.ba.resize(count);
  bool going = sampler.evaluate(a, at.a) && sampler.evaluate(b, at.b);
  for (std::size_t j = 0; j < count && going; ++j)
    going = sampler.evaluate(sampler.mixed(a, b, j), at.ab[j]) && sampler.evaluate(sampler.mixed(b, a, j), at.ba[j]);
  return going;
}

Sums sums_of(const Crossed& at, std::size_t o) {
  const std::size_t rows = at.a.rows(), count = at.ab.size();
  const auto n = static_cast<double>(rows);
  Sums sums;
  for (std::size_t i = 0; i < rows; ++i) sums.mean += (at.a(i, o) + at.b(i, o)) / (2.0 * n);
  sums.first.resize(count);
  sums.total.resize(count);
  sums.pairs.resize(count * (count - (count > 0 ? 1 : 0)) / 2);
  for (std::size_t i = 0; i < rows; ++i) {
    const double a = at.a(i, o) - sums.mean, b = at.b(i, o) - sums.mean;
    sums.variance += (a * a + b * b) / (2.0 * n);
    std::size_t pair = 0;
    for (std::size_t j = 0; j < count; ++j) {
      const double ab = at.ab[j](i, o) - sums.mean, ba = at.ba[j](i, o) - sums.mean;
      sums.first[j] += (b * (ab - a) + a * (ba - b)) / (2.0 * n);
      sums.total[j] += ((a - ab) * (a - ab) + (b - ba) * (b - ba)) / (4.0 * n);
      // BA_j and AB_k have columns j and k in common, AB_j and BA_k as well; A and B none.
      for (std::size_t k = j + 1; k < count; ++k, ++pair) {
        const double other_ab = at.ab[k](i, o) - sums.mean, other_ba = at.ba[k](i, o) - sums.mean;
        sums.pairs[pair] += (ba * other_ab + ab * other_ba - 2.0 * a * b) / (2.0 * n);
      }
    }
  }
  return sums;
}

VarianceShares shares_of(const std::vector<Sums>& sums, const std::vector<std::size_t>& varying, std::size_t factors) {
  VarianceShares shares;
  shares.first.resize(factors);
  shares.total.resize(factors);
  std::vector<double> variances, over(sums.size());
  for (const Sums& each : sums) {
    shares.mean += each.mean / static_cast<double>(sums.size());
    shares.variance += each.variance / static_cast<double>(sums.size());
    variances.push_back(each.variance);
  }
  const auto ratio = [&](const auto& numerator) {
    for (std::size_t r = 0; r < sums.size(); ++r) over[r] = numerator(sums[r]);
    return ratio_of(over, variances);
  };
  std::size_t pair = 0;
  for (std::size_t j = 0; j < varying.size(); ++j) {
    shares.first[varying[j]] = ratio([&](const Sums& each) { return each.first[j]; });
    shares.total[varying[j]] = ratio([&](const Sums& each) { return each.total[j]; });
    for (std::size_t k = j + 1; k < varying.size(); ++k, ++pair)
      shares.pairs.push_back({varying[j], varying[k], ratio([&](const Sums& each) {
                                return each.pairs[pair] - each.first[j] - each.first[k];
                              })});
  }
  return shares;
}

std::size_t samples_for(const SensitivityOptions& options, std::size_t varying) {
  if (options.samples > 0) return std::bit_ceil(options.samples);
  const double each = static_cast<double>(options.replicates) * static_cast<double>(2 * varying + 2);
  const auto wanted = static_cast<std::size_t>(usual_evaluations / each);
  return std::clamp(std::bit_floor(std::max<std::size_t>(wanted, 1)), fewest_samples, most_samples);
}

/// What is looked at along lines takes `most` of them in all, or `samples` where these are fewer: so many a replicate.
std::size_t lines_for(const SensitivityOptions& options, std::size_t most) {
  const std::size_t all = options.samples > 0 ? std::min(options.samples, most) : most;
  return std::bit_ceil(std::max<std::size_t>(all / options.replicates, 1));
}

/// The same with at least two replicates.
SensitivityOptions sound(SensitivityOptions options) {
  options.replicates = std::max<std::size_t>(options.replicates, 2);
  return options;
}

Estimate mean_of(const std::vector<double>& values) {
  return ratio_of(values, std::vector<double>(values.size(), 1.0));
}

/// Where main effects are looked at.
std::vector<double> values_along(const Factor& factor) {
  std::vector<double> values;
  for (std::size_t level = 0; level < factor.shares.size() && !factor.continuous(); ++level)
    if (factor.shares[level] > 0.0) values.push_back(static_cast<double>(level));
  for (std::size_t i = 0; i < effect_values && factor.continuous(); ++i) {
    const double u = static_cast<double>(i) / static_cast<double>(effect_values - 1);
    const double value =
        factor.spread == Spread::uniform ? factor.low + u * (factor.high - factor.low) : factor.at(0.005 + 0.99 * u);
    if (values.empty() || value > values.back()) values.push_back(value);
  }
  return values;
}

/// Σ_n f_n cos(πk(n + ½)/N) of every k from 1 on, squared, in octaves of k: shares of the mean of the squares.
std::vector<double> octaves_of(const std::vector<double>& f) {
  const std::size_t count = f.size();
  const auto n = static_cast<double>(count);
  std::vector<double> octaves(static_cast<std::size_t>(std::bit_width(count - 1)), 0.0);
  // cos of whole multiples of π/2N from one table.
  std::vector<double> cosine(4 * count);
  for (std::size_t i = 0; i < cosine.size(); ++i)
    cosine[i] = std::cos(std::numbers::pi * static_cast<double>(i) / (2.0 * n));
  for (std::size_t k = 1; k < count; ++k) {
    double sum = 0.0;
    for (std::size_t i = 0; i < count; ++i) sum += f[i] * cosine[k * (2 * i + 1) % (4 * count)];
    octaves[static_cast<std::size_t>(std::bit_width(k)) - 1] += 2.0 * sum * sum / (n * n);
  }
  return octaves;
}

}  // namespace

SensitivityIndices sensitivity_indices(const Model& model, const std::vector<Factor>& factors,
                                       const SensitivityOptions& wanted) {
  const SensitivityOptions options = sound(wanted);
  Sampler sampler(model, factors, options);
  const std::size_t varying = sampler.varying().size(), samples = samples_for(options, varying);
  const sensitivity::SobolPoints points(2 * varying, options.seed);
  std::vector<std::vector<Sums>> sums(model.outputs());
  SensitivityIndices indices;
  for (std::size_t r = 0; r < options.replicates; ++r) {
    Crossed at;
    if (!evaluate(sampler, points.draw(samples, r), at)) {
      indices.complete = false;
      return indices;
    }
    for (std::size_t o = 0; o < sums.size(); ++o) sums[o].push_back(sums_of(at, o));
  }
  for (std::size_t o = 0; o < sums.size(); ++o) {
    indices.outputs.push_back(shares_of(sums[o], sampler.varying(), factors.size()));
    indices.outputs.back().mean += model.targets[o].mean;
  }
  indices.evaluations = sampler.evaluations();
  return indices;
}

std::vector<MainEffect> main_effects(const Model& model, const std::vector<Factor>& factors,
                                     const SensitivityOptions& wanted) {
  const SensitivityOptions options = sound(wanted);
  Sampler sampler(model, factors, options);
  const std::size_t outputs = model.outputs(), count = lines_for(options, effect_points);
  const sensitivity::SobolPoints points(sampler.varying().size(), options.seed + 1);
  std::vector<MainEffect> effects(factors.size());
  for (const std::size_t f : sampler.varying()) {
    MainEffect& effect = effects[f];
    effect.values = values_along(factors[f]);
    const std::size_t places = effect.values.size();
    std::vector<std::vector<double>> means(places * outputs);  // per replicate
    for (std::size_t r = 0; r < options.replicates; ++r) {
      const Matrix base = sampler.rows_of(points.draw(count, r), 0);
      Matrix rows(count * places, model.input_count()), found, at_base;
      for (std::size_t i = 0; i < rows.rows(); ++i) {
        double* const row = rows.data() + i * rows.cols();
        std::copy_n(base.data() + (i / places) * base.cols(), base.cols(), row);
        factors[f].put(effect.values[i % places], row);
      }
      if (!sampler.evaluate(rows, found) || !sampler.evaluate(base, at_base)) return {factors.size(), MainEffect{}};
      for (std::size_t o = 0; o < outputs; ++o)
        for (std::size_t v = 0; v < places; ++v) {
          double mean = 0.0;
          for (std::size_t i = 0; i < count; ++i)
            mean += (found(i * places + v, o) - at_base(i, o)) / static_cast<double>(count);
          means[v * outputs + o].push_back(mean);
        }
    }
    effect.effect = effect.standard_error = Matrix(places, outputs);
    for (std::size_t c = 0; c < means.size(); ++c) {
      const Estimate estimate = mean_of(means[c]);
      effect.effect.data()[c] = estimate.value;
      effect.standard_error.data()[c] = estimate.standard_error;
    }
  }
  return effects;
}

std::vector<ScaleEnergy> energy_by_scale(const Model& model, const std::vector<Factor>& factors,
                                         const SensitivityIndices& indices, const SensitivityOptions& wanted) {
  const SensitivityOptions options = sound(wanted);
  Sampler sampler(model, factors, options);
  const std::size_t outputs = model.outputs(), varying = sampler.varying().size();
  const std::size_t along = varying == 1 ? longest_line : varying == 2 ? longest_line / 2 : shortest_line;
  const std::size_t lines = lines_for(options, scale_evaluations / along);
  const sensitivity::SobolPoints points(varying, options.seed + 2);
  std::vector<ScaleEnergy> energies(factors.size());
  for (const std::size_t f : sampler.varying()) {
    if (!factors[f].continuous()) continue;
    ScaleEnergy& energy = energies[f];
    for (std::size_t k = 1; k < along; k *= 2) energy.longest.push_back(2.0 / static_cast<double>(k));
    const std::size_t octaves = energy.longest.size();
    std::vector<std::vector<double>> found(outputs * octaves);  // per replicate
    for (std::size_t r = 0; r < options.replicates; ++r) {
      const Matrix base = sampler.rows_of(points.draw(lines, r), 0);
      Matrix rows(lines * along, model.input_count()), values;
      for (std::size_t i = 0; i < rows.rows(); ++i) {
        double* const row = rows.data() + i * rows.cols();
        std::copy_n(base.data() + (i / along) * base.cols(), base.cols(), row);
        factors[f].put(factors[f].at((static_cast<double>(i % along) + 0.5) / static_cast<double>(along)), row);
      }
      if (!sampler.evaluate(rows, values)) return {factors.size(), ScaleEnergy{}};
      std::vector<double> line(along);
      for (std::size_t o = 0; o < outputs; ++o) {
        std::vector<double> mean(octaves, 0.0);
        for (std::size_t l = 0; l < lines; ++l) {
          for (std::size_t i = 0; i < along; ++i) line[i] = values(l * along + i, o);
          const std::vector<double> own = octaves_of(line);
          for (std::size_t k = 0; k < octaves; ++k) mean[k] += own[k] / static_cast<double>(lines);
        }
        for (std::size_t k = 0; k < octaves; ++k) found[o * octaves + k].push_back(mean[k]);
      }
    }
    for (std::size_t o = 0; o < outputs; ++o) {
      const double variance = indices.outputs[o].variance;
      energy.share.emplace_back();
      for (std::size_t k = 0; k < octaves; ++k) {
        Estimate estimate = mean_of(found[o * octaves + k]);
        estimate.value = variance > 0.0 ? estimate.value / variance : 0.0;
        estimate.standard_error = variance > 0.0 ? estimate.standard_error / variance : 0.0;
        energy.share.back().push_back(estimate);
      }
    }
  }
  return energies;
}

}  // namespace rfnn
