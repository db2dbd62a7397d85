# One source per family and SIMD level; the level is chosen at run time, so the rest of the library stays at the baseline
# CPU. -Wno-psabi: GCC remarks that its ABI for passing vectors changed long ago; here they never leave their file.
# A precompiled header holds the flags it was made with.
set(rfnn_kernels "${PROJECT_SOURCE_DIR}/src/rfnn/features")
foreach(family IN ITEMS kernels law_kernels matrix_kernels)
  foreach(level IN ITEMS baseline avx2 avx512)
    set_source_files_properties("${rfnn_kernels}/${family}_${level}.cpp" PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  endforeach()
  set_source_files_properties("${rfnn_kernels}/${family}_baseline.cpp" PROPERTIES COMPILE_OPTIONS "-Wno-psabi")
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    set_source_files_properties("${rfnn_kernels}/${family}_avx2.cpp"
                                PROPERTIES COMPILE_OPTIONS "-mavx2;-mfma;-ffp-contract=fast;-Wno-psabi")
    set_source_files_properties("${rfnn_kernels}/${family}_avx512.cpp" PROPERTIES COMPILE_OPTIONS
      "-mavx512f;-mavx512dq;-mavx512vl;-mavx2;-mfma;-ffp-contract=fast;-Wno-psabi")
  else()
    list(REMOVE_ITEM rfnn_sources "${rfnn_kernels}/${family}_avx2.cpp" "${rfnn_kernels}/${family}_avx512.cpp")
  endif()
endforeach()
