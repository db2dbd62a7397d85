# The report page's style, scripts and Chart.js become string constants of the library: a report is one file that needs
# nothing else, and so does the program that writes it.
set(rfnn_assets "${PROJECT_SOURCE_DIR}/src/rfnn/report/assets")
set(rfnn_script_files "${rfnn_assets}/svg.js" "${rfnn_assets}/charts.js" "${rfnn_assets}/page.js")
set(rfnn_assets_source "${PROJECT_BINARY_DIR}/report_assets.cpp")
add_custom_command(
  OUTPUT "${rfnn_assets_source}"
  COMMAND "${CMAKE_COMMAND}" "-Doutput=${rfnn_assets_source}" "-Dstyle=${rfnn_assets}/page.css"
          "-Dchart=${RFNN_CHART_JS}" "-Dscript=${rfnn_script_files}" -P "${PROJECT_SOURCE_DIR}/cmake/embed.cmake"
  DEPENDS "${rfnn_assets}/page.css" "${RFNN_CHART_JS}" ${rfnn_script_files} "${PROJECT_SOURCE_DIR}/cmake/embed.cmake"
  COMMENT "Embedding the report's assets"
  VERBATIM)
set_source_files_properties("${rfnn_assets_source}" PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
list(APPEND rfnn_sources "${rfnn_assets_source}")
