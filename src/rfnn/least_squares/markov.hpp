#pragma once

// Private header. Laws of one variable without smooth factors: everything about N rows in a time proportional to N.
//
// Such a law has a rational density of frequencies, and its process f is one coordinate of a Markov process: per part
// of order p the derivatives (f, f′/t, …, f⁽ᵖ⁾/tᵖ), twice as many where the part oscillates. Over a distance d that
// state s becomes A(d) s plus independent noise of covariance Q(d), and f = h·s. Going through the rows in the order of
// x, a Kalman filter gives the factors of K + σ²W⁻¹, and going back the solution and the diagonal of the inverse.

#include <cstddef>
#include <span>
#include <vector>

#include "rfnn/core/matrix.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/model/law.hpp"

namespace rfnn::least_squares {

/// The state of a law of one variable.
class MarkovProcess {
 public:
  /// Numbers that a state may have: beyond, other ways are as quick.
  static constexpr int most_dimensions = 12;

  /// One variable, no map, no smooth factors, all rough scales above 0, and a state of at most `most_dimensions`.
  static bool describes(const FrequencyLaw& law);
  /// Of a law that it describes.
  explicit MarkovProcess(const FrequencyLaw& law);

  [[nodiscard]] int dimension() const { return dimension_; }

  /// A(d), d ≥ 0: dimension × dimension, column by column. What is outside the parts' squares is left as it is, 0.
  void transition(double distance, double* a) const;
  /// Q(d), likewise, without cancellation however small d is. Q(∞) is the covariance of the state.
  void noise(double distance, double* q) const;
  /// h: f is the sum of the numbers where it is 1.
  void observation(double* h) const;
  /// hᵀA(d), which makes f at a distance of a state, and its derivative by d.
  void seen(double distance, double* value, double* slope) const;

 private:
  /// A part's numbers are those from `place` on; of one that oscillates as many again behind them.
  struct Part {
    int place = 0, size = 0;
    double strength = 0.0, rough = 0.0, centre = 0.0;
  };
  std::vector<Part> parts_;
  int dimension_ = 0;
};

/// (K + σ²W⁻¹)⁻¹ for rows in ascending order of x, no two at the same place.
struct MarkovSolution {
  Matrix coefficients;            ///< rows × outputs: (K + σ²W⁻¹)⁻¹ y
  std::vector<double> diagonal;   ///< of (K + σ²W⁻¹)⁻¹
  double log_determinant = 0.0;   ///< of K + σ²W⁻¹
  std::vector<double> quadratic;  ///< per output: yᵀ (K + σ²W⁻¹)⁻¹ y
};

/// Weights empty: all 1. y is rows × outputs. False when interrupted: the solution is then worth nothing.
bool solve_markov(const MarkovProcess& process, double noise, std::span<const double> x,
                  std::span<const double> weights, ConstMatrixView y, Interrupt& interrupt, MarkovSolution& solution);

/// The sum Σ_i c_i k(x − x_i) over centres, made ready so that its value anywhere takes a search among the centres and
/// a state's worth of arithmetic. A value depends on its x alone.
class MarkovSum {
 public:
  /// Of a form whose law MarkovProcess describes.
  explicit MarkovSum(const ClosedForm& form);

  /// Adds the value at x to each of the outputs.
  void add(double x, std::span<double> outputs) const;
  /// Likewise its derivative to the slopes; at a centre where it has a kink, the mean of both sides'.
  void add_slopes(double x, std::span<double> slopes) const;

  /// What it is made of, for those who write it down elsewhere: the centres, ascending, and for each of them in this
  /// order, or in the opposite one, and for each output the state of all centres up to it.
  [[nodiscard]] int dimension() const { return process_.dimension(); }
  [[nodiscard]] const std::vector<double>& centres() const { return centres_; }
  [[nodiscard]] const std::vector<double>& before() const { return before_; }
  [[nodiscard]] const std::vector<double>& after() const { return after_; }

 private:
  /// The derivative where x lies between centre `next` − 1 and centre `next`.
  void add_slopes_between(std::size_t next, double x, double share, std::span<double> slopes) const;
  /// The state of all centres before or after each, as seen from there, its own among them.
  [[nodiscard]] std::vector<double> states(const ClosedForm& form, const std::vector<std::size_t>& order) const;

  MarkovProcess process_;
  std::size_t outputs_;
  std::vector<double> centres_;         ///< ascending
  std::vector<double> before_, after_;  ///< per centre and output, ascending and descending
};

}  // namespace rfnn::least_squares
