#include "rfnn/rows/closed_sum.hpp"

#include <algorithm>

#include "rfnn/rows/tiles.hpp"

namespace rfnn::rows {
namespace {

/// So many centres at a time: their columns on one tile of rows stay in the cache, however many centres there are.
constexpr std::size_t centres_together = 64;
static_assert(tile_rows % centres_together == 0);

bool is_centred(const FrequencyLaw& law) {
  return std::any_of(law.parts.begin(), law.parts.end(), [](const auto& part) { return !part.centre.empty(); });
}

}  // namespace

// Of a law without centres: there k(δ) has the bits of k(−δ), which a cosine need not have, and so a row has the same
// value alone and among others.
ClosedSum::ClosedSum(const ClosedForm& form)
    : form_(form), law_(form.law), centres_(law_, form.centres), may_turn_(!is_centred(form.law)) {}

void ClosedSum::turned_panel(const features::LawKernels<double>& kernels, const std::vector<const double*>& variables,
                             std::size_t rows, std::size_t first, Scratch& scratch) const {
  const std::size_t coordinates = law_.coordinates();
  scratch.row_points.resize(rows * coordinates);
  scratch.turned.resize(rows * tile_rows);
  scratch.row_pointers.resize(rows);
  scratch.turned_columns.resize(rows);
  std::vector<double> point(variables.size());
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t k = 0; k < point.size(); ++k) point[k] = variables[k][row];
    double* const place = scratch.row_points.data() + row * coordinates;
    law_.place(point.data(), place);
    scratch.row_pointers[row] = place;
    scratch.turned_columns[row] = scratch.turned.data() + row * tile_rows;
  }
  scratch.points.place(law_, centres_, first);
  kernels.panel(law_.view(), scratch.points.columns(), scratch.row_pointers.data(), rows,
                scratch.turned_columns.data());
}

bool ClosedSum::add(const features::LawKernels<double>& kernels, const std::vector<const double*>& variables,
                    std::size_t rows, const std::vector<double*>& out, Scratch& scratch, Interrupt& interrupt) const {
  const std::size_t outputs = out.size(), most = std::min(centres_together, centres_.size());
  const bool turned = may_turn_ && rows <= most_turned_rows;
  if (!turned) scratch.points.place(law_, variables.data());
  scratch.values.assign(most * tile_rows, 0.0);
  scratch.columns.resize(most);
  for (std::size_t i = 0; i < most; ++i) scratch.columns[i] = scratch.values.data() + i * tile_rows;
  scratch.readable.assign(scratch.columns.begin(), scratch.columns.end());
  const features::LawView<double> law = law_.view();
  for (std::size_t first = 0; first < centres_.size(); first += most) {
    if (!interrupt.proceed()) return false;
    const std::size_t count = std::min(most, centres_.size() - first), in_tile = first % tile_rows;
    if (turned) {
      if (in_tile == 0) turned_panel(kernels, variables, rows, first, scratch);
      for (std::size_t i = 0; i < count; ++i)
        for (std::size_t row = 0; row < rows; ++row) scratch.columns[i][row] = scratch.turned_columns[row][in_tile + i];
    } else {
      kernels.panel(law, scratch.points.columns(), centres_.from(first), count, scratch.columns.data());
      for (std::size_t i = 0; i < count; ++i) std::fill(scratch.columns[i] + rows, scratch.columns[i] + tile_rows, 0.0);
    }
    kernels.combine(scratch.readable.data(), count, form_.coefficients.data() + first * outputs, outputs, out.data());
  }
  return true;
}

}  // namespace rfnn::rows
