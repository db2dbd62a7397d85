#pragma once

// Private header. MPI, where it is: librfnn_mpi.so is built where MPI's headers are, and looked for when it is asked
// for.

#include <memory>
#include <string>

#include "rfnn/core/communicator.hpp"

namespace rfnn {

class MpiLibrary {
 public:
  /// The path in RFNN_MPI_LIBRARY, if it is set: that one or none. Else beside this program or library, in the folder
  /// `lib` next to its own, or where the system looks. Null where there is none; it stays loaded.
  static const MpiLibrary* find();

  /// Was this process started by MPI, alone or with others?
  static bool started_by_mpi();

  /// As MPI names itself.
  [[nodiscard]] std::string name() const { return name_(); }
  /// All processes that were started together.
  [[nodiscard]] std::shared_ptr<Communicator> world() const;
  /// Those of an MPI_Comm, which lies at `handle`.
  [[nodiscard]] std::shared_ptr<Communicator> ranks(const void* handle) const;
  /// Of all ranks of world() at once: have all come here within so many seconds?
  [[nodiscard]] bool all_here(Communicator& ranks, double seconds) const { return all_here_(&ranks, seconds) != 0; }
  /// The last thing that is done with MPI, when nobody has a communicator any more.
  void finalise() const { finalise_(); }
  /// Ends all processes that were started together.
  void end_all(int code) const { end_all_(code); }

 private:
  Communicator* (*world_)() = nullptr;
  Communicator* (*ranks_)(const void*) = nullptr;
  void (*release_)(Communicator*) = nullptr;
  int (*all_here_)(Communicator*, double) = nullptr;
  void (*finalise_)() = nullptr;
  void (*end_all_)(int) = nullptr;
  const char* (*name_)() = nullptr;
};

}  // namespace rfnn
