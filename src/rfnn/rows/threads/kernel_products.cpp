// Products with the kernels of very many pairs, none of which is stored: a tile of rows by some others at a time.
#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include "rfnn/features/law_kernels.hpp"
#include "rfnn/rows/law_terms.hpp"
#include "rfnn/rows/threads/threaded_work.hpp"

namespace rfnn::rows {
namespace {

/// Columns of a tile that are made at a time, and stay in the cache for both products with them.
constexpr std::size_t together = 64;

/// Sums of fixed parts of the pairs are kept apart and added at the end, so that it does not matter who made them.
constexpr std::size_t most_parts = 32;

/// Columns over a list of points, as tiles of numbers of type T; what fills up the last tile is zero.
template <class T>
class TiledNumbers {
 public:
  TiledNumbers(std::size_t rows, std::size_t columns)
      : columns_(columns), values_(TiledColumns::tiles_for(rows) * columns * tile_rows, T(0)) {}
  explicit TiledNumbers(const Matrix& from) : TiledNumbers(from.rows(), from.cols()) {
    for (std::size_t i = 0; i < from.rows(); ++i)
      for (std::size_t o = 0; o < columns_; ++o) column(i / tile_rows, o)[i % tile_rows] = static_cast<T>(from(i, o));
  }
  [[nodiscard]] T* column(std::size_t tile, std::size_t o) {
    return values_.data() + (tile * columns_ + o) * tile_rows;
  }

 private:
  std::size_t columns_;
  AlignedNumbers<T> values_;
};

/// Points of one side of a product.
template <class T>
struct Side {
  Side(const LawTerms<T>& terms, const Matrix& points) : centres(terms, points), count(points.rows()) {}
  Centres<T> centres;
  std::size_t count;
  [[nodiscard]] std::size_t tiles() const { return TiledColumns::tiles_for(count); }
};

/// What a thread needs for a pair of tiles.
template <class T>
class TilePair {
 public:
  TilePair(const features::LawKernels<T>& level, const LawTerms<T>& terms, std::size_t columns)
      : level_(level), terms_(terms), outputs_(columns), panel_(together * tile_rows), forward_(columns * tile_rows) {
    for (std::size_t i = 0; i < together; ++i) {
      columns_.push_back(panel_.data() + i * tile_rows);
      readable_.push_back(columns_.back());
    }
    for (std::size_t o = 0; o < columns; ++o) places_.push_back(forward_.data() + o * tile_rows);
  }

  /// The tile of one side; its points stay until the next.
  void take(const Side<T>& side, std::size_t tile) { tile_.place(terms_, side.centres, tile * tile_rows); }

  /// out_rows += k(rows of the tile, others) c. With `back`: out_others += k(others, rows of the tile) t as well, where
  /// `right` are the tile's columns of t.
  void multiply(const Side<T>& others, std::size_t first, std::size_t count, const T* c, double* out_rows,
                std::size_t rows, const T* const* right, double* out_others) {
    std::fill(forward_.begin(), forward_.end(), T(0));
    for (std::size_t from = 0; from < count; from += together) {
      const std::size_t some = std::min(together, count - from);
      level_.panel(terms_.view(), tile_.columns(), others.centres.from(first + from), some, columns_.data());
      if (c != nullptr) level_.combine(readable_.data(), some, c + from * outputs_, outputs_, places_.data());
      if (out_others == nullptr) continue;
      sums_.assign(some * outputs_, T(0));
      level_.correlate(readable_.data(), some, right, outputs_, sums_.data());
      for (std::size_t i = 0; i < sums_.size(); ++i) out_others[from * outputs_ + i] += static_cast<double>(sums_[i]);
    }
    if (c == nullptr) return;
    for (std::size_t o = 0; o < outputs_; ++o)
      for (std::size_t row = 0; row < rows; ++row) out_rows[row * outputs_ + o] += static_cast<double>(places_[o][row]);
  }

