// Closed forms with all of very many rows as centres, by conjugate gradients.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "rfnn/core/random.hpp"
#include "rfnn/core/timer.hpp"
#include "rfnn/finders/wide/closed_fit.hpp"
#include "rfnn/finders/wide/closed_parts.hpp"
#include "rfnn/finders/wide/tuning.hpp"
#include "rfnn/least_squares/conjugate_gradients.hpp"
#include "rfnn/least_squares/dense_cholesky.hpp"

namespace rfnn::wide {
namespace {

using Triangle = dense::Triangle<double>;

/// Mean over some rows of k(0) − k_mᵀ K_mm⁻¹ k_m: what the centres do not see of a row.
std::optional<double> unseen_variance(rows::RowWork& work, const rows::RowState& rows, const FrequencyLaw& law,
                                      const CentreSums& sums, Interrupt& interrupt) {
  const rows::RowState looked_at = rows.some(tuning::rows_looked_at, Stream(Address{}, Purpose::unseen_rows));
  Triangle factor = sums.kernel;
  for (std::size_t i = 0; i < factor.size(); ++i) factor(i, i) += tuning::rounding * law.variance();
  if (!dense::factor(factor, work.workers(), interrupt)) return std::nullopt;
  Matrix unit(looked_at.count(), looked_at.count()), kernels;
  for (std::size_t i = 0; i < unit.rows(); ++i) unit(i, i) = 1.0;
  if (!work.kernel_adjoint(looked_at, law, sums.centres, unit, kernels, rows::Precision::full, interrupt) ||
      !dense::solve_forward(factor, kernels.view(), work.workers(), interrupt))
    return std::nullopt;
  double seen = 0.0;
  for (std::size_t i = 0; i < kernels.size(); ++i) seen += kernels.data()[i] * kernels.data()[i];
  return std::max(0.0, law.variance() - seen / static_cast<double>(unit.rows()));
}

bool finite(const Matrix& matrix) {
  return std::all_of(matrix.data(), matrix.data() + matrix.size(), [](double x) { return std::isfinite(x); });
}

/// The systems that are solved side by side, one column per λ and output each: (K + λ W⁻¹) α = r of the training rows,
/// and, where rows are held out, of these as well. Columns of the first are zero at the rows held out.
class Systems {
 public:
  Systems(const rows::RowState& rows, const rows::RowState& held_out, std::vector<double> lambdas)
      : all_(rows.with(held_out)), lambdas_(std::move(lambdas)), training_(rows.count()), outputs_(rows.outputs()) {
    for (std::size_t i = 0; i < training_; ++i) weights_.push_back(rows.weight(i));
    const double counting = counting_of(rows, held_out);
    for (std::size_t i = 0; i < held_out.count(); ++i) weights_.push_back(counting * held_out.weight(i));
  }

  /// Weights have mean 1 among the training rows as among those held out: what one of the latter is in terms of the
  /// former.
  static double counting_of(const rows::RowState& rows, const rows::RowState& held_out) {
    if (held_out.count() == 0 || !rows.weighted()) return 1.0;
    const auto mean = [](const std::vector<double>& list) {
      double sum = 0.0;
      for (const double x : list) sum += x;
      return sum / static_cast<double>(list.size());
    };
    return mean(held_out.given_weights()) / mean(rows.given_weights());
  }

  [[nodiscard]] const rows::RowState& all() const { return all_; }
  [[nodiscard]] std::size_t training() const { return training_; }
  [[nodiscard]] bool both() const { return all_.count() > training_; }
  [[nodiscard]] std::size_t outputs() const { return outputs_; }
  [[nodiscard]] std::size_t groups() const { return lambdas_.size() * (both() ? 2 : 1); }
  [[nodiscard]] std::size_t columns() const { return groups() * outputs_; }
  [[nodiscard]] double lambda(std::size_t column) const { return lambdas_[column / outputs_ % lambdas_.size()]; }
  [[nodiscard]] double weight(std::size_t row) const { return weights_[row]; }

