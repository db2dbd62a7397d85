#include "rfnn/rows/wide_block.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "rfnn/core/aligned.hpp"
#include "rfnn/core/random.hpp"
#include "rfnn/rows/feature_columns.hpp"

namespace rfnn {
namespace {

/// One thread's columns of a tile for some features at a time.
struct TileFeatures : FeatureColumns {
  std::vector<const double*> variables;

  /// Of features [first, first + count) on a tile of rows.
  void make(const GrowthRows& rows, std::size_t tile, const Matrix& list, std::size_t first, std::size_t count) {
    variables.resize(list.cols());
    for (std::size_t k = 0; k < variables.size(); ++k) variables[k] = rows.variables.column(tile, k);
    FeatureColumns::make(kernels(), variables, count, rows.residual.rows_in(tile),
                         [&](std::size_t j) { return list.data() + (first + j) * list.cols(); });
  }
};

/// A S as an operator on columns c (2 · features × outputs) and on columns over the rows, A's rows multiplied by √w.
class WideOperator {
 public:
  WideOperator(const GrowthRows& rows, const WideFeatures& features, Workers& workers, std::size_t outputs)
      : rows_(rows), features_(features), workers_(workers), outputs_(outputs), scratch_(workers.threads()) {}

  [[nodiscard]] std::size_t columns() const { return 2 * features_.size(); }

  /// out = A S c over the rows.
  bool apply(const Matrix& c, TiledColumns& out, Interrupt& interrupt) {
    const Matrix b = scaled(c);
    return workers_.run(
        rows_.residual.tiles(), true,
        [&](std::size_t tile, std::size_t worker) {
          if (!interrupt.proceed()) return;
          std::vector<double*> place(outputs_);
          for (std::size_t o = 0; o < outputs_; ++o) {
            place[o] = out.column(tile, o);
            std::fill_n(place[o], tile_rows, 0.0);
          }
          TileFeatures& own = scratch(worker);
          for (std::size_t first = 0; first < features_.size(); first += features_together) {
            own.make(rows_, tile, features_.frequencies, first, std::min(features_together, features_.size() - first));
            kernels().combine(own.columns.data(), own.columns.size(), b.data() + 2 * first * outputs_, outputs_,
                              place.data());
          }
          for (double* column : place) weigh(rows_, tile, column);
        },
        interrupt);
  }

  /// out = S Aᵀ t for columns t over the rows. Each task has features of its own and goes over the rows in order.
  bool adjoint(const TiledColumns& t, Matrix& out, Interrupt& interrupt) {
    out = Matrix(columns(), outputs_);
    return workers_.run((features_.size() + features_together - 1) / features_together, true,
                        [&](std::size_t group, std::size_t worker) {
                          const std::size_t first = group * features_together,
                                            count = std::min(features_together, features_.size() - first);
                          TileFeatures& own = scratch(worker);
                          AlignedVector sums(2 * count * outputs_, 0.0);
                          std::vector<const double*> right(outputs_);
                          AlignedVector weighted(rows_.weighted() ? outputs_ * tile_rows : 0);
                          for (std::size_t tile = 0; tile < rows_.residual.tiles(); ++tile) {
                            if (!interrupt.proceed()) return;
                            own.make(rows_, tile, features_.frequencies, first, count);
                            for (std::size_t o = 0; o < outputs_; ++o) {
                              right[o] = t.column(tile, o);
                              if (!rows_.weighted()) continue;
                              double* const own_column = weighted.data() + o * tile_rows;
                              std::copy_n(right[o], tile_rows, own_column);
                              weigh(rows_, tile, own_column);
                              right[o] = own_column;
                            }
                            kernels().gram(own.columns.data(), own.columns.size(), right.data(), outputs_, false,
                                           sums.data(), outputs_);
                          }
                          for (std::size_t i = 0; i < 2 * count; ++i)
                            for (std::size_t o = 0; o < outputs_; ++o)
                              out(2 * first + i, o) = features_.prior[first + i / 2] * sums[i * outputs_ + o];
                        },
                        interrupt);
  }

