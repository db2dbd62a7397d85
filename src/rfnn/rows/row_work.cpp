#include "rfnn/rows/row_work.hpp"

#include "rfnn/rows/reference/reference_work.hpp"
#include "rfnn/rows/threads/threaded_work.hpp"

namespace rfnn::rows {

std::unique_ptr<RowWork> make_row_work(Implementation kind, std::size_t threads) {
  switch (kind) {
    case Implementation::reference:
      return std::make_unique<ReferenceWork>();
    case Implementation::threads:
      return std::make_unique<ThreadedWork>(threads);
  }
  return nullptr;
}

TiledColumns weighted_residual(const RowState& rows) {
  TiledColumns weighted = rows.residual;
  for (std::size_t tile = 0; tile < weighted.tiles(); ++tile)
    for (std::size_t o = 0; o < weighted.columns(); ++o) weigh(rows, tile, weighted.column(tile, o));
  return weighted;
}

}  // namespace rfnn::rows
