// `rfnn info`: what is there, MPI or none.

#include <filesystem>
#include <string>

#include "cli/json.hpp"
#include "cli/process.hpp"
#include "places/places.hpp"

namespace rfnn::testing {
namespace {

TEST(Info, SaysWhatTheProgramIsAndWhatItRunsOn) {
  const Folder folder;
  const Json here = parsed(must(folder, {"info", "--json"}).out);
  EXPECT_FALSE(here.at("version").get<std::string>().empty());
  EXPECT_GE(here.at("threads").get<std::size_t>(), 1U);
  EXPECT_GT(here.at("memory_bytes").get<double>(), here.at("free_memory_bytes").get<double>());
  EXPECT_NE(must(folder, {"info"}).out.find(here.at("version").get<std::string>()), std::string::npos);
}

TEST(Info, SaysWhetherThereIsMpi) {
  const Folder folder;
  Setting none;
  none.environment = {{"RFNN_MPI_LIBRARY", "/nonexistent"}};
  EXPECT_TRUE(parsed(must(folder, {"info", "--json"}, none).out).at("mpi").is_null());
  EXPECT_NE(must(folder, {"info"}, none).out.find("MPI       none"), std::string::npos);
  // A fit does not ask for it.
  must(folder, {"generate", "sine", "--rows", "50", "--out", "sine.csv"}, none);
  must(folder, {"fit", "sine.csv", "--target", "y", "--preset", "paper", "--blocks", "1", "--iterations", "2"}, none);
  if (!fs::exists(fs::path(command_path).parent_path() / "librfnn_mpi.so"))
    GTEST_SKIP() << "librfnn_mpi.so was not built (libopenmpi-dev)";
  const Json mpi = parsed(must(folder, {"info", "--json"}).out).at("mpi");
  ASSERT_TRUE(mpi.is_string());
  EXPECT_NE(mpi.get<std::string>().find("MPI"), std::string::npos) << mpi;
  EXPECT_NE(must(folder, {"info"}).out.find("MPI       " + mpi.get<std::string>()), std::string::npos);
}

}  // namespace
}  // namespace rfnn::testing
