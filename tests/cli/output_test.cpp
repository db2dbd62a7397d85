// Who gets to see what: standard output, standard error, terminals, JSON lines, the run directory.

#include <pty.h>

#include <sstream>

#include "cli/json.hpp"
#include "cli/process.hpp"
#include "places/places.hpp"

namespace rfnn::testing {
namespace {

class Output : public ::testing::Test {
 protected:
  void SetUp() override { must(folder, {"generate", "multiscale", "--rows", "200", "--out", "data.csv"}); }
  Folder folder;
};

std::vector<Json> json_lines(const std::string& text) {
  std::vector<Json> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(parsed(line));
  return lines;
}

TEST_F(Output, PipedProgressIsPlainLinesOnStandardError) {
  const Outcome outcome = must(folder, quick_fit("data.csv"));
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find("block 1/2"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("block 2/2"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("model data.rfnn"), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find('\x1b'), std::string::npos) << "no colours";
  EXPECT_EQ(outcome.err.find('\r'), std::string::npos) << "no redrawing";
}

TEST_F(Output, QuietIsSilent) {
  const Outcome outcome = must(folder, quick_fit("data.csv", {"--quiet"}));
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(fs::exists(folder / "data.rfnn"));
  EXPECT_NE(run(folder, quick_fit("missing.csv", {"--quiet"})).err, "") << "errors are not silenced";
}

TEST_F(Output, JsonLinesAreTheOnlyThingOnStandardOutput) {
  const Outcome outcome = must(folder, quick_fit("data.csv", {"--json", "--validation-fraction", "0.2"}));
  EXPECT_EQ(outcome.err, "");
  const std::vector<Json> lines = json_lines(outcome.out);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0]["event"], "start");
  EXPECT_EQ(lines[0]["rows"], 200);
  EXPECT_EQ(lines[0]["options"]["width"], 3);
  for (const std::size_t block : {std::size_t{1}, std::size_t{2}}) {
    EXPECT_EQ(lines[block]["event"], "block");
    EXPECT_EQ(lines[block]["block"], block);
    EXPECT_EQ(lines[block]["iterations"], 30);
    EXPECT_TRUE(lines[block]["train_mse"].is_number());
    EXPECT_TRUE(lines[block]["validation_mse"].is_number());
    EXPECT_FALSE(lines[block].contains("trace"));
  }
  EXPECT_EQ(lines[3]["event"], "done");
  EXPECT_EQ(lines[3]["stop_reason"], "all-blocks");
  EXPECT_EQ(lines[3]["model"], "data.rfnn");
  EXPECT_EQ(lines[3]["train_mse"], lines[2]["train_mse"]);
}

TEST_F(Output, DefaultNameIsTheStemInTheCurrentFolder) {
  fs::create_directory(folder.path() / "sub");
  fs::rename(folder / "data.csv", folder / "sub/my.data.csv");
  must(folder, quick_fit("sub/my.data.csv"));
  EXPECT_TRUE(fs::exists(folder / "my.data.rfnn"));
}

TEST_F(Output, RunDirectoryRecordsTheRun) {
  write_file(folder / "c.json", "{\"gamma\": 8}");
  const Outcome outcome =
      must(folder, quick_fit("data.csv", {"--run-dir", "runs/one/", "--config", "c.json", "--json"}));
  EXPECT_EQ(read_file(folder / "runs/one/progress.jsonl"), outcome.out);
  const Json run_file = parsed(read_file(folder / "runs/one/run.json"));
  EXPECT_EQ(run_file["state"], "finished");
  EXPECT_EQ(run_file["stop_reason"], "all-blocks");
  EXPECT_EQ(run_file["options_given"],
            Json({{"preset", "paper"}, {"gamma", 8}, {"width", 3}, {"blocks", 2}, {"iterations", 30}, {"threads", 1}}));
  EXPECT_EQ(run_file["options"]["gamma"], 8);
  EXPECT_EQ(run_file["data"], "data.csv");
  EXPECT_EQ(run_file["inputs"], Json({"x"}));
  EXPECT_EQ(run_file["fingerprint"].get<std::string>().size(), 32u);
  EXPECT_EQ(run_file["command"][1], "fit");
  EXPECT_TRUE(run_file["started"].is_string() && run_file["ended"].is_string());
  EXPECT_EQ(tensors_of(folder / "runs/one/model.rfnn"), tensors_of(folder / "data.rfnn"));
  // A second run takes the first one's place.
  must(folder, quick_fit("data.csv", {"--run-dir", "runs/one", "--seed", "9"}));
  EXPECT_EQ(parsed(read_file(folder / "runs/one/run.json"))["options"]["seed"], 9);
}

TEST_F(Output, RunDirectoryHoldsACheckpointAndTheStateOfACutRun) {
  Running fit(folder, endless_fit("data.csv", {"--iterations", "100", "--json", "--run-dir", "run"}));
  ASSERT_TRUE(fit.wait_for_output("\"block\":3"));
  EXPECT_EQ(parsed(read_file(folder / "run/run.json"))["state"], "running");
  must(folder, {"inspect", "run/model.rfnn"});
  fit.kill(SIGTERM);
  EXPECT_EQ(fit.wait().code, 4);
  EXPECT_EQ(parsed(read_file(folder / "run/run.json"))["state"], "interrupted");
  EXPECT_EQ(tensors_of(folder / "run/model.rfnn"), tensors_of(folder / "data.rfnn"));
}

TEST_F(Output, RunDirectoryIsNotAFolderOfOtherThings) {
  fs::create_directory(folder.path() / "mine");
  write_file(folder / "mine/thesis.txt", "ten years");
  EXPECT_EQ(run(folder, quick_fit("data.csv", {"--run-dir", "mine"})).code, 2);
  EXPECT_EQ(run(folder, quick_fit("data.csv", {"--run-dir", "data.csv"})).code, 2);
  write_file(folder / "mine/run.json", "{\"format\": 3}");
  EXPECT_EQ(run(folder, quick_fit("data.csv", {"--run-dir", "mine"})).code, 2);
  EXPECT_EQ(read_file(folder / "mine/thesis.txt"), "ten years");
  EXPECT_FALSE(fs::exists(folder / "data.rfnn")) << "refused before training";
}

/// Runs the command on a terminal of 60 columns; everything it shows.
std::string on_terminal(const Folder& folder, const Words& words,
                        const std::vector<std::pair<std::string, std::string>>& environment,
                        unsigned short columns = 60, int code = 4) {
  winsize size{};
  size.ws_row = 24;
  size.ws_col = columns;
  int terminal = -1;
  std::string program = rfnn::testing::command_path;
  const pid_t pid = ::forkpty(&terminal, nullptr, nullptr, &size);
  if (pid == 0) {
    if (::chdir(folder.path().c_str()) != 0) ::_exit(126);
    ::setenv("TERM", "xterm", 1);
    ::unsetenv("NO_COLOR");
    for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
    std::vector<char*> arguments = {program.data()};
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    ::execv(program.c_str(), arguments.data());
    ::_exit(127);
  }
  std::string shown;
  char buffer[4096];
  for (;;) {
    const ssize_t got = ::read(terminal, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;  // the terminal closes when the process ends
    shown.append(buffer, static_cast<std::size_t>(got));
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  ::close(terminal);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == code) << shown;
  return shown;
}

/// Long enough to be seen drawing, ended by its budget.
Words watched_fit() { return endless_fit("data.csv", {"--max-time", "0.6"}); }

/// What a line holds once escape sequences are taken out.
std::string without_escapes(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\x1b') {
      plain += text[i];
      continue;
    }
    while (i < text.size() && !std::isalpha(static_cast<unsigned char>(text[i]))) ++i;
  }
  return plain;
}

