#include "rfnn/uncertainty/posterior.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "rfnn/features/law_kernels.hpp"
#include "rfnn/rows/tiles.hpp"
#include "rfnn/uncertainty/tuning.hpp"

namespace rfnn::uncertainty {
namespace {

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

/// L of a covariance, with more on its diagonal where rounding makes it singular.
dense::Cholesky factor_of(const Eigen::MatrixXd& covariance, double scale) {
  dense::Cholesky factor;
  for (double rounding = tuning::rounding; rounding <= tuning::most_rounding; rounding *= 100.0) {
    factor = dense::Cholesky(covariance, rounding * scale);
    if (factor.positive_definite()) break;
  }
  return factor;
}

/// What kernels and weights of windows, `largest` at the most, are compared by: those of neighbours on both sides, say,
/// which rounding alone tells apart, are equal, so that who computes them makes no difference.
double rank(double value, double largest) { return std::floor(std::abs(value) * (tuning::ranks / largest) + 0.5); }

/// The places of the `count` largest of some kernels of a law with this variance, without those that `skip` names.
template <class Skip>
std::vector<std::size_t> largest(const double* values, std::size_t size, double variance, std::size_t count,
                                 const Skip& skip) {
  std::vector<std::size_t> places;
  std::vector<double> ranks(size);
  places.reserve(size);
  for (std::size_t i = 0; i < size; ++i) {
    if (skip(i)) continue;
    places.push_back(i);
    ranks[i] = rank(values[i], variance);
  }
  count = std::min(count, places.size());
  // Equal values in the order of their places: the choice is the same everywhere.
  const auto before = [&](std::size_t a, std::size_t b) {
    return ranks[a] > ranks[b] || (ranks[a] == ranks[b] && a < b);
  };
  if (count < places.size())
    std::nth_element(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(count), places.end(), before);
  places.resize(count);
  std::sort(places.begin(), places.end());
  return {places.begin(), places.end()};  // without the room for all: those of many points are kept at once
}

std::size_t global_count(std::size_t centres) {
  if (centres <= tuning::exact_centres) return centres;
  return std::clamp(tuning::table_numbers / centres, tuning::fewest_global, tuning::most_global);
}

}  // namespace

KernelRow::KernelRow(const FrequencyLaw& law, const Matrix& points) : law_(law), size_(points.rows()) {
  const rows::Centres<double> centres(law_, points);
  tiles_.resize(rows::TiledColumns::tiles_for(size_));
  for (std::size_t tile = 0; tile < tiles_.size(); ++tile) tiles_[tile].place(law_, centres, tile * rows::tile_rows);
}

void KernelRow::values(const double* point, AlignedVector& values) const {
  values.resize(tiles_.size() * rows::tile_rows);
  std::vector<double> own(law_.coordinates());
  law_.place(point, own.data());
  const double* const coordinates = own.data();
  const features::LawKernels<double>& kernels = features::law_kernels<double>();
  for (std::size_t tile = 0; tile < tiles_.size(); ++tile) {
    double* const column = values.data() + tile * rows::tile_rows;
    kernels.panel(law_.view(), tiles_[tile].columns(), &coordinates, 1, &column);
  }
}

Posterior::Posterior(const ClosedForm& form, double noise) : form_(form), prior_(form.law.variance()), noise_(noise) {
  const std::size_t count = form.centres.rows(), variables = form.centres.cols();
  if (!form.windows.empty()) {
    std::size_t first = 0;
    for (const std::size_t rows : form.windows.rows) {
      window_first_.push_back(first);
      first += rows;
    }
    return;
  }
  all_.emplace(form.law, form.centres);
  const std::size_t chosen = global_count(count);
  is_global_.assign(count, 0);
  for (std::size_t g = 0; g < chosen; ++g) {
    global_.push_back(g * count / chosen);
    is_global_[global_.back()] = 1;
  }
  const auto size = static_cast<Eigen::Index>(chosen);
  Eigen::MatrixXd kernel(size, static_cast<Eigen::Index>(count));
  AlignedVector values;
  for (std::size_t g = 0; g < chosen; ++g) {
    all_->values(form.centres.data() + global_[g] * variables, values);
    kernel.row(static_cast<Eigen::Index>(g)) =
        Eigen::Map<const Eigen::RowVectorXd>(values.data(), static_cast<Eigen::Index>(count));
  }
  Eigen::MatrixXd covariance(size, size);
  for (std::size_t g = 0; g < chosen; ++g)
    covariance.col(static_cast<Eigen::Index>(g)) = kernel.col(static_cast<Eigen::Index>(global_[g]));
  covariance.diagonal().array() += noise_;
  factor_ = factor_of(covariance, prior_);
  if (chosen == count || !factor_.positive_definite()) return;
  factor_.half_solve_in_place(kernel);
  table_ = std::move(kernel);
}

// The table, or the factor, and once more what solving with it copies.
double Posterior::bytes(std::size_t centres) {
  return 2.0 * sizeof(double) * static_cast<double>(global_count(centres)) * static_cast<double>(centres);
}

std::vector<std::size_t> Posterior::given() const {
  return all_ && factor_.positive_definite() ? global_ : std::vector<std::size_t>{};
}

std::size_t Posterior::nearest() const {
  if (!all_) return tuning::nearest_of_window;
  return table_.size() > 0 ? tuning::nearest : 0;
}

Posterior::Near Posterior::near(const AlignedVector& values, std::size_t without) const {
  Near near;
  near.centres = largest(values.data(), all_->size(), prior_, tuning::nearest,
                         [&](std::size_t i) { return is_global_[i] != 0 || i == without; });
  near.kernel.resize(static_cast<Eigen::Index>(near.centres.size()));
  for (std::size_t i = 0; i < near.centres.size(); ++i)
    near.kernel(static_cast<Eigen::Index>(i)) = values[near.centres[i]];
  return near;
}

double Posterior::given_near(const Near& near, const Eigen::VectorXd& of_point, double variance) const {
  const auto size = static_cast<Eigen::Index>(near.centres.size());
  const std::size_t variables = form_.centres.cols();
  Eigen::MatrixXd of_near(of_point.size(), size), covariance(size, size);
  for (Eigen::Index i = 0; i < size; ++i)
    of_near.col(i) = table_.col(static_cast<Eigen::Index>(near.centres[static_cast<std::size_t>(i)]));
  std::vector<double> difference(variables);
  for (Eigen::Index i = 0; i < size; ++i)
    for (Eigen::Index j = 0; j <= i; ++j) {
      const std::size_t a = near.centres[static_cast<std::size_t>(i)], b = near.centres[static_cast<std::size_t>(j)];
      for (std::size_t k = 0; k < variables; ++k) difference[k] = form_.centres(a, k) - form_.centres(b, k);
      covariance(i, j) = kernel_value(form_.law, difference.data()) + (i == j ? noise_ : 0.0);
    }
  covariance.triangularView<Eigen::Lower>() -= of_near.transpose() * of_near;
  Eigen::MatrixXd left = near.kernel - of_near.transpose() * of_point;
  const dense::Cholesky factor = factor_of(covariance, prior_);
  if (!factor.positive_definite()) return variance;
  factor.half_solve_in_place(left);
  return variance - left.squaredNorm();
}

double Posterior::in_window(const double* point) const {
  const Windows& windows = form_.windows;
  const std::size_t inputs = windows.inputs(), variables = form_.centres.cols();
  // The window that counts most; outside all of them, the one whose middle is nearest.
  std::size_t best = 0;
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t w = 0; w < windows.count(); ++w) {
    double count = rank(window_weight(windows, w, point), 1.0);
    if (!(count > 0.0)) {
      double far = 0.0;
      for (std::size_t k = 0; k < inputs; ++k)
        far = std::max(far,
                       std::abs(2.0 * (point[k] - windows.low(w, k)) / (windows.high(w, k) - windows.low(w, k)) - 1.0));
      count = -rank(far, 1.0);
    }
    if (count > most) {
      most = count;
      best = w;
    }
  }
  const std::size_t first = window_first_[best], count = windows.rows[best];
  std::vector<double> values(count), difference(variables);
  const auto kernel = [&](const double* a, const double* b) {
    for (std::size_t k = 0; k < variables; ++k) difference[k] = windows.scale(best, k) * (a[k] - b[k]);
    return kernel_value(form_.law, difference.data());
  };
  const auto centre = [&](std::size_t i) { return form_.centres.data() + (first + i) * variables; };
  for (std::size_t i = 0; i < count; ++i) values[i] = kernel(point, centre(i));
  const std::vector<std::size_t> places =
      largest(values.data(), count, prior_, tuning::nearest_of_window, [](std::size_t) { return false; });
  const auto size = static_cast<Eigen::Index>(places.size());
  Eigen::MatrixXd covariance(size, size), right(size, 1);
  for (Eigen::Index i = 0; i < size; ++i) {
    const std::size_t a = places[static_cast<std::size_t>(i)];
    right(i, 0) = values[a];
    for (Eigen::Index j = 0; j <= i; ++j)
      covariance(i, j) = kernel(centre(a), centre(places[static_cast<std::size_t>(j)])) + (i == j ? noise_ : 0.0);
  }
  const dense::Cholesky factor = factor_of(covariance, prior_);
  if (!factor.positive_definite()) return prior_;
  factor.half_solve_in_place(right);
  return prior_ - right.squaredNorm();
}

