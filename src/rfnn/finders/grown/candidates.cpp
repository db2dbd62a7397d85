#include "rfnn/finders/grown/candidates.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "rfnn/finders/grown/tuning.hpp"

namespace rfnn::grown {
namespace {

/// Random numbers one after another.
class Draws {
 public:
  Draws(const Stream& stream, std::uint64_t index) : stream_(stream), index_(index << 24) {}
  double uniform() { return stream_.uniform(index_++); }
  double normal() { return stream_.normal(index_++); }
  /// A place, in proportion to the weights.
  std::size_t place(const std::vector<double>& weights) {
    double left = uniform() * std::accumulate(weights.begin(), weights.end(), 0.0);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      left -= weights[i];
      if (left < 0.0) return i;
    }
    return weights.size() - 1;
  }

 private:
  const Stream& stream_;
  std::uint64_t index_;
};

double log_uniform(Draws& draws, double low, double high) {
  return high <= low ? high : low * std::exp(draws.uniform() * std::log(high / low));
}

rows::Feature on_variables(std::size_t variables, const std::vector<std::size_t>& chosen,
                           const std::vector<double>& values) {
  rows::Feature feature{std::vector<double>(variables, 0.0), {}};
  feature.active.reserve(chosen.size());
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    feature.frequency[chosen[i]] = values[i];
    feature.active.push_back(static_cast<std::uint32_t>(chosen[i]));
  }
  std::sort(feature.active.begin(), feature.active.end());
  return feature;
}

/// A few inputs, or all of them.
void draw_inputs(std::size_t inputs, const std::vector<double>& weight, Draws& draws, std::vector<double>& left,
                 std::vector<std::size_t>& chosen) {
  const double u = draws.uniform();
  const std::size_t few = u < tuning::on_one ? 1 : u < tuning::on_two ? 2 : u < tuning::on_three ? 3 : inputs;
  if (few >= inputs) {
    // An input that has shown nothing so far is seldom among many: it would only add noise.
    // Of very many inputs some, from a place of their own.
    const bool very_many = inputs > tuning::very_many_inputs;
    const std::size_t start =
        very_many ? static_cast<std::size_t>(draws.uniform() * static_cast<double>(inputs)) % inputs : 0;
    for (std::size_t i = 0; i < inputs && (!very_many || chosen.size() < tuning::most_inputs_of_a_feature); ++i) {
      const std::size_t k = (start + i) % inputs;
      if (draws.uniform() < tuning::among_many * weight[k]) chosen.push_back(k);
    }
    if (chosen.empty()) chosen.push_back(draws.place(weight));
    return;
  }
  left = weight;
  for (std::size_t i = 0; i < few; ++i) {
    chosen.push_back(draws.place(left));
    left[chosen.back()] = 0.0;
  }
}

/// The lowest frequency of a variable that is one of so many together, and the logarithm of the highest over it: a pool
/// asks for them thousands of times, and they have a power and a logarithm in them.
class Spans {
 public:
  struct Span {
    double low = 0.0, log_ratio = 0.0;
  };
  explicit Spans(const Resolution& resolution) : resolution_(resolution), of_(resolution.range.size() + 1) {}

  const Span& of(std::size_t variable, std::size_t together) {
    std::vector<Span>& spans = of_[together];
    if (spans.empty()) spans.resize(resolution_.range.size());
    Span& span = spans[variable];
    if (span.low == 0.0) {
      const double high = resolution_.highest_of(variable, together);
      span.low = std::min(tuning::slowest * std::numbers::pi / resolution_.range[variable], high);
      span.log_ratio = std::log(high / span.low);
    }
    return span;
  }

 private:
  const Resolution& resolution_;
  std::vector<std::vector<Span>> of_;  ///< by number together, then by variable; empty, or a low of 0: not known yet
};

/// Lengths log-uniform, directions uniform, in units where every variable's highest frequency counts alike.
void draw_direction(const std::vector<std::size_t>& chosen, Spans& spans, Draws& draws, std::vector<double>& values) {
  values.resize(chosen.size());
  double norm = 0.0;
  for (double& value : values) {
    value = draws.normal();
    norm += value * value;
  }
  norm = std::sqrt(norm);
  const double share = draws.uniform();
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const Spans::Span& span = spans.of(chosen[i], chosen.size());
    values[i] *= 1.0 / norm * span.low * std::exp(share * span.log_ratio);
  }
}

}  // namespace

double Resolution::highest_of(std::size_t variable, std::size_t together) const {
  const auto count = static_cast<double>(rows);
  const double cells = together == 1   ? count
                       : together == 2 ? std::sqrt(count)
                       : together == 3 ? std::cbrt(count)
                                       : std::pow(count, 1.0 / static_cast<double>(together));
  const double shared = std::numbers::pi * cells / range[variable];
  return std::min(highest[variable], shared);
}

Resolution resolution_of(const rows::RowState& rows) {
  Resolution resolution;
  resolution.rows = rows.count();
  std::vector<double> values(rows.count());
  for (std::size_t k = 0; k < rows.variables(); ++k) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = rows.variable_of(i, k);
    std::sort(values.begin(), values.end());
    const double range = std::max(values.back() - values.front(), tuning::least_range);
    std::vector<double> gaps;
    for (std::size_t i = 1; i < values.size(); ++i)
      if (const double gap = values[i] - values[i - 1]; gap > tuning::least_gap * range) gaps.push_back(gap);
    if (gaps.empty()) gaps.push_back(range);
    std::nth_element(gaps.begin(), gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2), gaps.end());
    resolution.range.push_back(range);
    resolution.highest.push_back(std::numbers::pi / gaps[gaps.size() / 2]);
  }
  return resolution;
}

