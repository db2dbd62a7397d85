# What `cmake --install` puts where: libraries, public headers, the command, the CMake package and the pkg-config file.
include(CMakePackageConfigHelpers)

set(rfnn_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/rfnn")
set_target_properties(rfnn_shared PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)

# One export per piece, so that users of the shared library need none of the archive's dependencies.
install(TARGETS rfnn_headers EXPORT rfnn-headers FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(TARGETS rfnn_static EXPORT rfnn-static ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(TARGETS rfnn_shared EXPORT rfnn-shared LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
foreach(piece IN ITEMS headers static shared)
  install(EXPORT rfnn-${piece} FILE rfnn-${piece}.cmake NAMESPACE rfnn:: DESTINATION "${rfnn_package_dir}")
endforeach()
if(TARGET rfnn)
  set_target_properties(rfnn PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS rfnn RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
  # Manual pages and completion scripts are what the command says of itself: it writes them when it is installed.
  if(NOT CMAKE_CROSSCOMPILING)
    set(rfnn_share "${PROJECT_BINARY_DIR}/share")
    install(CODE "execute_process(COMMAND \"$<TARGET_FILE:rfnn>\" help --write-share \"${rfnn_share}\" COMMAND_ERROR_IS_FATAL ANY)")
    install(DIRECTORY "${rfnn_share}/man/" DESTINATION "${CMAKE_INSTALL_MANDIR}")
    foreach(shell IN ITEMS bash-completion zsh fish)
      install(DIRECTORY "${rfnn_share}/${shell}" DESTINATION "${CMAKE_INSTALL_DATAROOTDIR}")
    endforeach()
  endif()
endif()

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/rfnn-config.cmake.in"
                              "${PROJECT_BINARY_DIR}/package/rfnn-config.cmake" INSTALL_DESTINATION "${rfnn_package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/package/rfnn-config-version.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/package/rfnn-config.cmake" "${PROJECT_BINARY_DIR}/package/rfnn-config-version.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/FindSLEEF.cmake"
        DESTINATION "${rfnn_package_dir}")

# The pkg-config file finds its prefix from its own place: the installed tree may be moved.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_INCLUDEDIR BASE_DIRECTORY "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig"
           OUTPUT_VARIABLE rfnn_pc_includedir)
configure_file("${PROJECT_SOURCE_DIR}/cmake/rfnn.pc.in" "${PROJECT_BINARY_DIR}/package/rfnn.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/package/rfnn.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/licences" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
