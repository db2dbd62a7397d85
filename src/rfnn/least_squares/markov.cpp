#include "rfnn/least_squares/markov.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <Eigen/Core>

namespace rfnn::least_squares {
namespace {

/// ∫₀ᶻ sᵏ e^(−2s) ds for k = 0 … 4. Every sum has terms of one sign: nothing cancels.
std::array<double, 5> moments(double z) {
  std::array<double, 5> moment{};
  const double decay = std::exp(-2.0 * z);
  constexpr double far = 8.0;
  if (z > far) {
    moment[0] = 0.5 * (1.0 - decay);
    double rest = decay;  // zᵏ e^(−2z), 0 where z is not finite
    for (std::size_t k = 1; k < moment.size(); ++k) {
      if (rest > 0.0) rest *= z;
      moment[k] = 0.5 * (static_cast<double>(k) * moment[k - 1] - rest);
    }
    return moment;
  }
  // The last by its series, the others from it: ∫ sᵏ⁻¹ e^(−2s) = (2 ∫ sᵏ e^(−2s) + zᵏ e^(−2z)) / k.
  const double power[] = {1.0, z, z * z, z * z * z, z * z * z * z};
  double term = power[4] * z * decay / 5.0, sum = 0.0;
  for (double k = 6.0; term > 0.25 * std::numeric_limits<double>::epsilon() * sum; ++k) {
    sum += term;
    term *= 2.0 * z / k;
  }
  moment[4] = sum;
  for (std::size_t k = 4; k > 0; --k) moment[k - 1] = (2.0 * moment[k] + power[k] * decay) / static_cast<double>(k);
  return moment;
}

using Square3 = std::array<std::array<double, 3>, 3>;

/// A of the derivatives (f, f′/t, f″/t²) over z = t·d; its upper left corner of the wanted size.
Square3 derivatives_after(int size, double z) {
  const double e = std::exp(-z), z2 = z * z;
  if (e == 0.0) return {};  // nor is 0 · ∞ anything
  switch (size) {
    case 1:
      return {{{e}}};
    case 2:
      return {{{e * (1.0 + z), e * z}, {-e * z, e * (1.0 - z)}}};
    default:
      return {{{e * (1.0 + z + 0.5 * z2), e * (z + z2), e * 0.5 * z2},
               {-e * 0.5 * z2, e * (1.0 + z - z2), e * (z - 0.5 * z2)},
               {e * (0.5 * z2 - z), e * (z2 - 3.0 * z), e * (1.0 - 2.0 * z + 0.5 * z2)}}};
  }
}

/// Q of the derivatives of a process of variance 1: q ∫₀ᶻ v vᵀ ds, v(s) the last column of A(s).
Square3 noise_after(int size, double z) {
  const auto m = moments(z);
  switch (size) {
    case 1:
      return {{{2.0 * m[0]}}};
    case 2: {
      const double q01 = 4.0 * (m[1] - m[2]);
      return {{{4.0 * m[2], q01}, {q01, 4.0 * (m[0] - 2.0 * m[1] + m[2])}}};
    }
    default: {
      constexpr double q = 16.0 / 3.0;
      const double q01 = q * (0.5 * m[3] - 0.25 * m[4]), q02 = q * (0.5 * m[2] - m[3] + 0.25 * m[4]),
                   q12 = q * (m[1] - 2.5 * m[2] + 1.5 * m[3] - 0.25 * m[4]);
      return {{{q * 0.25 * m[4], q01, q02},
               {q01, q * (m[2] - m[3] + 0.25 * m[4]), q12},
               {q02, q12, q * (m[0] - 4.0 * m[1] + 5.0 * m[2] - 2.0 * m[3] + 0.25 * m[4])}}};
    }
  }
}

template <int n>
struct Numbers {
  static constexpr int most = n == Eigen::Dynamic ? MarkovProcess::most_dimensions : n;
  using Vector = Eigen::Matrix<double, n, 1, 0, most, 1>;
  using Square = Eigen::Matrix<double, n, n, 0, most, most>;
  using Panel = Eigen::Matrix<double, n, Eigen::Dynamic, n == 1 ? Eigen::RowMajor : Eigen::ColMajor>;  // n × outputs
};

constexpr std::size_t rows_between_looks = 2048;

/// The filter and the way back, for states of n numbers.
/// Matrices this small are multiplied entry by entry (lazyProduct): blocks for the cache would cost more than they
/// save, in the running and in the compiling.
template <int n>
class Filter {
 public:
  Filter(const MarkovProcess& process, double noise, std::span<const double> x, std::span<const double> weights,
         ConstMatrixView y)
      : process_(process), noise_(noise), x_(x), weights_(weights), y_(y), size_(process.dimension()) {
    h_.setZero(size_);
    process.observation(h_.data());
  }

