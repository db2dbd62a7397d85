#include "rfnn/rows/threads/direct_engine.hpp"

#include <algorithm>
#include <cmath>

#include "rfnn/core/as_index.hpp"
#include "rfnn/least_squares/solvers.hpp"
#include "rfnn/rows/forward.hpp"

namespace rfnn::rows {
namespace {

/// A pass with less work than this (in multiply-adds) is quicker on one thread than the others can be woken.
constexpr double parallel_threshold = 1e6;
/// A tile with more work than this keeps a thread from looking at the interrupt for too long (tens of milliseconds).
constexpr double watch_threshold = 5e7;
/// Rows of a wide Gram matrix that make a task.
constexpr std::size_t rows_per_task = 48;
/// What a sine–cosine pair costs, in multiply-adds.
constexpr double pair_weight = 20.0;

}  // namespace

DirectEngine::DirectEngine(const RowState& rows, Workers& workers, const features::Kernels& kernels,
                           const Limits& limits)
    : kernels_(kernels),
      limits_(limits),
      inputs_(rows.inputs()),
      outputs_(rows.outputs()),
      workers_(workers),
      rows_(rows) {
  for (std::size_t worker = 0; worker < workers_.threads(); ++worker) scratch_.push_back(std::make_unique<Scratch>());
}

void DirectEngine::begin_block(const std::vector<BranchShape>& branches, std::span<const std::size_t> rows) {
  const std::size_t count = rows.empty() ? rows_.count() : rows.size();
  gathered_theta_ = gathered_state_ = {};  // what a block leaves goes before the next one's is made
  set_residual(rows);
  theta_ = &rows_.theta();
  state_ = &rows_.state;
  if (!rows.empty()) {
    gathered_theta_ = TiledColumns(count, inputs_);
    gathered_state_ = TiledColumns(count, outputs_);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t k = 0; k < inputs_; ++k) gathered_theta_(i, k) = rows_.theta()(rows[i], k);
      for (std::size_t o = 0; o < outputs_; ++o) gathered_state_(i, o) = rows_.state(rows[i], o);
    }
    theta_ = &gathered_theta_;
    state_ = &gathered_state_;
  }

  branches_.clear();
  kept_features_ = 0;
  std::size_t widest = 0;
  for (const BranchShape& shape : branches) {
    BranchState branch;
    branch.shape = shape;
    branch.first = kept_features_;
    for (std::size_t j = 0; j < shape.features; ++j) branch.slots.push_back(kept_features_++);
    widest = std::max(widest, shape.features);
    branches_.push_back(std::move(branch));
  }
  proposed_ = {};
  for (std::size_t j = 0; j < widest; ++j) proposed_.slots.push_back(kept_features_ + j);

  const std::size_t columns = 2 * (kept_features_ + widest);
  cached_ = residual_->tiles() * tile_rows * columns * sizeof(double) <= limits_.cache;
  set_chunks(2 * std::max(kept_features_, widest) * (columns + outputs_));
  if (cached_) {
    if (cache_.rows() != count || cache_.columns() != columns) {
      cache_ = {};
      cache_ = TiledColumns(count, columns);
    }
  } else {
    cache_ = {};
    for (auto& scratch : scratch_) scratch->features = TiledColumns(tile_rows, columns);
    const std::size_t tile_bytes = tile_rows * columns * sizeof(double);
    const std::size_t tiles = std::clamp<std::size_t>(limits_.group / tile_bytes, 1, residual_->tiles());
    group_ = wide_ ? TiledColumns(tiles * tile_rows, columns) : TiledColumns();
  }
}

void DirectEngine::set_residual(std::span<const std::size_t> rows) {
  if (rows.empty() && !rows_.weighted()) {
    own_residual_ = {};
    residual_ = &rows_.residual;
    return;
  }
  const std::size_t count = rows.empty() ? rows_.count() : rows.size();
  if (own_residual_.rows() != count) {
    own_residual_ = {};
    own_residual_ = TiledColumns(count, outputs_, rows.empty() ? rows_.residual.storage() : Storage::memory);
  }
  residual_ = &own_residual_;
  const auto row_of = [&](std::size_t i) { return rows.empty() ? i : rows[i]; };
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t o = 0; o < outputs_; ++o) own_residual_(i, o) = rows_.residual(row_of(i), o);
    if (rows.empty() && (i + 1) % tile_rows == 0)
      for (const TiledColumns* columns : {&rows_.residual, residual_}) columns->passed(i / tile_rows);
  }
  if (!rows_.weighted()) return;
  std::vector<double> weights(count);
  for (std::size_t i = 0; i < count; ++i) weights[i] = rows_.given_weights()[row_of(i)];
  const std::vector<double> roots = weight_roots(std::move(weights));
  root_ = TiledColumns(count, 1);
  for (std::size_t i = 0; i < count; ++i) {
    root_(i, 0) = roots[i];
    for (std::size_t o = 0; o < outputs_; ++o) own_residual_(i, o) *= roots[i];
    if ((i + 1) % tile_rows == 0) own_residual_.passed(i / tile_rows);
  }
  for (const TiledColumns* columns : {&rows_.residual, residual_}) columns->let_go(0, columns->tiles());
}