  /// Makes the first system's columns zero at the rows held out.
  void mask(Matrix& columns) const {
    const std::size_t first = lambdas_.size() * outputs_;
    for (std::size_t i = training_; i < columns.rows(); ++i)
      for (std::size_t k = 0; k < first; ++k) columns(i, k) = 0.0;
  }
  [[nodiscard]] Matrix right() const {
    Matrix r(all_.count(), columns());
    for (std::size_t i = 0; i < r.rows(); ++i)
      for (std::size_t k = 0; k < r.cols(); ++k) r(i, k) = all_.residual(i, k % outputs_);
    mask(r);
    return r;
  }
  /// The columns of one of them, at its rows.
  [[nodiscard]] Matrix of(const Matrix& columns, bool second) const {
    const std::size_t count = lambdas_.size() * outputs_;
    Matrix own(second ? all_.count() : training_, count);
    for (std::size_t i = 0; i < own.rows(); ++i)
      for (std::size_t k = 0; k < count; ++k) own(i, k) = columns(i, k + (second ? count : 0));
    return own;
  }

 private:
  rows::RowState all_;
  std::vector<double> lambdas_, weights_;
  std::size_t training_, outputs_;
};

/// M⁻¹ of M = K_nm K_mm⁻¹ K_mn + μ W⁻¹: the rows as the centres see them. What they do not see counts as noise, μ = λ +
/// its mean variance.
class Preconditioner {
 public:
  Preconditioner(rows::RowWork& work, const Systems& systems, const FrequencyLaw& law, const CentreSums& sums,
                 Interrupt& interrupt)
      : work_(work), systems_(systems), law_(law), centres_(sums.centres), interrupt_(interrupt) {}

  bool prepare(const rows::RowState& rows, const rows::RowState& held_out, const CentreSums& sums) {
    const std::optional<double> unseen = unseen_variance(work_, rows, law_, sums, interrupt_);
    if (!unseen) return false;
    for (std::size_t group = 0; group < systems_.groups(); ++group)
      noise_.push_back(systems_.lambda(group * systems_.outputs()) + *unseen);
    if (!factors_of(sums, systems_.groups() / (systems_.both() ? 2 : 1))) return false;
    if (!systems_.both()) return true;
    CentreSums with_held_out = sums;
    return add_rows(work_, held_out, law_, with_held_out, interrupt_, Systems::counting_of(rows, held_out)) &&
           factors_of(with_held_out, systems_.groups());
  }

  bool apply(const Matrix& v, Matrix& out) const {
    const std::size_t outputs = systems_.outputs();
    Matrix weighted = v, small;
    for (std::size_t i = 0; i < v.rows(); ++i)
      for (std::size_t k = 0; k < v.cols(); ++k) weighted(i, k) *= systems_.weight(i);
    // In double precision: what is subtracted below is nearly what it is subtracted from.
    if (!work_.kernel_adjoint(systems_.all(), law_, centres_, weighted, small, rows::Precision::full, interrupt_))
      return false;
    for (std::size_t group = 0; group < factors_.size(); ++group) {
      const MatrixView own(small.data() + group * outputs, small.rows(), outputs,
                           static_cast<std::ptrdiff_t>(small.cols()), 1);
      if (!dense::solve(factors_[group], own, work_.workers(), interrupt_)) return false;
    }
    if (!work_.kernel_apply(systems_.all(), law_, centres_, small, out, rows::Precision::full, interrupt_))
      return false;
    for (std::size_t i = 0; i < v.rows(); ++i)
      for (std::size_t k = 0; k < v.cols(); ++k)
        out(i, k) = systems_.weight(i) * (v(i, k) - out(i, k)) / noise_[k / outputs];
    systems_.mask(out);
    return true;
  }

 private:
  /// Until there are so many.
  bool factors_of(const CentreSums& sums, std::size_t groups) {
    while (factors_.size() < groups) {
      std::optional<Triangle> factor = inner_factor(sums, noise_[factors_.size()], work_.workers(), interrupt_);
      if (!factor) return false;
      factors_.push_back(std::move(*factor));
    }
    return true;
  }

  rows::RowWork& work_;
  const Systems& systems_;
  const FrequencyLaw& law_;
  const Matrix& centres_;
  std::vector<double> noise_;  ///< μ, per group of columns
  std::vector<Triangle> factors_;
  Interrupt& interrupt_;
};

/// Watches the steps: looks at the rows held out now and then, and at the clock.
class Looks {
 public:
  /// The errors there of the columns of x, one per λ; nothing where no rows are held out.
  using Judge = std::function<std::optional<std::vector<double>>(const Matrix& x)>;
  Looks(const Steps& steps, Judge judge) : steps_(steps), judge_(std::move(judge)), began_(Clock::now()) {}

  bool go_on(std::size_t made, const Matrix& x) {
    if (made >= tuning::steps_to_look && made % tuning::steps_between_looks == 0 && !look(made, x)) return false;
    if (!steps_.seconds_left) return true;
    const double step = seconds_between(began_, Clock::now()) / static_cast<double>(made);
    return steps_.seconds_left() > tuning::steps_in_hand * step;
  }
  void end(std::size_t made, const Matrix& x) {
    if (made != looked_) static_cast<void>(look(made, x));
  }

