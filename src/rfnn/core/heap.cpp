#include "rfnn/core/heap.hpp"

#include <malloc.h>

namespace rfnn {

void give_back_memory() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

void keep_no_large_arrays() {
#ifdef __GLIBC__
  constexpr int large = 1 << 18;
  ::mallopt(M_MMAP_THRESHOLD, large);
#endif
}

}  // namespace rfnn