  bool forward(Interrupt& interrupt, MarkovSolution& solution) {
    const std::size_t count = x_.size(), outputs = y_.cols();
    solution.coefficients = Matrix(count, outputs);
    solution.quadratic.assign(outputs, 0.0);
    solution.log_determinant = 0.0;
    variance_.resize(count);
    gain_.resize(count);
    Square p = Square::Zero(size_, size_), a = p, q = p;
    process_.noise(std::numeric_limits<double>::infinity(), p.data());
    Panel mean = Panel::Zero(size_, static_cast<Eigen::Index>(outputs));
    for (std::size_t i = 0; i < count; ++i) {
      if (i % rows_between_looks == 0 && !interrupt.proceed()) return false;
      if (i > 0) {
        const double distance = x_[i] - x_[i - 1];
        process_.transition(distance, a.data());
        process_.noise(distance, q.data());
        p = (a.lazyProduct(p).eval().lazyProduct(a.transpose()) + q).eval();
        mean = a.lazyProduct(mean).eval();
      }
      const Vector ph = p * h_;
      const double variance = h_.dot(ph) + noise_ / (weights_.empty() ? 1.0 : weights_[i]);
      gain_[i] = ph / variance;
      variance_[i] = variance;
      solution.log_determinant += std::log(variance);
      for (std::size_t o = 0; o < outputs; ++o) {
        auto column = mean.col(static_cast<Eigen::Index>(o));
        const double surprise = y_(i, o) - h_.dot(column);
        solution.coefficients(i, o) = surprise / variance;
        solution.quadratic[o] += surprise * surprise / variance;
        column += surprise * gain_[i];
      }
      p -= gain_[i] * ph.transpose();
      p = (0.5 * (p + p.transpose())).eval();
    }
    return true;
  }

  /// From what the filter was surprised by to the solution and the diagonal of the inverse.
  bool backward(Interrupt& interrupt, MarkovSolution& solution) {
    const std::size_t count = x_.size(), outputs = y_.cols();
    solution.diagonal.resize(count);
    Panel r = Panel::Zero(size_, static_cast<Eigen::Index>(outputs));
    Square s = Square::Zero(size_, size_), a = s;
    for (std::size_t i = count; i-- > 0;) {
      if (i % rows_between_looks == 0 && !interrupt.proceed()) return false;
      const Vector sk = s * gain_[i];
      const double diagonal = 1.0 / variance_[i] + gain_[i].dot(sk);
      solution.diagonal[i] = diagonal;
      s += diagonal * h_ * h_.transpose() - h_ * sk.transpose() - sk * h_.transpose();
      for (std::size_t o = 0; o < outputs; ++o) {
        auto column = r.col(static_cast<Eigen::Index>(o));
        solution.coefficients(i, o) -= gain_[i].dot(column);
        column += solution.coefficients(i, o) * h_;
      }
      if (i == 0) break;
      process_.transition(x_[i] - x_[i - 1], a.data());
      s = a.transpose().lazyProduct(s).eval().lazyProduct(a).eval();
      r = a.transpose().lazyProduct(r).eval();
    }
    return true;
  }

 private:
  using Vector = typename Numbers<n>::Vector;
  using Square = typename Numbers<n>::Square;
  using Panel = typename Numbers<n>::Panel;

