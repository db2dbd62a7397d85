#include "rfnn/training/holdout.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "rfnn/training/tuning.hpp"

namespace rfnn::training {
namespace {

double square_of(const HeldOut& rows, std::size_t row, const std::vector<double>& scale) {
  double sum = 0.0;
  for (std::size_t o = 0; o < rows.left.cols(); ++o)
    sum += (scale.empty() ? 1.0 : scale[o]) * rows.left(row, o) * rows.left(row, o);
  return sum;
}

}  // namespace

HeldOut held_out_of(const rows::RowState& rows) {
  if (rows.distant) return {};  // none of them is here
  return {rows::residual_of(rows), rows.weights()};
}

std::vector<double> mean_size(const HeldOut& rows) {
  std::vector<double> sizes;
  for (std::size_t o = 0; o < rows.left.cols(); ++o) {
    double sum = 0.0, weights = 0.0;
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      sum += rows.weight(i) * std::abs(rows.left(i, o));
      weights += rows.weight(i);
    }
    sizes.push_back(weights > 0.0 ? sum / weights : 0.0);
  }
  return sizes;
}

// Of all training rows, which may lie on disk: nothing is copied.
std::vector<double> mean_size(const rows::RowState& rows) {
  if (rows.distant) return {};
  const std::size_t outputs = rows.outputs();
  std::vector<double> sizes(outputs, 0.0);
  double weights = 0.0;
  for (std::size_t tile = 0; tile < rows.tiles(); ++tile) {
    for (std::size_t i = 0; i < rows.rows_in(tile); ++i) {
      const double weight = rows.weight(tile * rows::tile_rows + i);
      weights += weight;
      for (std::size_t o = 0; o < outputs; ++o) sizes[o] += weight * std::abs(rows.residual.column(tile, o)[i]);
    }
    rows.residual.passed(tile);
  }
  rows.residual.let_go(0, rows.tiles());
  for (double& size : sizes) size = weights > 0.0 ? size / weights : 0.0;
  return sizes;
}

double gain_of_refit(double fitted, double judged, double refitted, double share) {
  if (!(fitted >= tuning::least_fitted * judged) || !(judged > 0.0) || !(refitted > 0.0)) return 1.0;
  const double free = std::max(0.0, 1.0 - fitted / judged);
  return std::clamp(refitted / (1.0 - share * free) / judged, tuning::least_gain_of_refit, tuning::most_gain_of_refit);
}

void append(HeldOut& all, const HeldOut& more) {
  const std::size_t before = all.rows(), cols = std::max(all.left.cols(), more.left.cols());
  Matrix joined(before + more.rows(), cols);
  for (std::size_t i = 0; i < before; ++i)
    for (std::size_t o = 0; o < cols; ++o) joined(i, o) = all.left(i, o);
  for (std::size_t i = 0; i < more.rows(); ++i)
    for (std::size_t o = 0; o < cols; ++o) joined(before + i, o) = more.left(i, o);
  if (!all.weights.empty() || !more.weights.empty()) {
    all.weights.resize(before, 1.0);
    for (std::size_t i = 0; i < more.rows(); ++i) all.weights.push_back(more.weight(i));
  }
  all.left = std::move(joined);
}

HeldOut counting(HeldOut rows, double times) {
  if (times == 1.0) return rows;
  rows.weights.resize(rows.rows(), 1.0);
  for (double& weight : rows.weights) weight *= times;
  return rows;
}

double mean_square(const HeldOut& rows, const std::vector<double>& scale) {
  double sum = 0.0;
  for (std::size_t i = 0; i < rows.rows(); ++i) sum += rows.weight(i) * square_of(rows, i, scale);
  return sum / static_cast<double>(std::max<std::size_t>(rows.rows(), 1));
}

std::optional<double> standard_error(const HeldOut& rows, const std::vector<double>& scale) {
  const auto count = static_cast<double>(rows.rows());
  if (rows.rows() < 2) return std::nullopt;
  const double mean = mean_square(rows, scale);
  double squares = 0.0;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const double off = rows.weight(i) * (square_of(rows, i, scale) - mean);
    squares += off * off;
  }
  return std::sqrt(squares / (count - 1.0) / count);
}

bool surely_smaller(const HeldOut& after, const HeldOut& before, double standard_errors, bool or_logarithms) {
  const auto count = static_cast<double>(before.rows());
  const double total = mean_square(before) * count;
  const double least = 1e-12 * total / count;
  double sum[2] = {}, squares[2] = {};
  for (std::size_t i = 0; i < before.rows(); ++i) {
    const double was = square_of(before, i, {}), is = square_of(after, i, {});
    // A row that counts twice is no two witnesses: the weight is part of what is averaged.
    const double weight = before.weight(i);
    const double gain[2] = {weight * (was - is), weight * std::log((was + least) / (is + least))};
    for (int k = 0; k < 2; ++k) {
      sum[k] += gain[k];
      squares[k] += gain[k] * gain[k];
    }
  }
  const auto sure = [&](int k) {
    return sum[k] > 0.0 && sum[k] * sum[k] > standard_errors * standard_errors * (squares[k] - sum[k] * sum[k] / count);
  };
  if (count < tuning::too_few_rows) return sum[0] > tuning::surely_of_few * total;
  return sum[0] > 0.0 && (sure(0) || (or_logarithms && sure(1)));
}

