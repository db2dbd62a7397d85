#pragma once

// The training algorithm transcribed from the paper's listing, as plainly as it can be written: all features rebuilt
// for every solve, QR of the stacked system, three solves an iteration. It shares nothing with the library but the
// random numbers. Readings of the listing: the target of a block is Q − z; there is no solve between the two
// half-steps; δ is a variance; ω and −ω are one frequency, so the one whose first component is negative is refused;
// with several outputs |b_j| is the norm over them and ω′ has one component per output.

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "rfnn/core/random.hpp"

namespace rfnn::testing {

struct ListingSettings {
  Eigen::Index W = 3;
  std::int64_t L = 3, M = 50;
  double gamma = 10.0, gamma_state = 10.0;
  double delta = 5.76, delta_state = 5.76;
  double lambda = 1e-4;
  bool move_state = true;  ///< false: the predecessor's method
  std::uint64_t seed = 1;
};

struct ListingBlock {
  std::vector<Eigen::MatrixXd> omega, omega_state;  ///< W × variables: initial, then after every iteration
  Eigen::MatrixXd re, im, re_state, im_state;       ///< W × m amplitudes at the end
  std::vector<double> objective;  ///< (1/N)|A b − r|² + λ|b|² at the start and after every iteration
};

class Listing {
 public:
  Listing(Eigen::MatrixXd theta, Eigen::MatrixXd target, const ListingSettings& settings)
      : theta_(std::move(theta)),
        target_(std::move(target)),
        s_(settings),
        z(Eigen::MatrixXd::Zero(target_.rows(), target_.cols())) {}

  std::vector<ListingBlock> train() {
    std::vector<ListingBlock> blocks;
    for (block_ = 1; block_ <= s_.L; ++block_) blocks.push_back(train_block());
    return blocks;
  }

 private:
  Eigen::MatrixXd theta_, target_;
  ListingSettings s_;
  std::int64_t block_ = 1;

  /// [cos(ω_j·v)] and [−sin(ω_j·v)] side by side.
  static Eigen::MatrixXd features(const Eigen::MatrixXd& v, const Eigen::MatrixXd& omega) {
    Eigen::MatrixXd a(v.rows(), 2 * omega.rows());
    for (Eigen::Index n = 0; n < v.rows(); ++n)
      for (Eigen::Index j = 0; j < omega.rows(); ++j) {
        a(n, j) = std::cos(omega.row(j).dot(v.row(n)));
        a(n, omega.rows() + j) = -std::sin(omega.row(j).dot(v.row(n)));
      }
    return a;
  }

  [[nodiscard]] Eigen::MatrixXd columns(const Eigen::MatrixXd& omega, const Eigen::MatrixXd& omega_state) const {
    if (block_ == 1) return features(theta_, omega);
    Eigen::MatrixXd a(theta_.rows(), 4 * s_.W);
    a << features(theta_, omega), features(z, omega_state);
    return a;
  }

  struct Solution {
    Eigen::MatrixXd b;
    double objective = 0.0;
  };
  [[nodiscard]] Solution minimise(const Eigen::MatrixXd& omega, const Eigen::MatrixXd& omega_state) const {
    const Eigen::MatrixXd a = columns(omega, omega_state), r = target_ - z;
    const double N = static_cast<double>(a.rows());
    Eigen::MatrixXd stacked = Eigen::MatrixXd::Zero(a.rows() + a.cols(), a.cols()),
                    right = Eigen::MatrixXd::Zero(a.rows() + a.cols(), r.cols());
    stacked.topRows(a.rows()) = a / std::sqrt(N);
    stacked.bottomRows(a.cols()).diagonal().setConstant(std::sqrt(s_.lambda));
    right.topRows(a.rows()) = r / std::sqrt(N);
    Solution solution{stacked.householderQr().solve(right), 0.0};
    solution.objective = (stacked * solution.b - right).squaredNorm();
    return solution;
  }