std::vector<rows::Feature> draw_pool(BranchKind kind, std::size_t inputs, const Resolution& resolution,
                                     const std::vector<double>& weight, std::size_t count, const Stream& stream,
                                     std::uint64_t index) {
  Draws draws(stream, index);
  const std::size_t variables = resolution.range.size();
  std::vector<rows::Feature> pool;
  pool.reserve(count);
  Spans spans(resolution);
  std::vector<std::size_t> chosen;
  std::vector<double> values, left;
  for (std::size_t c = 0; c < count; ++c) {
    const double stratum = (static_cast<double>(c) + draws.uniform()) / static_cast<double>(count);
    if (kind == BranchKind::input && inputs == 1) {
      pool.push_back(on_variables(variables, {0}, {stratum * resolution.highest_of(0, 1)}));
      continue;
    }
    chosen.clear();
    if (kind != BranchKind::state) draw_inputs(inputs, weight, draws, left, chosen);
    if (kind != BranchKind::input && variables > inputs)
      chosen.push_back(inputs + draws.place(std::vector<double>(variables - inputs, 1.0)));
    if (kind == BranchKind::state) {
      const double high = std::min(resolution.highest[chosen[0]], tuning::fastest_of_state),
                   low = std::min(tuning::slowest_of_state, high);
      const double value =
          c % 2 == 0 ? stratum * std::min(high, tuning::usual_of_state) : log_uniform(draws, low, high);
      pool.push_back(on_variables(variables, chosen, {value}));
      continue;
    }
    draw_direction(chosen, spans, draws, values);
    pool.push_back(on_variables(variables, chosen, values));
  }
  return pool;
}

LineSpectrum::LineSpectrum(rows::RowWork& work, const rows::RowState& rows, const Resolution& resolution)
    : spacing_(0.5 * std::numbers::pi / resolution.range[0]),
      count_(static_cast<std::size_t>(resolution.highest_of(0, 1) / spacing_)) {
  const Matrix theta = rows::theta_of(rows);
  points_ = work.lattice_points({count_, 0}, 1, rows::LatticeMap{{0.0}, {spacing_}}.phases(theta.view()));
}

bool LineSpectrum::strongest(const rows::RowState& rows, const rows::TiledColumns& left,
                             std::vector<rows::Feature>& pool, std::vector<double>& power, Interrupt& interrupt) {
  std::vector<double> strengths(rows.count()), all(count_ + 1, 0.0);
  for (std::size_t o = 0; o < rows.outputs(); ++o) {
    for (std::size_t i = 0; i < strengths.size(); ++i) strengths[i] = rows.weight(i) * left(i, o);
    if (!points_->gather(strengths, sums_, interrupt)) return false;
    for (std::size_t k = 0; k <= count_; ++k) {
      const double re = sums_[k], im = sums_[count_ + 1 + k];
      all[k] += re * re + im * im;
    }
  }
  const double least = tuning::drawn_at_all * *std::max_element(all.begin(), all.end());
  pool.clear();
  power.clear();
  for (std::size_t k = 0; k <= count_; ++k) {
    if (all[k] < least) continue;
    pool.push_back(on_variables(rows.variables(), {0}, {spacing_ * static_cast<double>(k)}));
    power.push_back(all[k]);
  }
  return true;
}

std::vector<double> bending(const rows::FeatureBlock& block, std::size_t inputs) {
  std::vector<double> bends(inputs, 0.0);
  for (std::size_t f = 0; f < block.size(); ++f) {
    const double energy = block.amplitudes.middleRows(static_cast<Eigen::Index>(2 * f), 2).squaredNorm();
    for (std::size_t k = 0; k < inputs; ++k)
      bends[k] += energy * block.features[f].frequency[k] * block.features[f].frequency[k];
  }
  const double largest = *std::max_element(bends.begin(), bends.end());
  for (double& bend : bends) bend = largest > 0.0 ? std::sqrt(bend / largest) : 1.0;
  return bends;
}

std::vector<rows::Feature> draw_strongest(const std::vector<rows::Feature>& pool, const std::vector<double>& power,
                                          const Resolution& resolution, std::size_t count, const Stream& stream,
                                          std::uint64_t index) {
  Draws draws(stream, index);
  std::vector<double> weights(power.size());
  const double largest = std::max(*std::max_element(power.begin(), power.end()), 1e-300);
  for (std::size_t i = 0; i < power.size(); ++i) weights[i] = (power[i] / largest) * (power[i] / largest);
  std::vector<rows::Feature> chosen;
  while (chosen.size() < count && chosen.size() < pool.size()) {
    if (!(std::accumulate(weights.begin(), weights.end(), 0.0) > 0.0)) break;
    const std::size_t place = draws.place(weights);
    chosen.push_back(pool[place]);
    weights[place] = 0.0;
    for (std::size_t i = 0; i < pool.size(); ++i) {
      // ω and −ω are the same pair of columns.
      double same = 0.0, mirrored = 0.0;
      for (std::size_t k = 0; k < resolution.range.size(); ++k) {
        const double a = pool[i].frequency[k], b = pool[place].frequency[k];
        same = std::max(same, std::abs(a - b) * resolution.range[k]);
        mirrored = std::max(mirrored, std::abs(a + b) * resolution.range[k]);
      }
      if (std::min(same, mirrored) < std::numbers::pi) weights[i] = 0.0;
    }
  }
  return chosen;
}

}  // namespace rfnn::grown
