#include "rfnn/rows/closed_sum.hpp"

#include <algorithm>

#include "rfnn/features/kernels.hpp"

namespace rfnn::rows {
namespace {

/// Centres how many at a time: their columns on one tile stay in the cache however many there are.
constexpr std::size_t centres_together = 64;

}  // namespace

bool ClosedSum::add(const features::LawKernels<double>& kernels, const std::vector<const double*>& variables,
                    std::size_t rows, const std::vector<double*>& out, Scratch& scratch, Interrupt& interrupt) const {
  const std::size_t outputs = out.size(), most = std::min(centres_together, centres_.size());
  scratch.points.place(law_, variables.data());
  scratch.values.resize(most * tile_rows);
  scratch.columns.resize(most);
  for (std::size_t i = 0; i < most; ++i) scratch.columns[i] = scratch.values.data() + i * tile_rows;
  scratch.readable.assign(scratch.columns.begin(), scratch.columns.end());
  const features::LawView<double> law = law_.view();
  for (std::size_t first = 0; first < centres_.size(); first += most) {
    if (!interrupt.proceed()) return false;
    const std::size_t count = std::min(most, centres_.size() - first);
    kernels.panel(law, scratch.points.columns(), centres_.from(first), count, scratch.columns.data());
    if (rows < tile_rows)
      for (std::size_t i = 0; i < count; ++i) std::fill(scratch.columns[i] + rows, scratch.columns[i] + tile_rows, 0.0);
    kernels.combine(scratch.readable.data(), count, form_.coefficients.data() + first * outputs, outputs, out.data());
  }
  return true;
}

}  // namespace rfnn::rows