 private:
  const features::LawKernels<T>& level_;
  const LawTerms<T>& terms_;
  std::size_t outputs_;
  TilePoints<T> tile_;
  AlignedNumbers<T> panel_, forward_;
  std::vector<T*> columns_, places_;
  std::vector<const T*> readable_;
  std::vector<T> sums_;
};

template <class T>
std::vector<T> numbers_of(const Matrix& matrix) {
  return std::vector<T>(matrix.data(), matrix.data() + matrix.size());
}

/// Who does the work, with which kernels.
struct Team {
  Workers& workers;
  std::string_view level;
};

/// Runs `tasks` with a TilePair per thread.
template <class T, class Work>
bool run_pairs(const Team& team, const LawTerms<T>& terms, std::size_t columns, std::size_t tasks, Interrupt& interrupt,
               const Work& work) {
  std::vector<std::unique_ptr<TilePair<T>>> pairs(team.workers.threads());
  const features::LawKernels<T>& level = *features::law_kernels<T>(team.level);
  return team.workers.run(
      tasks, true,
      [&](std::size_t task, std::size_t worker) {
        if (!pairs[worker]) pairs[worker] = std::make_unique<TilePair<T>>(level, terms, columns);
        work(task, *pairs[worker]);
      },
      interrupt);
}

template <class T>
bool product(const Team& team, const Matrix& points, const FrequencyLaw& law, const Matrix& t, Matrix& out,
             Interrupt& interrupt) {
  const LawTerms<T> terms(law);
  const Side<T> side(terms, points);
  const std::size_t columns = t.cols(), tiles = side.tiles(), parts = std::min(tiles, most_parts);
  const std::vector<T> c = numbers_of<T>(t);
  TiledNumbers<T> tiled(t);
  std::vector<Matrix> sums(parts);
  const bool done = run_pairs<T>(team, terms, columns, parts, interrupt, [&](std::size_t part, TilePair<T>& pair) {
    sums[part] = Matrix(t.rows(), columns);
    double* const own = sums[part].data();
    std::vector<const T*> right(columns);
    for (std::size_t tile = part; tile < tiles; tile += parts) {
      pair.take(side, tile);
      for (std::size_t o = 0; o < columns; ++o) right[o] = tiled.column(tile, o);
      const std::size_t rows = std::min(tile_rows, side.count - tile * tile_rows);
      for (std::size_t other = 0; other <= tile; ++other) {
        if (!interrupt.proceed()) return;
        const std::size_t first = other * tile_rows, count = std::min(tile_rows, side.count - first);
        pair.multiply(side, first, count, c.data() + first * columns, own + tile * tile_rows * columns, rows,
                      right.data(), other < tile ? own + first * columns : nullptr);
      }
    }
  });
  if (!done) return false;
  out = std::move(sums[0]);
  for (std::size_t part = 1; part < parts; ++part)
    for (std::size_t i = 0; i < out.size(); ++i) out.data()[i] += sums[part].data()[i];
  return true;
}

template <class T>
bool apply_centres(const Team& team, const Matrix& points, const FrequencyLaw& law, const Matrix& centres,
                   const Matrix& c, Matrix& out, Interrupt& interrupt) {
  const LawTerms<T> terms(law);
  const Side<T> rows(terms, points), others(terms, centres);
  const std::size_t columns = c.cols();
  const std::vector<T> coefficients = numbers_of<T>(c);
  out = Matrix(points.rows(), columns);
  return run_pairs<T>(team, terms, columns, rows.tiles(), interrupt, [&](std::size_t tile, TilePair<T>& pair) {
    pair.take(rows, tile);
    const std::size_t count = std::min(tile_rows, rows.count - tile * tile_rows);
    for (std::size_t first = 0; first < others.count; first += tile_rows) {
      if (!interrupt.proceed()) return;
      pair.multiply(others, first, std::min(tile_rows, others.count - first), coefficients.data() + first * columns,
                    out.data() + tile * tile_rows * columns, count, nullptr, nullptr);
    }
  });
}

}  // namespace

bool ThreadedWork::kernel_product(const RowState& rows, const FrequencyLaw& law, const Matrix& t, Matrix& out,
                                  Precision precision, Interrupt& interrupt) {
  const Matrix points = variables_of(rows, law.variables());
  const Team team{workers_, kernels_.name};
  return precision == Precision::single ? product<float>(team, points, law, t, out, interrupt)
                                        : product<double>(team, points, law, t, out, interrupt);
}

bool ThreadedWork::kernel_apply(const RowState& rows, const FrequencyLaw& law, const Matrix& centres, const Matrix& c,
                                Matrix& out, Precision precision, Interrupt& interrupt) {
  const Matrix points = variables_of(rows, law.variables());
  const Team team{workers_, kernels_.name};
  return precision == Precision::single ? apply_centres<float>(team, points, law, centres, c, out, interrupt)
                                        : apply_centres<double>(team, points, law, centres, c, out, interrupt);
}

// k is symmetric: rows and centres change places. Each task has some centres for itself and goes over all rows in
// order.
bool ThreadedWork::kernel_adjoint(const RowState& rows, const FrequencyLaw& law, const Matrix& centres, const Matrix& t,
                                  Matrix& out, Precision precision, Interrupt& interrupt) {
  const Matrix points = variables_of(rows, law.variables());
  const Team team{workers_, kernels_.name};
  return precision == Precision::single ? apply_centres<float>(team, centres, law, points, t, out, interrupt)
                                        : apply_centres<double>(team, centres, law, points, t, out, interrupt);
}

}  // namespace rfnn::rows
