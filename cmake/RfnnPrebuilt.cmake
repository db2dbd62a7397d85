# The library and the command as a build folder of this source tree holds them: modules for several Pythons share what
# does not depend on the Python. Whoever names the folder has brought it up to date (scripts/wheel.sh).
foreach(name IN ITEMS rfnn_command rfnn_static)
  add_library(${name} STATIC IMPORTED)
endforeach()
set_target_properties(rfnn_command PROPERTIES IMPORTED_LOCATION "${RFNN_PREBUILT}/librfnn_command.a")
set_target_properties(rfnn_static PROPERTIES IMPORTED_LOCATION "${RFNN_PREBUILT}/librfnn.a")
target_link_libraries(rfnn_static INTERFACE rfnn_headers Threads::Threads ZLIB::ZLIB SLEEF::sleef)
