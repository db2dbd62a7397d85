#include "rfnn/rows/reference/reference_work.hpp"

#include <cmath>
#include <complex>
#include <utility>

#include "rfnn/core/as_index.hpp"
#include "rfnn/rows/reference/reference_engine.hpp"

namespace rfnn::rows {
namespace {

Eigen::MatrixXd dense(const TiledColumns& columns) {
  Eigen::MatrixXd made(as_index(columns.rows()), as_index(columns.columns()));
  for (std::size_t i = 0; i < columns.rows(); ++i)
    for (std::size_t k = 0; k < columns.columns(); ++k) made(as_index(i), as_index(k)) = columns(i, k);
  return made;
}

TiledColumns tiled(const Eigen::MatrixXd& values) {
  TiledColumns made(static_cast<std::size_t>(values.rows()), static_cast<std::size_t>(values.cols()));
  for (std::size_t i = 0; i < made.rows(); ++i)
    for (std::size_t k = 0; k < made.columns(); ++k) made(i, k) = values(as_index(i), as_index(k));
  return made;
}

Eigen::VectorXd roots(const RowState& rows) {
  Eigen::VectorXd root = Eigen::VectorXd::Ones(as_index(rows.count()));
  for (std::size_t i = 0; i < rows.count(); ++i) root(as_index(i)) = std::sqrt(rows.weight(i));
  return root;
}

double phase_of(const RowState& rows, std::size_t row, const double* frequency, std::size_t variables,
                std::size_t first = 0) {
  double phase = 0.0;
  for (std::size_t k = 0; k < variables; ++k) phase += frequency[k] * rows.variable_of(row, first + k);
  return phase;
}

/// [cos(ω_f·v) −sin(ω_f·v)] for every row, not weighted.
Eigen::MatrixXd columns_of(const RowState& rows, const std::vector<Feature>& features) {
  Eigen::MatrixXd a(as_index(rows.count()), as_index(2 * features.size()));
  for (std::size_t i = 0; i < rows.count(); ++i)
    for (std::size_t f = 0; f < features.size(); ++f) {
      const double phase = phase_of(rows, i, features[f].frequency.data(), features[f].frequency.size());
      a(as_index(i), as_index(2 * f)) = std::cos(phase);
      a(as_index(i), as_index(2 * f + 1)) = -std::sin(phase);
    }
  return a;
}

/// A S over the inputs, weighted.
Eigen::MatrixXd scaled_columns(const RowState& rows, const WideFeatures& features) {
  Eigen::MatrixXd a(as_index(rows.count()), as_index(2 * features.size()));
  for (std::size_t i = 0; i < rows.count(); ++i)
    for (std::size_t f = 0; f < features.size(); ++f) {
      const double phase =
          phase_of(rows, i, features.frequencies.data() + f * features.frequencies.cols(), features.frequencies.cols());
      a(as_index(i), as_index(2 * f)) = features.prior[f] * std::cos(phase);
      a(as_index(i), as_index(2 * f + 1)) = -features.prior[f] * std::sin(phase);
    }
  return roots(rows).asDiagonal() * a;
}

/// ∂(A b)_o/∂ω over all movable frequencies, not weighted.
Eigen::MatrixXd derivatives(const RowState& rows, const FeatureBlock& block, std::size_t output) {
  Eigen::MatrixXd j(as_index(rows.count()), as_index(block.movable()));
  for (std::size_t i = 0; i < rows.count(); ++i) {
    Eigen::Index column = 0;
    for (std::size_t f = 0; f < block.size(); ++f) {
      const Feature& feature = block.features[f];
      const double phase = phase_of(rows, i, feature.frequency.data(), feature.frequency.size());
      const double re = block.amplitudes(as_index(2 * f), as_index(output)),
                   im = block.amplitudes(as_index(2 * f + 1), as_index(output));
      for (const std::uint32_t k : feature.active)
        j(as_index(i), column++) = rows.variable_of(i, k) * (-re * std::sin(phase) - im * std::cos(phase));
    }
  }
  return j;
}

Eigen::MatrixXd what_is_left(const RowState& rows, const FeatureBlock& block) {
  return dense(rows.residual) - columns_of(rows, block.features) * block.amplitudes;
}

/// The same where the closed form is one of windows.
void add_windows(const RowState& before, const ClosedForm& form, RowState& rows) {
  const Windows& windows = form.windows;
  std::vector<double> difference(form.centres.cols()), at(windows.inputs());
  for (std::size_t row = 0; row < rows.count(); ++row) {
    for (std::size_t k = 0; k < at.size(); ++k) {
      double least = form.centres(0, k), most = least;
      for (std::size_t i = 0; i < form.centres.rows(); ++i) {
        least = std::min(least, form.centres(i, k));
        most = std::max(most, form.centres(i, k));
      }
      at[k] = std::clamp(before.variable_of(row, k), least, most);
    }
    double total = 0.0;
    std::vector<double> sum(rows.outputs(), 0.0);
    for (std::size_t w = 0, i = 0; w < windows.count(); ++w) {
      const double weight = window_weight(windows, w, at.data());
      total += weight;
      for (const std::size_t end = i + windows.rows[w]; i < end; ++i) {
        for (std::size_t k = 0; k < difference.size(); ++k)
          difference[k] = windows.scale(w, k) * (before.variable_of(row, k) - form.centres(i, k));
        const double k = kernel_value(form.law, difference.data());
        for (std::size_t o = 0; o < sum.size(); ++o) sum[o] += weight * form.coefficients(i, o) * k;
      }
    }
    for (std::size_t o = 0; o < sum.size() && total > 0.0; ++o) rows.state(row, o) += sum[o] / total;
  }
}

/// z += Σ_i c_i k(v − v_i), v as the rows were before the block: of the inputs, or of inputs and state.
void add_closed_form(const RowState& before, const ClosedForm& form, RowState& rows) {
  std::vector<double> difference(form.centres.cols());
  for (std::size_t row = 0; row < rows.count(); ++row)
    for (std::size_t i = 0; i < form.centres.rows(); ++i) {
      for (std::size_t k = 0; k < difference.size(); ++k)
        difference[k] = before.variable_of(row, k) - form.centres(i, k);
      const double k = kernel_value(form.law, difference.data());
      for (std::size_t o = 0; o < rows.outputs(); ++o) rows.state(row, o) += form.coefficients(i, o) * k;
    }
}

/// z += c_0 + Σ_q Σ_k c_qk v_k^q, v the variables from `first` on as the rows were before the block.
void add_trend(const RowState& before, const Branch& branch, std::size_t first, RowState& rows) {
  const std::size_t variables = branch.frequencies.cols();
  for (std::size_t c = 0; c < branch.trend.rows(); ++c)
    for (std::size_t row = 0; row < rows.count(); ++row) {
      const double power = c == 0 ? 1.0
                                  : std::pow(before.variable_of(row, first + (c - 1) % variables),
                                             1.0 + static_cast<double>((c - 1) / variables));
      for (std::size_t o = 0; o < rows.outputs(); ++o) rows.state(row, o) += branch.trend(c, o) * power;
    }
}

/// Sums over all points, one by one.
class PlainPoints final : public LatticePoints {
 public:
  PlainPoints(HalfLattice lattice, Phases phases) : lattice_(lattice), phases_(std::move(phases)) {}

