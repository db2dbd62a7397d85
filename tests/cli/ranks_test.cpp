// `mpirun -n 4 rfnn fit`: ranks of MPI on this machine. Skipped where mpirun or librfnn_mpi.so is missing.

#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>

#include "cli/json.hpp"
#include "cli/process.hpp"
#include "places/places.hpp"

namespace rfnn::testing {
namespace {

/// Why there is nothing to test here; empty: there is.
std::string missing() {
  if (std::system("command -v mpirun >/dev/null 2>&1") != 0) return "mpirun is not installed (openmpi-bin)";
  if (!fs::exists(fs::path(command_path).parent_path() / "librfnn_mpi.so"))
    return "librfnn_mpi.so was not built (libopenmpi-dev)";
  return "";
}

constexpr const char* environment =
    "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe ";

/// Runs a line of shell in the folder, `rfnn` being the command; what it prints is in `log`. The exit code, and the
/// resident memory of the process that had most: Linux hands that on from child to parent.
/// OpenMPI keeps a session below TMPDIR in a folder that jobs of one user share: one that ends removes it while another
/// begins in it, now and then, and that job fails. So each test has its own.
struct Ended {
  int code = -1;
  double peak_bytes = 0.0;
};
Ended measured(const Folder& folder, const std::string& line) {
  fs::create_directories(folder / "tmp");
  const std::string whole = "cd '" + folder.path().string() + "' && export TMPDIR=\\$PWD/tmp " + environment +
                            " && rfnn='" + command_path + "' && { " + line + "; } >log 2>&1";
  const std::string limited = "timeout 60 sh -c \"" + whole + "\"";
  ::malloc_trim(0);  // else it counts as the memory of what is started here
  const pid_t child = ::fork();
  if (child == 0) {
    ::execl("/bin/sh", "sh", "-c", limited.c_str(), nullptr);
    ::_exit(127);
  }
  int status = 0;
  rusage usage{};
  ::wait4(child, &status, 0, &usage);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, 1024.0 * static_cast<double>(usage.ru_maxrss)};
}
int shell(const Folder& folder, const std::string& line) { return measured(folder, line).code; }

std::string mpirun(std::size_t ranks) { return "mpirun --oversubscribe -n " + std::to_string(ranks) + " \\$rfnn "; }

/// Before the mpirun of a job that fails: it waits a second, and another one, for ranks that have ended long since.
constexpr const char* at_once = "OMPI_MCA_odls_base_sigkill_timeout=0 ";

constexpr const char* paper =
    " --preset paper --width 4 --iterations 10 --threads 1 --quiet --no-origin --validation-fraction 0.1 --blocks ";

/// Waits for a checkpoint, as long as mpirun is there.
constexpr const char* until_checkpoint =
    "while kill -0 \\$mpi 2>/dev/null && ! test -e run/model.rfnn; do sleep 0.1; done; ";

class MpiRanks : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = missing(); !why.empty()) GTEST_SKIP() << why;
    must(folder_, {"generate", "multiscale", "--rows", "3001", "--seed", "3", "--out", "table.csv"});
    must(folder_, {"generate", "multiscale", "--rows", "3001", "--seed", "3", "--out", "table.npy"});
  }
  [[nodiscard]] std::string log() const { return read_file(folder_ / "log"); }
  [[nodiscard]] std::string tensors(const std::string& model) const { return tensors_of(folder_ / model); }

  Folder folder_;
};

