# The public headers: what rfnn.hpp reaches, and eigen.hpp and mpi.hpp, which are for those who have Eigen and MPI.
# They include no private dependency and need no flags; tests/layers checks this list.
set(rfnn_public_headers
    rfnn/rfnn.hpp
    rfnn/eigen.hpp
    rfnn/mpi.hpp
    rfnn/core/communicator.hpp
    rfnn/core/error.hpp
    rfnn/core/export.hpp
    rfnn/core/journal.hpp
    rfnn/core/matrix.hpp
    rfnn/core/version.hpp
    rfnn/options/options.hpp
    rfnn/options/table.hpp
    rfnn/data/column_code.hpp
    rfnn/data/columns.hpp
    rfnn/data/dataset.hpp
    rfnn/data/encoding.hpp
    rfnn/data/moment.hpp
    rfnn/data/table_problem.hpp
    rfnn/data/targets.hpp
    rfnn/model/draws.hpp
    rfnn/model/history.hpp
    rfnn/model/law.hpp
    rfnn/model/model.hpp
    rfnn/model/network.hpp
    rfnn/model/uncertainty.hpp
    rfnn/rows/predict.hpp
    rfnn/sensitivity/factors.hpp
    rfnn/sensitivity/gradients.hpp
    rfnn/sensitivity/indices.hpp
    rfnn/sensitivity/optimum.hpp
    rfnn/diagnostics/law_density.hpp
    rfnn/diagnostics/scores.hpp
    rfnn/diagnostics/spectrum.hpp
    rfnn/diagnostics/trend.hpp
    rfnn/uncertainty/error_bars.hpp
    rfnn/uncertainty/coverage.hpp
    rfnn/uncertainty/function_draws.hpp
    rfnn/training/fit.hpp
    rfnn/training/observer.hpp
    rfnn/io/model_file.hpp
    rfnn/io/table.hpp
    rfnn/io/table_data.hpp
    rfnn/export/export.hpp
    rfnn/export/sample_rows.hpp)

list(TRANSFORM rfnn_public_headers PREPEND "${PROJECT_SOURCE_DIR}/src/" OUTPUT_VARIABLE rfnn_public_header_files)
add_library(rfnn_headers INTERFACE)
set_target_properties(rfnn_headers PROPERTIES EXPORT_NAME headers)
target_compile_features(rfnn_headers INTERFACE cxx_std_20)
target_sources(rfnn_headers INTERFACE FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}/src"
                                      FILES ${rfnn_public_header_files})
