#pragma once

// Private header. Values as bytes and back, for journals: what one run writes the next one of the same version reads.
// A type says once what it is made of, for both directions:
//
//   template <class Archive> void fields(Archive& archive, Point& point) { archive(point.x, point.y); }

#include <Eigen/Core>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "rfnn/core/error.hpp"
#include "rfnn/core/matrix.hpp"

namespace rfnn {

static_assert(std::endian::native == std::endian::little, "numbers are written as they are");

template <class T>
concept PlainValue = std::is_arithmetic_v<T> || std::is_enum_v<T>;

class ArchiveWriter {
 public:
  static constexpr bool reading = false;

  template <class... T>
  void operator()(const T&... values) {
    (write(values), ...);
  }
  void raw(const void* data, std::size_t bytes) { bytes_.append(static_cast<const char*>(data), bytes); }
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  template <class T>
  void write(const T& value) {
    if constexpr (PlainValue<T>)
      raw(&value, sizeof value);
    else
      fields(*this, const_cast<T&>(value));  // it is read only: one function serves both directions
  }

  std::string bytes_;
};

/// Throws InputError where the bytes are not what they should be.
class ArchiveReader {
 public:
  static constexpr bool reading = true;

  explicit ArchiveReader(std::string_view bytes) : bytes_(bytes) {}

  template <class... T>
  void operator()(T&... values) {
    (read(values), ...);
  }
  void raw(void* data, std::size_t bytes) {
    if (bytes > bytes_.size()) fail();
    if (bytes > 0) std::memcpy(data, bytes_.data(), bytes);
    bytes_.remove_prefix(bytes);
  }
  /// A count of things of so many bytes each, no more than there are bytes for.
  std::size_t count(std::size_t bytes_each) {
    std::uint64_t count = 0;
    read(count);
    if (bytes_each > 0 && count > bytes_.size() / bytes_each) fail();
    return static_cast<std::size_t>(count);
  }
  /// There are so many doubles left.
  void expect(std::uint64_t doubles) const {
    if (doubles > bytes_.size() / sizeof(double)) fail();
  }
  void end() const {
    if (!bytes_.empty()) fail();
  }
  [[noreturn]] static void fail() {
    throw InputError("A piece of the checkpoint is damaged.", "Begin the run anew, without --resume.");
  }

 private:
  template <class T>
  void read(T& value) {
    if constexpr (PlainValue<T>)
      raw(&value, sizeof value);
    else
      fields(*this, value);
  }

  std::string_view bytes_;
};

template <class Archive, class T, class Allocator>
void fields(Archive& archive, std::vector<T, Allocator>& values) {
  if constexpr (Archive::reading)
    values.resize(archive.count(PlainValue<T> ? sizeof(T) : 1));
  else
    archive(static_cast<std::uint64_t>(values.size()));
  if constexpr (PlainValue<T>)
    archive.raw(values.data(), values.size() * sizeof(T));
  else
    for (T& value : values) archive(value);
}

template <class Archive, class T, std::size_t count>
void fields(Archive& archive, std::array<T, count>& values) {
  for (T& value : values) archive(value);
}

template <class Archive>
void fields(Archive& archive, std::string& text) {
  if constexpr (Archive::reading)
    text.resize(archive.count(1));
  else
    archive(static_cast<std::uint64_t>(text.size()));
  archive.raw(text.data(), text.size());
}

template <class Archive, class T>
void fields(Archive& archive, std::optional<T>& value) {
  bool there = value.has_value();
  archive(there);
  if constexpr (Archive::reading) {
    value.reset();
    if (there) value.emplace();
  }
  if (there) archive(*value);
}

template <class Archive>
void fields(Archive& archive, Matrix& matrix) {
  std::uint64_t rows = matrix.rows(), cols = matrix.cols();
  archive(rows, cols);
  if constexpr (Archive::reading) {
    archive.expect(rows * cols);
    matrix = Matrix(rows, cols);
  }
  archive.raw(matrix.data(), matrix.size() * sizeof(double));
}

template <class Archive, int Rows, int Cols>
void fields(Archive& archive, Eigen::Matrix<double, Rows, Cols>& matrix) {
  std::int64_t rows = matrix.rows(), cols = matrix.cols();
  archive(rows, cols);
  if constexpr (Archive::reading) {
    archive.expect(static_cast<std::uint64_t>(rows * cols));
    matrix.resize(rows, cols);
  }
  archive.raw(matrix.data(), static_cast<std::size_t>(matrix.size()) * sizeof(double));
}

}  // namespace rfnn
