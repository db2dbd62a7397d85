#include "rfnn/core/mpi_library.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace rfnn {
namespace {

constexpr const char* file_name = "librfnn_mpi.so";

std::vector<std::string> places() {
  if (const char* given = std::getenv("RFNN_MPI_LIBRARY")) return {given};
  std::vector<std::string> paths;
  std::error_code error;
  const auto beside = [&](const std::filesystem::path& file) {
    const std::filesystem::path folder = std::filesystem::weakly_canonical(file, error).parent_path();
    for (const char* place : {".", "../lib"}) paths.push_back((folder / place / file_name).string());
    if (std::filesystem::is_directory(folder / "../lib", error))
      for (const auto& entry : std::filesystem::directory_iterator(folder / "../lib", error))
        if (entry.is_directory(error)) paths.push_back((entry.path() / file_name).string());
  };
  Dl_info own{};
  if (::dladdr(reinterpret_cast<const void*>(&places), &own) != 0 && own.dli_fname != nullptr) beside(own.dli_fname);
  beside(std::filesystem::read_symlink("/proc/self/exe", error));
  paths.emplace_back(file_name);
  return paths;
}

template <class Function>
void look_up(void* library, const char* name, Function& function, bool& complete) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  complete = complete && function != nullptr;
}

}  // namespace

const MpiLibrary* MpiLibrary::find() {
  static const std::optional<MpiLibrary> found = []() -> std::optional<MpiLibrary> {
    for (const std::string& path : places()) {
      // MPI's own modules look for its names among those of all.
      void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
      if (library == nullptr) continue;
      MpiLibrary mpi;
      bool complete = true;
      look_up(library, "rfnn_mpi_world", mpi.world_, complete);
      look_up(library, "rfnn_mpi_ranks", mpi.ranks_, complete);
      look_up(library, "rfnn_mpi_release", mpi.release_, complete);
      look_up(library, "rfnn_mpi_all_here", mpi.all_here_, complete);
      look_up(library, "rfnn_mpi_finalise", mpi.finalise_, complete);
      look_up(library, "rfnn_mpi_abort", mpi.end_all_, complete);
      look_up(library, "rfnn_mpi_name", mpi.name_, complete);
      if (complete) return mpi;
    }
    return std::nullopt;
  }();
  return found ? &*found : nullptr;
}

bool MpiLibrary::started_by_mpi() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (std::getenv(name) != nullptr) return true;
  // A program that has called MPI_Init by itself leaves a rank to what it starts, too.
  const char* const by_whom = std::getenv("OMPI_MCA_ess");
  const bool alone = by_whom != nullptr && std::string_view(by_whom) == "singleton";
  return std::getenv("PMIX_RANK") != nullptr && !alone;
}

std::shared_ptr<Communicator> MpiLibrary::world() const {
  return {world_(), [release = release_](Communicator* ranks) { release(ranks); }};
}

std::shared_ptr<Communicator> MpiLibrary::ranks(const void* handle) const {
  return {ranks_(handle), [release = release_](Communicator* ranks) { release(ranks); }};
}

}  // namespace rfnn
