#include "rfnn/data/dataset.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <array>
#include <cstdint>
#include <memory>
#include <new>

#include "rfnn/core/error.hpp"
#include "rfnn/data/row_blocks.hpp"

namespace rfnn {
namespace {

void add(XXH3_state_t& state, const Columns& columns) {
  // Shape first, so that the same numbers in another arrangement differ; then the bits row by row, whatever the
  // strides.
  const std::array<std::uint64_t, 2> shape = {columns.rows(), columns.size()};
  XXH3_128bits_update(&state, shape.data(), sizeof shape);
  std::vector<double> by_rows;
  for (RowBlocks block(columns); block.next();) {
    by_rows.resize(block.count() * columns.size());
    for (std::size_t k = 0; k < columns.size(); ++k)
      for (std::size_t i = 0; i < block.count(); ++i) by_rows[i * columns.size() + k] = block.column(k)[i];
    XXH3_128bits_update(&state, by_rows.data(), by_rows.size() * sizeof(double));
  }
}

}  // namespace

DatasetView::DatasetView(const Dataset& data)
    : DatasetView(data.inputs.view(), data.targets.view(), data.input_names, data.target_names) {
  if (data.weights.empty()) return;
  if (data.weights.size() != data.inputs.rows())
    throw UsageError("There are " + std::to_string(data.weights.size()) + " weights for " +
                         std::to_string(data.inputs.rows()) + " rows.",
                     "Give one weight per row, or none.");
  weights = ColumnView(data.weights.data());
}

std::string fingerprint(const Columns& inputs, const Columns& targets) {
  const std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state(XXH3_createState(), XXH3_freeState);
  if (!state) throw std::bad_alloc();
  XXH3_128bits_reset(state.get());
  add(*state, inputs);
  add(*state, targets);
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state.get()));
  static constexpr char hex[] = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : canonical.digest) text += {hex[byte >> 4U], hex[byte & 15U]};
  return text;
}

}  // namespace rfnn
