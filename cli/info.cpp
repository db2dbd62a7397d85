#include <sys/sysinfo.h>
#include <sys/utsname.h>

#include <cstdint>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/terminal.hpp"
#include "rfnn/core/mpi_library.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/core/version.hpp"
#include "rfnn/io/json.hpp"

namespace rfnn::cli {
namespace {

using io::Json;

struct Memory {
  std::uint64_t all = 0, free = 0;
};

Memory memory_here() {
  struct sysinfo info {};
  if (::sysinfo(&info) != 0) return {};
  return {info.totalram * info.mem_unit, (info.freeram + info.bufferram) * info.mem_unit};
}

std::string system_here() {
  utsname host{};
  return ::uname(&host) == 0 ? std::string(host.sysname) + " " + host.release + " " + host.machine : "";
}

Json facts() {
  const Memory memory = memory_here();
  const MpiLibrary* const mpi = MpiLibrary::find();
  return {{"version", version()},
          {"compiler", __VERSION__},
          {"system", system_here()},
          {"simd", simd_level()},
          {"threads", available_threads()},
          {"memory_bytes", memory.all},
          {"free_memory_bytes", memory.free},
          {"mpi", mpi == nullptr ? Json() : Json(mpi->name())}};
}

}  // namespace

ExitCode run_info(const Invocation& call) {
  bool json = false;
  Arguments arguments("info", "Say what rfnn is, what it runs on, and what it has found there.", "[--json]");
  arguments.flag(json, "--json", "one JSON object");
  arguments.parse(call.words);
  const Json here = facts();
  if (json) {
    print_result(io::json_text(here, 2) + "\n");
    return ExitCode::done;
  }
  const auto gigabytes = [&](const char* name) {
    return static_cast<double>(here.at(name).get<std::uint64_t>()) / 1e9;
  };
  std::string text = fmt::format("rfnn      {}, built by {}\n", here.at("version").get<std::string>(),
                                 here.at("compiler").get<std::string>());
  text += fmt::format("system    {}\n", here.at("system").get<std::string>());
  text += fmt::format("kernels   {}\n", here.at("simd").get<std::string>());
  text += fmt::format("threads   {}\n", here.at("threads").get<std::size_t>());
  text += fmt::format("memory    {:.1f} GB, {:.1f} GB of it free\n", gigabytes("memory_bytes"),
                      gigabytes("free_memory_bytes"));
  text += fmt::format("MPI       {}\n", here.at("mpi").is_null()
                                            ? "none (librfnn_mpi.so is built where libopenmpi-dev is installed)"
                                            : here.at("mpi").get<std::string>());
  print_result(text);
  return ExitCode::done;
}

}  // namespace rfnn::cli
