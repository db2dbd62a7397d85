#pragma once

// Model files taken apart, changed and put together again: what the tests of model files share.

#include <string>

#include <nlohmann/json.hpp>

#include "rfnn/model/model.hpp"

namespace rfnn::test {

using Json = nlohmann::ordered_json;

void expect_equal(const Model& a, const Model& b);

/// Written to bytes and read again.
Model round_trip(const Model& model);

/// A file taken apart, to be changed and put together again.
struct Parts {
  Json header;
  std::string data;

  explicit Parts(const std::string& bytes);
  [[nodiscard]] std::string bytes() const;
  /// With another text in the place of the header's.
  [[nodiscard]] std::string joined(const std::string& json) const;
  Json& metadata() { return header["__metadata__"]; }
  /// Makes the checksum right again.
  void sign();
};

/// Why bytes that are no model are refused; empty where they are one.
std::string error_of(const std::string& bytes);

/// Replaces the first number of a tensor, and signs.
void set_number(Parts& parts, const std::string& tensor, double value);

void rename(Parts& parts, const std::string& from, const std::string& to);

/// Gives a tensor another shape and ones as its numbers.
void resize(Parts& parts, const std::string& tensor, const Json& shape);

}  // namespace rfnn::test
