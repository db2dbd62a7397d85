#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "rfnn/core/random.hpp"
#include "rfnn/finders/halves.hpp"
#include "rfnn/finders/lattice/lattice_block.hpp"
#include "rfnn/finders/lattice/lattice_geometry.hpp"
#include "rfnn/finders/lattice/lattice_system.hpp"
#include "rfnn/finders/lattice/tuning.hpp"

namespace rfnn::lattice {
namespace {

/// Data are simulated with the same numbers in every run: a lattice's spectrum is a matter of the rows alone. Any will
/// do; held-out errors of a smooth field differ by a factor of 1.5 between them.
constexpr std::uint64_t simulation_seed = 2;

/// Weights have mean 1; empty: all 1.
double mean_square(const std::vector<double>& values, const std::vector<double>& weights) {
  double sum = 0.0;
  for (std::size_t n = 0; n < values.size(); ++n) sum += (weights.empty() ? 1.0 : weights[n]) * values[n] * values[n];
  return values.empty() ? 0.0 : sum / static_cast<double>(values.size());
}

std::vector<double> column_of(const rows::TiledColumns& matrix, std::size_t column) {
  std::vector<double> values(matrix.rows());
  for (std::size_t n = 0; n < matrix.rows(); ++n) values[n] = matrix(n, column);
  return values;
}

/// A rough function of the given variance: S ∝ 1/(1 + |k/2|²), |k| measured in the variable with more frequencies.
std::vector<double> rough_spectrum(const rows::HalfLattice& lattice, double variance) {
  const auto m0 = static_cast<double>(lattice.m0), m1 = static_cast<double>(lattice.m1), most = std::max(m0, m1);
  std::vector<double> spectrum(lattice.points());
  double sum = 0.0;
  for (std::size_t i = 0; i < spectrum.size(); ++i) {
    const double k0 = static_cast<double>(i % lattice.columns()) / m0 * most;
    const double k1 = m1 == 0.0 ? 0.0 : (static_cast<double>(i / lattice.columns()) - m1) / m1 * most;
    spectrum[i] = 1.0 / (1.0 + 0.25 * (k0 * k0 + k1 * k1));
    sum += (k0 > 0.0 ? 2.0 : 1.0) * spectrum[i];
  }
  for (double& s : spectrum) s *= variance / sum;
  return spectrum;
}

/// Complex white noise of unit variance on the lattice, of a real function.
rows::Coefficients white_noise(const rows::HalfLattice& lattice, const Stream& stream) {
  const std::size_t points = lattice.points();
  rows::Coefficients noise(2 * points);
  for (std::size_t i = 0; i < 2 * points; ++i) noise[i] = std::sqrt(0.5) * stream.normal(i);
  for (std::size_t row = 0; row < lattice.m1; ++row) {
    const std::size_t at = row * lattice.columns(), mirror = (2 * lattice.m1 - row) * lattice.columns();
    noise[at] = noise[mirror];
    noise[points + at] = -noise[points + mirror];
  }
  const std::size_t zero = lattice.m1 * lattice.columns();
  noise[zero] *= std::sqrt(2.0);
  noise[points + zero] = 0.0;
  return noise;
}

/// Weighted means over neighbours (a Gaussian of `width` lattice steps) of something with the same value at k and −k.
std::vector<double> smooth(const rows::HalfLattice& lattice, const std::vector<double>& values, double width) {
  const auto reach = static_cast<std::ptrdiff_t>(std::ceil(tuning::reach_of_bell * width));
  std::vector<double> bell(static_cast<std::size_t>(reach) + 1);
  double total = 0.0;
  for (std::size_t i = 0; i < bell.size(); ++i) {
    const double z = static_cast<double>(i) / width;
    bell[i] = std::exp(-0.5 * z * z);
    total += (i == 0 ? 1.0 : 2.0) * bell[i];
  }
  for (double& b : bell) b /= total;
  const auto columns = static_cast<std::ptrdiff_t>(lattice.columns()),
             rows = static_cast<std::ptrdiff_t>(lattice.rows());
  std::vector<double> along(values.size());
  for (std::ptrdiff_t row = 0; row < rows; ++row)
    for (std::ptrdiff_t k = 0; k < columns; ++k) {
      double sum = 0.0;
      for (std::ptrdiff_t step = -reach; step <= reach; ++step) {
        std::ptrdiff_t at = std::clamp(k + step, 1 - columns, columns - 1), line = row;
        if (at < 0) {
          at = -at;
          line = rows - 1 - row;
        }
        sum += bell[static_cast<std::size_t>(std::abs(step))] * values[static_cast<std::size_t>(line * columns + at)];
      }
      along[static_cast<std::size_t>(row * columns + k)] = sum;
    }
  if (rows == 1) return along;
  std::vector<double> both(values.size(), 0.0);
  for (std::ptrdiff_t row = 0; row < rows; ++row)
    for (std::ptrdiff_t step = -reach; step <= reach; ++step) {
      const std::ptrdiff_t line = std::clamp(row + step, std::ptrdiff_t{0}, rows - 1);
      const double weight = bell[static_cast<std::size_t>(std::abs(step))];
      for (std::ptrdiff_t k = 0; k < columns; ++k)
        both[static_cast<std::size_t>(row * columns + k)] +=
            weight * along[static_cast<std::size_t>(line * columns + k)];
    }
  return both;
}

/// |b_k|²/S_k.
std::vector<double> relative_power(const rows::Coefficients& b, const std::vector<double>& spectrum) {
  const std::size_t points = spectrum.size();
  std::vector<double> power(points);
  for (std::size_t i = 0; i < points; ++i) power[i] = (b[i] * b[i] + b[points + i] * b[points + i]) / spectrum[i];
  return power;
}

/// How much rows count, of mean 1; empty: all alike. The noise of a row has variance σ²/w.
struct LatticeWeights {
  std::vector<double> train, held_out;
};

/// Spectrum and noise of one output.
struct Estimate {
  std::vector<double> spectrum;
  double ridge = 0.0;
  rows::Coefficients b;
  double held_out_mse = 0.0;
  bool complete = true;  ///< false: interrupted on the way
};

class Learner {
 public:
  Learner(LatticeSystem& system, rows::LatticePoints& held_points, const rows::RowState& held_out,
          const LatticeWeights& weights, Interrupt& interrupt)
      : system_(system), held_points_(held_points), held_out_(held_out), weights_(weights), interrupt_(interrupt) {
    const double affordable = tuning::learning_points / static_cast<double>(system.grid_points());
    steps_ = static_cast<std::size_t>(std::clamp(affordable, tuning::fewest_steps, tuning::most_steps));
    rounds_ = static_cast<int>(std::clamp(tuning::steps_of_learning * affordable / static_cast<double>(2 * steps_),
                                          tuning::fewest_rounds, tuning::most_rounds));
    const bool plane = system.lattice().m1 > 0;
    width_ = plane ? tuning::width_in_plane : tuning::width_on_line;
  }

