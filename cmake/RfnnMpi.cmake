# librfnn_mpi.so, which the command and the Python module load where it is: the only thing of rfnn that is linked to MPI.
# Without MPI's headers it is not built, and nothing else changes.
find_package(MPI COMPONENTS CXX QUIET)
if(MPI_CXX_FOUND)
  add_library(rfnn_mpi MODULE "${PROJECT_SOURCE_DIR}/mpi/rfnn_mpi.cpp")
  set_target_properties(rfnn_mpi PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}" CXX_VISIBILITY_PRESET hidden
                                            VISIBILITY_INLINES_HIDDEN ON)
  target_compile_definitions(rfnn_mpi PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  target_link_libraries(rfnn_mpi PRIVATE rfnn_headers MPI::MPI_CXX)
  if(RFNN_INSTALL)
    install(TARGETS rfnn_mpi LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  endif()
else()
  message(STATUS "rfnn: no MPI here (libopenmpi-dev): the command will fit on one machine at a time")
endif()
