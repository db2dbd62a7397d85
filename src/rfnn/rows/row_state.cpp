#include "rfnn/rows/row_state.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace rfnn::rows {
namespace {

TiledColumns roots_of(const std::vector<double>& weights) {
  if (weights.empty()) return {};
  TiledColumns made(weights.size(), 1);
  const std::vector<double> roots = weight_roots(weights);
  for (std::size_t i = 0; i < roots.size(); ++i) made(i, 0) = roots[i];
  return made;
}

Matrix copy_of(const TiledColumns& columns) {
  Matrix copy(columns.rows(), columns.columns());
  for (std::size_t i = 0; i < copy.rows(); ++i)
    for (std::size_t k = 0; k < copy.cols(); ++k) copy(i, k) = columns(i, k);
  return copy;
}

}  // namespace

RowState::RowState(const ScaledRows& rows, Storage storage) {
  auto made = std::make_shared<Fixed>();
  made->theta = TiledColumns(rows.count(), rows.inputs(), storage);
  made->target = TiledColumns(rows.count(), rows.outputs(), storage);
  for (std::size_t tile = 0; tile < made->target.tiles(); ++tile) {
    const std::size_t first = tile * tile_rows, in_tile = made->target.rows_in(tile);
    for (std::size_t k = 0; k < rows.inputs(); ++k) rows.read_input(k, first, in_tile, made->theta.column(tile, k));
    for (std::size_t o = 0; o < rows.outputs(); ++o) rows.read_target(o, first, in_tile, made->target.column(tile, o));
    rows.passed(first, in_tile);
    made->theta.passed(tile);
    made->target.passed(tile);
  }
  made->theta.let_go(0, made->theta.tiles());
  made->weights = rows.weights();
  made->root = roots_of(made->weights);
  state = TiledColumns(rows.count(), rows.outputs(), storage);
  residual = made->target;
  fixed_ = std::move(made);
}

void RowState::passed(std::size_t tile) const {
  for (const TiledColumns* columns : {&fixed_->theta, &fixed_->target, &state, &residual}) columns->passed(tile);
}

void RowState::let_go() const {
  if (!fixed_) return;
  for (const TiledColumns* columns : {&fixed_->theta, &fixed_->target, &state, &residual})
    columns->let_go(0, columns->tiles());
}

RowState::RowState(std::shared_ptr<DistantRows> elsewhere)
    : state(0, elsewhere->outputs), residual(0, elsewhere->outputs), distant(std::move(elsewhere)) {
  auto made = std::make_shared<Fixed>();
  made->theta = TiledColumns(0, distant->inputs);
  made->target = TiledColumns(0, distant->outputs);
  fixed_ = std::move(made);
}

std::vector<double> RowState::weights() const {
  std::vector<double> listed(weighted() ? count() : 0);
  for (std::size_t i = 0; i < listed.size(); ++i) listed[i] = weight(i);
  return listed;
}

void RowState::settle(std::size_t tile) {
  const std::size_t used = rows_in(tile);
  for (std::size_t o = 0; o < outputs(); ++o) {
    double* const z = state.column(tile, o);
    std::fill(z + used, z + tile_rows, 0.0);
    const double* const wanted = fixed_->target.column(tile, o);
    double* const left = residual.column(tile, o);
    for (std::size_t i = 0; i < tile_rows; ++i) left[i] = wanted[i] - z[i];
  }
}

std::vector<std::size_t> RowState::draw(std::size_t wanted, const Stream& stream) const {
  const std::size_t drawn = std::min(wanted, count());
  std::vector<std::size_t> order(count());
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = 0; i < drawn; ++i) {
    const std::size_t left = order.size() - i;
    const auto place = static_cast<std::size_t>(stream.uniform(i) * static_cast<double>(left));
    std::swap(order[i], order[i + std::min(place, left - 1)]);
  }
  order.resize(drawn);
  return order;
}

RowState RowState::at(std::span<const std::size_t> places) const {
  if (!fixed_) return {};
  const auto chosen = [&](const TiledColumns& all) {
    TiledColumns some(places.size(), all.columns());
    for (std::size_t i = 0; i < places.size(); ++i)
      for (std::size_t k = 0; k < all.columns(); ++k) some(i, k) = all(places[i], k);
    return some;
  };
  auto made = std::make_shared<Fixed>();
  made->theta = chosen(theta());
  made->target = chosen(target());
  if (weighted())
    for (const std::size_t place : places) made->weights.push_back(weight(place));
  made->root = roots_of(made->weights);
  RowState some;
  some.state = chosen(state);
  some.residual = chosen(residual);
  some.fixed_ = std::move(made);
  return some;
}

RowState RowState::leaving(TiledColumns left) const {
  RowState rows = *this;
  rows.residual = std::move(left);
  for (std::size_t i = 0; i < rows.count(); ++i)
    for (std::size_t o = 0; o < rows.outputs(); ++o) rows.state(i, o) = target()(i, o) - rows.residual(i, o);
  return rows;
}

RowState RowState::with(const RowState& others) const {
  if (!fixed_ || others.count() == 0) return *this;
  const auto joined = [&](const TiledColumns& own, const TiledColumns& theirs) {
    TiledColumns all(own.rows() + theirs.rows(), own.columns());
    for (std::size_t i = 0; i < all.rows(); ++i)
      for (std::size_t k = 0; k < all.columns(); ++k)
        all(i, k) = i < own.rows() ? own(i, k) : theirs(i - own.rows(), k);
    return all;
  };
  auto made = std::make_shared<Fixed>();
  made->theta = joined(theta(), others.theta());
  made->target = joined(target(), others.target());
  made->weights = fixed_->weights;
  made->weights.insert(made->weights.end(), others.fixed_->weights.begin(), others.fixed_->weights.end());
  made->root = roots_of(made->weights);
  RowState all;
  all.state = joined(state, others.state);
  all.residual = joined(residual, others.residual);
  all.fixed_ = std::move(made);
  return all;
}

void weighted_columns(const RowState& rows, const TiledColumns& values, std::size_t tile, AlignedVector& place,
                      std::vector<const double*>& columns) {
  columns.resize(values.columns());
  if (rows.weighted()) place.resize(values.columns() * tile_rows);
  for (std::size_t o = 0; o < values.columns(); ++o) {
    columns[o] = values.column(tile, o);
    if (!rows.weighted()) continue;
    double* own = place.data() + o * tile_rows;
    std::copy_n(columns[o], tile_rows, own);
    weigh(rows, tile, own);
    columns[o] = own;
  }
}

Matrix variables_of(const RowState& rows, std::size_t count) {
  Matrix values(rows.count(), count);
  for (std::size_t i = 0; i < values.rows(); ++i)
    for (std::size_t k = 0; k < count; ++k) values(i, k) = rows.variable_of(i, k);
  return values;
}

Matrix theta_of(const RowState& rows) { return copy_of(rows.theta()); }
Matrix residual_of(const RowState& rows) { return copy_of(rows.residual); }

}  // namespace rfnn::rows