  /// Nothing when interrupted.
  std::optional<Estimate> learn(const std::vector<double>& residual, const std::vector<double>& held,
                                std::size_t output);
  /// What is left on the held-out rows of the output learnt last, honestly; empty where nothing was chosen.
  [[nodiscard]] rows::TiledColumns honest() const { return halves_->left(); }

 private:
  bool solve_data(Estimate& now);
  bool simulate(const Estimate& now, double& simulated_error);
  void re_estimate(Estimate& now, double simulated_error);
  std::optional<Estimate> with_other_ridge(Estimate best);
  /// What is known when interrupted: the best estimate, if there was one.
  static std::optional<Estimate> known(Estimate best) {
    if (best.b.empty()) return std::nullopt;
    best.complete = false;
    return best;
  }

  LatticeSystem& system_;
  rows::LatticePoints& held_points_;
  const rows::RowState& held_out_;
  std::optional<finders::Halves> halves_;  ///< of the output being learnt
  const LatticeWeights& weights_;
  Interrupt& interrupt_;
  std::size_t steps_ = 0;
  int rounds_ = 0;
  double width_ = 0.0;
  std::vector<double> residual_, held_, noise_;
  rows::Coefficients right_, white_, noise_right_;
  double error_ = 0.0;                     ///< mean square of the data's misfit at the current estimate
  rows::Coefficients simulated_, found_;   ///< amplitudes drawn from the prior, and what the solver makes of them
  std::vector<double> found_of_spectrum_;  ///< the spectrum that `found_` was found with
};

bool Learner::solve_data(Estimate& now) {
  if (!system_.solve(right_, now.spectrum, now.ridge, steps_, tuning::learning_tolerance, now.b, interrupt_))
    return false;
  std::vector<double> values;
  if (!system_.points().evaluate(now.b, values, interrupt_)) return false;
  for (std::size_t n = 0; n < values.size(); ++n) values[n] -= residual_[n];
  error_ = mean_square(values, weights_.train);
  if (!held_points_.evaluate(now.b, values, interrupt_)) return false;
  for (std::size_t n = 0; n < values.size(); ++n) values[n] -= held_[n];
  now.held_out_mse = mean_square(values, weights_.held_out);
  rows::TiledColumns left(values.size(), 1);
  for (std::size_t n = 0; n < values.size(); ++n) left(n, 0) = -values[n];
  halves_->consider(left);
  return true;
}

bool Learner::simulate(const Estimate& now, double& simulated_error) {
  const std::size_t points = now.spectrum.size();
  simulated_.resize(2 * points);
  for (std::size_t i = 0; i < points; ++i) {
    const double amplitude = std::sqrt(now.spectrum[i]);
    simulated_[i] = amplitude * white_[i];
    simulated_[points + i] = amplitude * white_[points + i];
    // The same random numbers serve every time, so the last solution, scaled, is near the next.
    if (!found_of_spectrum_.empty()) {
      const double scale = std::sqrt(now.spectrum[i] / found_of_spectrum_[i]);
      found_[i] *= scale;
      found_[points + i] *= scale;
    }
  }
  found_of_spectrum_ = now.spectrum;
  rows::Coefficients right;
  if (!system_.apply(simulated_, right, interrupt_)) return false;
  const double deviation = std::sqrt(now.ridge);
  for (std::size_t i = 0; i < right.size(); ++i) right[i] += deviation * noise_right_[i];
  if (!system_.solve(right, now.spectrum, now.ridge, steps_, tuning::learning_tolerance, found_, interrupt_))
    return false;
  for (std::size_t i = 0; i < right.size(); ++i) right[i] = simulated_[i] - found_[i];
  std::vector<double> misfit;
  if (!system_.points().evaluate(right, misfit, interrupt_)) return false;
  for (std::size_t n = 0; n < misfit.size(); ++n) misfit[n] += deviation * noise_[n];
  simulated_error = mean_square(misfit, weights_.train);
  return true;
}

/// S_k ← S_k · (power found in the data)/(power found in the simulation) around k, and likewise the noise by the
/// misfit. A fixed point is a stationary point of the (locally averaged) likelihood: E|b_k|² = S_k² aᴴΣ⁻¹a under the
/// prior, and the likelihood's slope in S_k vanishes where the data's |b_k|² is just that.
void Learner::re_estimate(Estimate& now, double simulated_error) {
  const rows::HalfLattice& lattice = system_.lattice();
  const auto data = smooth(lattice, relative_power(now.b, now.spectrum), width_);
  const auto simulation = smooth(lattice, relative_power(found_, now.spectrum), tuning::width_of_simulation * width_);
  double variance = 0.0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    now.spectrum[i] =
        std::max(now.spectrum[i] * std::max(data[i] / (simulation[i] + 1e-300), tuning::least_change), 1e-200);
    variance += 2.0 * now.spectrum[i];
  }
  const double ratio = simulated_error > 0.0 ? std::clamp(error_ / simulated_error, 1.0 / tuning::most_noise_change,
                                                          tuning::most_noise_change)
                                             : 1.0;
  now.ridge = std::max(now.ridge * ratio, tuning::least_noise * variance);
}

/// The likelihood's noise serves the average row; the held-out rows may prefer more or less.
std::optional<Estimate> Learner::with_other_ridge(Estimate best) {
  for (const double factor : tuning::other_noises) {
    for (int times = 0; times < tuning::times_each; ++times) {
      Estimate other = best;
      other.ridge *= factor;
      if (!solve_data(other)) return known(std::move(best));
      if (!(other.held_out_mse < tuning::noise_gain * best.held_out_mse)) break;
      best = std::move(other);
      if (times + 1 == tuning::times_each) return best;
    }
  }
  return best;
}

std::optional<Estimate> Learner::learn(const std::vector<double>& residual, const std::vector<double>& held,
                                       std::size_t output) {
  residual_ = residual;
  held_ = held;
  halves_.emplace(held_out_);
  Estimate now;
  const double variance = mean_square(residual, weights_.train);
  if (!(variance > 0.0) || !std::isfinite(variance)) {
    now.spectrum = rough_spectrum(system_.lattice(), 1.0);
    now.ridge = 1.0;
    now.held_out_mse = mean_square(held, weights_.held_out);
    return now;
  }
  now.spectrum = rough_spectrum(system_.lattice(), variance);
  now.ridge = tuning::first_noise * variance;
  const Address address = {.seed = simulation_seed, .part = output};
  white_ = white_noise(system_.lattice(), Stream(address, Purpose::simulated_signal));
  const Stream stream(address, Purpose::simulated_noise);
  noise_.resize(residual.size());
  for (std::size_t n = 0; n < noise_.size(); ++n) noise_[n] = stream.normal(n) / std::sqrt(system_.weight(n));
  found_.clear();
  found_of_spectrum_.clear();
  if (!system_.gather(residual_, right_, interrupt_) || !system_.gather(noise_, noise_right_, interrupt_))
    return std::nullopt;

  Estimate best = now;
  best.held_out_mse = std::numeric_limits<double>::infinity();
  int best_round = 0;
  for (int round = 0; round < rounds_; ++round) {
    if (!solve_data(now)) return known(std::move(best));
    if (!std::isfinite(now.held_out_mse)) break;
    if (now.held_out_mse < tuning::counts_as_gain * best.held_out_mse) {
      best = now;
      best_round = round;
    } else if (round - best_round >= tuning::patience) {
      break;
    }
    double simulated_error = 0.0;
    if (!simulate(now, simulated_error)) return known(std::move(best));
    re_estimate(now, simulated_error);
  }
  return with_other_ridge(std::move(best));
}

}  // namespace

