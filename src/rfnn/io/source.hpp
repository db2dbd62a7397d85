#pragma once

// Private header: where bytes come from.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace rfnn::io {

/// Bytes read from front to back. Failures of the system throw InputError with the origin.
class ByteSource {
 public:
  explicit ByteSource(std::string origin) : origin_(std::move(origin)) {}
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;

  [[nodiscard]] const std::string& origin() const { return origin_; }

  /// Fills `out` with `bytes` bytes, fewer only at the end. Returns how many.
  std::size_t read(char* out, std::size_t bytes);
  /// The next bytes without taking them, at most `bytes` (a few) of them, fewer only at the end.
  std::string_view peek(std::size_t bytes);

  /// Bytes of the whole source, where that is known beforehand.
  [[nodiscard]] virtual std::optional<std::uint64_t> size() const { return std::nullopt; }
  /// Can read_at be used?
  [[nodiscard]] virtual bool random_access() const { return false; }
  /// Exactly the bytes [offset, offset + bytes) of the whole source; InputError when they are not there.
  virtual void read_at(std::uint64_t offset, char* out, std::size_t bytes);
  /// The number in its file, from 1, of a line that has this number among those that are read here.
  [[nodiscard]] virtual std::size_t line_in_file(std::size_t line) { return line; }
  /// The whole source as bytes in memory, for as long as someone holds them: a regular file is mapped, read-only.
  /// Nothing where that cannot be done. A mapped file must not become shorter meanwhile: the system ends a process that
  /// reads beyond its end.
  [[nodiscard]] virtual std::shared_ptr<const char> map() const { return nullptr; }

 protected:
  /// At least one byte and at most `bytes`, 0 at the end.
  virtual std::size_t read_some(char* out, std::size_t bytes) = 0;

 private:
  std::string origin_;
  std::string ahead_;  ///< peeked at and not yet taken
};

/// A file, or standard input for `-`. InputError: missing, a folder, not permitted.
std::unique_ptr<ByteSource> open_file(const std::string& path);
/// Bytes owned by someone who outlives the source.
std::unique_ptr<ByteSource> open_memory(std::string_view bytes, std::string origin);
/// What a gzipped source holds (one member or several).
std::unique_ptr<ByteSource> open_gzip(std::unique_ptr<ByteSource> compressed);
/// The source itself, or what it holds when its first bytes say gzip.
std::unique_ptr<ByteSource> unpacked(std::unique_ptr<ByteSource> source);

}  // namespace rfnn::io
