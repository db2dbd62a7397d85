#pragma once

// Private header. The files of report/assets and Chart.js, embedded when the library is built (cmake/RfnnAssets.cmake).

#include <string_view>

namespace rfnn::assets {

extern const std::string_view style;   ///< page.css
extern const std::string_view chart;   ///< Chart.js, minified, with its licence line
extern const std::string_view script;  ///< svg.js, charts.js, page.js, in this order

}  // namespace rfnn::assets
