#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "rfnn/core/random.hpp"
#include "rfnn/rows/row_state.hpp"

namespace rfnn::testing {

/// Rows at places of [−1.7, 1.7], in no order and at odd distances, of values f(x) + noise.
inline rows::RowState series_rows(std::size_t count, const std::function<double(double)>& f, double noise,
                                  std::uint64_t seed = 1) {
  const Stream stream(seed, Purpose::noise, 0, 0);
  Matrix theta(count, 1), target(count, 1);
  for (std::size_t i = 0; i < count; ++i) {
    const auto place = static_cast<double>((i * 7919) % count);
    theta(i, 0) = -1.7 + 3.4 * (place + 0.4 * stream.uniform(i)) / static_cast<double>(count);
    target(i, 0) = f(theta(i, 0)) + noise * stream.normal(count + i);
  }
  return rows::RowState(rows::ScaledRows(theta.view(), target.view()));
}

}  // namespace rfnn::testing