  /// |b_j|: part 0 is the branch of ω, part 1 that of ω′.
  [[nodiscard]] double size(const Eigen::MatrixXd& b, Eigen::Index part, Eigen::Index j) const {
    const Eigen::Index re = 2 * s_.W * part + j, im = re + s_.W;
    return std::sqrt(b.row(re).squaredNorm() + b.row(im).squaredNorm());
  }

  [[nodiscard]] double draw(Purpose purpose, std::uint64_t part, std::int64_t i, Eigen::Index j, Eigen::Index k,
                            Eigen::Index variables) const {
    const Stream stream(s_.seed, purpose, static_cast<std::uint64_t>(block_), part);
    const auto place = static_cast<std::uint64_t>((i * s_.W + j) * variables + k);
    return purpose == Purpose::acceptance ? stream.uniform(place) : stream.normal(place);
  }

  static bool negative(const Eigen::RowVectorXd& omega) {
    for (Eigen::Index k = 0; k < omega.size(); ++k)
      if (omega(k) != 0.0) return omega(k) < 0.0;
    return false;
  }

  [[nodiscard]] Eigen::MatrixXd initial(std::uint64_t part, Eigen::Index variables) const {
    Eigen::MatrixXd omega(s_.W, variables);
    for (Eigen::Index j = 0; j < s_.W; ++j) {
      for (Eigen::Index k = 0; k < variables; ++k) omega(j, k) = draw(Purpose::initial, part, 0, j, k, variables);
      if (negative(omega.row(j))) omega.row(j) = -omega.row(j).eval();
    }
    return omega;
  }

  [[nodiscard]] Eigen::MatrixXd proposal(std::uint64_t part, std::int64_t i, const Eigen::MatrixXd& omega,
                                         double variance) const {
    Eigen::MatrixXd bar = omega;
    for (Eigen::Index j = 0; j < omega.rows(); ++j)
      for (Eigen::Index k = 0; k < omega.cols(); ++k)
        bar(j, k) += std::sqrt(variance) * draw(Purpose::proposal, part, i, j, k, omega.cols());
    return bar;
  }

  void update(std::uint64_t part, std::int64_t i, double gamma, const Eigen::MatrixXd& bar,
              const Eigen::MatrixXd& b_bar, const Eigen::MatrixXd& b, Eigen::MatrixXd& omega) const {
    for (Eigen::Index j = 0; j < s_.W; ++j) {
      const auto p = static_cast<Eigen::Index>(part);
      const bool wins =
          std::pow(size(b_bar, p, j) / size(b, p, j), gamma) > draw(Purpose::acceptance, part, i, j, 0, 1);
      if (wins && !negative(bar.row(j))) omega.row(j) = bar.row(j);
    }
  }

  ListingBlock train_block() {
    ListingBlock result;
    Eigen::MatrixXd omega = initial(0, theta_.cols()), omega_state = initial(1, target_.cols());
    Solution now = minimise(omega, omega_state);
    const auto note = [&] {
      result.omega.push_back(omega);
      result.omega_state.push_back(omega_state);
      result.objective.push_back(now.objective);
    };
    note();
    for (std::int64_t i = 1; i <= s_.M; ++i) {
      const Eigen::MatrixXd bar = proposal(0, i, omega, s_.delta);
      update(0, i, s_.gamma, bar, minimise(bar, omega_state).b, now.b, omega);
      if (block_ > 1 && s_.move_state) {
        const Eigen::MatrixXd bar_state = proposal(1, i, omega_state, s_.delta_state);
        update(1, i, s_.gamma_state, bar_state, minimise(omega, bar_state).b, now.b, omega_state);
      }
      now = minimise(omega, omega_state);
      note();
    }
    result.re = now.b.topRows(s_.W);
    result.im = now.b.middleRows(s_.W, s_.W);
    if (block_ > 1) {
      result.re_state = now.b.middleRows(2 * s_.W, s_.W);
      result.im_state = now.b.bottomRows(s_.W);
    }
    z += columns(omega, omega_state) * now.b;
    return result;
  }

 public:
  Eigen::MatrixXd z;  ///< the state, here of the training rows
};

}  // namespace rfnn::testing