// Enough chunks to keep many threads busy, but not so many that their buffers outgrow the data: a rule of sizes only.
void DirectEngine::set_chunks(std::size_t numbers_per_chunk) {
  constexpr std::size_t buffer_numbers = (std::size_t{64} << 20) / sizeof(double);
  wide_ = numbers_per_chunk * sizeof(double) > limits_.wide_gram;
  chunks_ = std::clamp<std::size_t>(buffer_numbers / std::max<std::size_t>(numbers_per_chunk, 1), 8, 64);
  chunks_ = std::max<std::size_t>(1, std::min(chunks_, residual_->tiles()));
}

void DirectEngine::keep(std::size_t branch, const Matrix& frequencies) {
  branches_[branch].frequencies = frequencies;
  branches_[branch].stale = true;
}

void DirectEngine::propose(std::size_t branch, const Matrix& frequencies) {
  proposed_branch_ = branch;
  proposed_.shape = branches_[branch].shape;
  proposed_.frequencies = frequencies;
  proposed_.stale = true;
}

void DirectEngine::accept(const std::vector<char>& accepted) {
  BranchState& kept = branches_[proposed_branch_];
  const std::size_t variables = kept.frequencies.cols();
  for (std::size_t j = 0; j < kept.shape.features; ++j) {
    if (!accepted[j]) continue;
    std::swap(kept.slots[j], proposed_.slots[j]);
    for (std::size_t k = 0; k < variables; ++k) kept.frequencies(j, k) = proposed_.frequencies(j, k);
  }
  if (proposed_.stale) kept.stale = true;  // no pass has filled the columns that were taken over
  proposed_.shape.features = 0;            // what is left of the proposal is of no more use
}

void DirectEngine::make_features(const Matrix& frequencies, BranchKind kind, const std::vector<std::size_t>& slots,
                                 std::size_t tile, Scratch& scratch, TiledColumns& place, std::size_t place_tile) {
  const std::size_t count = frequencies.rows();
  branch_variables(kind, scratch.theta, scratch.state, scratch.variables);
  scratch.cosine.resize(count);
  scratch.minus_sine.resize(count);
  scratch.frequencies.resize(count);
  for (std::size_t j = 0; j < count; ++j) {
    scratch.cosine[j] = place.column(place_tile, 2 * slots[j]);
    scratch.minus_sine[j] = place.column(place_tile, 2 * slots[j] + 1);
    scratch.frequencies[j] = frequencies.data() + j * frequencies.cols();
  }
  kernels_.features(scratch.variables.data(), scratch.variables.size(), scratch.frequencies.data(), count,
                    residual_->rows_in(tile), scratch.cosine.data(), scratch.minus_sine.data());
  if (root_.columns() == 0) return;
  const double* root = root_.column(tile, 0);
  for (const std::vector<double*>* columns : {&scratch.cosine, &scratch.minus_sine})
    for (double* column : *columns)
      for (std::size_t i = 0; i < tile_rows; ++i) column[i] *= root[i];
}

void DirectEngine::prepare(std::size_t tile, bool with_proposed, Scratch& scratch) {
  prepare(tile, with_proposed, scratch, cached_ ? cache_ : scratch.features, cached_ ? tile : 0);
}

void DirectEngine::prepare(std::size_t tile, bool with_proposed, Scratch& scratch, TiledColumns& place,
                           std::size_t place_tile) {
  scratch.theta.resize(inputs_);
  scratch.state.resize(outputs_);
  scratch.residual.resize(outputs_);
  for (std::size_t k = 0; k < inputs_; ++k) scratch.theta[k] = theta_->column(tile, k);
  for (std::size_t o = 0; o < outputs_; ++o) scratch.state[o] = state_->column(tile, o);
  for (std::size_t o = 0; o < outputs_; ++o) scratch.residual[o] = residual_->column(tile, o);

  scratch.columns.clear();
  const auto add = [&](const BranchState& branch) {
    if (!cached_ || branch.stale)
      make_features(branch.frequencies, branch.shape.kind, branch.slots, tile, scratch, place, place_tile);
    for (std::size_t j = 0; j < branch.shape.features; ++j) {
      scratch.columns.push_back(place.column(place_tile, 2 * branch.slots[j]));
      scratch.columns.push_back(place.column(place_tile, 2 * branch.slots[j] + 1));
    }
  };
  for (const BranchState& branch : branches_) add(branch);
  if (with_proposed) add(proposed_);
}

