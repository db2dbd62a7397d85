#pragma once

// Fixed work for each kernel on one tile of rows, which stays in the cache. Also what tests/instructions counts.

#include <cmath>
#include <cstddef>
#include <vector>

#include "rfnn/core/aligned.hpp"
#include "rfnn/features/kernels.hpp"

namespace rfnn::bench {

/// Columns of one tile.
struct Tile {
  explicit Tile(std::size_t columns) : values(columns * features::tile_rows) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(0.37 * static_cast<double>(i));
    for (std::size_t c = 0; c < columns; ++c) {
      readable.push_back(values.data() + c * features::tile_rows);
      writable.push_back(values.data() + c * features::tile_rows);
    }
  }
  Tile(Tile&&) = default;  // a copy would point into the original
  AlignedVector values;
  std::vector<const double*> readable;
  std::vector<double*> writable;
};

/// Cosines and sines of `width` features of `variables` variables.
class FeatureWork {
 public:
  FeatureWork(std::size_t width, std::size_t variables)
      : variables_(variables), theta_(variables), cosine_(width), minus_sine_(width), frequencies_(width * variables) {
    for (std::size_t i = 0; i < frequencies_.size(); ++i) frequencies_[i] = 1.0 + 7.0 * static_cast<double>(i);
    for (std::size_t j = 0; j < width; ++j) rows_.push_back(frequencies_.data() + j * variables);
  }
  void run(const features::Kernels& level) const {
    level.features(theta_.readable.data(), variables_, rows_.data(), rows_.size(), features::tile_rows,
                   cosine_.writable.data(), minus_sine_.writable.data());
  }
  [[nodiscard]] double phase(std::size_t feature, std::size_t row) const {
    double sum = 0.0;
    for (std::size_t k = 0; k < variables_; ++k) sum += rows_[feature][k] * theta_.readable[k][row];
    return sum;
  }

 private:
  std::size_t variables_;
  Tile theta_, cosine_, minus_sine_;
  std::vector<double> frequencies_;
  std::vector<const double*> rows_;
};

/// What a proposal adds to the Gram matrix: `fresh` columns with `kept` ones and with themselves.
class GramWork {
 public:
  GramWork(std::size_t fresh, std::size_t kept) : fresh_(fresh), kept_(kept), sums_(fresh * (fresh + kept)) {}
  void run(const features::Kernels& level) const {
    const std::size_t p = fresh_.readable.size(), n = kept_.readable.size();
    level.gram(fresh_.readable.data(), p, kept_.readable.data(), n, false, sums_.data(), n + p);
  }
  void run_proposal(const features::Kernels& level) const {
    const std::size_t p = fresh_.readable.size(), n = kept_.readable.size();
    run(level);
    level.gram(fresh_.readable.data(), p, fresh_.readable.data(), p, true, sums_.data() + n, n + p);
  }

 private:
  Tile fresh_, kept_;
  mutable AlignedVector sums_;
};

/// A weighted sum of columns.
class CombineWork {
 public:
  explicit CombineWork(std::size_t columns) : columns_(columns), out_(1), coefficients_(columns, 1e-9) {}
  void run(const features::Kernels& level) const {
    level.combine(columns_.readable.data(), coefficients_.size(), coefficients_.data(), 1, out_.writable.data());
  }

 private:
  Tile columns_, out_;
  std::vector<double> coefficients_;
};

}  // namespace rfnn::bench