  /// b = S c.
  [[nodiscard]] Matrix scaled(const Matrix& c) const {
    Matrix b = c;
    for (std::size_t i = 0; i < b.rows(); ++i)
      for (std::size_t o = 0; o < outputs_; ++o) b(i, o) *= features_.prior[i / 2];
    return b;
  }

 private:
  TileFeatures& scratch(std::size_t worker) {
    if (!scratch_[worker]) scratch_[worker] = std::make_unique<TileFeatures>();
    return *scratch_[worker];
  }

  const GrowthRows& rows_;
  const WideFeatures& features_;
  Workers& workers_;
  std::size_t outputs_;
  std::vector<std::unique_ptr<TileFeatures>> scratch_;
};

using ColumnsMap = Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
ColumnsMap as_eigen(Matrix& m) {
  return {m.data(), static_cast<Eigen::Index>(m.rows()), static_cast<Eigen::Index>(m.cols())};
}

TiledColumns to_tiles(const Eigen::MatrixXd& values) {
  TiledColumns tiles(static_cast<std::size_t>(values.rows()), static_cast<std::size_t>(values.cols()));
  for (std::size_t i = 0; i < tiles.rows(); ++i)
    for (std::size_t o = 0; o < tiles.columns(); ++o)
      tiles(i, o) = values(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(o));
  return tiles;
}
Eigen::MatrixXd from_tiles(const TiledColumns& tiles) {
  Eigen::MatrixXd values(static_cast<Eigen::Index>(tiles.rows()), static_cast<Eigen::Index>(tiles.columns()));
  for (std::size_t i = 0; i < tiles.rows(); ++i)
    for (std::size_t o = 0; o < tiles.columns(); ++o)
      values(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(o)) = tiles(i, o);
  return values;
}

/// r, every row multiplied by √w.
TiledColumns weighted_residual(const GrowthRows& rows) {
  TiledColumns weighted = rows.residual;
  for (std::size_t tile = 0; tile < weighted.tiles(); ++tile)
    for (std::size_t o = 0; o < weighted.columns(); ++o) weigh(rows, tile, weighted.column(tile, o));
  return weighted;
}

std::optional<WideFit> fit_dual(const GrowthRows& rows, const WideFeatures& features,
                                const std::vector<double>& lambdas, Workers& workers, Interrupt& interrupt) {
  Eigen::MatrixXd kernel;
  if (!row_kernel(rows, features, workers, kernel, interrupt)) return std::nullopt;
  const Eigen::MatrixXd r = from_tiles(weighted_residual(rows));
  const Eigen::Index n = kernel.rows();
  double best = std::numeric_limits<double>::infinity(), chosen = lambdas.front();
  Eigen::MatrixXd u;
  for (const double lambda : lambdas) {
    bool done = false;
    double score = 0.0;
    Eigen::MatrixXd solution;
    watch(
        [&] {
          Eigen::MatrixXd shifted = kernel;
          shifted.diagonal().array() += std::max(lambda, 1e-13 * kernel.diagonal().maxCoeff());
          const Eigen::LLT<Eigen::MatrixXd> factor(shifted);
          if (factor.info() != Eigen::Success) return;
          solution = factor.solve(r);
          if (lambdas.size() > 1) {
            // Leaving row i out leaves an error of u_i / (K + λ)⁻¹_ii there, times √w_i as all errors here.
            const Eigen::MatrixXd half = factor.matrixL().solve(Eigen::MatrixXd::Identity(n, n));
            const Eigen::VectorXd diagonal = half.colwise().squaredNorm();
            for (Eigen::Index o = 0; o < solution.cols(); ++o)
              score += (solution.col(o).array() / diagonal.array()).square().sum();
          }
          done = true;
        },
        interrupt);
    if (interrupt.stopped()) return std::nullopt;
    if (!done || !(score < best)) continue;
    best = score;
    chosen = lambda;
    u = std::move(solution);
  }
  if (u.size() == 0) return std::nullopt;
  WideOperator operation(rows, features, workers, rows.outputs());
  Matrix c;
  if (!operation.adjoint(to_tiles(u), c, interrupt)) return std::nullopt;
  return WideFit{operation.scaled(c), chosen, best / static_cast<double>(n)};
}

/// (N/s · S A_sᵀA_s S + μ I)⁻¹ for s of the N rows, by the dual of these rows.
class Preconditioner {
 public:
  Preconditioner(const GrowthRows& rows, const WideFeatures& features, std::size_t columns, std::uint64_t seed,
                 Workers& workers)
      : rows_(some_rows(rows, 1536, Stream(seed, Purpose::proposal_rows))),
        operation_(rows_, features, workers, columns),
        columns_(columns),
        ratio_(static_cast<double>(rows.count()) / static_cast<double>(rows_.count())),
        features_(features),
        workers_(workers) {}

