#pragma once

// Private header. The files of export/runtime, embedded when the library is built (cmake/RfnnAssets.cmake).

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rfnn::exporting {

extern const std::string_view c_runtime;       ///< exported.c
extern const std::string_view python_runtime;  ///< exported.py

/// The text with every `from` replaced.
std::string replaced(const std::string& text, std::string_view from, std::string_view to);

/// The text with each mark replaced by what belongs to it; what is put in is not looked at again.
std::string filled(std::string_view text, const std::vector<std::pair<std::string_view, std::string>>& marks);

}  // namespace rfnn::exporting