double DirectEngine::pairs_to_make(bool with_proposed) const {
  double pairs = 0.0;
  const auto count = [&](const BranchState& branch) {
    if (!cached_ || branch.stale) pairs += static_cast<double>(branch.shape.features);
  };
  for (const BranchState& branch : branches_) count(branch);
  if (with_proposed) count(proposed_);
  return pairs;
}

void DirectEngine::all_features_made(bool with_proposed) {
  for (BranchState& branch : branches_) branch.stale = false;
  if (with_proposed) proposed_.stale = false;
}

bool DirectEngine::visit(bool with_proposed, double weight, std::size_t chunks, TileWork work, Interrupt& interrupt) {
  const double per_row = weight + pair_weight * pairs_to_make(with_proposed);
  const auto do_chunk = [&](std::size_t chunk, std::size_t worker) {
    const std::size_t begin = chunk_begin(chunk, chunks), end = chunk_begin(chunk + 1, chunks);
    for (std::size_t tile = begin; tile < end; ++tile) {
      if (!interrupt.proceed()) return;
      prepare(tile, with_proposed, *scratch_[worker]);
      work(chunk, tile, *scratch_[worker]);
      for (const TiledColumns* columns : {theta_, state_, residual_}) columns->passed(tile);
    }
    for (const TiledColumns* columns : {theta_, state_, residual_}) columns->let_go(begin, end);
  };
  const bool complete =
      per_row * static_cast<double>(tile_rows) > watch_threshold
          ? workers_.run_watched(chunks, do_chunk, interrupt)
          : workers_.run(chunks, per_row * static_cast<double>(residual_->rows()) > parallel_threshold, do_chunk,
                         interrupt);
  if (!complete) return false;
  all_features_made(with_proposed);
  return true;
}

void DirectEngine::add_part(const GramPart& part, const std::vector<const double*>& columns,
                            const std::vector<const double*>& residual, double* sums, const void* ahead,
                            std::size_t ahead_bytes) const {
  const double* const* b = part.residual ? residual.data() : columns.data() + part.b;
  kernels_.gram_ahead(columns.data() + part.a, part.a_count, b, part.b_count, part.upper, sums + part.place,
                      part.stride, ahead, ahead_bytes);
}

bool DirectEngine::add_up(bool with_proposed, std::span<const GramPart> parts, std::size_t numbers,
                          Interrupt& interrupt) {
  sums_.assign((wide_ ? 1 : chunks_) * numbers, 0.0);
  if (wide_) return add_up_wide(with_proposed, parts, interrupt);
  double weight = 0.0;
  for (const GramPart& part : parts)
    weight += static_cast<double>(part.a_count * part.b_count) * (part.upper ? 0.5 : 1.0);
  const bool complete = visit(
      with_proposed, weight, chunks_,
      [&](std::size_t chunk, std::size_t tile, Scratch& scratch) {
        // The columns of the next tile lie together: they come while this one is worked on.
        const bool more = cached_ && tile + 1 < cache_.tiles();
        for (const GramPart& part : parts) {
          const bool first = &part == &parts.front();
          add_part(part, scratch.columns, scratch.residual, sums_.data() + chunk * numbers,
                   first && more ? cache_.column(tile + 1, 0) : nullptr, first && more ? cache_.tile_bytes() : 0);
        }
      },
      interrupt);
  if (complete) add_chunks(numbers);
  return complete;
}

