#include "rfnn/core/file_pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

namespace rfnn {
namespace {

/// Linux brings pages of a file in windows, 64 kB or what lies together in its cache, up to this (since 6.18), and so
/// takes back what was just let go when what lies beside it is asked for.
constexpr std::uintptr_t window = std::uintptr_t{1} << 21U;

}  // namespace

void FilePages::let_go(const void* first, std::size_t bytes) const {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto down = [](std::uintptr_t place, std::uintptr_t unit) { return place / unit * unit; };
  const auto up = [&](std::uintptr_t place, std::uintptr_t unit) { return down(place + unit - 1, unit); };
  const auto own = reinterpret_cast<std::uintptr_t>(first_), wanted = reinterpret_cast<std::uintptr_t>(first);
  const std::uintptr_t unit = std::max(page, window), begin = std::max(down(own, page), down(wanted, unit)),
                       end = std::min(up(own + bytes_, page), up(wanted + bytes, unit));
  if (bytes == 0 || bytes_ == 0 || begin >= end) return;
  // Of a shared mapping nothing is lost: what was written is the file's.
  ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

}  // namespace rfnn