std::optional<LatticePrior> learn_lattice_prior(rows::RowWork& work, const rows::RowState& train,
                                                const rows::RowState& held_out, std::size_t max_features,
                                                Interrupt& interrupt) {
  if (held_out.count() == 0) return std::nullopt;
  const Matrix theta = rows::theta_of(train), held_theta = rows::theta_of(held_out);
  auto geometry = lattice_for(theta.view(), held_theta.view(), max_features);
  if (!geometry) return std::nullopt;
  const std::size_t variables = geometry->map.variables();
  const LatticeWeights weights{train.weights(), held_out.weights()};
  LatticeSystem system(work, geometry->lattice, variables);
  if (!system.set_points(geometry->map.phases(theta.view()), weights.train, interrupt)) return std::nullopt;
  const auto held_points = work.lattice_points(geometry->lattice, variables, geometry->map.phases(held_theta.view()));
  Learner learner(system, *held_points, held_out, weights, interrupt);
  LatticePrior prior;
  prior.honest = held_out.residual;
  for (std::size_t o = 0; o < train.outputs(); ++o) {
    auto estimate = learner.learn(column_of(train.residual, o), column_of(held_out.residual, o), o);
    if (!estimate) return std::nullopt;
    const rows::TiledColumns honest = learner.honest();
    for (std::size_t i = 0; i < honest.rows(); ++i) prior.honest(i, o) = honest(i, 0);
    prior.spectrum.push_back(std::move(estimate->spectrum));
    prior.ridge.push_back(estimate->ridge);
    prior.complete = prior.complete && estimate->complete;
    prior.start.push_back(std::move(estimate->b));
    prior.held_out_mse += estimate->held_out_mse / static_cast<double>(train.outputs());
  }
  prior.map = std::move(geometry->map);
  prior.lattice = geometry->lattice;
  prior.cut = geometry->cut;
  return prior;
}

}  // namespace rfnn::lattice