bool DirectEngine::add_up_wide(bool with_proposed, std::span<const GramPart> parts, Interrupt& interrupt) {
  std::vector<GramPart> tasks;
  for (const GramPart& part : parts)
    for (std::size_t i = 0; i < part.a_count; i += rows_per_task) {
      GramPart task = part;
      task.a += i;
      task.a_count = std::min(rows_per_task, part.a_count - i);
      task.place += i * part.stride;
      if (part.upper) {  // what lies left of the diagonal is not needed
        task.b += i;
        task.b_count -= i;
        task.place += i;
      }
      tasks.push_back(task);
    }
  const std::size_t tiles = residual_->tiles(), together = cached_ ? tiles : group_.tiles();
  std::vector<std::vector<const double*>> columns(together), residual(together);
  for (std::size_t first = 0; first < tiles; first += together) {
    const std::size_t count = std::min(together, tiles - first);
    const bool made = workers_.run_watched(
        count,
        [&](std::size_t i, std::size_t worker) {
          if (!interrupt.proceed()) return;
          Scratch& scratch = *scratch_[worker];
          prepare(first + i, with_proposed, scratch, cached_ ? cache_ : group_, cached_ ? first + i : i);
          columns[i] = scratch.columns;
          residual[i] = scratch.residual;
        },
        interrupt);
    if (!made) return false;
    const bool added = workers_.run_watched(
        tasks.size(),
        [&](std::size_t task, std::size_t) {
          for (std::size_t i = 0; i < count; ++i) {
            if (!interrupt.proceed()) return;
            add_part(tasks[task], columns[i], residual[i], sums_.data(), nullptr, 0);
          }
        },
        interrupt);
    if (!added) return false;
    for (const TiledColumns* rows : {theta_, state_, residual_}) rows->let_go(first, first + count);
  }
  all_features_made(with_proposed);
  return true;
}

void DirectEngine::add_chunks(std::size_t numbers) {
  for (std::size_t chunk = 1; chunk < chunks_; ++chunk)
    for (std::size_t i = 0; i < numbers; ++i) sums_[i] += sums_[chunk * numbers + i];
}

bool DirectEngine::reduce_kept(least_squares::NormalEquations& problem, Interrupt& interrupt) {
  const std::size_t n = 2 * kept_features_, stride = n + outputs_;
  const GramPart parts[] = {
      {.a = 0, .a_count = n, .b = 0, .b_count = n, .residual = false, .upper = true, .place = 0, .stride = stride},
      {.a = 0,
       .a_count = n,
       .b = 0,
       .b_count = outputs_,
       .residual = true,
       .upper = false,
       .place = n,
       .stride = stride}};
  if (!add_up(false, parts, n * stride, interrupt)) return false;
  problem.gram.resize(as_index(n), as_index(n));
  problem.rhs.resize(as_index(n), as_index(outputs_));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i; j < n; ++j)
      problem.gram(as_index(i), as_index(j)) = problem.gram(as_index(j), as_index(i)) = sums_[i * stride + j];
    for (std::size_t o = 0; o < outputs_; ++o) problem.rhs(as_index(i), as_index(o)) = sums_[i * stride + n + o];
  }
  problem.energy = Eigen::VectorXd::Zero(as_index(outputs_));
  for (std::size_t tile = 0; tile < residual_->tiles(); ++tile) {
    for (std::size_t o = 0; o < outputs_; ++o) {
      const double* const left = residual_->column(tile, o);
      for (std::size_t i = 0; i < residual_->rows_in(tile); ++i) problem.energy(as_index(o)) += left[i] * left[i];
    }
    residual_->passed(tile);
  }
  residual_->let_go(0, residual_->tiles());
  problem.rows = static_cast<double>(residual_->rows());
  return true;
}

bool DirectEngine::reduce_proposed(least_squares::NormalEquations& problem, Interrupt& interrupt) {
  const std::size_t n = 2 * kept_features_, p = 2 * proposed_.shape.features, stride = n + p + outputs_;
  const GramPart parts[] = {
      {.a = n, .a_count = p, .b = 0, .b_count = n, .residual = false, .upper = false, .place = 0, .stride = stride},
      {.a = n, .a_count = p, .b = n, .b_count = p, .residual = false, .upper = true, .place = n, .stride = stride},
      {.a = n,
       .a_count = p,
       .b = 0,
       .b_count = outputs_,
       .residual = true,
       .upper = false,
       .place = n + p,
       .stride = stride}};
  if (!add_up(true, parts, p * stride, interrupt)) return false;
  for (std::size_t i = 0; i < p; ++i) {
    const double* sums = sums_.data() + i * stride;
    const Eigen::Index row = as_index(n + i);
    for (std::size_t j = 0; j < n; ++j) problem.gram(row, as_index(j)) = problem.gram(as_index(j), row) = sums[j];
    for (std::size_t j = i; j < p; ++j)
      problem.gram(row, as_index(n + j)) = problem.gram(as_index(n + j), row) = sums[n + j];
    for (std::size_t o = 0; o < outputs_; ++o) problem.rhs(row, as_index(o)) = sums[n + p + o];
  }
  return true;
}

