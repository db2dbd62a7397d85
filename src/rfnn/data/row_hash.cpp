#include "rfnn/data/row_hash.hpp"

#include <bit>

#include "rfnn/data/row_blocks.hpp"

namespace rfnn {

void hash_rows(const Columns& columns, std::vector<std::uint64_t>& hash) {
  for (RowBlocks block(columns); block.next();)
    for (std::size_t k = 0; k < columns.size(); ++k)
      for (std::size_t i = 0; i < block.count(); ++i) {
        const double value = block.column(k)[i] + 0.0;  // −0 is 0
        std::uint64_t& row = hash[block.first() + i];
        row = (std::rotl(row, 29) ^ std::bit_cast<std::uint64_t>(value)) * 0x9e3779b97f4a7c15u;
        row ^= row >> 32;
      }
}

}  // namespace rfnn