void Posterior::variances(ConstMatrixView points, double* out) const {
  const std::size_t variables = form_.centres.cols(), count = points.rows();
  const double least = tuning::rounding * prior_;
  std::vector<double> point(variables);
  const auto read = [&](std::size_t i) {
    for (std::size_t k = 0; k < variables; ++k) point[k] = points(i, k);
  };
  AlignedVector values;
  std::vector<Near> nearest(table_.size() > 0 ? count : 0);
  Eigen::MatrixXd of_points(static_cast<Eigen::Index>(global_.size()), static_cast<Eigen::Index>(count));
  for (std::size_t i = 0; i < count; ++i) {
    read(i);
    if (!all_) {
      out[i] = std::clamp(in_window(point.data()), least, prior_);
      continue;
    }
    all_->values(point.data(), values);
    for (std::size_t g = 0; g < global_.size(); ++g)
      of_points(static_cast<Eigen::Index>(g), static_cast<Eigen::Index>(i)) = values[global_[g]];
    if (!nearest.empty()) nearest[i] = near(values, none);
  }
  if (!all_) return;
  if (!factor_.positive_definite()) return std::fill_n(out, count, prior_), void();
  factor_.half_solve_in_place(of_points);
  for (std::size_t i = 0; i < count; ++i) {
    const Eigen::VectorXd of_point = of_points.col(static_cast<Eigen::Index>(i));
    double variance = prior_ - of_point.squaredNorm();
    if (!nearest.empty()) variance = given_near(nearest[i], of_point, variance);
    out[i] = std::clamp(variance, least, prior_);
  }
}