  bool gather(const std::vector<double>& strengths, Coefficients& b, Interrupt& interrupt) override {
    b.assign(2 * lattice_.points(), 0.0);
    for (std::size_t k = 0; k < lattice_.points(); ++k)
      for (std::size_t n = 0; n < phases_.size(); ++n) {
        const std::complex<double> term = strengths[n] * std::polar(1.0, -phase(k, n));
        b[k] += term.real();
        b[lattice_.points() + k] += term.imag();
      }
    return interrupt.proceed();
  }

  bool evaluate(const Coefficients& b, std::vector<double>& values, Interrupt& interrupt) override {
    values.assign(phases_.size(), 0.0);
    for (std::size_t n = 0; n < phases_.size(); ++n)
      for (std::size_t k = 0; k < lattice_.points(); ++k) {
        // k and −k together give a real number; of k0 = 0 both are on the half lattice.
        const double twice = k % lattice_.columns() > 0 ? 2.0 : 1.0;
        values[n] += twice * (std::complex(b[k], b[lattice_.points() + k]) * std::polar(1.0, phase(k, n))).real();
      }
    return interrupt.proceed();
  }

 private:
  [[nodiscard]] double phase(std::size_t k, std::size_t n) const {
    const auto k0 = static_cast<double>(k % lattice_.columns()),
               k1 = static_cast<double>(k / lattice_.columns()) - static_cast<double>(lattice_.m1);
    return k0 * phases_[n][0] + k1 * phases_[n][1];
  }
  HalfLattice lattice_;
  Phases phases_;
};

std::vector<double> difference(const Matrix& points, std::size_t i, const Matrix& others, std::size_t j) {
  std::vector<double> apart(points.cols());
  for (std::size_t k = 0; k < apart.size(); ++k) apart[k] = points(i, k) - others(j, k);
  return apart;
}

/// k(points, others) c.
Matrix kernel_times(const FrequencyLaw& law, const Matrix& points, const Matrix& others, const Matrix& c) {
  Matrix out(points.rows(), c.cols());
  for (std::size_t i = 0; i < points.rows(); ++i)
    for (std::size_t j = 0; j < others.rows(); ++j) {
      const double k = kernel_value(law, difference(points, i, others, j).data());
      for (std::size_t o = 0; o < c.cols(); ++o) out(i, o) += k * c(j, o);
    }
  return out;
}

}  // namespace

bool ReferenceWork::advance(const Block& block, RowState& rows, Interrupt& interrupt) {
  const RowState before = rows;
  for (const Branch& branch : block.branches) {
    if (branch.closed_form) {
      (branch.closed_form->windows.empty() ? add_closed_form : add_windows)(before, *branch.closed_form, rows);
      continue;
    }
    const std::size_t first = branch.kind == BranchKind::state ? rows.inputs() : 0, count = branch.frequencies.cols();
    add_trend(before, branch, first, rows);
    for (std::size_t i = 0; i < rows.count(); ++i)
      for (std::size_t j = 0; j < branch.frequencies.rows(); ++j) {
        const double phase = phase_of(before, i, branch.frequencies.data() + j * count, count, first);
        for (std::size_t o = 0; o < rows.outputs(); ++o)
          rows.state(i, o) +=
              branch.amplitudes(2 * j, o) * std::cos(phase) - branch.amplitudes(2 * j + 1, o) * std::sin(phase);
      }
  }
  for (std::size_t tile = 0; tile < rows.tiles(); ++tile) rows.settle(tile);
  return interrupt.proceed();
}

Eigen::VectorXd ReferenceWork::mean_squares(const RowState& rows) {
  const Eigen::MatrixXd weighted = roots(rows).asDiagonal() * dense(rows.residual);
  return weighted.colwise().squaredNorm().transpose() / static_cast<double>(std::max<std::size_t>(rows.count(), 1));
}

bool ReferenceWork::features(const RowState& rows, const std::vector<Feature>& features, FeatureSums& sums,
                             Interrupt& interrupt) {
  const Eigen::VectorXd root = roots(rows);
  const Eigen::MatrixXd a = root.asDiagonal() * columns_of(rows, features),
                        r = root.asDiagonal() * dense(rows.residual);
  sums.gram = a.transpose() * a;
  sums.rhs = a.transpose() * r;
  sums.energy = r.colwise().squaredNorm().transpose();
  return interrupt.proceed();
}

bool ReferenceWork::jacobian(const RowState& rows, const FeatureBlock& block, JacobianSums& sums,
                             Interrupt& interrupt) {
  const Eigen::VectorXd root = roots(rows);
  const Eigen::MatrixXd a = root.asDiagonal() * columns_of(rows, block.features),
                        e = root.asDiagonal() * what_is_left(rows, block);
  const Eigen::Index movable = as_index(block.movable());
  sums.gram = a.transpose() * a;
  sums.rhs = a.transpose() * e;
  sums.energy = e.colwise().squaredNorm().transpose();
  sums.cross.resize(rows.outputs());
  sums.curvature = Eigen::MatrixXd::Zero(movable, movable);
  sums.slope = Eigen::VectorXd::Zero(movable);
  for (std::size_t o = 0; o < rows.outputs(); ++o) {
    const Eigen::MatrixXd j = root.asDiagonal() * derivatives(rows, block, o);
    sums.cross[o] = a.transpose() * j;
    sums.curvature += j.transpose() * j;
    sums.slope += j.transpose() * e.col(as_index(o));
  }
  return interrupt.proceed();
}

bool ReferenceWork::misfit(const RowState& rows, const FeatureBlock& block, Eigen::VectorXd& energy,
                           Interrupt& interrupt) {
  const Eigen::MatrixXd e = roots(rows).asDiagonal() * what_is_left(rows, block);
  energy = e.colwise().squaredNorm().transpose();
  return interrupt.proceed();
}

bool ReferenceWork::left_by(const RowState& rows, const FeatureBlock& block, TiledColumns& left, Interrupt& interrupt) {
  left = tiled(what_is_left(rows, block));
  return interrupt.proceed();
}

bool ReferenceWork::spectrum(const RowState& rows, const TiledColumns& left, const std::vector<Feature>& candidates,
                             std::size_t stride, std::vector<double>& power, Interrupt& interrupt) {
  power.assign(candidates.size(), 0.0);
  const Eigen::MatrixXd a = columns_of(rows, candidates);
  for (std::size_t f = 0; f < candidates.size(); ++f)
    for (std::size_t o = 0; o < left.columns(); ++o) {
      double re = 0.0, im = 0.0;
      for (std::size_t i = 0; i < rows.count(); ++i) {
        if (i / tile_rows % stride != 0) continue;
        re += rows.weight(i) * left(i, o) * a(as_index(i), as_index(2 * f));
        im += rows.weight(i) * left(i, o) * a(as_index(i), as_index(2 * f + 1));
      }
      power[f] += re * re + im * im;
    }
  return interrupt.proceed();
}

bool ReferenceWork::apply(const RowState& rows, const WideFeatures& features, const Matrix& c, TiledColumns& out,
                          Interrupt& interrupt) {
  Eigen::MatrixXd columns(as_index(c.rows()), as_index(c.cols()));
  for (std::size_t i = 0; i < c.rows(); ++i)
    for (std::size_t o = 0; o < c.cols(); ++o) columns(as_index(i), as_index(o)) = c(i, o);
  out = tiled(scaled_columns(rows, features) * columns);
  return interrupt.proceed();
}

bool ReferenceWork::adjoint(const RowState& rows, const WideFeatures& features, const TiledColumns& t, Matrix& out,
                            Interrupt& interrupt) {
  const Eigen::MatrixXd product = scaled_columns(rows, features).transpose() * dense(t);
  out = Matrix(2 * features.size(), t.columns());
  for (std::size_t i = 0; i < out.rows(); ++i)
    for (std::size_t o = 0; o < out.cols(); ++o) out(i, o) = product(as_index(i), as_index(o));
  return interrupt.proceed();
}

bool ReferenceWork::row_kernel(const RowState& rows, const WideFeatures& features, Eigen::MatrixXd& kernel,
                               Interrupt& interrupt) {
  const Eigen::MatrixXd a = scaled_columns(rows, features);
  kernel = a * a.transpose();
  return interrupt.proceed();
}

bool ReferenceWork::kernel_matrix(const RowState& rows, const FrequencyLaw& law, dense::Triangle<double>& kernel,
                                  Interrupt& interrupt) {
  kernel = dense::Triangle<double>(rows.count());
  const Matrix points = variables_of(rows, law.variables());
  for (std::size_t i = 0; i < rows.count(); ++i)
    for (std::size_t j = 0; j <= i; ++j) kernel(i, j) = kernel_value(law, difference(points, i, points, j).data());
  return interrupt.proceed();
}

bool ReferenceWork::kernel_slopes(const RowState& rows, const FrequencyLaw& law, const dense::Triangle<double>& q,
                                  KernelSlopes& slopes, Interrupt& interrupt) {
  const Eigen::Index variables = as_index(law.variables()), parts = as_index(law.parts.size()),
                     mapped = as_index(law.map.rows());
  slopes = {Eigen::VectorXd::Zero(parts), Eigen::MatrixXd::Zero(variables, parts),
            Eigen::MatrixXd::Zero(variables, parts), Eigen::MatrixXd::Zero(mapped, variables)};
  const Matrix points = variables_of(rows, law.variables());
  for (std::size_t i = 0; i < rows.count(); ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      const std::vector<double> apart = difference(points, i, points, j);
      const Eigen::Map<const Eigen::VectorXd> delta(apart.data(), variables);
      Eigen::VectorXd u = delta;
      if (mapped > 0)
        u = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
                law.map.data(), mapped, variables) *
            delta;
      for (Eigen::Index p = 0; p < parts; ++p) {
        const FrequencyLaw::Part& part = law.parts[static_cast<std::size_t>(p)];
        const double weight = q(i, j) * kernel_value({{part}, law.map}, apart.data());
        slopes.strength(p) += weight;
        slopes.slope.col(p) += weight * delta.cwiseAbs();
        slopes.curvature.col(p) += weight * u.cwiseAbs2();
        if (mapped == 0) continue;
        const Eigen::Map<const Eigen::VectorXd> smooth(part.smooth.data(), mapped);
        slopes.map += weight * smooth.cwiseAbs2().cwiseProduct(u) * delta.transpose();
      }
    }
  return interrupt.proceed();
}

