#pragma once

// Private header: the draws of chains in a model file, both ways (docs/model-file.md).

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "rfnn/io/safetensors.hpp"
#include "rfnn/model/draws.hpp"

namespace rfnn::io {

/// What the names of their tensors begin with.
inline constexpr std::string_view draws_prefix = "draws.";

/// The tensors' names without the prefix, their shapes and numbers, draw by draw; `made` keeps the numbers. The same
/// arrays are what `rfnn draws` writes.
std::vector<TensorToWrite> draws_tensors(const ChainDraws& draws, std::deque<std::vector<double>>& made);

/// Entries of a file by what follows the prefix in their names.
using DrawsEntries = std::map<std::string_view, const TensorEntry*>;

/// The other direction: draws of this network. `data`: the bytes of all tensors. Throws InputError where a tensor is
/// missing, unknown or of the wrong shape; whether the numbers are sound is left to check(model).
ChainDraws draws_of(const DrawsEntries& entries, const Network& network, std::string_view data,
                    const std::string& origin);

}  // namespace rfnn::io
