#pragma once

// Private header.

#include <cstddef>
#include <memory>

namespace rfnn {

/// Bytes for a large array, 64-byte aligned and not initialised. Where the array is large enough the system is asked
/// for large pages: to touch 0.4 GB for the first time takes a tenth of the time then, and walks along many stripes at
/// once need fewer entries of the CPU's page tables. Throws std::bad_alloc.
void* allocate_large(std::size_t bytes);
void free_large(void* place);

/// An array of numbers that are not initialised.
template <class T>
class LargeArray {
 public:
  LargeArray() = default;
  explicit LargeArray(std::size_t size) : numbers_(static_cast<T*>(allocate_large(size * sizeof(T)))), size_(size) {}

  [[nodiscard]] T* data() { return numbers_.get(); }
  [[nodiscard]] const T* data() const { return numbers_.get(); }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(T* place) const { free_large(place); }
  };
  std::unique_ptr<T[], Free> numbers_;
  std::size_t size_ = 0;
};

}  // namespace rfnn
