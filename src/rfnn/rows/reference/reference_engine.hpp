#pragma once

// Private header.

#include <vector>

#include "rfnn/rows/engine.hpp"
#include "rfnn/rows/row_state.hpp"

namespace rfnn::rows {

/// The formulas written down with std::cos and dense matrices of all rows, one thread. Slow, and kept for ever as the
/// oracle of the other engines.
class ReferenceEngine final : public Engine {
 public:
  explicit ReferenceEngine(const RowState& rows) : rows_(rows) {}

  void begin_block(const std::vector<BranchShape>& branches, std::span<const std::size_t> rows) override;
  void keep(std::size_t branch, const Matrix& frequencies) override;
  void propose(std::size_t branch, const Matrix& frequencies) override;
  void accept(const std::vector<char>& accepted) override;
  bool reduce_kept(least_squares::NormalEquations& problem, Interrupt& interrupt) override;
  bool reduce_proposed(least_squares::NormalEquations& problem, Interrupt& interrupt) override;
  bool triangle(const std::vector<std::size_t>& columns, least_squares::Triangle& problem,
                Interrupt& interrupt) override;
  bool correlate(const std::vector<std::size_t>& columns, Eigen::MatrixXd& rhs, Eigen::VectorXd& energy,
                 Interrupt& interrupt) override;
  bool normal_product(const std::vector<std::size_t>& columns, const Eigen::MatrixXd& v, Eigen::MatrixXd& product,
                      Interrupt& interrupt) override;
  [[nodiscard]] std::size_t block_rows() const override { return static_cast<std::size_t>(residual_.rows()); }

 private:
  /// Columns of [kept | proposed] on the block's rows.
  [[nodiscard]] Eigen::MatrixXd features(bool with_proposed) const;
  [[nodiscard]] Eigen::MatrixXd chosen(const std::vector<std::size_t>& columns) const;

  const RowState& rows_;
  std::vector<BranchShape> branches_;
  std::vector<Matrix> kept_;
  Matrix proposed_;
  std::size_t proposed_branch_ = 0;
  Eigen::MatrixXd theta_, state_, residual_;
  Eigen::VectorXd root_;  ///< √w of the block's rows
};

}  // namespace rfnn::rows
