#include "rfnn/uncertainty/deviations.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "rfnn/core/as_index.hpp"
#include "rfnn/core/random.hpp"
#include "rfnn/least_squares/dense.hpp"
#include "rfnn/uncertainty/law_draws.hpp"
#include "rfnn/uncertainty/posterior.hpp"
#include "rfnn/uncertainty/tuning.hpp"

namespace rfnn::uncertainty {
namespace {

using rows::tile_rows;

/// Rows spread over all.
Matrix some_rows(const Matrix& rows, std::size_t most) {
  if (rows.rows() <= most) return rows;
  Matrix some(most, rows.cols());
  for (std::size_t i = 0; i < most; ++i)
    std::copy_n(rows.data() + i * rows.rows() / most * rows.cols(), rows.cols(), some.data() + i * rows.cols());
  return some;
}

class ClosedFormDeviations final : public Deviations {
 public:
  ClosedFormDeviations(const ClosedForm& form, double noise, std::size_t outputs, const Drawn& drawn)
      : outputs_(outputs),
        drawn_(drawn),
        prior_(form.law.variance()),
        centres_(some_rows(form.centres, tuning::exact_centres)),
        kernels_(form.law, centres_) {
    noise_ = std::max(noise, tuning::rounding_of_draws * prior_);
    factor_covariance();
    for (std::size_t k = 0; k < drawn.count; ++k)
      functions_.push_back({{draw_function(form.law, tuning::features_of_draws, outputs, drawn.seed, k)}});
    Workers workers(1);
    Interrupt never;
    for (const Block& function : functions_)
      prepared_.push_back(*rows::ForwardBlock::prepare(function, workers, never));
    bring_near_to_rows();
  }

  bool values(const std::vector<const double*>& theta, std::size_t rows, Tile& tile, MatrixView values,
              Interrupt& interrupt) const override {
    if (!free_values(theta, rows, tile, interrupt)) return false;
    std::vector<double> point(theta.size()), nearer(corrections_.cols());
    Eigen::MatrixXd column(as_index(centres_.rows()), 1);
    for (std::size_t i = 0; i < rows; ++i) {
      if (!interrupt.proceed()) return false;
      for (std::size_t k = 0; k < point.size(); ++k) point[k] = theta[k][i];
      kernels_.values(point.data(), tile.kernel);
      std::fill(nearer.begin(), nearer.end(), 0.0);
      for (std::size_t c = 0; c < centres_.rows(); ++c) {
        const double* const of_centre = corrections_.data() + c * corrections_.cols();
        for (std::size_t k = 0; k < nearer.size(); ++k) nearer[k] += tile.kernel[c] * of_centre[k];
      }
      // A column at a time: a row's bits do not depend on the rows beside it.
      std::copy_n(tile.kernel.data(), centres_.rows(), column.data());
      factor_.half_solve_in_place(column);
      const double variance = std::clamp(prior_ - column.squaredNorm(), tuning::rounding * prior_, prior_);
      const double scale = 1.0 / std::sqrt(variance);
      for (std::size_t o = 0; o < outputs_; ++o)
        for (std::size_t k = 0; k < drawn_.count; ++k)
          values(i, o * drawn_.count + k) =
              scale * (tile.columns.column(0, k * outputs_ + o)[i] - nearer[k * outputs_ + o]);
    }
    return true;
  }

 private:
  void factor_covariance() {
    const std::size_t count = centres_.rows();
    Eigen::MatrixXd covariance(as_index(count), as_index(count));
    AlignedVector values;
    for (std::size_t c = 0; c < count; ++c) {
      kernels_.values(centres_.data() + c * centres_.cols(), values);
      std::copy_n(values.data(), count, covariance.col(as_index(c)).data());
    }
    for (;; noise_ *= 100.0) {
      factor_ = dense::Cholesky(covariance, noise_);
      if (factor_.positive_definite() || !(noise_ < prior_)) return;
    }
  }

  /// The functions as the law has them, number k of output o in column k · outputs + o.
  bool free_values(const std::vector<const double*>& theta, std::size_t rows, Tile& tile, Interrupt& interrupt) const {
    if (tile.columns.columns() != drawn_.count * outputs_)
      tile.columns = rows::TiledColumns(tile_rows, drawn_.count * outputs_);
    std::vector<double*> columns(outputs_);
    for (std::size_t k = 0; k < drawn_.count; ++k) {
      for (std::size_t o = 0; o < outputs_; ++o) {
        columns[o] = tile.columns.column(0, k * outputs_ + o);
        std::fill_n(columns[o], tile_rows, 0.0);
      }
      if (!tile.forward.add(prepared_[k], theta, columns, rows, interrupt)) return false;
    }
    return true;
  }

