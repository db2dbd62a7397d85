# Flags for our own code only; nothing here reaches a consumer.

# rfnn_flags: warnings, and no contraction of a·b + c behind our back, so that results do not depend on the compiler's
# taste. The SIMD kernels opt in to fma one file at a time (RfnnKernels).
add_library(rfnn_flags INTERFACE)
target_compile_options(rfnn_flags INTERFACE -Wall -Wextra -Wconversion -Wshadow -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(rfnn_flags INTERFACE -Wno-restrict)  # false alarms on "text" + std::string, mended in GCC 13
endif()
if(RFNN_SANITIZE)
  target_compile_options(rfnn_flags INTERFACE -fsanitize=${RFNN_SANITIZE} -fno-omit-frame-pointer
                                              -fno-sanitize-recover=all)
  target_link_options(rfnn_flags INTERFACE -fsanitize=${RFNN_SANITIZE})
endif()

# rfnn_private: headers that sources and private headers may use and public headers may not.
add_library(rfnn_private INTERFACE)
target_link_libraries(rfnn_private INTERFACE Eigen3::Eigen nlohmann_json::nlohmann_json)
# fmt: its headers alone; core/fmt.cpp compiles the rest once. The inline namespace, which fmt lets us choose, keeps our
# copy apart from one that a user of the archive links.
target_include_directories(rfnn_private SYSTEM INTERFACE
                           "$<TARGET_PROPERTY:fmt::fmt-header-only,INTERFACE_INCLUDE_DIRECTORIES>")
target_compile_definitions(rfnn_private INTERFACE "FMT_BEGIN_NAMESPACE=namespace fmt { inline namespace rfnn_fmt {"
                                                  "FMT_END_NAMESPACE=}}")
