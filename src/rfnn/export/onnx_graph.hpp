#pragma once

// Private header. A graph of ONNX operators, and its bytes: the protocol buffers of onnx.proto, as far as such a graph
// needs them.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rfnn/core/matrix.hpp"

namespace rfnn::exporting {

/// A value is known by its name. All numbers are doubles.
class OnnxGraph {
 public:
  using Integers = std::vector<std::int64_t>;
  struct Attribute {
    std::string_view name;
    std::int64_t value;
  };

  /// A tensor of constants; equal ones are kept once.
  std::string scalar(double value);
  std::string row(const std::vector<double>& values);   ///< 1 × n
  std::string list(const std::vector<double>& values);  ///< n
  std::string matrix(const Matrix& values);             ///< rows × columns
  std::string list(const Integers& values);             ///< n
  std::string marks(const std::vector<bool>& values);   ///< 1 × n

  /// Adds an operation; its result.
  std::string operation(std::string_view type, const std::vector<std::string>& inputs,
                        const std::vector<Attribute>& attributes = {});

  /// The same with a name of its own.
  void result(std::string_view type, const std::vector<std::string>& inputs, const std::string& name,
              const std::vector<Attribute>& attributes = {});

  // Those that are written often.
  std::string plus(const std::string& a, const std::string& b) { return operation("Add", {a, b}); }
  std::string minus(const std::string& a, const std::string& b) { return operation("Sub", {a, b}); }
  std::string times(const std::string& a, const std::string& b) { return operation("Mul", {a, b}); }
  std::string product(const std::string& a, const std::string& b) { return operation("MatMul", {a, b}); }
  std::string where(const std::string& mark, const std::string& a, const std::string& b) {
    return operation("Where", {mark, a, b});
  }
  /// −a. What is scaled by one number must not go straight into a product of matrices: onnxruntime makes both one
  /// operation, whose scale is a float. A sign in between keeps them apart.
  std::string minus_of(const std::string& a) { return operation("Neg", {a}); }
  /// Columns of a matrix.
  std::string columns(const std::string& matrix, const Integers& which) {
    return operation("Gather", {matrix, list(which)}, {{"axis", 1}});
  }
  /// Side by side.
  std::string beside(const std::vector<std::string>& parts) {
    return parts.size() == 1 ? parts.front() : operation("Concat", parts, {{"axis", 1}});
  }
  /// The cosine by a sine, which runtimes have had in double for longer: cos p = 1 − 2 sin²(p/2).
  std::string cosine(const std::string& half_phase) {
    const std::string sine = operation("Sin", {half_phase});
    return minus(scalar(1.0), times(scalar(2.0), times(sine, sine)));
  }

  /// What the graph is about, for the model's metadata.
  struct About {
    std::string name, text, version;
    std::vector<std::pair<std::string, std::string>> metadata;
    std::size_t columns = 0, outputs = 0;
  };
  /// The model file: from `inputs`, rows × columns, to `outputs`, rows × outputs, which is the value of that name.
  [[nodiscard]] std::string file(const About& about) const;

 private:
  std::string constant(std::string_view prefix, int type, const Integers& shape, std::string_view bytes);

  std::string nodes_, initializers_;
  std::map<std::string, std::string, std::less<>> known_;  ///< type, shape and bytes of small constants → name
  std::size_t values_ = 0;
};

/// Of the value named `outputs`.
inline constexpr const char* onnx_inputs = "inputs";
inline constexpr const char* onnx_outputs = "outputs";

}  // namespace rfnn::exporting
