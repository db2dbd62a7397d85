#pragma once

// Private header. Numbers and what a block is made of as bytes, between processes of the same program on machines of
// the same kind.

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "rfnn/core/matrix.hpp"
#include "rfnn/model/network.hpp"

namespace rfnn::rows {

class Writer {
 public:
  template <class T>
    requires std::is_trivially_copyable_v<T>
  void put(const T& value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  template <class T>
  void put_list(std::span<const T> values) {
    put<std::uint64_t>(values.size());
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  }
  void put_text(std::string_view text) { put_list(std::span<const char>(text)); }
  void put_raw(std::string_view bytes) { bytes_.append(bytes); }
  void put_matrix(const Matrix& matrix);
  void put_matrix(const Eigen::MatrixXd& matrix);
  void put_block(const Block& block);

  [[nodiscard]] bool empty() const { return bytes_.empty(); }
  /// The bytes, which are then no longer here.
  std::string take() { return std::exchange(bytes_, {}); }

 private:
  std::string bytes_;
};

/// Reads what a Writer has written, in the same order.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
    requires std::is_trivially_copyable_v<T> T get() {
      T value;
      std::memcpy(&value, bytes_.data(), sizeof value);
      bytes_.remove_prefix(sizeof value);
      return value;
    }
  template <class T>
  std::vector<T> get_list() {
    std::vector<T> values(get<std::uint64_t>());
    std::memcpy(values.data(), bytes_.data(), values.size() * sizeof(T));
    bytes_.remove_prefix(values.size() * sizeof(T));
    return values;
  }
  std::string get_text();
  Matrix get_matrix();
  Eigen::MatrixXd get_eigen();
  Block get_block();

  [[nodiscard]] bool at_end() const { return bytes_.empty(); }
  [[nodiscard]] std::string_view rest() const { return bytes_; }

 private:
  std::string_view bytes_;
};

}  // namespace rfnn::rows
