#pragma once

// Private header.

#include <cstddef>
#include <new>
#include <vector>

namespace rfnn {

/// Allocates at cache-line (and widest SIMD register) boundaries.
template <class T>
struct AlignedAllocator {
  using value_type = T;
  static constexpr std::align_val_t alignment{64};

  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) {}  // NOLINT(google-explicit-constructor)

  T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), alignment)); }
  void deallocate(T* place, std::size_t) { ::operator delete(place, alignment); }
  friend bool operator==(const AlignedAllocator&, const AlignedAllocator&) { return true; }
};

using AlignedVector = std::vector<double, AlignedAllocator<double>>;

}  // namespace rfnn
