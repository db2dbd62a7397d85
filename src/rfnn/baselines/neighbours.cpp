#include "rfnn/baselines/neighbours.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "rfnn/baselines/standardised_rows.hpp"

namespace rfnn::baselines {
namespace {

constexpr std::size_t most_neighbours = 32;
constexpr std::size_t most_judges = 2000;

/// Rows to look for neighbours in: few seconds of work at most, however many are asked for.
std::size_t most_known(std::size_t asked, std::size_t variables) {
  constexpr double operations = 4e9;
  const double rows =
      operations / (static_cast<double>(std::max<std::size_t>(asked, 1)) * static_cast<double>(variables + 1));
  return static_cast<std::size_t>(std::clamp(rows, 500.0, 20'000.0));
}

/// The rows nearest to one, nearest first.
struct Nearest {
  std::array<double, most_neighbours> distance;
  std::array<std::size_t, most_neighbours> row;
  std::size_t count = 0;

  void offer(double far, std::size_t which, std::size_t limit) {
    if (count == limit && !(far < distance[count - 1])) return;
    std::size_t place = count < limit ? count++ : count - 1;
    for (; place > 0 && far < distance[place - 1]; --place) {
      distance[place] = distance[place - 1];
      row[place] = row[place - 1];
    }
    distance[place] = far;
    row[place] = which;
  }
};

/// Rows to look for neighbours in, variable by variable, so that distances to all of them are sums over columns.
class Known {
 public:
  Known(ConstMatrixView inputs, std::span<const double> weights, const RowScale& scale, std::size_t most)
      : scale_(scale) {
    std::vector<std::size_t> counting;
    for (std::size_t i = 0; i < inputs.rows(); ++i)
      if (weights.empty() || weights[i] > 0.0) counting.push_back(i);
    const std::size_t kept = std::min(counting.size(), most);
    for (std::size_t k = 0; k < kept; ++k) rows_.push_back(counting[k * counting.size() / kept]);
    columns_.resize(scale.size() * kept);
    for (std::size_t v = 0; v < scale.size(); ++v)
      for (std::size_t k = 0; k < kept; ++k) columns_[v * kept + k] = scale(inputs, rows_[k], v);
    distances_.resize(kept);
  }

  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  /// The row of the data that the k-th known one is.
  [[nodiscard]] std::size_t row(std::size_t k) const { return rows_[k]; }

  /// The nearest to a row, but for the known row `without`.
  Nearest nearest(ConstMatrixView asked, std::size_t row, std::size_t limit, std::size_t without) {
    std::fill(distances_.begin(), distances_.end(), 0.0);
    const std::size_t count = rows_.size();
    for (std::size_t v = 0; v < scale_.size(); ++v) {
      const double at = scale_(asked, row, v);
      const double* const column = columns_.data() + v * count;
      for (std::size_t k = 0; k < count; ++k) distances_[k] += (column[k] - at) * (column[k] - at);
    }
    Nearest found;
    for (std::size_t k = 0; k < count; ++k)
      if (k != without) found.offer(distances_[k], k, limit);
    return found;
  }

 private:
  const RowScale& scale_;
  std::vector<std::size_t> rows_;
  std::vector<double> columns_, distances_;
};

constexpr std::size_t nobody = std::numeric_limits<std::size_t>::max();

}  // namespace

NeighbourPredictions neighbour_predictions(ConstMatrixView inputs, ConstMatrixView targets,
                                           std::span<const double> weights, ConstMatrixView asked) {
  const RowScale scale(inputs, weights);
  Known known(inputs, weights, scale, most_known(asked.rows(), scale.size()));
  const auto weight_of = [&](std::size_t row) { return weights.empty() ? 1.0 : weights[row]; };
  const std::size_t outputs = targets.cols();
  const auto target_statistics = column_statistics(targets, {}, weights);

  // The squared errors of the rows from the others, for every number of neighbours, outputs in units of their spread.
  const std::size_t largest = std::min(most_neighbours, known.size() > 1 ? known.size() - 1 : std::size_t{1});
  std::vector<double> errors(largest, 0.0);
  const std::size_t judges = known.size() > 1 ? std::min(known.size(), most_judges) : 0;
  for (std::size_t judge = 0; judge < judges; ++judge) {
    const std::size_t k = judge * known.size() / judges;
    const std::size_t row = known.row(k);
    const Nearest found = known.nearest(inputs, row, largest, k);
    for (std::size_t o = 0; o < outputs; ++o) {
      if (target_statistics[o].constant) continue;
      double sum = 0.0, total = 0.0;
      for (std::size_t n = 0; n < found.count; ++n) {
        const std::size_t neighbour = known.row(found.row[n]);
        sum += weight_of(neighbour) * targets(neighbour, o);
        total += weight_of(neighbour);
        const double error = (sum / total - targets(row, o)) / target_statistics[o].sd;
        errors[n] += weight_of(row) * error * error;
      }
    }
  }

  NeighbourPredictions result;
  result.neighbours = 1 + static_cast<std::size_t>(std::min_element(errors.begin(), errors.end()) - errors.begin());
  result.predictions = Matrix(asked.rows(), outputs);
  for (std::size_t i = 0; i < asked.rows(); ++i) {
    const Nearest found = known.nearest(asked, i, result.neighbours, nobody);
    for (std::size_t o = 0; o < outputs; ++o) {
      double sum = 0.0, total = 0.0;
      for (std::size_t n = 0; n < found.count; ++n) {
        const std::size_t neighbour = known.row(found.row[n]);
        sum += weight_of(neighbour) * targets(neighbour, o);
        total += weight_of(neighbour);
      }
      result.predictions(i, o) = total > 0.0 ? sum / total : target_statistics[o].mean;
    }
  }
  return result;
}

}  // namespace rfnn::baselines
