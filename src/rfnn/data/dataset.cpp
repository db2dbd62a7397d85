#include "rfnn/data/dataset.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <array>
#include <cstdint>
#include <memory>
#include <new>

namespace rfnn {
namespace {

void add(XXH3_state_t& state, ConstMatrixView matrix) {
  // Shape first, so that the same numbers in another arrangement differ; then the bits row by row, whatever the
  // strides.
  const std::array<std::uint64_t, 2> shape = {matrix.rows(), matrix.cols()};
  XXH3_128bits_update(&state, shape.data(), sizeof shape);
  std::vector<double> row(matrix.cols());
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    for (std::size_t j = 0; j < matrix.cols(); ++j) row[j] = matrix(i, j);
    XXH3_128bits_update(&state, row.data(), row.size() * sizeof(double));
  }
}

}  // namespace

std::string fingerprint(ConstMatrixView inputs, ConstMatrixView targets) {
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
