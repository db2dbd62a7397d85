#pragma once

// Private header: the tensors of a closed form in a model file, both ways (docs/model-file.md).

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "rfnn/io/safetensors.hpp"
#include "rfnn/model/law.hpp"

namespace rfnn::io {

/// Their names, after that of the branch; those from law.order on are there only where they say something.
inline constexpr std::array<std::string_view, 13> closed_form_tensors = {
    "centres",    "coefficients", "law.strength", "law.smooth",   "law.rough",     "law.order",   "law.centre",
    "law.radial", "law.map",      "windows.low",  "windows.high", "windows.scale", "windows.rows"};

/// The branch's own name: members count from 0, blocks and the closed forms of a block from 1.
std::string closed_form_name(std::uint64_t member, std::uint64_t block, std::uint64_t number);

/// Appends the tensors of a closed form named `name`. Numbers that lie in the law in pieces are gathered in `made`,
/// which has to live as long as the list.
void add_closed_form(const ClosedForm& form, const std::string& name, std::vector<TensorToWrite>& tensors,
                     std::deque<std::vector<double>>& made);

/// Entries of a file by their names above.
using ClosedFormEntries = std::map<std::string_view, const TensorEntry*>;

/// The closed form named `name`; `data` are the bytes of all tensors. Throws InputError where one is missing or their
/// shapes do not fit together; whether the numbers are sound is left to check(model).
ClosedForm closed_form_of(const ClosedFormEntries& entries, const std::string& name, std::string_view data,
                          const std::string& origin);

}  // namespace rfnn::io