TEST_F(MpiRanks, FitTheSameNetworkFromPartsOfOneFileAndFromFilesOfTheirOwn) {
  ASSERT_EQ(shell(folder_, mpirun(1) + "fit table.npy --target 2 --out one.rfnn" + paper + "2"), 0) << log();
  ASSERT_EQ(shell(folder_, mpirun(4) + "fit table.csv --target y --out four.rfnn" + paper + "2"), 0) << log();
  EXPECT_EQ(tensors("one.rfnn"), tensors("four.rfnn"));
  // Lines 2 … of the table, in three files.
  ASSERT_EQ(shell(folder_,
                  "tail -n +2 table.csv > rows; for r in 0 1 2; do { head -n 1 table.csv; "
                  "split -n l/\\$((r + 1))/3 rows; } > part-\\$r.csv; done; " +
                      mpirun(3) + "fit part-%r.csv --target y" + paper + "2"),
            0)
      << log();
  EXPECT_EQ(tensors("one.rfnn"), tensors("part.rfnn"));
  // Another number of ranks goes on.
  ASSERT_EQ(shell(folder_, mpirun(2) + "fit table.csv --target y --out start.rfnn" + paper + "1"), 0) << log();
  ASSERT_EQ(shell(folder_, mpirun(3) + "fit table.csv --from start.rfnn --out more.rfnn" + paper + "2"), 0) << log();
  EXPECT_EQ(tensors("one.rfnn"), tensors("more.rfnn"));
}

TEST_F(MpiRanks, FitTheModelOfPresetAutoThatOneProcessFits) {
  must(folder_, {"generate", "multiscale", "--rows", "400", "--seed", "3", "--out", "few.npy"});
  const std::string words = "fit few.npy --target 2 --blocks 2 --width 8 --threads 1 --quiet --no-origin --out ";
  ASSERT_EQ(shell(folder_, "\\$rfnn " + words + "alone.rfnn"), 0) << log();
  for (std::size_t ranks = 1; ranks <= 4; ++ranks) {
    ASSERT_EQ(shell(folder_, mpirun(ranks) + words + "together.rfnn"), 0) << log();
    EXPECT_EQ(tensors("alone.rfnn"), tensors("together.rfnn")) << ranks << " ranks";
  }
}

TEST_F(MpiRanks, CrossValidateAsOneProcessDoes) {
  const std::string words =
      "cv table.csv --target y --folds 4 --json --quiet --threads 1 --preset paper --width 4 --iterations 10 "
      "--blocks 1 --out ";
  const auto errors_of = [&](const std::string& line) {
    EXPECT_EQ(shell(folder_, line + " 2>errors"), 0) << log();
    const Json told = parsed(log());
    EXPECT_EQ(told.at("folds").size(), 4U);
    return std::pair(told.at("mse"), told.at("baselines"));
  };
  EXPECT_EQ(errors_of("\\$rfnn " + words + "alone.csv"), errors_of(mpirun(3) + words + "together.csv"));
  EXPECT_EQ(read_file(folder_ / "alone.csv"), read_file(folder_ / "together.csv"));
}

TEST_F(MpiRanks, SearchOptionsAsOneProcessDoes) {
  must(folder_, {"generate", "stairstep", "--rows", "90", "--seed", "2", "--noise", "0.05", "--out", "few.csv"});
  const auto found = [&](const std::string& line) {
    EXPECT_EQ(shell(folder_, line + " 2>errors"), 0) << log() << read_file(folder_ / "errors");
    return log();
  };
  const std::string words = "tune few.csv -t y --folds 3 --seed 5 --threads 1 -q --json --blocks 1 ";
  for (const std::string preset : {"--preset paper --iterations 10 --state ", "--width 8 --state "}) {
    fs::remove(folder_ / "together");
    const std::string alone = found("\\$rfnn " + words + preset + "alone" + std::to_string(preset.size()));
    EXPECT_EQ(alone, found(mpirun(3) + words + preset + "together"));
    // All results are in the record: nothing is measured again.
    const std::string record = read_file(folder_ / "together");
    EXPECT_EQ(alone, found("\\$rfnn " + words + preset + "together"));
    EXPECT_EQ(record + "\n", read_file(folder_ / "together"));
  }
  EXPECT_EQ(shell(folder_, at_once + mpirun(2) + words + "--state /nonexistent/state"), 2) << log();
  EXPECT_NE(log().find("Cannot write /nonexistent/state"), std::string::npos) << log();
  EXPECT_EQ(log().find("MPI_ABORT"), std::string::npos) << log();
}

