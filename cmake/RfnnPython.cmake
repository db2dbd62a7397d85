# The Python package. In the build tree it stands whole in build/python: the sources as links, the module and its stub
# beside them; PYTHONPATH=build/python is all it takes. pip (scikit-build-core) installs the component `python`.
execute_process(COMMAND "${Python_EXECUTABLE}" -m nanobind --cmake_dir OUTPUT_VARIABLE rfnn_nanobind
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
# Not the place that an earlier run found: a build by pip has an environment of its own each time.
unset(nanobind_DIR CACHE)
find_package(nanobind CONFIG QUIET PATHS "${rfnn_nanobind}" NO_DEFAULT_PATH)
if(NOT nanobind_FOUND)
  message(FATAL_ERROR "rfnn needs nanobind for its Python module, which ${Python_EXECUTABLE} does not have. "
                      "`make python` and `pip install .` install it by themselves; else `pip install nanobind`, then "
                      "configure again.")
endif()

set(rfnn_python_dir "${PROJECT_BINARY_DIR}/python/rfnn")
file(GLOB rfnn_binding_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/python/bindings/*.cpp")
# A wheel for Python 3.12 or later uses the stable interface only and serves all later ones.
if(SKBUILD_SABI_VERSION)
  set(rfnn_stable_abi STABLE_ABI)
endif()
nanobind_add_module(rfnn_python NB_STATIC NOMINSIZE NB_SUPPRESS_WARNINGS ${rfnn_stable_abi} ${rfnn_binding_sources})
set_target_properties(rfnn_python PROPERTIES OUTPUT_NAME _core LIBRARY_OUTPUT_DIRECTORY "${rfnn_python_dir}")
target_include_directories(rfnn_python PRIVATE "${PROJECT_SOURCE_DIR}")
# Bindings run for microseconds; what they call is in the library.
foreach(target IN ITEMS rfnn_python nanobind-static nanobind-static-abi3)
  if(TARGET ${target})
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
endforeach()
target_link_libraries(rfnn_python PRIVATE rfnn_flags rfnn_private rfnn_command rfnn_static Threads::Threads)
# Nothing but what Python and threadpoolctl look for is seen from outside.
target_link_options(rfnn_python PRIVATE -Wl,--exclude-libs,ALL)
nanobind_add_stub(rfnn_python_stub MODULE _core PYTHON_PATH "${rfnn_python_dir}" DEPENDS rfnn_python
                  OUTPUT "${rfnn_python_dir}/_core.pyi")

if(NOT SKBUILD)
  file(GLOB rfnn_python_files CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/python/rfnn"
       "${PROJECT_SOURCE_DIR}/python/rfnn/*.py" "${PROJECT_SOURCE_DIR}/python/rfnn/plots/*.py"
       "${PROJECT_SOURCE_DIR}/python/rfnn/dask/*.py"
       "${PROJECT_SOURCE_DIR}/python/rfnn/py.typed")
  file(MAKE_DIRECTORY "${rfnn_python_dir}/plots" "${rfnn_python_dir}/dask")
  foreach(name IN LISTS rfnn_python_files)
    file(CREATE_LINK "${PROJECT_SOURCE_DIR}/python/rfnn/${name}" "${rfnn_python_dir}/${name}" SYMBOLIC)
  endforeach()
else()
  set_target_properties(rfnn_python PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
endif()
# Beside the module, where it looks first. Wheels that carry what they need are built without it: they would carry an
# MPI, which is not the one that a program is started with.
if(TARGET rfnn_mpi)
  add_dependencies(rfnn_python rfnn_mpi)
  install(TARGETS rfnn_mpi LIBRARY DESTINATION rfnn COMPONENT python EXCLUDE_FROM_ALL)
  if(NOT SKBUILD)
    file(CREATE_LINK "${PROJECT_BINARY_DIR}/librfnn_mpi.so" "${rfnn_python_dir}/librfnn_mpi.so" SYMBOLIC)
  endif()
endif()
install(TARGETS rfnn_python LIBRARY DESTINATION rfnn COMPONENT python EXCLUDE_FROM_ALL)
install(FILES "${rfnn_python_dir}/_core.pyi" DESTINATION rfnn COMPONENT python EXCLUDE_FROM_ALL)
