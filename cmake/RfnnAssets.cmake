# Files that become string constants of the library: what it writes needs nothing else, and so does the program.

# The report page's style, scripts and Chart.js.
set(rfnn_assets "${PROJECT_SOURCE_DIR}/src/rfnn/report/assets")
set(rfnn_script_files "${rfnn_assets}/svg.js" "${rfnn_assets}/charts.js" "${rfnn_assets}/page.js")
set(rfnn_assets_source "${PROJECT_BINARY_DIR}/report_assets.cpp")
add_custom_command(
  OUTPUT "${rfnn_assets_source}"
  COMMAND "${CMAKE_COMMAND}" "-Doutput=${rfnn_assets_source}" -Dheader=rfnn/report/assets.hpp -Dspace=rfnn::assets
          "-Dnames=style;chart;script" "-Dstyle=${rfnn_assets}/page.css" "-Dchart=${RFNN_CHART_JS}"
          "-Dscript=${rfnn_script_files}" -P "${PROJECT_SOURCE_DIR}/cmake/embed.cmake"
  DEPENDS "${rfnn_assets}/page.css" "${RFNN_CHART_JS}" ${rfnn_script_files} "${PROJECT_SOURCE_DIR}/cmake/embed.cmake"
  COMMENT "Embedding the report's assets"
  VERBATIM)

# What exported files compute with.
set(rfnn_runtimes "${PROJECT_SOURCE_DIR}/src/rfnn/export/runtime")
set(rfnn_runtimes_source "${PROJECT_BINARY_DIR}/export_runtimes.cpp")
add_custom_command(
  OUTPUT "${rfnn_runtimes_source}"
  COMMAND "${CMAKE_COMMAND}" "-Doutput=${rfnn_runtimes_source}" -Dheader=rfnn/export/runtime.hpp -Dspace=rfnn::exporting
          "-Dnames=c_runtime;python_runtime" "-Dc_runtime=${rfnn_runtimes}/exported.c"
          "-Dpython_runtime=${rfnn_runtimes}/exported.py" -P "${PROJECT_SOURCE_DIR}/cmake/embed.cmake"
  DEPENDS "${rfnn_runtimes}/exported.c" "${rfnn_runtimes}/exported.py" "${PROJECT_SOURCE_DIR}/cmake/embed.cmake"
  COMMENT "Embedding what exports compute with"
  VERBATIM)

set_source_files_properties("${rfnn_assets_source}" "${rfnn_runtimes_source}" PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
list(APPEND rfnn_sources "${rfnn_assets_source}" "${rfnn_runtimes_source}")