bool ReferenceWork::kernel_product(const RowState& rows, const FrequencyLaw& law, const Matrix& t, Matrix& out,
                                   Precision, Interrupt& interrupt) {
  out = kernel_times(law, variables_of(rows, law.variables()), variables_of(rows, law.variables()), t);
  return interrupt.proceed();
}

bool ReferenceWork::kernel_apply(const RowState& rows, const FrequencyLaw& law, const Matrix& centres, const Matrix& c,
                                 Matrix& out, Precision, Interrupt& interrupt) {
  out = kernel_times(law, variables_of(rows, law.variables()), centres, c);
  return interrupt.proceed();
}

bool ReferenceWork::kernel_adjoint(const RowState& rows, const FrequencyLaw& law, const Matrix& centres,
                                   const Matrix& t, Matrix& out, Precision, Interrupt& interrupt) {
  out = kernel_times(law, centres, variables_of(rows, law.variables()), t);
  return interrupt.proceed();
}

bool ReferenceWork::kernel_gram(const RowState& rows, const FrequencyLaw& law, const Matrix& centres,
                                dense::Triangle<double>& gram, Interrupt& interrupt) {
  gram = dense::Triangle<double>(centres.rows());
  const Matrix points = variables_of(rows, law.variables());
  std::vector<double> k(centres.rows());
  for (std::size_t n = 0; n < rows.count(); ++n) {
    for (std::size_t i = 0; i < k.size(); ++i) k[i] = kernel_value(law, difference(points, n, centres, i).data());
    for (std::size_t i = 0; i < k.size(); ++i)
      for (std::size_t j = 0; j <= i; ++j) gram(i, j) += rows.weight(n) * k[i] * k[j];
  }
  return interrupt.proceed();
}

