#pragma once

// Private header. What the chain of a sampled block needs of the rows: sums of the size of the block.
//
// Columns. A block in training has kept frequencies in each branch and, while a move is weighed, proposed ones for one
// branch. Features are numbered branch by branch, the proposed ones after all kept ones; feature f has the columns 2f
// (cos) and 2f + 1 (−sin). Column lists below count in [kept | proposed].

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

#include "rfnn/core/matrix.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/least_squares/problem.hpp"
#include "rfnn/model/network.hpp"

namespace rfnn::rows {

struct BranchShape {
  BranchKind kind = BranchKind::input;
  std::size_t features = 0;
};

/// The row work of a chain, on the rows it was made for (RowWork::chain). Functions that pass over the rows return
/// false when interrupted; their output is then unspecified, the kept frequencies are as before.
class Engine {
 public:
  virtual ~Engine() = default;

  /// A new block, to be fitted to r = target − z on the rows listed (all when empty). Everything below is of
  /// rows multiplied by √w, the weights w scaled to have mean 1 over the block's rows.
  virtual void begin_block(const std::vector<BranchShape>& branches, std::span<const std::size_t> rows) = 0;

  /// Sets the kept frequencies of a branch (features × variables).
  virtual void keep(std::size_t branch, const Matrix& frequencies) = 0;
  /// Sets proposed frequencies for one branch.
  virtual void propose(std::size_t branch, const Matrix& frequencies) = 0;
  /// Where accepted[j], the proposed feature j becomes the kept one.
  virtual void accept(const std::vector<char>& accepted) = 0;

  /// Normal equations of all kept columns.
  virtual bool reduce_kept(least_squares::NormalEquations& problem, Interrupt& interrupt) = 0;
  /// Extends the normal equations of the kept columns, which must fill the top left of `problem`, by the proposed ones.
  virtual bool reduce_proposed(least_squares::NormalEquations& problem, Interrupt& interrupt) = 0;
  /// Orthogonal reduction of the chosen columns.
  virtual bool triangle(const std::vector<std::size_t>& columns, least_squares::Triangle& problem,
                        Interrupt& interrupt) = 0;
  /// AᵀR and |R|² of the chosen columns.
  virtual bool correlate(const std::vector<std::size_t>& columns, Eigen::MatrixXd& rhs, Eigen::VectorXd& energy,
                         Interrupt& interrupt) = 0;
  /// AᵀA·v of the chosen columns.
  virtual bool normal_product(const std::vector<std::size_t>& columns, const Eigen::MatrixXd& v,
                              Eigen::MatrixXd& product, Interrupt& interrupt) = 0;

  /// Rows the current block is fitted to.
  [[nodiscard]] virtual std::size_t block_rows() const = 0;
};

}  // namespace rfnn::rows
