#pragma once

// Private header. Files without a name: numbers that memory is not to hold, gone with the process whatever ends it.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "rfnn/core/file_pages.hpp"

namespace rfnn {

/// The folder they are in: TMPDIR, or else /var/tmp, which is on a disk where /tmp may be in memory.
std::string scratch_folder();

/// Bytes written one after the other, read anywhere. Failures of the system throw InputError with the folder.
class ScratchFile {
 public:
  ScratchFile();
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  void append(const void* first, std::size_t bytes);
  void read(std::uint64_t offset, void* place, std::size_t bytes) const;
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// Makes room for so many bytes of zeros behind what there is.
  void grow(std::size_t bytes);

 private:
  friend class ScratchMap;
  int file_ = -1;
  std::uint64_t size_ = 0;
};

/// All that a file holds, as memory that may be let go; zeros are behind the end up to a page. Not for files that grow.
class ScratchMap {
 public:
  explicit ScratchMap(std::unique_ptr<ScratchFile> file);
  /// So many bytes of zeros.
  explicit ScratchMap(std::size_t bytes);
  ~ScratchMap();
  ScratchMap(const ScratchMap&) = delete;
  ScratchMap& operator=(const ScratchMap&) = delete;

  [[nodiscard]] void* data() const { return place_; }
  [[nodiscard]] std::size_t bytes() const { return static_cast<std::size_t>(file_->size()); }
  [[nodiscard]] const FilePages& pages() const { return pages_; }

 private:
  void map();

  std::unique_ptr<ScratchFile> file_;
  void* place_ = nullptr;
  FilePages pages_;
};

}  // namespace rfnn
