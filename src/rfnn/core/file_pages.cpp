#include "rfnn/core/file_pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

namespace rfnn {

void FilePages::let_go(const void* first, std::size_t bytes) const {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto down = [&](std::uintptr_t place) { return place / page * page; };
  const auto own = reinterpret_cast<std::uintptr_t>(first_), wanted = reinterpret_cast<std::uintptr_t>(first);
  const std::uintptr_t begin = std::max(down(own), down(wanted)),
                       end = std::min(down(own + bytes_ + page - 1), down(wanted + bytes + page - 1));
  if (bytes == 0 || bytes_ == 0 || begin >= end) return;
  // Of a shared mapping nothing is lost: what was written is the file's.
  ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

}  // namespace rfnn
