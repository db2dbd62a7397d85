#pragma once

// Private header. The least-squares problem of a block while its frequencies move: which solver, which columns, and
// what to do when the quick way cannot be trusted.

#include <Eigen/Dense>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "rfnn/core/archive.hpp"
#include "rfnn/core/function_ref.hpp"
#include "rfnn/least_squares/solvers.hpp"
#include "rfnn/options/options.hpp"
#include "rfnn/rows/engine.hpp"

namespace rfnn::sampled {

/// Amplitudes for given frequencies, and how well they fit.
struct Fitted {
  Eigen::MatrixXd amplitudes;  ///< columns × outputs
  Eigen::VectorXd misfit;      ///< |A b − r|² / N per output
  double condition = 0.0;      ///< estimate for AᵀA + NλI; NaN where the solver does not know
};

/// min_b (1/N)|A b − r|² + λ|b|² for the kept and the proposed frequencies of an engine's block.
/// With the normal equations a proposal costs one pass over the rows and the solution for what was kept of it none.
class Amplitudes {
 public:
  Amplitudes(rows::Engine& engine, std::vector<rows::BranchShape> branches, std::size_t outputs, double lambda,
             const Options& options);

  // All return false when interrupted.
  /// First reduction after Engine::keep on every branch.
  bool start(Interrupt& interrupt);
  /// Solution with the branch's kept features replaced by the proposed ones (after Engine::propose).
  bool solve_proposed(std::size_t branch, Eigen::MatrixXd& amplitudes, Interrupt& interrupt);
  /// To be called after Engine::accept.
  void accepted(std::size_t branch, const std::vector<char>& accepted);
  /// Solution for the kept features.
  bool solve_kept(Fitted& fitted, Interrupt& interrupt);

  /// First row of a branch's amplitudes.
  [[nodiscard]] Eigen::Index first_row(std::size_t branch) const { return first_[branch]; }
  /// Whether the normal equations of the kept columns are at hand and small enough for all their eigenvalues.
  [[nodiscard]] bool condition_is_cheap() const;
  /// Exact condition number of a state's normal equations (as kept_problem() gave them), where that is cheap; else
  /// `fallback`.
  [[nodiscard]] double exact_condition(const least_squares::NormalEquations& problem, double fallback) const;
  [[nodiscard]] std::uint64_t solves() const { return solves_; }
  [[nodiscard]] std::uint64_t fallbacks() const { return fallbacks_; }
  /// What the solutions of a chain leave behind for the next, in a journal and back. Sums made anew would differ in
  /// their last bits from those that were put together on the way. Read in the place of start().
  template <class Archive>
  friend void fields(Archive& archive, Amplitudes& solver) {
    archive(solver.kept_, solver.last_, solver.solves_, solver.fallbacks_);
    if constexpr (Archive::reading) solver.take_kept();
  }

  /// Normal equations of the kept columns; empty for solvers that do not form them.
  [[nodiscard]] const least_squares::NormalEquations& kept_problem() const { return kept_; }

 private:
  /// The kept columns' sums are a part of all of them.
  void take_kept();
  bool solve(const std::vector<std::size_t>& columns, const least_squares::NormalEquations* normal, Fitted& fitted,
             bool want_misfit, Interrupt& interrupt);
  bool solve_triangle(const std::vector<std::size_t>& columns, Fitted& fitted, bool want_misfit, Interrupt& interrupt);
  bool solve_iteratively(const std::vector<std::size_t>& columns, Fitted& fitted, bool want_misfit,
                         Interrupt& interrupt);
  void select(const std::vector<std::size_t>& columns, least_squares::NormalEquations& part) const;
  /// Does W-sized work, keeping the interrupt polled where it takes long.
  void attend(FunctionRef<void()> work, Interrupt& interrupt) const;

  rows::Engine& engine_;
  std::vector<rows::BranchShape> branches_;
  std::vector<Eigen::Index> first_;
  std::size_t columns_ = 0, outputs_;
  double lambda_;
  Solver solver_;
  double tolerance_;
  least_squares::NormalEquations all_;  ///< of [kept | proposed]
  least_squares::NormalEquations kept_, part_;
  std::vector<std::size_t> kept_columns_, list_;
  least_squares::CholeskySolver cholesky_;
  least_squares::QrSolver qr_;
  least_squares::SvdSolver svd_;
  Fitted scratch_;
  Eigen::MatrixXd last_;  ///< start of the iterative solver
  std::uint64_t solves_ = 0, fallbacks_ = 0;
};

}  // namespace rfnn::sampled
