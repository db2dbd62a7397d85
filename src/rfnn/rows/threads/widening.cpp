// The passes for very many features over the inputs.
#include <algorithm>
#include <memory>

#include "rfnn/core/aligned.hpp"
#include "rfnn/rows/feature_columns.hpp"
#include "rfnn/rows/threads/threaded_work.hpp"

namespace rfnn::rows {
namespace {

/// One thread's columns of a tile for some features at a time.
struct TileFeatures : FeatureColumns {
  std::vector<const double*> variables;

  /// Of features [first, first + count) on a tile of rows.
  void make(const features::Kernels& kernels, const RowState& rows, std::size_t tile, const Matrix& list,
            std::size_t first, std::size_t count) {
    variables.resize(list.cols());
    for (std::size_t k = 0; k < variables.size(); ++k) variables[k] = rows.theta().column(tile, k);
    FeatureColumns::make(kernels, variables, count, rows.rows_in(tile),
                         [&](std::size_t j) { return list.data() + (first + j) * list.cols(); });
  }
};

TileFeatures& own(std::vector<std::unique_ptr<TileFeatures>>& scratch, std::size_t worker) {
  if (!scratch[worker]) scratch[worker] = std::make_unique<TileFeatures>();
  return *scratch[worker];
}

/// b = S c.
Matrix scaled(const WideFeatures& features, const Matrix& c) {
  Matrix b = c;
  for (std::size_t i = 0; i < b.rows(); ++i)
    for (std::size_t o = 0; o < b.cols(); ++o) b(i, o) *= features.prior[i / 2];
  return b;
}

}  // namespace

bool ThreadedWork::apply(const RowState& rows, const WideFeatures& features, const Matrix& c, TiledColumns& out,
                         Interrupt& interrupt) {
  const Matrix b = scaled(features, c);
  const std::size_t columns = c.cols();
  if (out.rows() != rows.count() || out.columns() != columns) out = TiledColumns(rows.count(), columns);
  std::vector<std::unique_ptr<TileFeatures>> scratch(workers_.threads());
  const auto on_tile = [&](std::size_t tile, std::size_t worker) {
    if (!interrupt.proceed()) return;
    std::vector<double*> place(columns);
    for (std::size_t o = 0; o < columns; ++o) {
      place[o] = out.column(tile, o);
      std::fill_n(place[o], tile_rows, 0.0);
    }
    TileFeatures& made = own(scratch, worker);
    for (std::size_t first = 0; first < features.size(); first += features_together) {
      made.make(kernels_, rows, tile, features.frequencies, first,
                std::min(features_together, features.size() - first));
      kernels_.combine(made.columns.data(), made.columns.size(), b.data() + 2 * first * columns, columns, place.data());
    }
    for (double* column : place) weigh(rows, tile, column);
  };
  return workers_.run(rows.tiles(), true, on_tile, interrupt);
}

// Each task has features of its own and goes over the rows in order.
bool ThreadedWork::adjoint(const RowState& rows, const WideFeatures& features, const TiledColumns& t, Matrix& out,
                           Interrupt& interrupt) {
  const std::size_t columns = t.columns();
  out = Matrix(2 * features.size(), columns);
  std::vector<std::unique_ptr<TileFeatures>> scratch(workers_.threads());
  const auto of_group = [&](std::size_t group, std::size_t worker) {
    const std::size_t first = group * features_together, count = std::min(features_together, features.size() - first);
    TileFeatures& made = own(scratch, worker);
    AlignedVector sums(2 * count * columns, 0.0), weighted;
    std::vector<const double*> right(columns);
    for (std::size_t tile = 0; tile < rows.tiles(); ++tile) {
      if (!interrupt.proceed()) return;
      made.make(kernels_, rows, tile, features.frequencies, first, count);
      weighted_columns(rows, t, tile, weighted, right);
      kernels_.gram(made.columns.data(), made.columns.size(), right.data(), columns, false, sums.data(), columns);
    }
    for (std::size_t i = 0; i < 2 * count; ++i)
      for (std::size_t o = 0; o < columns; ++o)
        out(2 * first + i, o) = features.prior[first + i / 2] * sums[i * columns + o];
  };
  return workers_.run((features.size() + features_together - 1) / features_together, true, of_group, interrupt);
}

bool ThreadedWork::row_kernel(const RowState& rows, const WideFeatures& features, Eigen::MatrixXd& kernel,
                              Interrupt& interrupt) {
  // Roles exchanged: a tile holds frequencies, a column belongs to a row of the data, because ω·θ = θ·ω.
  const std::size_t count = rows.count(), inputs = features.frequencies.cols();
  const Matrix points = theta_of(rows);
  const std::size_t tiles = TiledColumns::tiles_for(features.size());
  AlignedVector values(2 * count * tile_rows), omega(inputs * tile_rows);
  std::vector<const double*> variables(inputs), cosines(count), sines(count), frequencies(count);
  std::vector<double*> cosine(count), sine(count);
  for (std::size_t i = 0; i < count; ++i) {
    cosine[i] = values.data() + 2 * i * tile_rows;
    sine[i] = cosine[i] + tile_rows;
    cosines[i] = cosine[i];
    sines[i] = sine[i];
    frequencies[i] = points.data() + i * inputs;
  }
  for (std::size_t k = 0; k < inputs; ++k) variables[k] = omega.data() + k * tile_rows;
  constexpr std::size_t panel = 96;
  const std::size_t panels = (count + panel - 1) / panel;
  AlignedVector sums(count * count, 0.0);
  for (std::size_t tile = 0; tile < tiles; ++tile) {
    const std::size_t first = tile * tile_rows, used = std::min(tile_rows, features.size() - first);
    std::fill(omega.begin(), omega.end(), 0.0);
    for (std::size_t k = 0; k < inputs; ++k)
      for (std::size_t j = 0; j < used; ++j) omega[k * tile_rows + j] = features.frequencies(first + j, k);
    const auto make = [&](std::size_t p, std::size_t) {
      if (!interrupt.proceed()) return;
      const std::size_t from = p * panel, to = std::min(from + panel, count);
      kernels_.features(variables.data(), inputs, frequencies.data() + from, to - from, used, cosine.data() + from,
                        sine.data() + from);
      for (std::size_t i = from; i < to; ++i)
        for (std::size_t j = 0; j < used; ++j) {
          cosine[i][j] *= features.prior[first + j];
          sine[i][j] *= features.prior[first + j];
        }
    };
    // Row panels of the upper triangle, each a task's own.
    const auto add = [&](std::size_t p, std::size_t) {
      if (!interrupt.proceed()) return;
      const std::size_t from = p * panel, to = std::min(from + panel, count);
      double* place = sums.data() + from * count + from;
      kernels_.gram(cosines.data() + from, to - from, cosines.data() + from, count - from, false, place, count);
      kernels_.gram(sines.data() + from, to - from, sines.data() + from, count - from, false, place, count);
    };
    if (!workers_.run(panels, true, make, interrupt) || !workers_.run(panels, true, add, interrupt)) return false;
  }
  kernel = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
      sums.data(), static_cast<Eigen::Index>(count), static_cast<Eigen::Index>(count));
  if (rows.weighted())
    for (Eigen::Index i = 0; i < kernel.rows(); ++i)
      for (Eigen::Index j = i; j < kernel.cols(); ++j)
        kernel(i, j) *= rows.root()(static_cast<std::size_t>(i), 0) * rows.root()(static_cast<std::size_t>(j), 0);
  kernel.triangularView<Eigen::StrictlyLower>() = kernel.transpose();
  return true;
}

}  // namespace rfnn::rows
