#pragma once

// Private header. The seam: everything that touches all rows stands behind Engine. Sampling, acceptance, solving and
// error control see only what a pass over the rows is reduced to, which has the size of a block.
//
// Columns. A block in training has kept frequencies in each branch and, while a move is weighed, proposed ones for one
// branch. Features are numbered branch by branch, the proposed ones after all kept ones; feature f has the columns 2f
// (cos) and 2f + 1 (−sin). Column lists below count in [kept | proposed].

#include <Eigen/Dense>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "rfnn/core/matrix.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/data/columns.hpp"
#include "rfnn/least_squares/problem.hpp"
#include "rfnn/model/model.hpp"
#include "rfnn/model/network.hpp"

namespace rfnn {

/// Rows in standardised units, inputs θ and targets, as they are made from columns in their own units when they are
/// read: no standardised copy of the data is needed.
class ScaledRows {
 public:
  /// Columns and how each is standardised.
  struct Part {
    Columns columns;
    std::vector<Standardised> scales;
    [[nodiscard]] std::size_t size() const { return columns.size(); }
  };

  ScaledRows() = default;
  /// `rows`: those meant, in this order; empty: all. `weights`: how much each counts, by row of the columns; empty: all
  /// alike. Both outlive this.
  ScaledRows(Part inputs, Part targets, std::span<const std::size_t> rows, std::span<const double> weights = {})
      : inputs_(std::move(inputs)), targets_(std::move(targets)), rows_(rows), weights_(weights) {}
  /// All rows of matrices that are in standardised units already.
  ScaledRows(ConstMatrixView inputs, ConstMatrixView targets, std::span<const double> weights = {})
      : inputs_(as_they_are(inputs)), targets_(as_they_are(targets)), weights_(weights) {}

  [[nodiscard]] std::size_t count() const { return rows_.empty() ? inputs_.columns.rows() : rows_.size(); }
  [[nodiscard]] std::size_t inputs() const { return inputs_.size(); }
  [[nodiscard]] std::size_t outputs() const { return targets_.size(); }
  [[nodiscard]] bool weighted() const { return !weights_.empty(); }
  /// Of the rows in their order; empty where all count alike.
  [[nodiscard]] std::vector<double> weights() const;
  /// One column of the rows [first, first + count) into `out`.
  void read_input(std::size_t column, std::size_t first, std::size_t count, double* out) const {
    read(inputs_, column, first, count, out);
  }
  void read_target(std::size_t column, std::size_t first, std::size_t count, double* out) const {
    read(targets_, column, first, count, out);
  }

 private:
  static Part as_they_are(ConstMatrixView values) {
    return {values, std::vector<Standardised>(values.cols())};
  }
  void read(const Part& part, std::size_t column, std::size_t first, std::size_t count, double* out) const;

  Part inputs_, targets_;
  std::span<const std::size_t> rows_;
  std::span<const double> weights_;
};

/// √w of rows whose weights are listed, w scaled to have mean 1: least squares is weighted where every row of features
/// and residual is multiplied by it.
std::vector<double> weight_roots(std::vector<double> weights);

/// Weighted mean of the squared error per output, in standardised units.
struct StateErrors {
  Eigen::VectorXd train;
  Eigen::VectorXd validation;  ///< empty without validation rows
};

struct BranchShape {
  BranchKind kind = BranchKind::input;
  std::size_t features = 0;
};

/// Holds the rows and their state z, starting from z = 0. Functions that pass over the rows return false when
/// interrupted; their output is then unspecified, the kept frequencies are as before.
class Engine {
 public:
  virtual ~Engine() = default;

  /// A new block, to be fitted to r = target − z on the training rows listed (all when empty). Everything below is of
  /// rows multiplied by √w, the weights w scaled to have mean 1 over the block's rows.
  virtual void begin_block(const std::vector<BranchShape>& branches, std::span<const std::size_t> rows) = 0;

  /// Sets the kept frequencies of a branch (features × variables).
  virtual void keep(std::size_t branch, const Matrix& frequencies) = 0;
  /// Sets proposed frequencies for one branch.
  virtual void propose(std::size_t branch, const Matrix& frequencies) = 0;
  /// Where accepted[j], the proposed feature j becomes the kept one.
  virtual void accept(const std::vector<char>& accepted) = 0;

  /// Normal equations of all kept columns.
  virtual bool reduce_kept(NormalEquations& problem, Interrupt& interrupt) = 0;
  /// Extends the normal equations of the kept columns, which must fill the top left of `problem`, by the proposed ones.
  virtual bool reduce_proposed(NormalEquations& problem, Interrupt& interrupt) = 0;
  /// Orthogonal reduction of the chosen columns.
  virtual bool triangle(const std::vector<std::size_t>& columns, Triangle& problem, Interrupt& interrupt) = 0;
  /// AᵀR and |R|² of the chosen columns.
  virtual bool correlate(const std::vector<std::size_t>& columns, Eigen::MatrixXd& rhs, Eigen::VectorXd& energy,
                         Interrupt& interrupt) = 0;
  /// AᵀA·v of the chosen columns.
  virtual bool normal_product(const std::vector<std::size_t>& columns, const Eigen::MatrixXd& v,
                              Eigen::MatrixXd& product, Interrupt& interrupt) = 0;

  /// z ← z + block(θ, z), training and validation rows.
  virtual bool advance(const Block& block, Interrupt& interrupt) = 0;
  [[nodiscard]] virtual StateErrors errors() const = 0;
  /// Rows the current block is fitted to.
  [[nodiscard]] virtual std::size_t block_rows() const = 0;
};

enum class EngineKind { reference, direct };

/// The one switch. The engine copies what it needs of the rows.
std::unique_ptr<Engine> make_engine(EngineKind kind, const ScaledRows& train, const ScaledRows& validation,
                                    std::size_t threads);

}  // namespace rfnn
