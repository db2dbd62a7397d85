#include "bound.hpp"

#include <lapacke.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "blas_threads.hpp"
#include "rfnn/least_squares/solvers.hpp"
#include "rfnn/rows/forward.hpp"
#include "tile.hpp"

namespace rfnn::bench {
namespace {

/// Features with given frequencies on a tile of given variables.
class TrigWork {
 public:
  TrigWork(const Matrix& frequencies, Tile variables)
      : frequencies_(frequencies),
        variables_(std::move(variables)),
        cosine_(frequencies.rows()),
        minus_sine_(frequencies.rows()) {
    for (std::size_t j = 0; j < frequencies_.rows(); ++j)
      rows_.push_back(frequencies_.data() + j * frequencies_.cols());
  }
  void run() {
    features::kernels().features(variables_.readable.data(), frequencies_.cols(), rows_.data(), rows_.size(),
                                 features::tile_rows, cosine_.writable.data(), minus_sine_.writable.data());
  }

 private:
  Matrix frequencies_;
  Tile variables_, cosine_, minus_sine_;
  std::vector<const double*> rows_;
};

Tile input_tile(const Dataset& data) {
  Tile tile(data.inputs.cols());
  for (std::size_t k = 0; k < data.inputs.cols(); ++k)
    for (std::size_t i = 0; i < features::tile_rows; ++i) tile.writable[k][i] = data.inputs(i % data.inputs.rows(), k);
  return tile;
}

/// Normal equations a Cholesky solver has no trouble with.
least_squares::NormalEquations easy_problem(std::size_t unknowns) {
  const auto n = static_cast<Eigen::Index>(unknowns);
  least_squares::NormalEquations problem;
  problem.rows = 1000.0;
  problem.gram.resize(n, n);
  for (Eigen::Index j = 0; j < n; ++j)
    for (Eigen::Index i = 0; i < n; ++i)
      problem.gram(i, j) = 500.0 * std::exp(-0.1 * static_cast<double>(std::abs(i - j)));
  problem.rhs = Eigen::MatrixXd::Ones(n, 1);
  problem.energy = Eigen::VectorXd::Ones(1);
  return problem;
}

}  // namespace

struct BoundMeter::Parts {
  Parts(const Dataset& data, const Size& size, const TimedEngine& engine)
      : rows(static_cast<double>(size.rows)),
        input_trig(engine.proposal(0), input_tile(data)),
        state_trig(engine.proposal(1), Tile(1)),
        gram(2 * size.width, 4 * size.width),
        residual(2 * size.width, 1),
        problem(easy_problem(4 * size.width)),
        factor(problem.gram),
        right(problem.rhs) {}

  double rows;
  TrigWork input_trig, state_trig;
  GramWork gram, residual;
  least_squares::NormalEquations problem;
  least_squares::CholeskySolver solver;
  Eigen::MatrixXd amplitudes, factor, right;

  Contender<std::function<void()>> trig{[this] {
    input_trig.run();
    state_trig.run();
  }};
  Contender<std::function<void()>> proposal{[this] {
    gram.run_proposal(features::kernels());
    residual.run(features::kernels());
  }};
  Contender<std::function<void()>> own{[this] { solver.solve(problem, 1e-2, amplitudes); }};
  Contender<std::function<void()>> lapack{[this] {
    const auto n = static_cast<lapack_int>(problem.gram.rows());
    factor = problem.gram;
    factor.diagonal().array() += 10.0;
    right = problem.rhs;
    LAPACKE_dposv_work(LAPACK_COL_MAJOR, 'L', n, 1, factor.data(), n, right.data(), n);
  }};
};

BoundMeter::BoundMeter(const Dataset& data, const Size& size, const TimedEngine& engine) {
  set_blas_threads(1);
  parts_ = std::make_unique<Parts>(data, size, engine);
}
BoundMeter::~BoundMeter() = default;

void BoundMeter::measure(double seconds) {
  set_blas_threads(1);
  compete(seconds, 2, parts_->trig, parts_->proposal, parts_->own, parts_->lapack);
}

Bound BoundMeter::bound() const {
  const double tiles = parts_->rows / static_cast<double>(features::tile_rows);  // a part of a tile costs its part
  return {tiles * parts_->trig.seconds(), 2 * tiles * parts_->proposal.seconds(),
          3 * std::min(parts_->own.seconds(), parts_->lapack.seconds())};
}

}  // namespace rfnn::bench
