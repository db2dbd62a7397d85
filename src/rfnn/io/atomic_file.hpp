#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "rfnn/core/export.hpp"

namespace rfnn::io {

/// A file that appears whole or not at all: written to a temporary file in its folder, synced, renamed over the old
/// one, folder synced. Where the file system can (O_TMPFILE), the temporary file has no name before commit(), so that a
/// process that is killed leaves nothing behind; elsewhere it is `.NAME.rfnn-tmp.XXXXXX` and locked, and those a
/// crashed run left for the same place (nobody holds their lock) are removed on construction. A link is followed: the
/// file it points to is replaced, and a file that is replaced keeps its mode. A place that is not a regular file (a
/// pipe, a device) and the streams the process already has (`-`, `/dev/stdout`, `/dev/fd/N`) are written directly.
/// Every failure throws InputError with path, cause and cure.
class RFNN_API AtomicFile {
 public:
  explicit AtomicFile(std::string path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  /// Without commit() the temporary file is removed and the place is as it was.
  ~AtomicFile();

  void write(const void* data, std::size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }
  /// Hands what has been written so far to the system; for streams that someone reads along.
  void flush();
  /// Replaces bytes written before. Not for what is written directly (is_direct).
  void overwrite(std::size_t offset, std::string_view bytes);
  [[nodiscard]] bool is_direct() const { return direct_; }
  void commit();

 private:
  std::string shown_;      ///< the path as given, for messages
  std::string place_;      ///< where the file will be, links resolved
  std::string temporary_;  ///< empty: written directly, or without a name
  bool direct_ = false;
  int fd_ = -1;
  std::string buffer_;

  void create_temporary();
  bool create_without_name();
  void give_name();
  void discard() noexcept;
  [[noreturn]] void fail(int error) const;
};

/// Throws InputError unless a file can be written at `path`, which is tried: asked before long work.
RFNN_API void check_writable(const std::string& path);

/// Bytes that can still be written to the disk of a file; nothing where that is not known or has no meaning (a pipe).
RFNN_API std::optional<std::uint64_t> room_at(const std::string& path);

}  // namespace rfnn::io
