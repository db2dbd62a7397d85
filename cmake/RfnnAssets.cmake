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
set(rfnn_runtime_c_runtime exported.c)
set(rfnn_runtime_c_bars bars.c)
set(rfnn_runtime_c_bars_constant bars_constant.c)
set(rfnn_runtime_c_bars_all bars_solve.c bars_all.c)
set(rfnn_runtime_c_bars_some bars_solve.c bars_nearest.c bars_some.c)
set(rfnn_runtime_c_bars_windows bars_solve.c bars_nearest.c bars_windows.c)
set(rfnn_runtime_c_bars_cells bars_cells.c)
set(rfnn_runtime_c_bars_no_cells bars_no_cells.c)
set(rfnn_runtime_python_runtime exported.py)
set(rfnn_runtime_python_bars bars.py)
set(rfnn_runtime_names c_runtime c_bars c_bars_constant c_bars_all c_bars_some c_bars_windows c_bars_cells
                       c_bars_no_cells python_runtime python_bars)
set(rfnn_runtime_settings "")
set(rfnn_runtime_files "")
foreach(name IN LISTS rfnn_runtime_names)
  list(TRANSFORM rfnn_runtime_${name} PREPEND "${rfnn_runtimes}/")
  list(APPEND rfnn_runtime_files ${rfnn_runtime_${name}})
  string(REPLACE ";" "\\;" rfnn_runtime_list "${rfnn_runtime_${name}}")
  list(APPEND rfnn_runtime_settings "-D${name}=${rfnn_runtime_list}")
endforeach()
list(REMOVE_DUPLICATES rfnn_runtime_files)
add_custom_command(
  OUTPUT "${rfnn_runtimes_source}"
  COMMAND "${CMAKE_COMMAND}" "-Doutput=${rfnn_runtimes_source}" -Dheader=rfnn/export/runtime.hpp -Dspace=rfnn::exporting
          "-Dnames=${rfnn_runtime_names}" ${rfnn_runtime_settings} -P "${PROJECT_SOURCE_DIR}/cmake/embed.cmake"
  DEPENDS ${rfnn_runtime_files} "${PROJECT_SOURCE_DIR}/cmake/embed.cmake"
  COMMENT "Embedding what exports compute with"
  VERBATIM)

set_source_files_properties("${rfnn_assets_source}" "${rfnn_runtimes_source}" PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
list(APPEND rfnn_sources "${rfnn_assets_source}" "${rfnn_runtimes_source}")
