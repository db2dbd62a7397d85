// What the rfnn command and the Python module load where a machine has MPI (core/mpi_library.hpp): nothing else of rfnn
// is linked to MPI.

#include "rfnn/mpi.hpp"

#include <array>
#include <cstring>
#include <string>

#define RFNN_MPI_API extern "C" __attribute__((visibility("default")))

namespace {

bool initialised_here = false;

void initialise() {
  int there = 0;
  MPI_Initialized(&there);
  if (there != 0) return;
  int given = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &given);
  initialised_here = true;
}

}  // namespace

/// The ranks that the process was started with.
RFNN_MPI_API rfnn::Communicator* rfnn_mpi_world() {
  initialise();
  return new rfnn::MpiCommunicator(MPI_COMM_WORLD);
}

/// Those of a communicator of which somebody has the handle at this place.
RFNN_MPI_API rfnn::Communicator* rfnn_mpi_ranks(const void* handle) {
  MPI_Comm ranks = MPI_COMM_NULL;
  std::memcpy(&ranks, handle, sizeof ranks);
  return new rfnn::MpiCommunicator(ranks);
}

RFNN_MPI_API void rfnn_mpi_release(rfnn::Communicator* ranks) { delete ranks; }

/// Do all ranks come here within so many seconds?
RFNN_MPI_API int rfnn_mpi_all_here(rfnn::Communicator* ranks, double seconds) {
  return static_cast<rfnn::MpiCommunicator*>(ranks)->all_here(seconds) ? 1 : 0;
}

RFNN_MPI_API void rfnn_mpi_finalise() {
  if (initialised_here) MPI_Finalize();
}

/// Ends all ranks.
RFNN_MPI_API void rfnn_mpi_abort(int code) { MPI_Abort(MPI_COMM_WORLD, code); }

/// What MPI says it is, in one line.
RFNN_MPI_API const char* rfnn_mpi_name() {
  static std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> name{};
  int length = 0;
  MPI_Get_library_version(name.data(), &length);
  for (char& letter : name)
    if (letter == ',' || letter == '\n') letter = '\0';
  return name.data();
}
