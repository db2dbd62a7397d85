// `rfnn reproduce`: what is refused, and a run that is stopped and goes on. What the runs hold is tested on the
// library.

#include "cli/json.hpp"
#include "cli/process.hpp"

namespace rfnn::testing {
namespace {

class Reproduce : public ::testing::Test {
 protected:
  Folder folder;
};

TEST_F(Reproduce, RefusesWhatItCannotDo) {
  write_file(folder / "file", "");
  fs::create_directories(folder / "mine");
  write_file(folder / "mine/photo.jpg", "");
  struct Case {
    Words words;
    int code;
    std::string says;
  };
  for (const auto& [words, code, says] :
       {Case{{"reproduce"}, 1, "needs --out"}, Case{{"reproduce", "sinus", "--out", "x"}, 1, "Did you mean sine?"},
        Case{{"reproduce", "--out", "x", "--seeds", "0"}, 1, "--seeds cannot be \"0\""},
        Case{{"reproduce", "--out", "x", "--seeds", "1001"}, 1, "from 1 to 1000"},
        Case{{"reproduce", "--out", "x", "--threads", "many"}, 1, "--threads cannot be \"many\""},
        Case{{"reproduce", "sine", "stairstep", "--out", "x"}, 1, "no use for \"stairstep\""},
        Case{{"reproduce", "--out", "file"}, 2, "not a folder"},
        Case{{"reproduce", "--out", "file/below"}, 2, "Cannot make the folder"},
        Case{{"reproduce", "--out", "mine"}, 2, "not from a reproduction"}}) {
    const Outcome outcome = run(folder, words);
    EXPECT_EQ(outcome.code, code) << outcome.err;
    EXPECT_NE(outcome.err.find(says), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }
  EXPECT_FALSE(fs::exists(folder / "x")) << "nothing is made for a command that is refused";
}

TEST_F(Reproduce, StopsWithWhatIsThereAndGoesOn) {
  const Words words = {"reproduce", "stairstep", "--quick", "--seeds", "1", "--threads", "1", "--out", "out"};
  Running stopped(folder, words);
  while (!fs::exists(folder / "out/runs/stairstep-method1-seed1.json")) ::usleep(1000);
  stopped.kill(SIGINT);
  const Outcome cut = stopped.wait();
  EXPECT_EQ(cut.code, 4) << cut.err;
  EXPECT_NE(cut.err.find("the same command goes on"), std::string::npos) << cut.err;
  const Json before = parsed(read_file(folder / "out/results.json"));
  EXPECT_EQ(before["complete"], false);
  EXPECT_EQ(before["quick"], true);
  EXPECT_EQ(before["runs"].size() + before["missing"].size(), 7u);
  EXPECT_NE(read_file(folder / "out/report.html").find("not complete"), std::string::npos);
  const std::string record = read_file(folder / "out/runs/stairstep-method1-seed1.json");

  const Outcome done = must(folder, words);
  EXPECT_EQ(done.out, "");
  EXPECT_NE(done.err.find("there already"), std::string::npos) << done.err;
  EXPECT_NE(done.err.find("report out/report.html"), std::string::npos) << done.err;
  EXPECT_EQ(read_file(folder / "out/runs/stairstep-method1-seed1.json"), record);
  const Json after = parsed(read_file(folder / "out/results.json"));
  EXPECT_EQ(after["complete"], true);
  EXPECT_EQ(after["runs"].size(), 7u);
  EXPECT_EQ(after["summary"].size(), 7u);
  const std::string page = read_file(folder / "out/report.html");
  EXPECT_EQ(page.find("not complete"), std::string::npos);
  EXPECT_NE(page.find("--quick"), std::string::npos);
  for (const Json& claim : after["claims"]) {
    EXPECT_NE(done.err.find(claim["id"]), std::string::npos) << claim["id"];
    EXPECT_NE(claim["verdict"], "not run") << claim["id"];
  }
  EXPECT_TRUE(fs::exists(folder / "out/figures/stairstep-error.csv"));
}

}  // namespace
}  // namespace rfnn::testing