std::vector<double> Posterior::left_out(const std::vector<std::size_t>& centres) const {
  std::vector<double> out(centres.size(), std::numeric_limits<double>::quiet_NaN());
  const double least = tuning::rounding * prior_;
  if (!all_ || !factor_.positive_definite()) return out;
  if (table_.size() == 0) {
    // 1/(A⁻¹)_ii is the variance of row i, noise and all, given the others.
    Eigen::MatrixXd inverse = Eigen::MatrixXd::Identity(factor_.lower().rows(), factor_.lower().cols());
    factor_.half_solve_in_place(inverse);
    for (std::size_t k = 0; k < centres.size(); ++k) {
      const double of_row = 1.0 / inverse.col(static_cast<Eigen::Index>(centres[k])).squaredNorm();
      out[k] = std::clamp(of_row - noise_, least, prior_);
    }
    return out;
  }
  AlignedVector values;
  for (std::size_t k = 0; k < centres.size(); ++k) {
    const std::size_t i = centres[k];
    if (is_global_[i] != 0) continue;
    all_->values(form_.centres.data() + i * form_.centres.cols(), values);
    const Eigen::VectorXd own = table_.col(static_cast<Eigen::Index>(i));
    out[k] = std::clamp(given_near(near(values, i), own, prior_ - own.squaredNorm()), least, prior_);
  }
  return out;
}

}  // namespace rfnn::uncertainty
