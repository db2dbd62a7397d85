#pragma once

// Private header. The files of export/runtime, embedded when the library is built (cmake/RfnnAssets.cmake).

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rfnn::exporting {

extern const std::string_view c_runtime;       ///< exported.c
extern const std::string_view python_runtime;  ///< exported.py
/// bars.c, to be put behind exported.c, and what it computes the variance by, which goes into it: bars_solve.c with
/// bars_all.c, or with bars_nearest.c and one of bars_some.c and bars_windows.c.
extern const std::string_view c_bars, c_bars_constant, c_bars_all, c_bars_some, c_bars_windows;
/// What goes into it too: bars_cells.c where cells may be unknown, else bars_no_cells.c.
extern const std::string_view c_bars_cells, c_bars_no_cells;
extern const std::string_view python_bars;  ///< bars.py, to be put behind exported.py

/// The text with every `from` replaced.
std::string replaced(const std::string& text, std::string_view from, std::string_view to);

/// The text with each mark replaced by what belongs to it; what is put in is not looked at again.
std::string filled(std::string_view text, const std::vector<std::pair<std::string_view, std::string>>& marks);

}  // namespace rfnn::exporting
