# The library's objects: position-independent, with hidden symbols, in two groups. What computes or reads large tables is
# compiled with the full optimisation of the build type. What makes texts (options, JSON, reports, the reproduction's
# tables) runs for milliseconds: -O1 is as good there and takes the compiler two thirds of the time.
set(rfnn_text_sources ${rfnn_sources})
list(FILTER rfnn_text_sources INCLUDE REGEX
     "/src/rfnn/((options|export|report|reproduction)/|io/(atomic_file|json|model_decoder|model_file|run_directory|run_record|table_code_json|text)\\.cpp$)")
list(FILTER rfnn_text_sources EXCLUDE REGEX "/report/run_residual_spectrum\\.cpp$")  # computes
set(rfnn_number_sources ${rfnn_sources})
list(REMOVE_ITEM rfnn_number_sources ${rfnn_text_sources})

# rfnn_precompile(<target> [<header>...]): reads the headers that nearly every source includes once for the target. Only
# headers that come with the compiler or a package: a change to one of ours would compile everything again. Sources still
# name all they need; the preset debug compiles without this and shows what one forgot. A header that few sources of the
# target use can cost more than it saves: what its inline functions need is instantiated in every source.
function(rfnn_precompile target)
  target_precompile_headers(${target} PRIVATE <algorithm> <array> <cmath> <cstddef> <cstdint> <functional> <limits> <map>
                            <memory> <numeric> <optional> <span> <string> <string_view> <utility> <vector> ${ARGN})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # False alarms about std::string, which are silent where its header is read with the source.
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
  endif()
endfunction()

foreach(group IN ITEMS number text)
  set(target rfnn_${group}s)
  add_library(${target} OBJECT ${rfnn_${group}_sources})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
                                             VISIBILITY_INLINES_HIDDEN ON)
  target_compile_features(${target} PRIVATE cxx_std_20)
  target_compile_definitions(${target} PRIVATE RFNN_BUILD_SHARED)
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(${target} PRIVATE rfnn_flags rfnn_private Threads::Threads ZLIB::ZLIB SLEEF::sleef)
endforeach()
rfnn_precompile(rfnn_numbers <chrono> <condition_variable> <mutex> <thread> <Eigen/Dense>)
rfnn_precompile(rfnn_texts <variant> <fmt/format.h>)
target_compile_options(rfnn_texts PRIVATE $<$<CONFIG:Release>:-O1>)