TEST_F(MpiRanks, ShowTheirPlanOnce) {
  must(folder_, {"generate", "multiscale", "--rows", "10", "--out", "part-0.csv"});
  must(folder_, {"generate", "multiscale", "--rows", "21", "--out", "part-1.csv"});
  ASSERT_EQ(shell(folder_, mpirun(2) + "fit part-%r.csv --target y --preset paper --dry-run --json"), 0) << log();
  const Json own = parsed(log());  // one document
  EXPECT_EQ(own.at("rows"), 31);
  EXPECT_EQ(own.at("ranks"), 2);
  ASSERT_EQ(shell(folder_, mpirun(2) + "fit table.npy --target 2 --preset paper --dry-run"), 0) << log();
  EXPECT_NE(log().find("table.npy: 3001 rows"), std::string::npos) << log();
  EXPECT_NE(log().find("ranks     2, each with about 1501 rows"), std::string::npos) << log();
  EXPECT_EQ(log().find("ranks  "), log().rfind("ranks  ")) << log();
  EXPECT_NE(log().find("on each rank"), std::string::npos) << log();
  EXPECT_FALSE(fs::exists(folder_ / "table.rfnn"));
}

// What one MPI has started, and another one is to bring together: each process would be alone.
TEST_F(MpiRanks, RefuseToFitApart) {
  for (const std::string started : {"PMI_SIZE=3 PMI_RANK=0", "OMPI_COMM_WORLD_SIZE=3"}) {
    EXPECT_EQ(shell(folder_, started + " \\$rfnn fit table.npy --target 2" + paper + "1"), 2) << log();
    EXPECT_NE(log().find("3 ranks of rfnn were started together, of which MPI finds 1"), std::string::npos) << log();
  }
  EXPECT_EQ(shell(folder_, "PMI_SIZE=3 PMI_RANK=1 \\$rfnn fit table.npy --target 2" + std::string(paper) + "1"), 0);
  EXPECT_EQ(log(), "");  // rank 0 says it
  // srun without MPI may mean many fits, and says nothing of others but how many there are.
  const std::string fit = " \\$rfnn fit table.npy --target 2 --preset paper --blocks 1 --iterations 1 --out task.rfnn";
  EXPECT_EQ(shell(folder_, "SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=0" + fit), 0) << log();
  EXPECT_NE(log().find("srun has started 2 processes without MPI"), std::string::npos) << log();
  EXPECT_FALSE(fs::exists(folder_ / "table.rfnn"));
}

TEST_F(MpiRanks, SayOnceThatThereIsNoLibrary) {
  EXPECT_EQ(shell(folder_, "RFNN_MPI_LIBRARY=/nonexistent " + mpirun(3) + "fit table.npy --target 2" + paper + "1"), 2);
  const std::string text = log(), message = "finds no librfnn_mpi.so";
  EXPECT_NE(text.find(message), std::string::npos) << text;
  EXPECT_EQ(text.find(message), text.rfind(message)) << text;
}

TEST_F(MpiRanks, FailTogetherWithOneMessage) {
  ASSERT_EQ(shell(folder_, "cp table.csv part-0.csv; " + mpirun(3) + "fit part-%r.csv --target y" + paper + "1"), 2)
      << log();
  const std::string text = log(), message = "part-1.csv does not exist";
  EXPECT_NE(text.find(message), std::string::npos) << text;
  EXPECT_EQ(text.find(message), text.rfind(message)) << text;
}

