#include "rfnn/core/large_array.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <new>

namespace rfnn {

namespace {
constexpr std::size_t large_page = std::size_t(2) << 20, alignment = 64;
}

void* allocate_large(std::size_t bytes) {
  const std::size_t unit = bytes >= 2 * large_page ? large_page : alignment;
  const std::size_t rounded = (bytes + unit - 1) / unit * unit;
  void* const place = std::aligned_alloc(unit, rounded == 0 ? unit : rounded);
  if (place == nullptr) throw std::bad_alloc();
#if defined(MADV_HUGEPAGE)
  // A wish: where the system does not grant it, pages are small.
  if (unit == large_page) madvise(place, rounded, MADV_HUGEPAGE);
#endif
  return place;
}

void free_large(void* place) { std::free(place); }

}  // namespace rfnn
