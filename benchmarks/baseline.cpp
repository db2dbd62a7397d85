#include "baseline.hpp"

#include <lapacke.h>

#include <cmath>
#include <stdexcept>
#include <string>

#include "baseline_fast.hpp"
#include "blas_threads.hpp"
#include "rfnn/core/random.hpp"

namespace rfnn::baseline {
namespace {

double norm(const std::vector<double>& amplitudes, std::size_t feature) {
  return std::hypot(amplitudes[2 * feature], amplitudes[2 * feature + 1]);
}

/// One of ω and −ω is enough for a real function: the one whose first component that is not zero is positive.
bool negative(const double* frequency, std::size_t variables) {
  for (std::size_t k = 0; k < variables; ++k)
    if (frequency[k] != 0.0) return frequency[k] < 0.0;
  return false;
}

}  // namespace

PlainLoop::PlainLoop(const Dataset& data, const Options& options, const Manner& manner)
    : options_(options),
      rows_(data.inputs.rows()),
      inputs_(data.inputs.cols()),
      width_(static_cast<std::size_t>(options.width)),
      theta_(rows_ * inputs_),
      target_(data.targets.data(), data.targets.data() + rows_),
      state_(rows_, 0.0) {
  set(manner);
  for (std::size_t k = 0; k < inputs_; ++k) {
    double mean = 0.0, variance = 0.0;
    for (std::size_t i = 0; i < rows_; ++i) mean += data.inputs(i, k);
    mean /= static_cast<double>(rows_);
    for (std::size_t i = 0; i < rows_; ++i) variance += std::pow(data.inputs(i, k) - mean, 2);
    variance /= static_cast<double>(rows_);
    for (std::size_t i = 0; i < rows_; ++i) theta_[i * inputs_ + k] = (data.inputs(i, k) - mean) / std::sqrt(variance);
  }
}

void PlainLoop::set(const Manner& manner) {
  manner_ = manner;
  bench::set_blas_threads(manner.blas_threads);
}

void PlainLoop::begin_block() {
  ++block_;
  iteration_ = 0;
  const double step = std::sqrt(options_.delta.value_or(2.4 * 2.4 / static_cast<double>(inputs_)));
  const double step_state = std::sqrt(options_.delta_state.value_or(2.4 * 2.4));
  branches_ = {{false, inputs_, options_.gamma, step, 0, {}}};
  if (block_ > 1) branches_.push_back({true, 1, options_.gamma_state, step_state, 1, {}});
  for (PlainBranch& branch : branches_) {
    const Stream stream(options_.seed, Purpose::initial, block_, branch.stream);
    branch.frequencies.resize(width_ * branch.variables);
    for (std::size_t i = 0; i < branch.frequencies.size(); ++i)
      branch.frequencies[i] = options_.initial_spread * stream.normal(i);
    for (std::size_t j = 0; j < width_; ++j) {
      double* frequency = branch.frequencies.data() + j * branch.variables;
      if (negative(frequency, branch.variables))
        for (std::size_t k = 0; k < branch.variables; ++k) frequency[k] = -frequency[k];
    }
  }
  solve(branches_, amplitudes_);
}

/// [A; √(Nλ)·I] with the columns cos, −sin of every feature, and [r; 0].
void PlainLoop::build_matrix(const std::vector<PlainBranch>& branches) {
  const std::size_t columns = 2 * width_ * branches.size(), height = rows_ + columns;
  matrix_.assign(height * columns, 0.0);
  right_.assign(height, 0.0);
  std::size_t column = 0;
  for (const PlainBranch& branch : branches) {
    const std::vector<double>& values = branch.sees_state ? state_ : theta_;
    for (std::size_t j = 0; j < width_; ++j, column += 2) {
      const double* frequency = branch.frequencies.data() + j * branch.variables;
      double* cosine = matrix_.data() + column * height;
      double* minus_sine = cosine + height;
      if (manner_.vector_trig) {
        phases_.resize(rows_);
        fast_columns(values.data(), rows_, frequency, branch.variables, phases_.data(), cosine, minus_sine);
        continue;
      }
      for (std::size_t i = 0; i < rows_; ++i) {
        double phase = 0.0;
        for (std::size_t k = 0; k < branch.variables; ++k) phase += frequency[k] * values[i * branch.variables + k];
        cosine[i] = std::cos(phase);
        minus_sine[i] = -std::sin(phase);
      }
    }
  }
  const double root = std::sqrt(static_cast<double>(rows_) * options_.ridge_of(static_cast<std::int64_t>(block_)));
  for (std::size_t c = 0; c < columns; ++c) matrix_[c * height + rows_ + c] = root;
  for (std::size_t i = 0; i < rows_; ++i) right_[i] = target_[i] - state_[i];
}

void PlainLoop::solve(const std::vector<PlainBranch>& branches, std::vector<double>& amplitudes) {
  build_matrix(branches);
  const auto columns = static_cast<lapack_int>(2 * width_ * branches.size());
  const auto height = static_cast<lapack_int>(rows_) + columns;
  const auto check = [](const char* routine, lapack_int info) {
    if (info != 0) throw std::runtime_error(std::string(routine) + " failed with " + std::to_string(info));
  };
  constexpr lapack_int block_size = 64;  // more than LAPACK asks for at these sizes
  workspace_.resize(static_cast<std::size_t>(columns * block_size));
  reflectors_.resize(static_cast<std::size_t>(columns));
  const auto size = static_cast<lapack_int>(workspace_.size());
  check("dgeqrf", LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, height, columns, matrix_.data(), height, reflectors_.data(),
                                      workspace_.data(), size));
  check("dormqr", LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', 'T', height, 1, columns, matrix_.data(), height,
                                      reflectors_.data(), right_.data(), height, workspace_.data(), size));
  check("dtrtrs", LAPACKE_dtrtrs_work(LAPACK_COL_MAJOR, 'U', 'N', 'N', columns, 1, matrix_.data(), height,
                                      right_.data(), height));
  amplitudes.assign(right_.begin(), right_.begin() + columns);
}

