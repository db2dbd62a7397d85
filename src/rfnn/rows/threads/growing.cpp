// The passes for features that come, go and move. Sums run over fixed chunks of tiles, so that the bits do not depend
// on the number of threads.
#include <algorithm>
#include <span>

#include "rfnn/core/aligned.hpp"
#include "rfnn/rows/feature_columns.hpp"
#include "rfnn/rows/threads/threaded_work.hpp"

namespace rfnn::rows {
namespace {

/// From so many variables on features are taken to have few of them.
constexpr std::size_t very_many = 64;

/// One thread's scratch on a tile: the columns [features | derivatives of one output] and what the block leaves.
struct Scratch : FeatureColumns {
  AlignedVector derivatives, left;
  std::vector<double*> left_columns;
  std::vector<const double*> variables, some, all, left_in;
  std::vector<double> some_frequencies;

  /// Columns of every feature. Its phase is a sum over the variables it has: zeros would be added for all others.
  void make_features(const features::Kernels& kernels, const RowState& rows, std::size_t tile,
                     std::span<const Feature> list) {
    variables.resize(rows.variables());
    for (std::size_t k = 0; k < variables.size(); ++k) variables[k] = rows.variable(tile, k);
    make_places(list.size());
    for (std::size_t f = 0; f < list.size(); ++f) {
      choose_variables(list[f]);
      const double* const frequency = some_frequencies.data();
      kernels.features(some.data(), some.size(), &frequency, 1, rows.rows_in(tile), &cosine[f], &minus_sine[f]);
    }
  }

  /// The variables along which a feature has a frequency, and that: of very many the active ones, without a look at the
  /// others.
  void choose_variables(const Feature& feature) {
    some.clear();
    some_frequencies.clear();
    const auto choose = [&](std::size_t k) {
      some.push_back(variables[k]);
      some_frequencies.push_back(feature.frequency[k]);
    };
    if (variables.size() > very_many) {
      for (const std::uint32_t k : feature.active) choose(k);
    } else {
      for (std::size_t k = 0; k < variables.size(); ++k)
        if (feature.frequency[k] != 0.0) choose(k);
    }
    if (some.empty()) choose(0);
  }

  /// r − A b; `minus_b` is −b, row-major.
  void make_left(const features::Kernels& kernels, const RowState& rows, std::size_t tile, const Matrix& minus_b) {
    const std::size_t outputs = rows.outputs();
    left.resize(outputs * tile_rows);
    left_columns.resize(outputs);
    left_in.resize(outputs);
    for (std::size_t o = 0; o < outputs; ++o) {
      left_columns[o] = left.data() + o * tile_rows;
      left_in[o] = left_columns[o];
      std::copy_n(rows.residual.column(tile, o), tile_rows, left_columns[o]);
    }
    kernels.combine(columns.data(), columns.size(), minus_b.data(), outputs, left_columns.data());
  }

  /// √w of the rows into the features and into what is left: least squares then is weighted.
  void weigh_all(const RowState& rows, std::size_t tile) {
    if (!rows.weighted()) return;
    for (std::size_t f = 0; f < cosine.size(); ++f) {
      weigh(rows, tile, cosine[f]);
      weigh(rows, tile, minus_sine[f]);
    }
    weigh_left(rows, tile);
  }
  void weigh_left(const RowState& rows, std::size_t tile) {
    for (double* column : left_columns) weigh(rows, tile, column);
  }

  /// ∂(A b)_o/∂ω_fk = v_k·(−Re b sin φ − Im b cos φ) = v_k·(Re b·c₂ − Im b·c₁), c₁ = cos φ, c₂ = −sin φ.
  void make_derivatives(const FeatureBlock& block, std::size_t output) {
    derivatives.resize((block.movable() + 1) * tile_rows);
    double* slope = derivatives.data();
    double* out = slope + tile_rows;
    for (std::size_t f = 0; f < block.size(); ++f) {
      const auto row = static_cast<Eigen::Index>(2 * f), column = static_cast<Eigen::Index>(output);
      const double re = block.amplitudes(row, column), im = block.amplitudes(row + 1, column);
      const double *c = cosine[f], *s = minus_sine[f];
      for (std::size_t i = 0; i < tile_rows; ++i) slope[i] = re * s[i] - im * c[i];
      for (const std::uint32_t k : block.features[f].active) {
        const double* v = variables[k];
        for (std::size_t i = 0; i < tile_rows; ++i) out[i] = slope[i] * v[i];
        out += tile_rows;
      }
    }
  }
};

Matrix negative(const Eigen::MatrixXd& amplitudes) {
  Matrix result(static_cast<std::size_t>(amplitudes.rows()), static_cast<std::size_t>(amplitudes.cols()));
  for (std::size_t i = 0; i < result.rows(); ++i)
    for (std::size_t o = 0; o < result.cols(); ++o)
      result(i, o) = -amplitudes(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(o));
  return result;
}

/// Chunks of tiles, each with `numbers` sums of its own; how many depends on the problem alone.
class ChunkSums {
 public:
  ChunkSums(std::size_t tiles, std::size_t numbers)
      : tiles_(tiles), numbers_(numbers), chunks_(chunks_for(tiles, numbers)), sums_(chunks_ * numbers, 0.0) {}

