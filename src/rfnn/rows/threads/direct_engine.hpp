#pragma once

// Private header.

#include <memory>
#include <vector>

#include "rfnn/core/parallel.hpp"
#include "rfnn/rows/engine.hpp"
#include "rfnn/rows/row_state.hpp"
#include "rfnn/features/kernels.hpp"
#include "rfnn/rows/tiles.hpp"

namespace rfnn::rows {

/// SIMD kernels on tiles that stay in the cache, threads over chunks of tiles.
///
/// 1. Rows are cut into tiles, tiles into chunks; how depends on the sizes of the problem alone. Each chunk adds up its
///    tiles in order and the chunks are added up in order, so the bits do not depend on the number of threads.
/// 2. A proposal costs one pass, over the Gram matrix of [kept | proposed]; the proposal's problem and the one after
///    acceptance are both parts of it.
/// 3. Where all features of the block's rows fit into `Limits::cache` they are kept, and only changed columns are
///    computed; while one tile is worked on, the next is fetched. Otherwise a tile's features are made when the tile is
///    visited.
/// 4. A Gram matrix too large to have one per chunk (`Limits::wide_gram`) is had once: for a few tiles at a time the
///    features are made, one task a tile, then each task adds all these tiles, in order, to rows of the matrix that are
///    its own.
class DirectEngine final : public Engine {
 public:
  /// Sizes in bytes from which on memory is saved; results differ in the last bits beyond them.
  struct Limits {
    std::size_t cache = std::size_t{128} << 20;     ///< features of all rows of a block
    std::size_t wide_gram = std::size_t{32} << 20;  ///< Gram matrix of [kept | proposed] columns
    std::size_t group = std::size_t{16} << 20;      ///< features made together for a wide Gram matrix
  };

  DirectEngine(const RowState& rows, Workers& workers, const features::Kernels& kernels = rfnn::features::kernels())
      : DirectEngine(rows, workers, kernels, Limits()) {}
  DirectEngine(const RowState& rows, Workers& workers, const features::Kernels& kernels, const Limits& limits);

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
  [[nodiscard]] std::size_t block_rows() const override { return residual_->rows(); }

 private:
  struct BranchState {
    BranchShape shape;
    std::size_t first = 0;  ///< number of its first feature
    Matrix frequencies;
    std::vector<std::size_t> slots;  ///< where the features' columns are in the cache
    bool stale = true;               ///< the cache does not hold its features yet
  };
  /// One thread's view of the tile it is on.
  struct Scratch {
    TiledColumns features;  ///< one tile, when features are not cached
    std::vector<const double*> theta, state, variables, frequencies, columns, chosen, residual;
    std::vector<double*> cosine, minus_sine, writable, product;
    AlignedVector product_values;
    Eigen::MatrixXd tile_features, tile_residual;
  };
  /// Rows of the Gram matrix to be added up: columns [a, a + a_count) times columns [b, b + b_count), or times the
  /// residual, into the buffer from `place` on.
  struct GramPart {
    std::size_t a, a_count, b, b_count;
    bool residual, upper;
    std::size_t place, stride;
  };
  using TileWork = FunctionRef<void(std::size_t chunk, std::size_t tile, Scratch& scratch)>;

  void set_residual(std::span<const std::size_t> rows);
  void make_features(const Matrix& frequencies, BranchKind kind, const std::vector<std::size_t>& slots,
                     std::size_t tile, Scratch& scratch, TiledColumns& place, std::size_t place_tile);
  /// Points scratch.columns at the columns [kept | proposed] of the tile, computing those that are not there yet.
  void prepare(std::size_t tile, bool with_proposed, Scratch& scratch);
  void prepare(std::size_t tile, bool with_proposed, Scratch& scratch, TiledColumns& place, std::size_t place_tile);
  /// Visits every tile of the block's rows with its columns prepared; `weight` estimates the multiply-adds per row.
  bool visit(bool with_proposed, double weight, std::size_t chunks, TileWork work, Interrupt& interrupt);
  /// Adds up the parts over all rows into the first `numbers` of sums_.
  bool add_up(bool with_proposed, std::span<const GramPart> parts, std::size_t numbers, Interrupt& interrupt);
  bool add_up_wide(bool with_proposed, std::span<const GramPart> parts, Interrupt& interrupt);
  void add_part(const GramPart& part, const std::vector<const double*>& columns,
                const std::vector<const double*>& residual, double* sums, const void* ahead,
                std::size_t ahead_bytes) const;
  [[nodiscard]] double pairs_to_make(bool with_proposed) const;
  void all_features_made(bool with_proposed);
  void choose(const std::vector<std::size_t>& columns, Scratch& scratch) const;
  [[nodiscard]] bool uses_proposed(const std::vector<std::size_t>& columns) const;
  [[nodiscard]] std::size_t chunk_begin(std::size_t chunk, std::size_t chunks) const {
    return chunk * residual_->tiles() / chunks;
  }
  void set_chunks(std::size_t numbers_per_chunk);
  void add_chunks(std::size_t numbers);  ///< chunk buffers summed, in order, into the first

  const features::Kernels& kernels_;
  Limits limits_;
  std::size_t inputs_, outputs_;
  Workers& workers_;
  const RowState& rows_;

  // The block in training.
  std::vector<BranchState> branches_;
  std::size_t kept_features_ = 0;
  BranchState proposed_;
  std::size_t proposed_branch_ = 0;
  const TiledColumns* theta_ = nullptr;  ///< of the block's rows: the state's own, or gathered
  const TiledColumns* state_ = nullptr;
  TiledColumns gathered_theta_, gathered_state_;
  const TiledColumns* residual_ = nullptr;  ///< multiplied by √w: the state's own, or the next
  TiledColumns own_residual_;
  TiledColumns root_;  ///< √w of the block's rows; no column: all count alike
  bool cached_ = false, wide_ = false;
  TiledColumns cache_;
  TiledColumns group_;  ///< features of the tiles at work, when the Gram matrix is wide and features are not cached
  std::size_t chunks_ = 1;
  AlignedVector sums_;  ///< one buffer per chunk
  std::vector<std::unique_ptr<Scratch>> scratch_;
};

}  // namespace rfnn::rows