bool DirectEngine::uses_proposed(const std::vector<std::size_t>& columns) const {
  return std::any_of(columns.begin(), columns.end(), [&](std::size_t c) { return c >= 2 * kept_features_; });
}

void DirectEngine::choose(const std::vector<std::size_t>& columns, Scratch& scratch) const {
  scratch.chosen.resize(columns.size());
  for (std::size_t c = 0; c < columns.size(); ++c) scratch.chosen[c] = scratch.columns[columns[c]];
}

bool DirectEngine::triangle(const std::vector<std::size_t>& columns, least_squares::Triangle& problem,
                            Interrupt& interrupt) {
  const std::size_t n = columns.size();
  const std::size_t chunks = wide_ ? 1 : chunks_;  // a wide triangle is had once, like a wide Gram matrix
  std::vector<least_squares::TriangleBuilder> builders(chunks,
                                                       least_squares::TriangleBuilder(as_index(n), as_index(outputs_)));
  const bool complete = visit(
      uses_proposed(columns), static_cast<double>(4 * n * n), chunks,
      [&](std::size_t chunk, std::size_t tile, Scratch& scratch) {
        choose(columns, scratch);
        const std::size_t rows = residual_->rows_in(tile);
        scratch.tile_features.resize(as_index(rows), as_index(n));
        scratch.tile_residual.resize(as_index(rows), as_index(outputs_));
        for (std::size_t c = 0; c < n; ++c)
          std::copy_n(scratch.chosen[c], rows, scratch.tile_features.col(as_index(c)).data());
        for (std::size_t o = 0; o < outputs_; ++o)
          std::copy_n(scratch.residual[o], rows, scratch.tile_residual.col(as_index(o)).data());
        builders[chunk].add(scratch.tile_features, scratch.tile_residual);
      },
      interrupt);
  if (!complete) return false;
  for (std::size_t chunk = 1; chunk < chunks; ++chunk) {
    if (!interrupt.proceed()) return false;
    builders[0].add(builders[chunk]);
  }
  problem = builders[0].triangle();
  return true;
}

bool DirectEngine::correlate(const std::vector<std::size_t>& columns, Eigen::MatrixXd& rhs, Eigen::VectorXd& energy,
                             Interrupt& interrupt) {
  const std::size_t n = columns.size(), m = outputs_;
  sums_.assign(chunks_ * (n + m) * m, 0.0);
  const bool complete = visit(
      uses_proposed(columns), static_cast<double>(n * m), chunks_,
      [&](std::size_t chunk, std::size_t, Scratch& scratch) {
        choose(columns, scratch);
        double* sums = sums_.data() + chunk * (n + m) * m;
        kernels_.gram(scratch.chosen.data(), n, scratch.residual.data(), m, false, sums, m);
        kernels_.gram(scratch.residual.data(), m, scratch.residual.data(), m, false, sums + n * m, m);
      },
      interrupt);
  if (!complete) return false;
  add_chunks((n + m) * m);
  rhs.resize(as_index(n), as_index(m));
  energy.resize(as_index(m));
  for (std::size_t c = 0; c < n; ++c)
    for (std::size_t o = 0; o < m; ++o) rhs(as_index(c), as_index(o)) = sums_[c * m + o];
  for (std::size_t o = 0; o < m; ++o) energy(as_index(o)) = sums_[(n + o) * m + o];
  return true;
}

bool DirectEngine::normal_product(const std::vector<std::size_t>& columns, const Eigen::MatrixXd& v,
                                  Eigen::MatrixXd& product, Interrupt& interrupt) {
  const std::size_t n = columns.size(), m = static_cast<std::size_t>(v.cols());
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const RowMajor coefficients = v;
  sums_.assign(chunks_ * n * m, 0.0);
  const bool complete = visit(
      uses_proposed(columns), static_cast<double>(2 * n * m), chunks_,
      [&](std::size_t chunk, std::size_t, Scratch& scratch) {
        choose(columns, scratch);
        scratch.product_values.assign(m * tile_rows, 0.0);
        scratch.product.resize(m);
        for (std::size_t o = 0; o < m; ++o) scratch.product[o] = scratch.product_values.data() + o * tile_rows;
        kernels_.combine(scratch.chosen.data(), n, coefficients.data(), m, scratch.product.data());
        kernels_.gram(scratch.chosen.data(), n, scratch.product.data(), m, false, sums_.data() + chunk * n * m, m);
      },
      interrupt);
  if (!complete) return false;
  add_chunks(n * m);
  product = Eigen::Map<const RowMajor>(sums_.data(), as_index(n), as_index(m));
  return true;
}

}  // namespace rfnn::rows