  const MarkovProcess& process_;
  double noise_;
  std::span<const double> x_, weights_;
  ConstMatrixView y_;
  Eigen::Index size_;
  Vector h_;
  std::vector<double> variance_;
  std::vector<Vector> gain_;
};

}  // namespace

bool MarkovProcess::describes(const FrequencyLaw& law) {
  if (law.variables() != 1 || !law.map.empty()) return false;
  std::size_t dimension = 0;
  for (const FrequencyLaw::Part& part : law.parts) {
    for (const double scale : part.smooth)
      if (scale != 0.0) return false;
    if (!(part.rough[0] > 0.0) || part.order < 0 || part.order > 2) return false;
    const bool oscillates = !part.centre.empty() && part.centre[0] != 0.0;
    dimension += static_cast<std::size_t>(part.order + 1) * (oscillates ? 2 : 1);
  }
  return dimension <= most_dimensions;
}

MarkovProcess::MarkovProcess(const FrequencyLaw& law) {
  for (const FrequencyLaw::Part& part : law.parts) {
    const double centre = part.centre.empty() ? 0.0 : part.centre[0];
    parts_.push_back({dimension_, part.order + 1, part.strength, part.rough[0], centre});
    dimension_ += (part.order + 1) * (centre != 0.0 ? 2 : 1);
  }
}

void MarkovProcess::transition(double distance, double* a) const {
  for (const Part& part : parts_) {
    const Square3 one = derivatives_after(part.size, part.rough * distance);
    const double c = part.centre != 0.0 ? std::cos(part.centre * distance) : 1.0;
    const double s = part.centre != 0.0 ? std::sin(part.centre * distance) : 0.0;
    for (int i = 0; i < part.size; ++i)
      for (int j = 0; j < part.size; ++j) {
        const auto row = static_cast<std::size_t>(i), column = static_cast<std::size_t>(j);
        double* at = a + (part.place + j) * dimension_ + part.place + i;
        at[0] = one[row][column] * c;
        if (part.centre == 0.0) continue;
        at[part.size] = one[row][column] * s;
        at[part.size * dimension_] = -one[row][column] * s;
        at[part.size * dimension_ + part.size] = one[row][column] * c;
      }
  }
}

void MarkovProcess::noise(double distance, double* q) const {
  for (const Part& part : parts_) {
    const Square3 one = noise_after(part.size, part.rough * distance);
    for (int i = 0; i < part.size; ++i)
      for (int j = 0; j < part.size; ++j) {
        double* at = q + (part.place + j) * dimension_ + part.place + i;
        at[0] = part.strength * one[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
        if (part.centre != 0.0) at[part.size * dimension_ + part.size] = at[0];
      }
  }
}

void MarkovProcess::observation(double* h) const {
  std::fill_n(h, dimension_, 0.0);
  for (const Part& part : parts_) h[part.place] = 1.0;
}

void MarkovProcess::seen(double distance, double* value, double* slope) const {
  for (const Part& part : parts_) {
    const Square3 one = derivatives_after(part.size, part.rough * distance);
    const double c = std::cos(part.centre * distance), s = std::sin(part.centre * distance);
    for (int j = 0; j < part.size; ++j) {
      const auto column = static_cast<std::size_t>(j);
      // The numbers of the state are f, f′/t, …: the second row of A is the derivative of the first over t.
      const double f = one[0][column], df = part.rough * (part.size == 1 ? -f : one[1][column]);
      const int place = part.place + j;
      value[place] = f * c;
      slope[place] = df * c - f * part.centre * s;
      if (part.centre == 0.0) continue;
      value[place + part.size] = -f * s;
      slope[place + part.size] = -df * s - f * part.centre * c;
    }
  }
}

namespace {

template <int n>
bool solve_with(const MarkovProcess& process, double noise, std::span<const double> x, std::span<const double> weights,
                ConstMatrixView y, Interrupt& interrupt, MarkovSolution& solution) {
  Filter<n> filter(process, noise, x, weights, y);
  return filter.forward(interrupt, solution) && filter.backward(interrupt, solution);
}

}  // namespace

bool solve_markov(const MarkovProcess& process, double noise, std::span<const double> x,
                  std::span<const double> weights, ConstMatrixView y, Interrupt& interrupt, MarkovSolution& solution) {
  switch (process.dimension()) {
    case 1:
      return solve_with<1>(process, noise, x, weights, y, interrupt, solution);
    case 2:
      return solve_with<2>(process, noise, x, weights, y, interrupt, solution);
    case 3:
      return solve_with<3>(process, noise, x, weights, y, interrupt, solution);
    default:
      return solve_with<Eigen::Dynamic>(process, noise, x, weights, y, interrupt, solution);
  }
}

}  // namespace rfnn::least_squares
