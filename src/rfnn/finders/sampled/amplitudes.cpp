#include "rfnn/finders/sampled/amplitudes.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include "rfnn/core/as_index.hpp"

namespace rfnn::sampled {
namespace {}  // namespace

namespace {

/// Columns from which on somebody is asked while a problem is solved: some milliseconds. Responsiveness only; not
/// varied.
constexpr std::size_t columns_to_watch = 400, columns_to_watch_of_others = 100;
/// Steps of the iterative solver at the most: in exact arithmetic as many as columns are enough. A bound for safety.
constexpr std::size_t steps_per_column = 10, further_steps = 100;

}  // namespace

Amplitudes::Amplitudes(rows::Engine& engine, std::vector<rows::BranchShape> branches, std::size_t outputs,
                       double lambda, const Options& options)
    : engine_(engine),
      branches_(std::move(branches)),
      outputs_(outputs),
      lambda_(lambda),
      solver_(options.solver),
      tolerance_(options.solver_tolerance) {
  std::size_t widest = 0;
  for (const rows::BranchShape& branch : branches_) {
    first_.push_back(as_index(columns_));
    columns_ += 2 * branch.features;
    widest = std::max(widest, 2 * branch.features);
  }
  kept_columns_.resize(columns_);
  std::iota(kept_columns_.begin(), kept_columns_.end(), std::size_t{0});
  if (solver_ == Solver::cholesky) {
    all_.gram.setZero(as_index(columns_ + widest), as_index(columns_ + widest));
    all_.rhs.setZero(as_index(columns_ + widest), as_index(outputs_));
  }
}

void Amplitudes::attend(FunctionRef<void()> work, Interrupt& interrupt) const {
  // A solve this wide takes long enough for someone to want to be asked meanwhile; a narrow one is over before a thread
  // starts.
  if (columns_ >= (solver_ == Solver::cholesky ? columns_to_watch : columns_to_watch_of_others))
    watch(work, interrupt);
  else
    work();
}

void Amplitudes::select(const std::vector<std::size_t>& columns, least_squares::NormalEquations& part) const {
  const Eigen::Index n = as_index(columns.size());
  part.gram.resize(n, n);
  part.rhs.resize(n, as_index(outputs_));
  for (Eigen::Index j = 0; j < n; ++j) {
    const Eigen::Index from_j = as_index(columns[static_cast<std::size_t>(j)]);
    for (Eigen::Index i = 0; i < n; ++i)
      part.gram(i, j) = all_.gram(as_index(columns[static_cast<std::size_t>(i)]), from_j);
  }
  for (Eigen::Index o = 0; o < as_index(outputs_); ++o)
    for (Eigen::Index i = 0; i < n; ++i) part.rhs(i, o) = all_.rhs(as_index(columns[static_cast<std::size_t>(i)]), o);
  part.energy = all_.energy;
  part.rows = all_.rows;
}

bool Amplitudes::start(Interrupt& interrupt) {
  last_.setZero(as_index(columns_), as_index(outputs_));
  if (solver_ != Solver::cholesky) return true;
  if (!engine_.reduce_kept(kept_, interrupt)) return false;
  take_kept();
  return true;
}

void Amplitudes::take_kept() {
  if (solver_ != Solver::cholesky) return;
  const Eigen::Index n = as_index(columns_);
  all_.gram.topLeftCorner(n, n) = kept_.gram;
  all_.rhs.topRows(n) = kept_.rhs;
  all_.energy = kept_.energy;
  all_.rows = kept_.rows;
}

bool Amplitudes::solve_proposed(std::size_t branch, Eigen::MatrixXd& amplitudes, Interrupt& interrupt) {
  list_ = kept_columns_;
  const auto first = static_cast<std::size_t>(first_[branch]);
  for (std::size_t c = 0; c < 2 * branches_[branch].features; ++c) list_[first + c] = columns_ + c;
  const least_squares::NormalEquations* normal = nullptr;
  if (solver_ == Solver::cholesky) {
    if (!engine_.reduce_proposed(all_, interrupt)) return false;
    select(list_, part_);
    normal = &part_;
  }
  if (!solve(list_, normal, scratch_, false, interrupt)) return false;
  amplitudes.swap(scratch_.amplitudes);
  return true;
}

void Amplitudes::accepted(std::size_t branch, const std::vector<char>& accepted) {
  if (solver_ != Solver::cholesky) return;
  list_ = kept_columns_;
  const auto first = static_cast<std::size_t>(first_[branch]);
  bool any = false;
  for (std::size_t j = 0; j < accepted.size(); ++j) {
    if (!accepted[j]) continue;
    any = true;
    list_[first + 2 * j] = columns_ + 2 * j;
    list_[first + 2 * j + 1] = columns_ + 2 * j + 1;
  }
  if (!any) return;
  select(list_, kept_);
  const Eigen::Index n = as_index(columns_);
  all_.gram.topLeftCorner(n, n) = kept_.gram;
  all_.rhs.topRows(n) = kept_.rhs;
}

bool Amplitudes::solve_kept(Fitted& fitted, Interrupt& interrupt) {
  if (!solve(kept_columns_, solver_ == Solver::cholesky ? &kept_ : nullptr, fitted, true, interrupt)) return false;
  last_ = fitted.amplitudes;
  return true;
}

bool Amplitudes::solve(const std::vector<std::size_t>& columns, const least_squares::NormalEquations* normal,
                       Fitted& fitted, bool want_misfit, Interrupt& interrupt) {
  ++solves_;
  if (solver_ == Solver::iterative) return solve_iteratively(columns, fitted, want_misfit, interrupt);
  if (normal != nullptr) {
    bool solved = false;
    attend([&] { solved = cholesky_.solve(*normal, lambda_, fitted.amplitudes); }, interrupt);
    if (solved) {
      fitted.condition = cholesky_.condition();
      if (want_misfit) {
        misfit(*normal, fitted.amplitudes, fitted.misfit);
        fitted.misfit /= normal->rows;
      }
      return true;
    }
    ++fallbacks_;
  }
  return solve_triangle(columns, fitted, want_misfit, interrupt);
}

bool Amplitudes::solve_triangle(const std::vector<std::size_t>& columns, Fitted& fitted, bool want_misfit,
                                Interrupt& interrupt) {
  least_squares::Triangle triangle;
  if (!engine_.triangle(columns, triangle, interrupt)) return false;
  double stacked = 0.0;
  attend(
      [&] {
        switch (solver_) {
          case Solver::svd:
            svd_.solve(triangle, lambda_, fitted.amplitudes);
            stacked = svd_.condition();
            break;
          case Solver::qr:
          case Solver::cholesky:  // where the normal equations are not to be trusted
            qr_.solve(triangle, lambda_, fitted.amplitudes);
            stacked = qr_.condition();
            break;
          case Solver::iterative:
            break;  // solve_iteratively has no triangle
        }
      },
      interrupt);
  fitted.condition = stacked * stacked;  // of the stacked matrix; AᵀA + NλI has its square
  if (want_misfit) fitted.misfit = misfit(triangle, fitted.amplitudes) / triangle.rows;
  return true;
}

bool Amplitudes::solve_iteratively(const std::vector<std::size_t>& columns, Fitted& fitted, bool want_misfit,
                                   Interrupt& interrupt) {
  Eigen::MatrixXd rhs, product;
  Eigen::VectorXd energy;
  if (!engine_.correlate(columns, rhs, energy, interrupt)) return false;
  const double rows = static_cast<double>(engine_.block_rows());
  fitted.amplitudes = last_;
  const auto apply = [&](const Eigen::MatrixXd& v, Eigen::MatrixXd& out) {
    return engine_.normal_product(columns, v, out, interrupt);
  };
  const auto limit = static_cast<std::int64_t>(steps_per_column * columns.size() + further_steps);
  const least_squares::IterativeResult result =
      least_squares::solve_iteratively(apply, rhs, rows, lambda_, tolerance_, limit, fitted.amplitudes);
  if (result.cancelled) return false;
  if (!fitted.amplitudes.allFinite()) fitted.amplitudes.setZero();
  fitted.condition = std::numeric_limits<double>::quiet_NaN();
  if (!want_misfit) return true;
  if (!apply(fitted.amplitudes, product)) return false;
  fitted.misfit = (energy.array() - 2.0 * (fitted.amplitudes.cwiseProduct(rhs)).colwise().sum().transpose().array() +
                   (fitted.amplitudes.cwiseProduct(product)).colwise().sum().transpose().array())
                      .max(0.0)
                      .matrix() /
                  rows;
  return true;
}

bool Amplitudes::condition_is_cheap() const {
  // All eigenvalues of a wide problem would cost more than many iterations; the estimate serves there.
  constexpr std::size_t widest = 256;
  return solver_ == Solver::cholesky && kept_.gram.size() > 0 && columns_ <= widest;
}

double Amplitudes::exact_condition(const least_squares::NormalEquations& problem, double fallback) const {
  return condition_is_cheap() ? least_squares::condition_number(problem, lambda_) : fallback;
}

}  // namespace rfnn::sampled