bool ReferenceWork::window_fits(const RowState& rows, const FrequencyLaw& law, const WindowRows& cut,
                                const std::vector<double>& noise, const std::vector<std::size_t>& listed,
                                WindowFits& fits, Interrupt& interrupt) {
  if (fits.coefficients.rows() != cut.places.size())
    fits.coefficients = fits.left_out = Matrix(cut.places.size(), rows.outputs());
  const Matrix variables = variables_of(rows, law.variables());
  for (const std::size_t w : listed) {
    const std::size_t first = cut.first[w], count = cut.windows.rows[w];
    const Matrix points = scaled_points(cut.windows, w, variables, cut.places.data() + first, count);
    Eigen::MatrixXd kernel(as_index(count), as_index(count)), right(as_index(count), as_index(rows.outputs()));
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < count; ++j)
        kernel(as_index(i), as_index(j)) = kernel_value(law, difference(points, i, points, j).data());
      kernel(as_index(i), as_index(i)) += noise[w] / rows.weight(cut.places[first + i]);
      for (std::size_t o = 0; o < rows.outputs(); ++o)
        right(as_index(i), as_index(o)) = rows.residual(cut.places[first + i], o);
    }
    const Eigen::MatrixXd inverse = kernel.inverse(), c = inverse * right;
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t o = 0; o < rows.outputs(); ++o) {
        fits.coefficients(first + i, o) = c(as_index(i), as_index(o));
        fits.left_out(first + i, o) = c(as_index(i), as_index(o)) / inverse(as_index(i), as_index(i));
      }
  }
  return interrupt.proceed();
}

std::unique_ptr<LatticePoints> ReferenceWork::lattice_points(HalfLattice lattice, std::size_t, Phases phases) {
  return std::make_unique<PlainPoints>(lattice, std::move(phases));
}

std::unique_ptr<Engine> ReferenceWork::chain(const RowState& rows) { return std::make_unique<ReferenceEngine>(rows); }

}  // namespace rfnn::rows
