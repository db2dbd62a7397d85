#pragma once

// Private header. The forward pass, z_ℓ = z_{ℓ−1} + block_ℓ(θ, z_{ℓ−1}), on one tile of rows: training rows, held-out
// rows, rows to predict and the stages of a report all go through here, so that they cannot disagree. A row's value
// does not depend on the rows beside it.

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "rfnn/core/aligned.hpp"
#include "rfnn/core/matrix.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/features/kernels.hpp"
#include "rfnn/features/law_kernels.hpp"
#include "rfnn/least_squares/markov.hpp"
#include "rfnn/model/model.hpp"
#include "rfnn/rows/closed_sum.hpp"
#include "rfnn/rows/feature_columns.hpp"
#include "rfnn/rows/lattice/lattice_sum.hpp"
#include "rfnn/rows/windows.hpp"

namespace rfnn::rows {

/// The columns a branch sees: those of θ, of z, or of both.
void branch_variables(BranchKind kind, const std::vector<const double*>& theta, const std::vector<const double*>& state,
                      std::vector<const double*>& variables);

/// A block made ready to be added to many tiles: sums over lattices are transformed once, centres of closed forms
/// placed as their kernels read them, those of one variable brought to a form in which a row's value does not need all
/// centres. Refers to the block.
class ForwardBlock {
 public:
  /// Nothing when interrupted.
  static std::optional<ForwardBlock> prepare(const Block& block, Workers& workers, Interrupt& interrupt);

  [[nodiscard]] const Block& block() const { return *block_; }
  /// Of a branch that is a lattice; null for others.
  [[nodiscard]] const LatticeSum* lattice(std::size_t branch) const { return lattices_[branch].get(); }
  /// Of a branch that is any other closed form; null for others.
  [[nodiscard]] const ClosedSum* closed_form(std::size_t branch) const { return closed_forms_[branch].get(); }
  /// Of a closed form of windows; null for others.
  [[nodiscard]] const WindowSum* windows(std::size_t branch) const { return windows_[branch].get(); }
  /// Of a closed form whose law is a Markov process of one variable; null for others.
  [[nodiscard]] const least_squares::MarkovSum* series(std::size_t branch) const { return series_[branch].get(); }

 private:
  const Block* block_ = nullptr;
  std::vector<std::shared_ptr<const LatticeSum>> lattices_;
  std::vector<std::shared_ptr<const ClosedSum>> closed_forms_;
  std::vector<std::shared_ptr<const WindowSum>> windows_;
  std::vector<std::shared_ptr<const least_squares::MarkovSum>> series_;
};

/// Adds blocks to a tile's state. Holds scratch: one per thread.
class ForwardTile {
 public:
  explicit ForwardTile(const features::Kernels& kernels)
      : kernels_(kernels), law_kernels_(*features::law_kernels<double>(kernels.name)) {}

  /// state_o += block(θ, state) for the first `rows` rows of the tile; the rest become whatever they become and are not
  /// used. False when interrupted; the state is then unusable.
  bool add(const ForwardBlock& prepared, const std::vector<const double*>& theta, const std::vector<double*>& state,
           std::size_t rows, Interrupt& interrupt);

 private:
  bool add_features(const Branch& branch, const std::vector<double*>& state, std::size_t rows, Interrupt& interrupt);
  void add_trend(const Matrix& trend, const std::vector<double*>& state, std::size_t rows);
  void add_series(const least_squares::MarkovSum& sum, const std::vector<double*>& state, std::size_t rows);

  const features::Kernels& kernels_;
  const features::LawKernels<double>& law_kernels_;
  AlignedVector old_state_;
  std::vector<const double*> old_columns_, variables_;
  FeatureColumns features_;
  ClosedSum::Scratch closed_form_;
  WindowSum::Scratch windows_;
  std::vector<double> outputs_of_row_;
};

/// The used inputs as the scaler makes them, for `count` rows from `first` on, into the columns of a tile; zero beyond.
void scale_inputs(const Model& model, ConstMatrixView inputs, std::size_t first, std::size_t count,
                  const std::vector<double*>& theta);

/// A member's share of the outputs of a tile's rows, after `depth` of its blocks, into the rows from `first` on. The
/// first member begins the sum.
void add_member(const Model& model, std::size_t member, std::size_t depth, const std::vector<double*>& state,
                std::size_t first, std::size_t rows, MatrixView outputs);

}  // namespace rfnn::rows