  /// For columns in as many equal groups as there are λ.
  bool prepare(const std::vector<double>& lambdas, Interrupt& interrupt) {
    Eigen::MatrixXd kernel;
    if (!row_kernel(rows_, features_, workers_, kernel, interrupt)) return false;
    watch(
        [&] {
          const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(kernel, Eigen::EigenvaluesOnly);
          for (const double lambda : lambdas) {
            if (interrupt.stopped()) return;
            // What the other rows add beyond those of the sample counts as noise.
            shift_.push_back(std::max(lambda, 5.0 * ratio_ * eigen.eigenvalues()(kernel.rows() / 2)));
            Eigen::MatrixXd shifted = kernel;
            shifted.diagonal().array() += shift_.back() / ratio_;
            factor_.emplace_back(shifted);
          }
        },
        interrupt);
    return !interrupt.stopped();
  }
  bool apply(const Matrix& v, Matrix& out, Interrupt& interrupt) {
    TiledColumns on_rows(rows_.count(), columns_);
    if (!operation_.apply(v, on_rows, interrupt)) return false;
    Eigen::MatrixXd solved = from_tiles(on_rows);
    const std::size_t group = columns_ / shift_.size();
    for (std::size_t l = 0; l < shift_.size(); ++l) {
      auto own = solved.middleCols(static_cast<Eigen::Index>(l * group), static_cast<Eigen::Index>(group));
      factor_[l].solveInPlace(own);
    }
    if (!operation_.adjoint(to_tiles(solved), out, interrupt)) return false;
    for (std::size_t i = 0; i < out.rows(); ++i)
      for (std::size_t o = 0; o < out.cols(); ++o) out(i, o) = (v(i, o) - out(i, o)) / shift_[o / group];
    return true;
  }

