// Model files survive everything: kill -9, full disks, folders that cannot be written.

#include <random>

#include "cli/json.hpp"
#include "cli/process.hpp"

namespace rfnn::testing {
namespace {

class Writing : public ::testing::Test {
 protected:
  void SetUp() override { must(folder, {"generate", "multiscale", "--rows", "100", "--out", "data.csv"}); }

  std::size_t left_behind() {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(folder.path())) {
      count += entry.path().filename().string().find("rfnn-tmp") != std::string::npos ? 1 : 0;
    }
    return count;
  }

  Folder folder;
};

TEST_F(Writing, KilledAtAnyMomentTheModelIsTheOldOrTheNewOne) {
  must(folder, quick_fit("data.csv", {"--seed", "1", "--out", "old.rfnn", "--quiet"}));
  must(folder, quick_fit("data.csv", {"--seed", "2", "--out", "new.rfnn", "--quiet"}));
  const std::string old_tensors = tensors_of(folder / "old.rfnn"), new_tensors = tensors_of(folder / "new.rfnn");
  ASSERT_NE(old_tensors, new_tensors);

  // How long a whole run takes, so that the moments are spread over all of it.
  timespec start{}, end{};
  ::clock_gettime(CLOCK_MONOTONIC, &start);
  must(folder, quick_fit("data.csv", {"--seed", "2", "--out", "model.rfnn", "--quiet"}));
  ::clock_gettime(CLOCK_MONOTONIC, &end);
  double whole =
      static_cast<double>(end.tv_sec - start.tv_sec) * 1e6 + static_cast<double>(end.tv_nsec - start.tv_nsec) * 1e-3;

  std::mt19937 random(20240501);
  std::uniform_real_distribution<double> share(0.0, 1.1);
  int killed = 0;
  for (int i = 0; i < 50 || (killed <= 10 && i < 200); ++i) {
    fs::copy_file(folder / "old.rfnn", folder / "model.rfnn", fs::copy_options::overwrite_existing);
    Running fit(folder, quick_fit("data.csv", {"--seed", "2", "--out", "model.rfnn", "--quiet"}));
    ::usleep(static_cast<useconds_t>(share(random) * whole));
    fit.kill(SIGKILL);
    if (fit.wait().signal == SIGKILL) {
      ++killed;
    } else {
      whole *= 0.9;  // the machine was busier when the time was taken
    }
    const std::string tensors = tensors_of(folder / "model.rfnn");
    EXPECT_TRUE(tensors == old_tensors || tensors == new_tensors);
    must(folder, {"inspect", "model.rfnn"});
  }
  EXPECT_GT(killed, 10);
  // The next run to the same place tidies up after those that were killed.
  must(folder, quick_fit("data.csv", {"--seed", "2", "--out", "model.rfnn", "--quiet"}));
  EXPECT_EQ(left_behind(), 0u);
}

TEST_F(Writing, AFullDiskKeepsTheOldModel) {
  must(folder, quick_fit("data.csv", {"--seed", "1"}));
  const std::string before = read_file(folder / "data.rfnn");
  const auto small_files = [] {
    const rlimit limit{.rlim_cur = 512, .rlim_max = 512};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    ::signal(SIGXFSZ, SIG_IGN);  // write() then fails as it does on a full disk
  };
  const Outcome outcome =
      run(folder, quick_fit("data.csv", {"--seed", "2", "--quiet"}),
          {.standard_input = "", .environment = {}, .standard_output = "", .in_child = small_files});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err, "");
  EXPECT_EQ(read_file(folder / "data.rfnn"), before);
  EXPECT_EQ(left_behind(), 0u);
  const Outcome predicted =
      run(folder, {"predict", "data.rfnn", "data.csv", "--out", "p.csv"},
          {.standard_input = "", .environment = {}, .standard_output = "", .in_child = small_files});
  EXPECT_EQ(predicted.code, 2);
  EXPECT_FALSE(fs::exists(folder / "p.csv"));
  EXPECT_EQ(run(folder, quick_fit("data.csv", {"--out", "/dev/full"})).code, 2);
}

TEST_F(Writing, PlacesThatCannotBeWrittenAreRefusedBeforeTraining) {
  fs::create_directory(folder.path() / "folder");
  for (const std::string place : {"data.csv/model.rfnn", "missing/model.rfnn", "folder", "/proc/model.rfnn"}) {
    const Outcome outcome = run(folder, endless_fit("data.csv", {"--out", place}));  // would run for ever
    EXPECT_EQ(outcome.code, 2) << place;
    EXPECT_NE(outcome.err, "") << place;
  }
  EXPECT_EQ(run(folder, {"generate", "sine", "--rows", "5", "--out", "missing/x.csv"}).code, 2);
  must(folder, quick_fit("data.csv"));
  EXPECT_EQ(run(folder, {"predict", "data.rfnn", "data.csv", "--out", "missing/x.csv"}).code, 2);
}

TEST_F(Writing, AReadOnlyFolderIsRefusedBeforeTraining) {
  fs::create_directory(folder.path() / "locked");
  fs::permissions(folder.path() / "locked",
                  fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read | fs::perms::others_exec);
  // Permissions do not bind root: the command runs as somebody else then, who has to reach program and data.
  const bool root = ::geteuid() == 0;
  if (root) fs::permissions(folder.path(), fs::perms::all);
  const auto as_nobody = [root] {
    if (root && (::setgid(65534) != 0 || ::setuid(65534) != 0)) ::_exit(126);
  };
  const Setting setting{.standard_input = "", .environment = {}, .standard_output = "", .in_child = as_nobody};
  if (run(folder, {"--version"}, setting).code != 0) GTEST_SKIP() << "the program cannot be run as another user here";
  const Outcome outcome = run(folder, endless_fit("data.csv", {"--out", "locked/model.rfnn"}), setting);
  EXPECT_EQ(outcome.code, 2) << outcome.err;
  EXPECT_NE(outcome.err.find("locked"), std::string::npos) << outcome.err;
  EXPECT_EQ(run(folder, endless_fit("data.csv", {"--run-dir", "locked/run"}), setting).code, 2);
}

TEST_F(Writing, OutOfMemoryEndsWithThree) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need the address space";
#endif
  const auto little_memory = [] {
    const rlimit limit{.rlim_cur = rlim_t{1} << 31, .rlim_max = rlim_t{1} << 31};
    ::setrlimit(RLIMIT_AS, &limit);
  };
  const Outcome outcome =
      run(folder, {"generate", "multiscale", "--rows", "1e10", "--out", "huge.csv"},
          {.standard_input = "", .environment = {}, .standard_output = "", .in_child = little_memory});
  EXPECT_EQ(outcome.code, 3) << outcome.err;
  EXPECT_NE(outcome.err.find("memory"), std::string::npos) << outcome.err;
  EXPECT_EQ(left_behind(), 0u);
}

TEST_F(Writing, NumbersThatCannotBeComputedWithEndWithThree) {
  std::string table = "x,y\n";
  for (int i = 0; i < 20; ++i) table += std::to_string(i) + (i % 2 == 0 ? ",1.7e308\n" : ",-1.7e308\n");
  write_file(folder / "huge.csv", table);
  const Outcome outcome = run(folder, quick_fit("huge.csv"));
  EXPECT_EQ(outcome.code, 3) << outcome.err;
  EXPECT_FALSE(fs::exists(folder / "huge.rfnn"));
}

}  // namespace
}  // namespace rfnn::testing
