#pragma once

#include <string>
#include <string_view>

#include "rfnn/core/export.hpp"
#include "rfnn/model/model.hpp"

namespace rfnn {

/// Writes a model (docs/model-file.md) through AtomicFile: the file is the old or the new one, whole. Throws
/// InputError.
RFNN_API void save_model(const Model& model, const std::string& path);

/// Would saving it put the mean in the place of what is there? True of a model without blocks, left by a run that the
/// clock or a signal ended, where there is a file that is not empty.
RFNN_API bool replaces_by_nothing(const Model& model, const std::string& path);

/// Reads a model; every length, shape, offset, number and the checksum are verified before use and nothing larger than
/// the file is allocated. Throws InputError saying what is wrong with the file.
RFNN_API Model load_model(const std::string& path);

/// The same from and to bytes in memory. `origin` names them in errors.
RFNN_API std::string model_to_bytes(const Model& model);
RFNN_API Model model_from_bytes(std::string_view bytes, const std::string& origin);

}  // namespace rfnn
