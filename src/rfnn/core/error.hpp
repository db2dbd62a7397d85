#pragma once

#include <stdexcept>
#include <string>

#include "rfnn/core/export.hpp"

namespace rfnn {

/// Base of everything the library throws on purpose: what went wrong and where (`cause`), and what to do
/// about it (`cure`, may be empty). what() is both, as sentences.
class RFNN_API Error : public std::runtime_error {
 public:
  Error(std::string cause, std::string cure)
      : std::runtime_error(cure.empty() ? cause : cause + " " + cure),
        cause_(std::move(cause)),
        cure_(std::move(cure)) {}
  [[nodiscard]] const std::string& cause() const { return cause_; }
  [[nodiscard]] const std::string& cure() const { return cure_; }

 private:
  std::string cause_;
  std::string cure_;
};

/// An option or argument the caller got wrong. Exit code 1 of the command line.
class RFNN_API UsageError : public Error {
 public:
  using Error::Error;
};

/// Data, a configuration or a model file that is missing, malformed or unwritable. Exit code 2.
class RFNN_API InputError : public Error {
 public:
  using Error::Error;
};

/// Numbers that cannot be computed with: overflow to infinity, no finite solution. Exit code 3.
class RFNN_API NumericalError : public Error {
 public:
  using Error::Error;
};

}  // namespace rfnn