/// Lines that go on in the next one, put together again.
std::string unfolded(std::string text) {
  for (std::size_t at = 0; (at = text.find("\r\n    ", at)) != std::string::npos;) text.replace(at, 6, "  ");
  return text;
}

TEST_F(Output, LinesThatStayAreWhole) {
  for (const unsigned short columns : std::initializer_list<unsigned short>{80, 20}) {
    const std::string folded = without_escapes(on_terminal(folder, watched_fit(), {}, columns));
    const std::string shown = unfolded(folded);
    const std::size_t cut = shown.find("(cut short)");
    ASSERT_NE(cut, std::string::npos) << shown;
    const std::string line = shown.substr(cut, shown.find('\n', cut) - cut);
    EXPECT_NE(line.find("accepted"), std::string::npos) << line;
    EXPECT_NE(line.find("train"), std::string::npos) << line;
    EXPECT_EQ(line.substr(line.find_last_not_of("\r") - 1, 2), " s") << "the time: " << line;
    // and a terminal breaks none of them, numbers least of all
    const std::size_t begin = folded.rfind("block ", folded.find("(cut short)"));
    std::istringstream lines(folded.substr(begin, folded.find("model ", begin) - begin));
    for (std::string each; columns >= 40 && std::getline(lines, each);)
      EXPECT_LE(each.size(), columns + 1U) << each;  // with the carriage return
  }
}