  /// (K + λ)⁻¹ (g + ε), one system after the other: a function does not depend on how many there are.
  void bring_near_to_rows() {
    const std::size_t count = centres_.rows(), columns = drawn_.count * outputs_;
    corrections_ = Matrix(count, columns);
    Tile tile;
    Interrupt never;
    rows::TiledColumns places(tile_rows, centres_.cols());
    for (std::size_t first = 0; first < count; first += tile_rows) {
      const std::size_t rows = std::min(tile_rows, count - first);
      std::vector<const double*> theta;
      for (std::size_t v = 0; v < centres_.cols(); ++v) {
        double* const column = places.column(0, v);
        for (std::size_t i = 0; i < rows; ++i) column[i] = centres_(first + i, v);
        std::fill(column + rows, column + tile_rows, 0.0);
        theta.push_back(column);
      }
      free_values(theta, rows, tile, never);
      for (std::size_t c = 0; c < columns; ++c)
        for (std::size_t i = 0; i < rows; ++i) corrections_(first + i, c) = tile.columns.column(0, c)[i];
    }
    Eigen::MatrixXd column(as_index(count), 1);
    for (std::size_t c = 0; c < columns; ++c) {
      const Stream errors({drawn_.seed, c / outputs_, 0, c % outputs_}, Purpose::function_errors);
      for (std::size_t i = 0; i < count; ++i)
        column(as_index(i), 0) = corrections_(i, c) + std::sqrt(noise_) * errors.normal(i);
      factor_.solve_in_place(column);
      for (std::size_t i = 0; i < count; ++i) corrections_(i, c) = column(as_index(i), 0);
    }
  }

  std::size_t outputs_;
  Drawn drawn_;
  double prior_, noise_ = 0.0;
  Matrix centres_;
  KernelRow kernels_;
  dense::Cholesky factor_;        ///< of K + λ
  std::vector<Block> functions_;  ///< g
  std::vector<rows::ForwardBlock> prepared_;
  Matrix corrections_;  ///< centres × (count · outputs)
};

class ChainDeviations final : public Deviations {
 public:
  ChainDeviations(const ChainDraws& draws, std::size_t outputs, const Drawn& drawn) : outputs_(outputs), drawn_(drawn) {
    Workers workers(1);
    Interrupt never;
    for (const Network& network : draws.networks) {
      networks_.emplace_back();
      for (const Block& block : network.blocks)
        networks_.back().push_back(*rows::ForwardBlock::prepare(block, workers, never));
    }
    const Stream order(drawn.seed, Purpose::chain_order);
    order_.resize(networks_.size());
    std::iota(order_.begin(), order_.end(), 0);
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::size_t a, std::size_t b) { return order.bits(a) < order.bits(b); });
  }

  bool values(const std::vector<const double*>& theta, std::size_t rows, Tile& tile, MatrixView values,
              Interrupt& interrupt) const override {
    const std::size_t all = networks_.size();
    if (tile.columns.columns() != all * outputs_) tile.columns = rows::TiledColumns(tile_rows, all * outputs_);
    std::vector<double*> state(outputs_);
    for (std::size_t k = 0; k < all; ++k) {
      for (std::size_t o = 0; o < outputs_; ++o) {
        state[o] = tile.columns.column(0, k * outputs_ + o);
        std::fill_n(state[o], tile_rows, 0.0);
      }
      for (const rows::ForwardBlock& block : networks_[k])
        if (!tile.forward.add(block, theta, state, rows, interrupt)) return false;
    }
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t o = 0; o < outputs_; ++o) {
        const auto of_network = [&](std::size_t k) { return tile.columns.column(0, k * outputs_ + o)[i]; };
        double mean = 0.0, squares = 0.0;
        for (std::size_t k = 0; k < all; ++k) mean += of_network(k) / static_cast<double>(all);
        for (std::size_t k = 0; k < all; ++k) squares += (of_network(k) - mean) * (of_network(k) - mean);
        const double scale = squares > 0.0 ? std::sqrt(static_cast<double>(all) / squares) : 0.0;
        for (std::size_t k = 0; k < drawn_.count; ++k)
          values(i, o * drawn_.count + k) = scale * (of_network(order_[k]) - mean);
      }
    return true;
  }

 private:
  std::size_t outputs_;
  Drawn drawn_;
  std::vector<std::vector<rows::ForwardBlock>> networks_;
  std::vector<std::size_t> order_;
};

}  // namespace

std::unique_ptr<const Deviations> deviations_of_closed_form(const ClosedForm& form, double noise, std::size_t outputs,
                                                            const Drawn& drawn) {
  return std::make_unique<ClosedFormDeviations>(form, noise, outputs, drawn);
}

std::unique_ptr<const Deviations> deviations_of_chains(const ChainDraws& draws, std::size_t outputs,
                                                       const Drawn& drawn) {
  return std::make_unique<ChainDeviations>(draws, outputs, drawn);
}

}  // namespace rfnn::uncertainty