void PlainLoop::move(std::size_t b) {
  const Stream steps(options_.seed, Purpose::proposal, block_, branches_[b].stream);
  const Stream chances(options_.seed, Purpose::acceptance, block_, branches_[b].stream);
  std::vector<PlainBranch> proposed = branches_;
  std::vector<double>& frequencies = proposed[b].frequencies;
  for (std::size_t i = 0; i < frequencies.size(); ++i)
    frequencies[i] += proposed[b].step * steps.normal(iteration_ * frequencies.size() + i);

  std::vector<double> amplitudes;
  solve(proposed, amplitudes);

  const std::size_t variables = proposed[b].variables;
  for (std::size_t j = 0; j < width_; ++j) {
    const double* frequency = frequencies.data() + j * variables;
    if (negative(frequency, variables)) continue;
    const std::size_t feature = b * width_ + j;
    const double ratio = norm(amplitudes, feature) / norm(amplitudes_, feature);
    if (std::pow(ratio, proposed[b].gamma) > chances.uniform(iteration_ * width_ + j))
      for (std::size_t k = 0; k < variables; ++k) branches_[b].frequencies[j * variables + k] = frequency[k];
  }
}

void PlainLoop::iterate() {
  ++iteration_;
  for (std::size_t b = 0; b < branches_.size(); ++b) move(b);
  solve(branches_, amplitudes_);
}

void PlainLoop::end_block() {
  build_matrix(branches_);
  const std::size_t height = right_.size();
  for (std::size_t c = 0; c < amplitudes_.size(); ++c)
    for (std::size_t i = 0; i < rows_; ++i) state_[i] += amplitudes_[c] * matrix_[c * height + i];
}

}  // namespace rfnn::baseline