bool far_smaller(const HeldOut& after, const HeldOut& before) {
  double is = 0.0, was = 0.0, most = 0.0, is_there = 0.0, was_there = 0.0;
  for (std::size_t i = 0; i < before.rows(); ++i) {
    const double row_is = before.weight(i) * square_of(after, i, {}),
                 row_was = before.weight(i) * square_of(before, i, {});
    is += row_is;
    was += row_was;
    if (row_was - row_is <= most) continue;
    most = row_was - row_is;
    is_there = row_is;
    was_there = row_was;
  }
  return is < tuning::far_better * was && is - is_there < tuning::far_better * (was - was_there);
}

bool closer_on_most(const HeldOut& rows, const HeldOut& others) {
  const auto count = static_cast<double>(rows.rows());
  if (count < tuning::too_few_rows) return false;
  const double least = tuning::least_of_logarithm * std::max(mean_square(rows), mean_square(others));
  double sum = 0.0, squares = 0.0;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const double gain =
        rows.weight(i) * std::log((square_of(others, i, {}) + least) / (square_of(rows, i, {}) + least));
    sum += gain;
    squares += gain * gain;
  }
  const double mean = sum / count, error = std::sqrt(std::max(squares / count - mean * mean, 0.0) / count);
  return mean - tuning::sure_later * error > std::log(tuning::far_closer);
}

bool cannot_win(double now, double before, std::size_t blocks, double rival) {
  // What a first block does to the mean says nothing about the next ones.
  if (blocks < 2) return now > tuning::hopeless_first * rival;
  return now * std::pow(std::min(now / before, 1.0), tuning::blocks_hoped_for) > tuning::hopeless_later * rival;
}

HeldOut average_of(const std::vector<const HeldOut*>& networks) {
  HeldOut average = *networks.front();
  for (std::size_t e = 1; e < networks.size(); ++e)
    for (std::size_t i = 0; i < average.rows(); ++i)
      for (std::size_t o = 0; o < average.left.cols(); ++o) average.left(i, o) += networks[e]->left(i, o);
  const auto count = static_cast<double>(networks.size());
  for (std::size_t i = 0; i < average.rows(); ++i)
    for (std::size_t o = 0; o < average.left.cols(); ++o) average.left(i, o) /= count;
  return average;
}

std::vector<std::size_t> best_average(const std::vector<Candidate>& candidates, std::size_t most) {
  std::vector<std::size_t> order(candidates.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<double> errors;
  for (const Candidate& candidate : candidates) errors.push_back(mean_square(*candidate.held_out));
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return errors[a] < errors[b]; });
  for (std::size_t next = 1; next < order.size(); ++next) {
    const Candidate &best = candidates[order[0]], &other = candidates[order[next]];
    if (best.chosen_by_rows && !other.chosen_by_rows && !other.empty && !far_smaller(*best.held_out, *other.held_out) &&
        !surely_smaller(*best.held_out, *other.held_out,
                        best.small ? tuning::sure_choice_of_small : tuning::sure_choice, false))
      std::swap(order[0], order[next]);
  }
  // Where some rows beside a jump make up all of the error, and nobody can foresee them, the others decide.
  for (std::size_t next = 1; next < order.size(); ++next) {
    const Candidate &best = candidates[order[0]], &other = candidates[order[next]];
    if (!other.empty && !other.chosen_by_rows && errors[order[next]] < tuning::as_good * errors[order[0]] &&
        closer_on_most(*other.held_out, *best.held_out))
      std::swap(order[0], order[next]);
  }
  std::vector<std::size_t> chosen = {order.front()};
  std::vector<const HeldOut*> together = {candidates[order.front()].held_out};
  double least = errors[order.front()];
  for (std::size_t next = 1; next < order.size() && chosen.size() < most; ++next) {
    if (candidates[order[next]].empty) continue;
    together.push_back(candidates[order[next]].held_out);
    const HeldOut average = average_of(together);
    const double now = mean_square(average);
    // Company that was chosen by these rows must be as sure of its gain as it would have to be alone.
    const bool flattered = candidates[order[next]].chosen_by_rows && !candidates[order.front()].chosen_by_rows;
    if (!(now < tuning::company_gain * least) ||
        (flattered &&
         !surely_smaller(average, *candidates[order.front()].held_out,
                         candidates[order[next]].small ? tuning::sure_choice_of_small : tuning::sure_choice, false))) {
      together.pop_back();
      continue;
    }
    least = now;
    chosen.push_back(order[next]);
  }
  return chosen;
}

std::vector<std::size_t> good_members(const std::vector<double>& errors, double factor) {
  const double best = *std::min_element(errors.begin(), errors.end());
  std::vector<std::size_t> good;
  for (std::size_t e = 0; e < errors.size(); ++e)
    if (!(errors[e] > factor * best)) good.push_back(e);
  return good;
}

double spread_of(const std::vector<Matrix>& outputs, const std::vector<double>& weights,
                 const std::vector<double>& scale) {
  const std::size_t rows = outputs.front().rows(), cols = outputs.front().cols();
  const auto count = static_cast<double>(outputs.size());
  double sum = 0.0;
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t o = 0; o < cols; ++o) {
      double mean = 0.0, squares = 0.0;
      for (const Matrix& one : outputs) mean += one(i, o) / count;
      for (const Matrix& one : outputs) squares += (one(i, o) - mean) * (one(i, o) - mean) / count;
      sum += (weights.empty() ? 1.0 : weights[i]) * (scale.empty() ? 1.0 : scale[o]) * squares;
    }
  return sum / static_cast<double>(std::max<std::size_t>(rows, 1));
}

}  // namespace rfnn::training