// What the first rank alone finds out: all end with its message and its code, not by force.
TEST_F(MpiRanks, SayWhatTheFirstAloneHasFoundWrong) {
  const auto expect = [&](const std::string& words, int code, const std::string& message) {
    EXPECT_EQ(shell(folder_, at_once + mpirun(2) + "fit " + words), code) << words << "\n" << log();
    EXPECT_NE(log().find(message), std::string::npos) << words << "\n" << log();
    EXPECT_EQ(log().find("MPI_ABORT"), std::string::npos) << words << "\n" << log();
  };
  fs::create_directories(folder_ / "other");
  write_file(folder_ / "other/notes", "mine");
  const std::string fit = "table.csv --target y" + std::string(paper) + "2 --run-dir ";
  expect(fit + "other", 2, "The folder other holds files that are not from a training run");
  EXPECT_EQ(shell(folder_, mpirun(2) + "fit --max-time 0.001 " + fit + "run"), 4) << log();
  EXPECT_EQ(shell(folder_, "\\$rfnn fit --resume run --quiet"), 2) << log();
  EXPECT_NE(log().find("mpirun -n 1 rfnn fit --resume run"), std::string::npos) << log();
  expect("--resume run --blocks 5 --quiet", 1, "was begun with blocks 2, not 5");
  expect("table.csv --target y --out /dev/full" + std::string(paper) + "1", 2, "The model is saved as ");
  must(folder_, {"generate", "multiscale", "--rows", "3001", "--seed", "4", "--out", "changed.csv"});
  expect("--resume run changed.csv --quiet", 2, "has changed since the run in run was begun");
}

// What one rank alone has, while the others wait for it within an exchange: it says so and ends them.
TEST_F(MpiRanks, SayWhatOneAloneHasAndEndTheOthers) {
  const std::string nowhere = "[ \\$OMPI_COMM_WORLD_RANK = 1 ] && export TMPDIR=/nonexistent; ";
  EXPECT_NE(shell(folder_, at_once + std::string("mpirun --oversubscribe -n 2 sh -c '") + nowhere +
                               "exec \\$0 fit table.npy --target 2 --memory 44.08MB" + paper + "1' \\$rfnn"),
            0);
  EXPECT_NE(log().find("rank 1: "), std::string::npos) << log();
  EXPECT_NE(log().find("TMPDIR"), std::string::npos) << log();
}

TEST_F(MpiRanks, RefuseOtherWordsOnOtherRanks) {
  const auto expect = [&](const std::string& one, const std::string& other, const std::string& message) {
    EXPECT_EQ(shell(folder_,
                    at_once + std::string("mpirun --oversubscribe -n 1 \\$rfnn ") + one + " : -n 1 \\$rfnn " + other),
              1)
        << one << "\n"
        << log();
    EXPECT_NE(log().find(message), std::string::npos) << one << "\n" << log();
  };
  const std::string fit = "fit table.csv --target y --blocks 1 ";
  expect(fit + "--preset paper", fit, "preset is paper on rank 0 and auto on rank 1");
  expect(fit + "--out a.rfnn", fit + "--out b.rfnn", "the place of the model is a.rfnn on rank 0 and b.rfnn on rank 1");
  expect(fit, "fit table.npy --target 2 --blocks 1 ", "the data is table.csv (");
  must(folder_, {"generate", "multiscale", "--rows", "3001", "--seed", "4", "--out", "other.csv"});
  const std::string cv = " --target y --preset paper --quiet --blocks 1 --iterations 1";
  expect("cv table.csv" + cv, "cv other.csv" + cv, "the table's fingerprint is ");
  expect(fit + "--out m-%r.rfnn", fit + "--out m-%r.rfnn", "--out cannot be m-%r.rfnn");
}

