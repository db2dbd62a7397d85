#pragma once

// Private header.

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "rfnn/core/aligned.hpp"
#include "rfnn/core/random.hpp"
#include "rfnn/rows/scaled_rows.hpp"
#include "rfnn/rows/tiles.hpp"

namespace rfnn::rows {

/// Rows that lie elsewhere, cut into pieces on several ranks (ranks/): what is known of them here.
struct DistantRows {
  DistantRows() = default;
  DistantRows(const DistantRows&) = delete;
  DistantRows& operator=(const DistantRows&) = delete;
  virtual ~DistantRows() = default;
  std::size_t rows = 0, inputs = 0, outputs = 0;
};

/// The one state of the rows: inputs θ and targets, which never change and are shared by all copies, and what a network
/// makes of them, the state z and the residual r = target − z. Copying costs 2m columns.
class RowState {
 public:
  RowState() = default;
  /// z = 0 and r = target, of the rows as they are standardised.
  explicit RowState(const ScaledRows& rows, Storage storage = Storage::memory);
  /// Rows of which there is nothing here but the shape.
  explicit RowState(std::shared_ptr<DistantRows> elsewhere);

  [[nodiscard]] std::size_t count() const { return distant ? distant->rows : residual.rows(); }
  [[nodiscard]] std::size_t tiles() const { return residual.tiles(); }
  [[nodiscard]] std::size_t rows_in(std::size_t tile) const { return residual.rows_in(tile); }
  [[nodiscard]] std::size_t inputs() const { return fixed_ ? fixed_->theta.columns() : 0; }
  [[nodiscard]] std::size_t outputs() const { return residual.columns(); }
  [[nodiscard]] std::size_t variables() const { return inputs() + outputs(); }

  [[nodiscard]] const TiledColumns& theta() const { return fixed_->theta; }
  [[nodiscard]] const TiledColumns& target() const { return fixed_->target; }
  /// The variables v = (θ, z): column k of a tile.
  [[nodiscard]] const double* variable(std::size_t tile, std::size_t k) const {
    return k < inputs() ? fixed_->theta.column(tile, k) : state.column(tile, k - inputs());
  }
  [[nodiscard]] double variable_of(std::size_t row, std::size_t k) const {
    return variable(row / tile_rows, k)[row % tile_rows];
  }

  [[nodiscard]] bool weighted() const { return fixed_ && !fixed_->weights.empty(); }
  /// How much a row counts, of mean 1.
  [[nodiscard]] double weight(std::size_t row) const {
    return weighted() ? fixed_->root(row, 0) * fixed_->root(row, 0) : 1.0;
  }
  /// √w, where rows have weights.
  [[nodiscard]] const TiledColumns& root() const { return fixed_->root; }
  /// As they were given, not scaled; empty: all rows count alike.
  [[nodiscard]] const std::vector<double>& given_weights() const { return fixed_->weights; }
  /// Of mean 1; empty: all rows count alike.
  [[nodiscard]] std::vector<double> weights() const;

  /// r ← target − z on a tile, after its state has changed; the rows that fill up the tile become zero.
  void settle(std::size_t tile);

  /// A tile has been worked on, or these are: what lies on disk may leave memory (TiledColumns).
  void passed(std::size_t tile) const;
  void let_go() const;

  /// Places of `count` of the rows (all, if there are no more), drawn without repeats by `stream`; the first of them
  /// are those of a smaller count.
  [[nodiscard]] std::vector<std::size_t> draw(std::size_t count, const Stream& stream) const;
  /// The rows at these places.
  [[nodiscard]] RowState at(std::span<const std::size_t> places) const;
  /// The same rows with this residual, and the state that leaves it.
  [[nodiscard]] RowState leaving(TiledColumns left) const;
  /// These rows, and behind them others of the same table.
  [[nodiscard]] RowState with(const RowState& others) const;
  [[nodiscard]] RowState some(std::size_t count, const Stream& stream) const { return at(draw(count, stream)); }

  TiledColumns state;     ///< z, m columns
  TiledColumns residual;  ///< r, m columns
  /// Where the rows are, if not here: theta, target, state and residual then have no rows.
  std::shared_ptr<DistantRows> distant;

 private:
  struct Fixed {
    TiledColumns theta, target;
    std::vector<double> weights;
    TiledColumns root;
  };
  std::shared_ptr<const Fixed> fixed_;
};

/// Multiplies the numbers of a column of the tile by √w.
inline void weigh(const RowState& rows, std::size_t tile, double* column) {
  if (!rows.weighted()) return;
  const double* root = rows.root().column(tile, 0);
  for (std::size_t i = 0; i < tile_rows; ++i) column[i] *= root[i];
}

/// Columns over the rows on a tile, multiplied by √w in `place` where rows have weights.
void weighted_columns(const RowState& rows, const TiledColumns& values, std::size_t tile, AlignedVector& place,
                      std::vector<const double*>& columns);

/// The first `count` of the variables (θ, z), the inputs, or the residual of all rows as a matrix.
Matrix variables_of(const RowState& rows, std::size_t count);
Matrix theta_of(const RowState& rows);
Matrix residual_of(const RowState& rows);

}  // namespace rfnn::rows
