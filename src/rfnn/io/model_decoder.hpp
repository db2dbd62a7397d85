#pragma once

// Private header: from the parts of a model file to the model.

#include <string>
#include <string_view>

#include "rfnn/io/safetensors.hpp"
#include "rfnn/model/model.hpp"

namespace rfnn::io {

/// What the names of a base model's tensors begin with.
inline constexpr std::string_view base_prefix = "base.";

inline constexpr std::string_view log_from_tensor = "scale.input.log_from";

/// Throws InputError: the file is damaged or no model file, because of `what`.
[[noreturn]] void fail_model_file(const std::string& origin, const std::string& what);
/// The same where a tensor has another shape than it should have.
[[noreturn]] void fail_tensor_shape(const std::string& origin, const std::string& tensor);

/// The model of a file whose layout and checksum are known to be sound; `data` are the bytes of its tensors. Throws
/// InputError where metadata or tensors are missing, unknown or of the wrong kind. Whether they fit together is left to
/// check(model).
Model decode_model(const TensorHeader& header, std::string_view data, const std::string& origin);

}  // namespace rfnn::io