 private:
  GrowthRows rows_;
  WideOperator operation_;
  std::size_t columns_;
  double ratio_;
  const WideFeatures& features_;
  Workers& workers_;
  std::vector<double> shift_;
  std::vector<Eigen::LLT<Eigen::MatrixXd>> factor_;
};

/// Conjugate gradients from `c` on (S AᵀA S + λ) c = S Aᵀr for columns with a λ each, side by side. False when
/// interrupted; every iterate is a fit, if a rough one.
bool solve_iteratively(WideOperator& operation, const GrowthRows& rows, const Matrix& right,
                       const Eigen::RowVectorXd& lambda, Preconditioner& preconditioner, int most_steps, Matrix& c,
                       Interrupt& interrupt) {
  constexpr double enough = 3e-3;  // of the preconditioned residual: below, held-out rows see no difference
  TiledColumns on_rows(rows.count(), right.cols());
  const auto product = [&](Matrix& v, Matrix& out) {
    if (!operation.apply(v, on_rows, interrupt) || !operation.adjoint(on_rows, out, interrupt)) return false;
    as_eigen(out) += as_eigen(v) * lambda.asDiagonal();
    return true;
  };
  const auto dots = [](Matrix& a, Matrix& b) -> Eigen::RowVectorXd {
    return as_eigen(a).cwiseProduct(as_eigen(b)).colwise().sum();
  };
  Matrix residual = right, preconditioned, image;
  if (!preconditioner.apply(residual, preconditioned, interrupt)) return false;
  const Eigen::RowVectorXd scale = dots(residual, preconditioned);
  if (as_eigen(c).squaredNorm() > 0.0) {
    if (!product(c, image)) return false;
    as_eigen(residual) -= as_eigen(image);
    if (!preconditioner.apply(residual, preconditioned, interrupt)) return false;
  }
  Matrix direction = preconditioned;
  Eigen::RowVectorXd rho = dots(residual, preconditioned);
  for (int step = 0; step < most_steps; ++step) {
    if ((rho.array() <= enough * enough * scale.array()).all()) break;
    if (!product(direction, image)) return false;
    const Eigen::RowVectorXd curvature = dots(direction, image);
    const Eigen::RowVectorXd length = rho.cwiseQuotient(curvature.cwiseMax(1e-300));
    as_eigen(c) += as_eigen(direction) * length.asDiagonal();
    as_eigen(residual) -= as_eigen(image) * length.asDiagonal();
    if (!preconditioner.apply(residual, preconditioned, interrupt)) return false;
    const Eigen::RowVectorXd now = dots(residual, preconditioned);
    const Eigen::RowVectorXd ratio = now.cwiseQuotient(rho.cwiseMax(1e-300));
    as_eigen(direction) = as_eigen(preconditioned) + as_eigen(direction) * ratio.asDiagonal();
    rho = now;
  }
  return true;
}

/// All λ at once: the features, which cost most, are made for all of them together.
std::optional<WideFit> fit_iteratively(const GrowthRows& rows, const GrowthRows& held_out, const WideFeatures& features,
                                       const std::vector<double>& lambdas, std::uint64_t seed, Workers& workers,
                                       Interrupt& interrupt, const Matrix* start) {
  const std::size_t outputs = rows.outputs(), columns = outputs * lambdas.size();
  WideOperator operation(rows, features, workers, columns);
  Preconditioner preconditioner(rows, features, columns, seed, workers);
  if (!preconditioner.prepare(lambdas, interrupt)) return std::nullopt;
  const auto repeated = [&](const TiledColumns& values) {
    TiledColumns made(values.rows(), columns);
    for (std::size_t i = 0; i < values.rows(); ++i)
      for (std::size_t k = 0; k < columns; ++k) made(i, k) = values(i, k % outputs);
    return made;
  };
  Matrix right;
  if (!operation.adjoint(repeated(weighted_residual(rows)), right, interrupt)) return std::nullopt;
  Matrix c(operation.columns(), columns);
  if (start != nullptr)
    for (std::size_t i = 0; i < c.rows(); ++i)
      for (std::size_t k = 0; k < columns; ++k) c(i, k) = (*start)(i, k % outputs) / features.prior[i / 2];
  Eigen::RowVectorXd lambda(static_cast<Eigen::Index>(columns));
  for (std::size_t k = 0; k < columns; ++k) lambda(static_cast<Eigen::Index>(k)) = lambdas[k / outputs];
  // To tell one λ from another less will do, and so it will where the start is nearly the solution.
  const int most_steps = start != nullptr ? 5 : lambdas.size() > 1 ? 14 : 30;
  const bool done = solve_iteratively(operation, rows, right, lambda, preconditioner, most_steps, c, interrupt);

  if (!done && lambdas.size() > 1) return std::nullopt;
  std::size_t best = 0;
  double least = 0.0;
  if (lambdas.size() > 1) {
    least = std::numeric_limits<double>::infinity();
    WideOperator judge(held_out, features, workers, columns);
    TiledColumns values(held_out.count(), columns);
    if (!judge.apply(c, values, interrupt)) return std::nullopt;
    const TiledColumns wanted = repeated(weighted_residual(held_out));
    for (std::size_t l = 0; l < lambdas.size(); ++l) {
      double sum = 0.0;
      for (std::size_t i = 0; i < values.rows(); ++i)
        for (std::size_t k = l * outputs; k < (l + 1) * outputs; ++k)
          sum += (wanted(i, k) - values(i, k)) * (wanted(i, k) - values(i, k));
      if (!(sum < least)) continue;
      least = sum;
      best = l;
    }
    least /= static_cast<double>(held_out.count());
  }
  const Matrix b = operation.scaled(c);
  WideFit fit{Matrix(b.rows(), outputs), lambdas[best], least};
  for (std::size_t i = 0; i < b.rows(); ++i)
    for (std::size_t o = 0; o < outputs; ++o) fit.amplitudes(i, o) = b(i, best * outputs + o);
  return fit;
}

}  // namespace

bool row_kernel(const GrowthRows& rows, const WideFeatures& features, Workers& workers, Eigen::MatrixXd& kernel,
                Interrupt& interrupt) {
  // Roles exchanged: a tile holds frequencies, a column belongs to a row of the data, because ω·θ = θ·ω.
  const std::size_t count = rows.count(), inputs = features.frequencies.cols();
  Matrix points(count, inputs);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t k = 0; k < inputs; ++k) points(i, k) = rows.variables(i, k);
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
    const bool made = workers.run(
        panels, true,
        [&](std::size_t p, std::size_t) {
          const std::size_t from = p * panel, to = std::min(from + panel, count);
          kernels().features(variables.data(), inputs, frequencies.data() + from, to - from, used, cosine.data() + from,
                             sine.data() + from);
          for (std::size_t i = from; i < to; ++i)
            for (std::size_t j = 0; j < used; ++j) {
              cosine[i][j] *= features.prior[first + j];
              sine[i][j] *= features.prior[first + j];
            }
        },
        interrupt);
    if (!made) return false;
    // Row panels of the upper triangle, each a task's own.
    const bool added = workers.run(
        panels, true,
        [&](std::size_t p, std::size_t) {
          if (!interrupt.proceed()) return;
          const std::size_t from = p * panel, to = std::min(from + panel, count);
          double* place = sums.data() + from * count + from;
          kernels().gram(cosines.data() + from, to - from, cosines.data() + from, count - from, false, place, count);
          kernels().gram(sines.data() + from, to - from, sines.data() + from, count - from, false, place, count);
        },
        interrupt);
    if (!added) return false;
  }
  kernel = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
      sums.data(), static_cast<Eigen::Index>(count), static_cast<Eigen::Index>(count));
  if (rows.weighted())
    for (Eigen::Index i = 0; i < kernel.rows(); ++i)
      for (Eigen::Index j = i; j < kernel.cols(); ++j)
        kernel(i, j) *= rows.root(static_cast<std::size_t>(i), 0) * rows.root(static_cast<std::size_t>(j), 0);
  kernel.triangularView<Eigen::StrictlyLower>() = kernel.transpose();
  return true;
}

std::optional<WideFit> fit_wide(const GrowthRows& rows, const GrowthRows& held_out, const WideFeatures& features,
                                const std::vector<double>& lambdas, std::uint64_t seed, GrowthPasses& passes,
                                Interrupt& interrupt, const Matrix* start) {
  if (rows.count() <= most_dual_rows) return fit_dual(rows, features, lambdas, passes.workers(), interrupt);
  return fit_iteratively(rows, held_out, features, lambdas, seed, passes.workers(), interrupt, start);
}

}  // namespace rfnn
