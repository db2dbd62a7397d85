#include "rfnn/rows/tiles.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace rfnn::rows {
namespace {

TEST(TiledColumns, HoldsEveryRowOnceAndFillsUpWithZeros) {
  for (const std::size_t rows :
       {std::size_t{1}, std::size_t{2}, tile_rows - 1, tile_rows, tile_rows + 1, 2 * tile_rows + 3}) {
    TiledColumns tiled(rows, 3);
    EXPECT_EQ(tiled.tiles(), (rows + tile_rows - 1) / tile_rows);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t k = 0; k < 3; ++k) tiled(i, k) = static_cast<double>(3 * i + k + 1);
    std::size_t counted = 0;
    for (std::size_t tile = 0; tile < tiled.tiles(); ++tile) {
      counted += tiled.rows_in(tile);
      for (std::size_t k = 0; k < 3; ++k) {
        const double* column = tiled.column(tile, k);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(column) % 64, 0U);
        for (std::size_t i = 0; i < tile_rows; ++i) {
          const std::size_t row = tile * tile_rows + i;
          ASSERT_EQ(column[i], row < rows ? static_cast<double>(3 * row + k + 1) : 0.0);
          if (row < rows) {
            ASSERT_EQ(static_cast<const TiledColumns&>(tiled)(row, k), column[i]);
          }
        }
      }
    }
    EXPECT_EQ(counted, rows);
  }
}

TEST(TiledColumns, NoRowsNoTiles) {
  EXPECT_EQ(TiledColumns().tiles(), 0U);
  EXPECT_EQ(TiledColumns(0, 5).tiles(), 0U);
}

}  // namespace
}  // namespace rfnn::rows