  [[nodiscard]] std::size_t best() const { return best_; }  ///< λ
  [[nodiscard]] double error() const { return error_; }
  [[nodiscard]] const Matrix& columns() const { return columns_; }  ///< x when it was

  template <class Archive>
  friend void fields(Archive& archive, Looks& looks) {
    archive(looks.looked_, looks.best_, looks.error_, looks.columns_, looks.last_);
  }

 private:
  /// False where steps no longer gain: neither the best λ, nor another that is about to be better.
  bool look(std::size_t made, const Matrix& x) {
    looked_ = made;
    const std::optional<std::vector<double>> now = judge_(x);
    if (!now) {
      columns_ = x;
      return true;
    }
    const double before = error_;
    for (std::size_t l = 0; l < now->size(); ++l)
      if ((*now)[l] < error_) {
        error_ = (*now)[l];
        best_ = l;
        columns_ = x;
      }
    if (columns_.empty()) columns_ = x;
    bool gaining = error_ < (1.0 - tuning::gain_of_steps) * before;
    for (std::size_t l = 0; l < last_.size(); ++l)
      gaining = gaining || ((*now)[l] < tuning::about_as_good * error_ && (*now)[l] < tuning::fast_fall * last_[l]);
    last_ = *now;
    return gaining;
  }

  const Steps& steps_;
  Judge judge_;
  Clock::time_point began_;
  std::size_t looked_ = 0, best_ = 0;
  double error_ = std::numeric_limits<double>::infinity();
  Matrix columns_;
  std::vector<double> last_;
};

}  // namespace

std::optional<FitToAll> fit_all(rows::RowWork& work, const rows::RowState& rows, const FrequencyLaw& law,
                                const CentreSums& sums, const rows::RowState& held_out,
                                const std::vector<double>& lambdas, const Steps& steps, Interrupt& interrupt,
                                const JournalPlace& journal) {
  const Systems systems(rows, held_out, lambdas);
  Preconditioner preconditioner(work, systems, law, sums, interrupt);
  if (!preconditioner.prepare(rows, held_out, sums)) return std::nullopt;
  least_squares::LinearSystem<Matrix> system;
  system.product = [&](const Matrix& v, Matrix& out) {
    if (!work.kernel_product(systems.all(), law, v, out, rows::Precision::single, interrupt)) return false;
    for (std::size_t i = 0; i < v.rows(); ++i)
      for (std::size_t k = 0; k < v.cols(); ++k) out(i, k) += systems.lambda(k) / systems.weight(i) * v(i, k);
    systems.mask(out);
    return true;
  };
  system.precondition = [&](const Matrix& v, Matrix& out) { return preconditioner.apply(v, out); };
  system.dots = least_squares::column_dots;

  Interrupt never;  // what there is by now is worth a look
  FitToAll fit;
  fit.judged.centres = rows::variables_of(rows, law.variables());
  Looks looks(steps, [&](const Matrix& x) -> std::optional<std::vector<double>> {
    if (!systems.both()) return std::nullopt;
    return errors_of(work, law, held_out, fit.judged.centres, systems.of(x, false), never);
  });
  Matrix alpha;
  const least_squares::Iterations done = least_squares::conjugate_gradients<Matrix>(
      system, systems.right(), {static_cast<std::size_t>(steps.most), tuning::solved_enough}, alpha,
      [&](std::size_t made, const Matrix& x) { return looks.go_on(made, x); },
      {journal, [&](ArchiveWriter& archive) { archive(looks); }, [&](ArchiveReader& archive) { archive(looks); }});
  if (done.made == 0) return std::nullopt;
  looks.end(done.made, alpha);
  fit.judged.lambda = lambdas[looks.best()];
  fit.judged.judged = systems.both() ? looks.error() : 0.0;
  fit.judged.coefficients = group_of(systems.of(looks.columns(), false), looks.best(), systems.outputs());
  if (systems.both())
    fit.with_held_out = {law, rows::variables_of(systems.all(), law.variables()),
                         group_of(systems.of(looks.columns(), true), looks.best(), systems.outputs())};
  return finite(fit.judged.coefficients) && finite(fit.with_held_out.coefficients) ? std::optional(std::move(fit))
                                                                                   : std::nullopt;
}

}  // namespace rfnn::wide
