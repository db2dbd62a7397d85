#pragma once

// Private header.

#include <cstddef>

#include "rfnn/core/export.hpp"

namespace rfnn {

/// Bytes of a file that are mapped into memory, shared with the file: what is let go leaves memory, and comes from the
/// file again when it is asked for. Whoever has mapped them ends the mapping.
class RFNN_API FilePages {
 public:
  FilePages() = default;
  FilePages(const void* first, std::size_t bytes) : first_(static_cast<const char*>(first)), bytes_(bytes) {}

  /// Whole windows in which the system brings pages, those at either end too, as far as they are of the mapping.
  void let_go(const void* first, std::size_t bytes) const;

  /// Bytes that are read on before those behind are let go.
  static constexpr std::size_t stretch = std::size_t{1} << 18U;

 private:
  const char* first_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace rfnn
