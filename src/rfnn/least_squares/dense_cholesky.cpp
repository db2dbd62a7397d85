#include "rfnn/least_squares/dense_cholesky.hpp"

#include <cmath>
#include <mutex>

#include "rfnn/least_squares/tiles.hpp"

namespace rfnn::dense {

namespace {

// Tile (i, j) of L follows from the tiles to the left of it in its row and in row j, and from that on the diagonal in
// its column. Tiles are begun column after column, each from the top, by whoever is free; a tile's products wait for
// the tiles they need one by one. So while one thread is at the diagonal the others are at the products of the column
// below.
template <class T>
class Factorisation {
 public:
  Factorisation(Triangle<T>& a, std::size_t threads, Interrupt& interrupt)
      : a_(a), tiling_(Tiling::of(a, threads)), progress_(tiling_.tiles() * tiling_.tiles(), interrupt) {
    for (std::size_t j = 0; j < tiling_.tiles(); ++j)
      for (std::size_t i = j; i < tiling_.tiles(); ++i) order_.push_back({i, j});
  }

  Factored run(Workers& workers, Interrupt& interrupt) {
    const double n = static_cast<double>(a_.size());
    const bool complete = run_with(
        progress_, workers, order_.size(), n * n * n > 6.0 * tuning::worth_waking,
        [&](std::size_t task, std::size_t) { make_tile(order_[task].i, order_[task].j); }, interrupt);
    if (failed_column_ < a_.size()) return {Factored::State::not_positive_definite, failed_column_};
    return {complete ? Factored::State::complete : Factored::State::interrupted};
  }

 private:
  static constexpr std::size_t width = Triangle<T>::width;
  struct Place {
    std::size_t i, j;
  };

  [[nodiscard]] std::size_t number(std::size_t i, std::size_t j) const { return i * tiling_.tiles() + j; }

  void make_tile(std::size_t i, std::size_t j) {
    const std::size_t first = tiling_.begin(j), last = tiling_.end(j);
    Rows<T> rows{{}, i == j ? Rows<T>::Columns::up_to_diagonal : Rows<T>::Columns::all, first};
    for (std::size_t s = tiling_.begin(i); s < tiling_.end(i); ++s) rows.stripes.push_back(a_.stripe(s));
    const std::size_t together = std::max<std::size_t>(1, tuning::depth / (tiling_.per_tile * width));
    for (std::size_t k = 0; k < j; k += together) {
      const std::size_t end = std::min(j, k + together);
      for (std::size_t t = k; t < end; ++t)
        if (!progress_.wait(number(i, t)) || !progress_.wait(number(j, t))) return;
      subtract_products(kernel_, rows, a_, first, last, tiling_.begin(k) * width, tiling_.begin(end) * width);
      if (!progress_.proceed()) return;
    }
    if (i == j) {
      if (!factor_diagonal(first, last)) return;
    } else {
      if (!progress_.wait(number(j, j))) return;
      solve_with_diagonal(kernel_, rows, a_, first, last);
    }
    progress_.finish(number(i, j));
  }

  bool factor_diagonal(std::size_t first, std::size_t last) {
    const std::size_t from = first * width;
    for (std::size_t s = first; s < last; ++s)
      for (std::size_t row = 0; row < width; row += block_columns) {
        const std::size_t column = s * width + row;
        T* const own = a_.stripe(s);
        const std::size_t done = kernel_.factor(own + column * width, own + from * width, column - from, row);
        if (done < block_columns) {
          failed_column_ = column + done;
          progress_.abandon();
          return false;
        }
        for (std::size_t below = s + 1; below < last; ++below)
          kernel_.solve(a_.stripe(below) + column * width, a_.stripe(below) + from * width, own + from * width + row,
                        column - from, own + column * width + row);
      }
    return true;
  }

  const MatrixKernels<T>& kernel_ = matrix_kernels<T>();
  Triangle<T>& a_;
  Tiling tiling_;
  Progress progress_;
  std::vector<Place> order_;
  /// Written by one thread at the most: no tile on the diagonal is reached before those above it are factors.
  std::size_t failed_column_ = static_cast<std::size_t>(-1);
};

}  // namespace

template <class T>
Factored factor(Triangle<T>& a, Workers& workers, Interrupt& interrupt) {
  if (!interrupt.proceed()) return {Factored::State::interrupted};
  return Factorisation<T>(a, workers.threads(), interrupt).run(workers, interrupt);
}

template <class T>
double log_determinant(const Triangle<T>& l) {
  double sum = 0.0;
  for (std::size_t i = 0; i < l.size(); ++i) sum += std::log(static_cast<double>(l(i, i)));
  return 2.0 * sum;
}

template Factored factor(Triangle<double>&, Workers&, Interrupt&);
template Factored factor(Triangle<float>&, Workers&, Interrupt&);
template double log_determinant(const Triangle<double>&);
template double log_determinant(const Triangle<float>&);

}  // namespace rfnn::dense