  [[nodiscard]] std::size_t chunks() const { return chunks_; }
  [[nodiscard]] std::size_t begin(std::size_t chunk) const { return chunk * tiles_ / chunks_; }
  [[nodiscard]] double* of(std::size_t chunk) { return sums_.data() + chunk * numbers_; }
  /// All chunks, added in order, in the first.
  const double* total() {
    for (std::size_t c = 1; c < chunks_; ++c)
      for (std::size_t i = 0; i < numbers_; ++i) sums_[i] += of(c)[i];
    return sums_.data();
  }

 private:
  static std::size_t chunks_for(std::size_t tiles, std::size_t numbers) {
    constexpr std::size_t memory = std::size_t{8} << 20;  // doubles
    return std::min(tiles, std::clamp(memory / std::max<std::size_t>(numbers, 1), std::size_t{4}, std::size_t{32}));
  }
  std::size_t tiles_, numbers_, chunks_;
  AlignedVector sums_;
};

/// Runs work(tile, scratch, sums) over all tiles, chunk by chunk; false when interrupted.
template <class Work>
bool over_tiles(Workers& workers, ChunkSums& sums, double operations, Interrupt& interrupt, const Work& work) {
  constexpr double worth_a_team = 2e6;
  std::vector<Scratch> scratch(workers.threads());
  return workers.run(
      sums.chunks(), operations > worth_a_team,
      [&](std::size_t chunk, std::size_t worker) {
        for (std::size_t tile = sums.begin(chunk); tile < sums.begin(chunk + 1); ++tile) {
          if (!interrupt.proceed()) return;
          work(tile, scratch[worker], sums.of(chunk));
        }
      },
      interrupt);
}

double* add_gram(const features::Kernels& kernels, const std::vector<const double*>& a,
                 const std::vector<const double*>& b, bool upper, double* sums) {
  kernels.gram(a.data(), a.size(), b.data(), b.size(), upper, sums, b.size());
  return sums + a.size() * b.size();
}

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A matrix out of the sums; `upper`: the lower triangle is filled in.
const double* take(const double* sums, std::size_t rows, std::size_t cols, bool upper, Eigen::MatrixXd& out) {
  out = Eigen::Map<const RowMajor>(sums, static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(cols));
  if (upper) out.triangularView<Eigen::StrictlyLower>() = out.transpose();
  return sums + rows * cols;
}

}  // namespace

bool ThreadedWork::features(const RowState& rows, const std::vector<Feature>& features, FeatureSums& sums,
                            Interrupt& interrupt) {
  const std::size_t n = 2 * features.size(), outputs = rows.outputs();
  ChunkSums chunks(rows.tiles(), n * n + (n + outputs) * outputs);
  const double operations = static_cast<double>(rows.count()) * static_cast<double>(n * n / 2 + 10 * n);
  const bool done =
      over_tiles(workers_, chunks, operations, interrupt, [&](std::size_t tile, Scratch& scratch, double* place) {
        scratch.make_features(kernels_, rows, tile, features);
        scratch.left_columns.clear();
        scratch.weigh_all(rows, tile);
        weighted_columns(rows, rows.residual, tile, scratch.left, scratch.left_in);
        place = add_gram(kernels_, scratch.columns, scratch.columns, true, place);
        place = add_gram(kernels_, scratch.columns, scratch.left_in, false, place);
        add_gram(kernels_, scratch.left_in, scratch.left_in, true, place);
      });
  if (!done) return false;
  const double* place = chunks.total();
  place = take(place, n, n, true, sums.gram);
  place = take(place, n, outputs, false, sums.rhs);
  Eigen::MatrixXd energy;
  take(place, outputs, outputs, true, energy);
  sums.energy = energy.diagonal();
  return true;
}

bool ThreadedWork::jacobian(const RowState& rows, const FeatureBlock& block, JacobianSums& sums, Interrupt& interrupt) {
  const std::size_t n = 2 * block.size(), q = block.movable(), outputs = rows.outputs();
  const Matrix minus_b = negative(block.amplitudes);
  // AᵀA | Aᵀe | eᵀe | per output AᵀJ | JᵀJ, over all outputs | Jᵀe, over all outputs
  ChunkSums chunks(rows.tiles(), n * n + (n + outputs) * outputs + outputs * n * q + q * q + q);
  const double columns = static_cast<double>(n + q * outputs);
  const double operations = static_cast<double>(rows.count()) * columns * (columns / 2 + 10);
  const bool done =
      over_tiles(workers_, chunks, operations, interrupt, [&](std::size_t tile, Scratch& scratch, double* place) {
        scratch.make_features(kernels_, rows, tile, block.features);
        scratch.make_left(kernels_, rows, tile, minus_b);
        scratch.weigh_all(rows, tile);
        place = add_gram(kernels_, scratch.columns, scratch.columns, true, place);
        place = add_gram(kernels_, scratch.columns, scratch.left_in, false, place);
        place = add_gram(kernels_, scratch.left_in, scratch.left_in, true, place);
        double* const curvature = place + outputs * n * q;
        for (std::size_t o = 0; o < outputs; ++o) {
          scratch.make_derivatives(block, o);
          scratch.all.resize(q);
          for (std::size_t k = 0; k < q; ++k) scratch.all[k] = scratch.derivatives.data() + (k + 1) * tile_rows;
          add_gram(kernels_, scratch.columns, scratch.all, false, place + o * n * q);
          double* const slope = add_gram(kernels_, scratch.all, scratch.all, true, curvature);
          kernels_.gram(scratch.all.data(), q, &scratch.left_in[o], 1, false, slope, 1);
        }
      });
  if (!done) return false;
  const double* place = chunks.total();
  place = take(place, n, n, true, sums.gram);
  place = take(place, n, outputs, false, sums.rhs);
  Eigen::MatrixXd taken;
  place = take(place, outputs, outputs, true, taken);
  sums.energy = taken.diagonal();
  sums.cross.resize(outputs);
  for (std::size_t o = 0; o < outputs; ++o) place = take(place, n, q, false, sums.cross[o]);
  place = take(place, q, q, true, sums.curvature);
  take(place, q, 1, false, taken);
  sums.slope = taken;
  return true;
}

bool ThreadedWork::misfit(const RowState& rows, const FeatureBlock& block, Eigen::VectorXd& energy,
                          Interrupt& interrupt) {
  const std::size_t outputs = rows.outputs();
  const Matrix minus_b = negative(block.amplitudes);
  ChunkSums chunks(rows.tiles(), outputs);
  const double operations = static_cast<double>(rows.count() * block.size() * 20);
  const bool done =
      over_tiles(workers_, chunks, operations, interrupt, [&](std::size_t tile, Scratch& scratch, double* place) {
        scratch.make_features(kernels_, rows, tile, block.features);
        scratch.make_left(kernels_, rows, tile, minus_b);
        scratch.weigh_left(rows, tile);
        for (std::size_t o = 0; o < outputs; ++o)
          kernels_.gram(&scratch.left_in[o], 1, &scratch.left_in[o], 1, false, place + o, 1);
      });
  if (!done) return false;
  energy = Eigen::Map<const Eigen::VectorXd>(chunks.total(), static_cast<Eigen::Index>(outputs));
  return true;
}

bool ThreadedWork::left_by(const RowState& rows, const FeatureBlock& block, TiledColumns& left, Interrupt& interrupt) {
  const Matrix minus_b = negative(block.amplitudes);
  left = TiledColumns(rows.count(), rows.outputs());
  ChunkSums chunks(rows.tiles(), 1);
  return over_tiles(workers_, chunks, static_cast<double>(rows.count() * block.size() * 20), interrupt,
                    [&](std::size_t tile, Scratch& scratch, double*) {
                      scratch.make_features(kernels_, rows, tile, block.features);
                      scratch.make_left(kernels_, rows, tile, minus_b);
                      for (std::size_t o = 0; o < scratch.left_in.size(); ++o)
                        std::copy_n(scratch.left_in[o], tile_rows, left.column(tile, o));
                    });
}

bool ThreadedWork::spectrum(const RowState& rows, const TiledColumns& left, const std::vector<Feature>& candidates,
                            std::size_t stride, std::vector<double>& power, Interrupt& interrupt) {
  // A few candidates at a time pass over the rows, so that their columns stay in the cache.
  constexpr std::size_t together = 32;
  const std::size_t outputs = rows.outputs(), groups = (candidates.size() + together - 1) / together;
  std::vector<Scratch> scratch(workers_.threads());
  power.assign(candidates.size(), 0.0);
  return workers_.run(
      groups, true,
      [&](std::size_t group, std::size_t worker) {
        Scratch& own = scratch[worker];
        const std::size_t first = group * together, last = std::min(first + together, candidates.size());
        const std::span<const Feature> list = std::span(candidates).subspan(first, last - first);
        AlignedVector sums(2 * list.size() * outputs, 0.0);
        own.left_columns.clear();
        for (std::size_t tile = 0; tile < rows.tiles(); tile += stride) {
          if (!interrupt.proceed()) return;
          own.make_features(kernels_, rows, tile, list);
          own.weigh_all(rows, tile);
          weighted_columns(rows, left, tile, own.left, own.left_in);
          add_gram(kernels_, own.columns, own.left_in, false, sums.data());
        }
        for (std::size_t i = 0; i < sums.size(); ++i) power[first + i / (2 * outputs)] += sums[i] * sums[i];
      },
      interrupt);
}

}  // namespace rfnn::rows