// Commands that ranks do not do together: each speaks for itself.
TEST_F(MpiRanks, SpeakForThemselvesWhereEachWorksAlone) {
  ASSERT_EQ(shell(folder_, "\\$rfnn fit table.csv --target y --out m.rfnn" + std::string(paper) + "1"), 0) << log();
  EXPECT_EQ(shell(folder_,
                  "mpirun --oversubscribe -n 1 \\$rfnn predict m.rfnn table.csv --out a.csv : -n 1 \\$rfnn "
                  "predict m.rfnn nowhere.csv --out b.csv"),
            2);
  EXPECT_NE(log().find("rank 1: nowhere.csv does not exist"), std::string::npos) << log();
  // A part for each.
  ASSERT_EQ(shell(folder_, "cp table.csv part-0.csv; head -n 11 table.csv > part-1.csv; " + mpirun(2) +
                               "predict m.rfnn part-%r.csv --out predicted-%r.csv --quiet"),
            0)
      << log();
  const auto lines = [&](const std::string& name) {
    const std::string text = read_file(folder_ / name);
    return std::count(text.begin(), text.end(), '\n');
  };
  EXPECT_EQ(lines("predicted-0.csv"), 3002);
  EXPECT_EQ(lines("predicted-1.csv"), 11);
}

// Lines count from the top of the file, and what helps is what helps here.
TEST_F(MpiRanks, SayWhereInTheFileACellIsMissing) {
  EXPECT_EQ(shell(folder_, "sed '2905s/,.*/,/' table.csv > gap.csv; " + std::string(at_once) + mpirun(3) +
                               "fit gap.csv --target y" + paper + "1"),
            2);
  EXPECT_NE(log().find("gap.csv, line 2905, column 2 (y): the cell is empty"), std::string::npos) << log();
  EXPECT_NE(log().find("Ranks together take tables without gaps"), std::string::npos) << log();
}

TEST_F(MpiRanks, FitFewerRowsThanThereAreRanks) {
  must(folder_, {"generate", "multiscale", "--rows", "2", "--seed", "3", "--out", "few.csv"});
  ASSERT_EQ(shell(folder_, mpirun(1) + "fit few.csv --target y --out one.rfnn" + paper + "1"), 0) << log();
  ASSERT_EQ(shell(folder_, mpirun(4) + "fit few.csv --target y" + paper + "1"), 0) << log();
  EXPECT_EQ(tensors("one.rfnn"), tensors("few.rfnn"));
  ASSERT_EQ(shell(folder_, "tail -n +2 few.csv > bare.csv; " + mpirun(4) + "fit bare.csv --target 2" + paper + "1"), 0)
      << log();
  EXPECT_EQ(tensors("one.rfnn"), tensors("bare.rfnn"));
}

TEST_F(MpiRanks, EndWithinSecondsWhenOneIsKilledAndLeaveTheCheckpoint) {
  // The shell waits for a checkpoint and kills a rank: a child of mpirun's.
  const std::string endless =
      mpirun(3) +
      "fit table.csv --target y --preset paper --width 4 --iterations 20 --blocks 100000 --threads 1 "
      "--quiet --run-dir run & mpi=\\$!; " +
      until_checkpoint +
      "ranks=\\$(cat /proc/\\$mpi/task/\\$mpi/children); kill -9 \\$(echo \\$ranks | cut -d ' ' -f 2); begin=\\$(date "
      "+%s); "
      "while kill -0 \\$mpi && test \\$((\\$(date +%s) - begin)) -lt 10; do sleep 0.1; done 2>/dev/null; "
      "if kill -0 \\$mpi 2>/dev/null && ! cat /proc/[0-9]*/stat 2>/dev/null | grep -E \\\"^(\\$(echo \\$ranks | tr ' ' "
      "'|')) \\\" "
      "| grep -v ') Z '; then kill -9 \\$mpi; exit 99; fi; "
      "wait \\$mpi; echo code \\$? after \\$((\\$(date +%s) - begin)) s; test \\$((\\$(date +%s) - begin)) -lt 10";
  // Now and then mpirun of OpenMPI 4.1 waits for itself for ever when all ranks have ended (in pmix_rte_finalize),
  // which is nothing that a rank could change: then once more.
  int code = 99;
  for (int attempt = 0; attempt < 3 && code == 99; ++attempt) {
    fs::remove_all(folder_ / "run");
    code = shell(folder_, endless);
  }
  EXPECT_EQ(code, 0) << log();
  EXPECT_NE(log().find("signal 9"), std::string::npos) << log();
  EXPECT_EQ(log().find("code 0 after"), std::string::npos) << log();
  EXPECT_EQ(must(folder_, {"inspect", "run/model.rfnn"}).code, 0);
}

