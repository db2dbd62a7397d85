# One source per SIMD level; the level is chosen at run time, so the rest of the library stays at the baseline CPU.
# -Wno-psabi: GCC remarks that its ABI for passing vectors changed long ago; here they never leave their file.
# A precompiled header holds the flags it was made with.
set(rfnn_avx2_flags -mavx2 -mfma -ffp-contract=fast)
set(rfnn_avx512_flags -mavx512f -mavx512dq -mavx512vl -mavx2 -mfma -ffp-contract=fast)
foreach(kernels IN ITEMS kernels matrix_kernels)
  foreach(level IN ITEMS baseline avx2 avx512)
    set(source "${PROJECT_SOURCE_DIR}/src/rfnn/features/${kernels}_${level}.cpp")
    set_source_files_properties("${source}" PROPERTIES SKIP_PRECOMPILE_HEADERS ON
                                                       COMPILE_OPTIONS "${rfnn_${level}_flags};-Wno-psabi")
    if(NOT level STREQUAL "baseline" AND NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
      list(REMOVE_ITEM rfnn_sources "${source}")
    endif()
  endforeach()
endforeach()