TEST_F(Output, BlockLinesOfPresetAutoFitATerminal) {
  const std::string shown = without_escapes(on_terminal(folder, {"fit", "data.csv", "--target", "y"}, {}, 60, 0));
  std::istringstream lines(shown);
  std::size_t members = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::string stays = line.substr(line.find_last_of('\r', line.size() - 2) + 1);
    if (stays.find("train ") == std::string::npos && stays.find(" valid ") == std::string::npos) continue;
    EXPECT_LE(stays.size(), 61U) << stays;
    members += stays.rfind("member ", 0) == 0 ? 1 : 0;
  }
  EXPECT_GE(members, 1U) << shown;
}

TEST_F(Output, ErrorsAreBrokenBetweenWordsOnATerminal) {
  const std::string shown = without_escapes(on_terminal(folder, {"predict"}, {}, 60, 1));
  std::istringstream lines(shown);
  std::string all;
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 61U) << line;
    EXPECT_TRUE(line.rfind("error: ", 0) == 0 || line.rfind("       ", 0) == 0) << line;
    all += line;
  }
  EXPECT_NE(all.find("--flag-outside]"), std::string::npos) << shown;
}

TEST_F(Output, ATerminalGetsALiveLineInColourThatNeverWraps) {
  for (const unsigned short columns : std::initializer_list<unsigned short>{60, 20, 120}) {
    const std::string shown = on_terminal(folder, watched_fit(), {}, columns);
    EXPECT_NE(shown.find("\x1b[K"), std::string::npos) << "redrawn";
    EXPECT_NE(shown.find("\x1b[2m"), std::string::npos) << "coloured";
    EXPECT_NE(shown.find("block    1/1000"), std::string::npos) << shown;
    // A live line is followed by the next one; lines that stay by the end of a line.
    const std::string plain = without_escapes(shown);
    for (std::size_t begin = 0; begin < plain.size();) {
      const std::size_t end = std::min(plain.find_first_of("\r\n", begin), plain.size());
      const std::string line = plain.substr(begin, end - begin);
      const bool stays = plain.compare(end, 2, "\r\n") == 0 || plain.compare(end, 1, "\n") == 0;
      EXPECT_TRUE(stays || line.rfind("block ", 0) != 0 || line.size() < columns) << line;
      begin = end + 1;
    }
  }
}

TEST_F(Output, NoColorAndDumbTerminalsAreRespected) {
  const std::string grey = on_terminal(folder, watched_fit(), {{"NO_COLOR", "1"}});
  EXPECT_EQ(grey.find("\x1b[2m"), std::string::npos);
  EXPECT_EQ(grey.find("\x1b[1m"), std::string::npos);
  EXPECT_NE(grey.find("\x1b[K"), std::string::npos) << "redrawing is not a colour";
  const std::string dumb = on_terminal(folder, watched_fit(), {{"TERM", "dumb"}});
  EXPECT_EQ(dumb.find('\x1b'), std::string::npos);
  EXPECT_NE(dumb.find("block    1/1000"), std::string::npos) << dumb;
}

TEST_F(Output, AReaderThatLeavesEndsTheCommandQuietly) {
  must(folder, quick_fit("data.csv", {"--quiet"}));
  must(folder, {"generate", "multiscale", "--rows", "100000", "--out", "many.csv"});
  for (const Words& words : std::vector<Words>{{"predict", "data.rfnn", "many.csv"},
                                               {"generate", "multiscale", "--rows", "100000"},
                                               {"options"},
                                               {"inspect", "data.rfnn", "--json"},
                                               {"fit", "--help"}}) {
    const auto no_reader = [] {
      int ends[2];
      if (::pipe(ends) != 0) ::_exit(126);
      ::close(ends[0]);
      ::dup2(ends[1], 1);
    };
    const Outcome outcome =
        run(folder, words, {.standard_input = "", .environment = {}, .standard_output = "", .in_child = no_reader});
    EXPECT_EQ(outcome.code, 0) << words[0];
    EXPECT_EQ(outcome.err, "") << words[0];
  }
}

TEST_F(Output, AFullDeviceBehindStandardOutputIsAnError) {
  must(folder, quick_fit("data.csv", {"--quiet"}));
  const Setting full{.standard_input = "", .environment = {}, .standard_output = "/dev/full", .in_child = {}};
  for (const Words& words : std::vector<Words>{{"predict", "data.rfnn", "data.csv"},
                                               {"evaluate", "data.rfnn", "data.csv"},
                                               {"inspect", "data.rfnn"},
                                               {"generate", "sine", "--rows", "5"},
                                               {"options"},
                                               {"--version"},
                                               quick_fit("data.csv", {"--json", "--out", "kept.rfnn"})}) {
    const Outcome outcome = run(folder, words, full);
    EXPECT_EQ(outcome.code, 2) << words[0];
    EXPECT_NE(outcome.err, "") << words[0];
  }
  must(folder, {"inspect", "kept.rfnn"});  // training is not lost for it
}

}  // namespace
}  // namespace rfnn::testing