TEST_F(MpiRanks, GoOnWithAnotherNumberToTheSameNetwork) {
  const std::string fit =
      "fit table.csv --target y --weight w --preset paper --width 4 --iterations 30 --blocks 8 --threads 1 --quiet "
      "--no-origin --out model.rfnn ";
  std::istringstream lines(read_file(folder_ / "table.csv"));
  std::string weighted;
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line); ++number)
    weighted += line + (number == 0 ? ",w" : "," + std::to_string(number % 3)) + "\n";
  write_file(folder_ / "table.csv", weighted);
  ASSERT_EQ(shell(folder_, mpirun(1) + fit + "; mv model.rfnn whole.rfnn"), 0) << log();
  // Whether it is killed in the middle or has just ended: the end is the same.
  shell(folder_, mpirun(3) + fit + "--run-dir run --checkpoint-every 0 & mpi=\\$!; " + until_checkpoint +
                     "kill -9 \\$(cut -d ' ' -f 2 /proc/\\$mpi/task/\\$mpi/children); wait \\$mpi");
  ASSERT_EQ(must(folder_, {"inspect", "run/model.rfnn"}).code, 0) << log();
  ASSERT_EQ(shell(folder_, mpirun(2) + "fit --resume run --quiet"), 0) << log();
  EXPECT_EQ(tensors("whole.rfnn"), tensors("model.rfnn"));
}

TEST_F(MpiRanks, KeepWithinTheMemoryOfEach) {
  ASSERT_EQ(shell(folder_, mpirun(1) + "fit table.npy --target 2 --out free.rfnn" + paper + "2"), 0) << log();
  const int refused = shell(folder_, mpirun(2) + "fit table.npy --target 2 --memory 10MB" + paper + "2");
  EXPECT_EQ(refused, 1) << log();
  EXPECT_NE(log().find("is too little for 1501 rows on each of 2 ranks"), std::string::npos) << log();
  // Just enough to put them in order: they lie on disk.
  ASSERT_EQ(shell(folder_, mpirun(2) + "fit table.npy --target 2 --memory 44.08MB --out kept.rfnn" + paper + "2"), 0)
      << log();
  EXPECT_EQ(tensors("free.rfnn"), tensors("kept.rfnn"));
}

TEST_F(MpiRanks, DrawAsManyRowsAsTheFirstHasRoomFor) {
  must(folder_, {"generate", "multiscale", "--rows", "1500000", "--seed", "3", "--out", "large.npy"});
  const std::string words = "fit large.npy --target 2 --threads 1 --max-time 3 --blocks 1 --memory 100MB ";
  ASSERT_EQ(shell(folder_, mpirun(2) + words + "--dry-run --json"), 0) << log();
  const Json plan = parsed(log());
  const double used = plan.at("rows_used").get<double>();
  EXPECT_LT(used, 1.5e6);
  EXPECT_GE(plan.at("memory").at("data").get<double>(), 32.0 * used) << "rows are gathered as records";
  const Ended ended = measured(folder_, mpirun(2) + words + "--out kept.rfnn");
  EXPECT_TRUE(ended.code == 0 || ended.code == 4) << log();
  EXPECT_NE(log().find("drawn at random, are used: there is memory (100MB) for so many"), std::string::npos) << log();
  EXPECT_LT(ended.peak_bytes, 100e6);
}

}  // namespace
}  // namespace rfnn::testing
