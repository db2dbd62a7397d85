#include "rfnn/rows/ranks/ranks_work.hpp"

#include <stdexcept>
#include <utility>

#include "rfnn/core/as_index.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/rows/ranks/ranks_engine.hpp"

namespace rfnn::rows {
namespace {}  // namespace

bool PassCaller::call(Numbers& numbers, Interrupt& interrupt) {
  Partial sum = pieces_.call(waiting_.take(), interrupt);
  if (!sum.failure.empty()) throw NumericalError(sum.failure, "Use more ranks, or fewer rows and features.");
  numbers = std::move(sum.numbers);
  return !interrupt.stopped();
}

RowState RanksWork::rows(std::uint64_t number, std::size_t inputs, std::size_t outputs) const {
  return RowState(std::make_shared<HeldRows>(caller_, number, pieces_.rows_of(number), inputs, outputs));
}

void RanksWork::finish(const std::string& text) {
  caller_->waiting().put(Pass::finish);
  caller_->waiting().put_text(text);
  Numbers none;
  Interrupt never;
  caller_->call(none, never);
}

RowWork& RanksWork::here(const RowState& rows) {
  if (rows.distant) throw std::logic_error("This pass is not made over rows on several ranks.");
  return pieces_.work();
}

bool RanksWork::advance(const Block& block, RowState& rows, Interrupt& interrupt) {
  if (!rows.distant) return pieces_.work().advance(block, rows, interrupt);
  if (rows.distant.use_count() > 1) {  // others have the rows as they are
    caller_->waiting().put(Pass::copy);
    caller_->waiting().put(number_of(rows));
    rows.distant =
        std::make_shared<HeldRows>(caller_, pieces_.next_number(), rows.count(), rows.inputs(), rows.outputs());
  }
  caller_->waiting().put(Pass::advance);
  caller_->waiting().put(number_of(rows));
  caller_->waiting().put_block(block);
  Numbers none;
  return caller_->call(none, interrupt);
}

Eigen::VectorXd RanksWork::mean_squares(const RowState& rows) {
  if (!rows.distant) return pieces_.work().mean_squares(rows);
  caller_->waiting().put(Pass::mean_squares);
  caller_->waiting().put(number_of(rows));
  Numbers sums;
  Interrupt never;
  caller_->call(sums, never);
  return Eigen::Map<const Eigen::VectorXd>(sums.data(), as_index(sums.size())) / static_cast<double>(rows.count());
}

bool RanksWork::features(const RowState& rows, const std::vector<Feature>& features, FeatureSums& sums,
                         Interrupt& interrupt) {
  if (!rows.distant) return pieces_.work().features(rows, features, sums, interrupt);
  caller_->waiting().put(Pass::features);
  caller_->waiting().put(number_of(rows));
  put_features(caller_->waiting(), features);
  Numbers numbers;
  if (!caller_->call(numbers, interrupt)) return false;
  unpack(numbers, as_index(2 * features.size()), as_index(rows.outputs()), sums);
  return true;
}

bool RanksWork::jacobian(const RowState& rows, const FeatureBlock& block, JacobianSums& sums, Interrupt& interrupt) {
  if (!rows.distant) return pieces_.work().jacobian(rows, block, sums, interrupt);
  caller_->waiting().put(Pass::jacobian);
  caller_->waiting().put(number_of(rows));
  put_features(caller_->waiting(), block.features);
  caller_->waiting().put_matrix(block.amplitudes);
  Numbers numbers;
  if (!caller_->call(numbers, interrupt)) return false;
  unpack(numbers, as_index(2 * block.size()), as_index(block.movable()), as_index(rows.outputs()), sums);
  return true;
}

bool RanksWork::misfit(const RowState& rows, const FeatureBlock& block, Eigen::VectorXd& energy, Interrupt& interrupt) {
  if (!rows.distant) return pieces_.work().misfit(rows, block, energy, interrupt);
  caller_->waiting().put(Pass::misfit);
  caller_->waiting().put(number_of(rows));
  put_features(caller_->waiting(), block.features);
  caller_->waiting().put_matrix(block.amplitudes);
  Numbers numbers;
  if (!caller_->call(numbers, interrupt)) return false;
  energy = Eigen::Map<const Eigen::VectorXd>(numbers.data(), as_index(numbers.size()));
  return true;
}

std::unique_ptr<Engine> RanksWork::chain(const RowState& rows) {
  if (!rows.distant) return pieces_.work().chain(rows);
  return std::make_unique<RanksEngine>(rows, caller_, ++chains_);
}

// The rest is for rows that are here.

bool RanksWork::left_by(const RowState& rows, const FeatureBlock& block, TiledColumns& left, Interrupt& interrupt) {
  return here(rows).left_by(rows, block, left, interrupt);
}

bool RanksWork::spectrum(const RowState& rows, const TiledColumns& left, const std::vector<Feature>& candidates,
                         std::size_t stride, std::vector<double>& power, Interrupt& interrupt) {
  return here(rows).spectrum(rows, left, candidates, stride, power, interrupt);
}

bool RanksWork::apply(const RowState& rows, const WideFeatures& features, const Matrix& c, TiledColumns& out,
                      Interrupt& interrupt) {
  return here(rows).apply(rows, features, c, out, interrupt);
}

bool RanksWork::adjoint(const RowState& rows, const WideFeatures& features, const TiledColumns& t, Matrix& out,
                        Interrupt& interrupt) {
  return here(rows).adjoint(rows, features, t, out, interrupt);
}

bool RanksWork::row_kernel(const RowState& rows, const WideFeatures& features, Eigen::MatrixXd& kernel,
                           Interrupt& interrupt) {
  return here(rows).row_kernel(rows, features, kernel, interrupt);
}

bool RanksWork::kernel_matrix(const RowState& rows, const FrequencyLaw& law, dense::Triangle<double>& kernel,
                              Interrupt& interrupt) {
  return here(rows).kernel_matrix(rows, law, kernel, interrupt);
}

bool RanksWork::kernel_slopes(const RowState& rows, const FrequencyLaw& law, const dense::Triangle<double>& q,
                              KernelSlopes& slopes, Interrupt& interrupt) {
  return here(rows).kernel_slopes(rows, law, q, slopes, interrupt);
}

bool RanksWork::kernel_product(const RowState& rows, const FrequencyLaw& law, const Matrix& t, Matrix& out,
                               Precision precision, Interrupt& interrupt) {
  return here(rows).kernel_product(rows, law, t, out, precision, interrupt);
}

bool RanksWork::kernel_apply(const RowState& rows, const FrequencyLaw& law, const Matrix& centres, const Matrix& c,
                             Matrix& out, Precision precision, Interrupt& interrupt) {
  return here(rows).kernel_apply(rows, law, centres, c, out, precision, interrupt);
}

bool RanksWork::kernel_adjoint(const RowState& rows, const FrequencyLaw& law, const Matrix& centres, const Matrix& t,
                               Matrix& out, Precision precision, Interrupt& interrupt) {
  return here(rows).kernel_adjoint(rows, law, centres, t, out, precision, interrupt);
}

bool RanksWork::kernel_gram(const RowState& rows, const FrequencyLaw& law, const Matrix& centres,
                            dense::Triangle<double>& gram, Interrupt& interrupt) {
  return here(rows).kernel_gram(rows, law, centres, gram, interrupt);
}

bool RanksWork::window_fits(const RowState& rows, const FrequencyLaw& law, const WindowRows& cut,
                            const std::vector<double>& noise, const std::vector<std::size_t>& listed, WindowFits& fits,
                            Interrupt& interrupt) {
  return here(rows).window_fits(rows, law, cut, noise, listed, fits, interrupt);
}

std::unique_ptr<LatticePoints> RanksWork::lattice_points(HalfLattice lattice, std::size_t variables, Phases phases) {
  return pieces_.work().lattice_points(lattice, variables, std::move(phases));
}

}  // namespace rfnn::rows
