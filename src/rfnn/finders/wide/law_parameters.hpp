#pragma once

// Private header. The numbers a law of frequencies is learnt by. All but those of the map are logarithms:
//
//   for every part   ln a, ln s_1 … ln s_d, ln t_1 … ln t_d
//   R_11 … R_dd      where the law maps the variables, M = I + R
//   ln σ²            the variance of the noise
//
// Each has a prior, a normal law around what standardised rows make likely. That of R is narrow: a free matrix fits the
// rows it is learnt from and no others.

#include <Eigen/Core>
#include <cmath>
#include <cstddef>

#include "rfnn/model/law.hpp"
#include "rfnn/rows/row_work.hpp"

namespace rfnn::wide {

/// Which laws are looked at.
struct LawShape {
  std::size_t parts = 2;
  bool mapped = false;

  friend bool operator==(const LawShape&, const LawShape&) = default;
};

class LawParameters {
 public:
  LawParameters(std::size_t variables, LawShape shape);

  [[nodiscard]] Eigen::Index count() const { return noise() + 1; }
  [[nodiscard]] const LawShape& shape() const { return shape_; }

  [[nodiscard]] FrequencyLaw law(const Eigen::VectorXd& x) const;
  [[nodiscard]] double noise_of(const Eigen::VectorXd& x) const { return std::exp(x(noise())); }

  /// Where to begin, with this variance of the noise: parts take turns in being smooth and rough.
  [[nodiscard]] Eigen::VectorXd start(double noise) const;
  /// The same law by other parameters: parts that `known` does not have begin weak, a map as the identity.
  [[nodiscard]] Eigen::VectorXd from(const LawParameters& known, const Eigen::VectorXd& x) const;

  /// −ln of the prior, its gradient added to `gradient`.
  double prior(const Eigen::VectorXd& x, Eigen::VectorXd& gradient) const;
  /// Adds the derivatives by the parameters of Σ q k, and `noise` as that by ln σ².
  void add_slopes(const Eigen::VectorXd& x, const rows::KernelSlopes& slopes, double noise,
                  Eigen::VectorXd& gradient) const;

 private:
  [[nodiscard]] Eigen::Index strength(std::size_t part) const;
  [[nodiscard]] Eigen::Index smooth(std::size_t part, std::size_t k) const;
  [[nodiscard]] Eigen::Index rough(std::size_t part, std::size_t k) const;
  [[nodiscard]] Eigen::Index map(std::size_t j, std::size_t k) const;
  [[nodiscard]] Eigen::Index noise() const;
  [[nodiscard]] bool is_map(Eigen::Index place) const;

  std::size_t variables_;
  LawShape shape_;
  Eigen::VectorXd mean_, sd_;  ///< of the prior
};

}  // namespace rfnn::wide
