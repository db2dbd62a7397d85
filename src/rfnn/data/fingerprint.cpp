#include "rfnn/data/fingerprint.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <new>
#include <vector>

#include "rfnn/data/row_blocks.hpp"

namespace rfnn {

struct Fingerprint::State {
  XXH3_state_t hash;
};

void Fingerprint::Free::operator()(State* state) const { ::operator delete (state, std::align_val_t{64}); }

Fingerprint::Fingerprint() : state_(new (std::align_val_t{64}) State) { XXH3_128bits_reset(&state_->hash); }

Fingerprint::Fingerprint(std::string_view state) : Fingerprint() {
  const unsigned char* const own_secret = state_->hash.extSecret;  // its place differs from process to process
  std::memcpy(&state_->hash, state.data(), sizeof state_->hash);
  state_->hash.extSecret = own_secret;
}

void Fingerprint::begin(std::size_t rows, std::size_t columns) {
  // Shape first, so that the same numbers in another arrangement differ.
  const std::array<std::uint64_t, 2> shape = {rows, columns};
  XXH3_128bits_update(&state_->hash, shape.data(), sizeof shape);
}

// The bits row by row, whatever the strides.
void Fingerprint::add(const Columns& columns) {
  std::vector<double> by_rows;
  for (RowBlocks block(columns); block.next();) {
    by_rows.resize(block.count() * columns.size());
    for (std::size_t k = 0; k < columns.size(); ++k)
      for (std::size_t i = 0; i < block.count(); ++i) by_rows[i * columns.size() + k] = block.column(k)[i];
    XXH3_128bits_update(&state_->hash, by_rows.data(), by_rows.size() * sizeof(double));
  }
}

std::string Fingerprint::state() const { return {reinterpret_cast<const char*>(&state_->hash), sizeof state_->hash}; }

std::string Fingerprint::text() const {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&state_->hash));
  static constexpr char hex[] = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : canonical.digest) text += {hex[byte >> 4U], hex[byte & 15U]};
  return text;
}

}  // namespace rfnn
