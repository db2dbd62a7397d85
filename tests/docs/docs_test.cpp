// What the documentation says is so: its commands run, its links lead somewhere, the functions it names exist.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "docs/markdown.hpp"
#include "docs/outputs.hpp"
#include "places/places.hpp"
#include "rfnn/core/version.hpp"
#include "rfnn/options/table.hpp"

namespace {

namespace fs = std::filesystem;
using namespace rfnn::testing;

fs::path root() { return rfnn::testing::source_folder; }

/// README, CHANGELOG and all pages below docs.
std::vector<fs::path> pages() {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(root()))
    if (entry.path().extension() == ".md") found.push_back(entry.path());
  for (const auto& entry : fs::recursive_directory_iterator(root() / "docs"))
    if (entry.path().extension() == ".md") found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

std::string name_of(const fs::path& page) { return fs::relative(page, root()).generic_string(); }

struct Outcome {
  int code = -1;
  std::string log;
};

#ifdef RFNN_HAS_COMMAND
/// Runs a bash script in a folder of its own, the command under test first on the PATH.
Outcome run_script(const std::string& script) {
  std::string folder = ::testing::TempDir() + "rfnn-docs-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) throw std::runtime_error("no temporary folder");
  const fs::path place = folder;
  std::ofstream(place / ".script") << script;
  const std::string command = "cd '" + folder + "' && PATH='" + fs::path(command_path).parent_path().string() +
                              "':\"$PATH\" bash .script > .log 2>&1 < /dev/null";
  const int status = std::system(command.c_str());
  Outcome outcome{WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_text(place / ".log")};
  fs::remove_all(place);
  return outcome;
}

/// Runs the commands of a page and holds what it shows of their output to what they print. Where there is no fused
/// multiply-add, last bits differ, and with them the path of training.
void runs_and_shows(const std::string& page, std::size_t at_least) {
  const std::string name = fs::path(page).filename().string(), text = read_text(root() / page);
  const Outcome outcome = run_script(marks_commands + script_of(text, name));
  EXPECT_EQ(outcome.code, 0) << outcome.log;
  if (rfnn::simd_level() == "baseline") return;
  const Shown shown = compare_outputs(text, name, outcome.log);
  for (const std::string& wrong : shown.wrong) ADD_FAILURE() << wrong;
  EXPECT_GE(shown.outputs, at_least) << page << " shows fewer outputs";
}

TEST(Documentation, TutorialRuns) {
  const std::string script = script_of(read_text(root() / "docs/tutorial.md"), "tutorial.md");
  EXPECT_GT(std::count(script.begin(), script.end(), '\n'), 40) << "the tutorial has lost its commands";
  runs_and_shows("docs/tutorial.md", 17);
}

TEST(Documentation, ReadmeExampleRuns) {
  const std::string script = script_of(read_text(root() / "README.md"), "README.md");
  EXPECT_NE(script.find("rfnn fit"), std::string::npos);
  runs_and_shows("README.md", 2);
}

/// The texts of a page that its commands do not print.
std::size_t wrong_in(const std::string& page) {
  return compare_outputs(page, "page", run_script(marks_commands + script_of(page, "page")).log).wrong.size();
}

TEST(DocumentationCheck, ComparesWhatIsShownWithWhatIsPrinted) {
  const std::string commands = "```sh\necho a 1.234\nprintf 'b 10\\n\\nc\\nd\\n'\n```\n";
  const auto wrong = [&](const std::string& shown) { return wrong_in(commands + "```text\n" + shown + "```\n"); };
  EXPECT_EQ(wrong("a 1.234\nb 10\n\nc\nd\n"), 0U);
  EXPECT_EQ(wrong("a 1.23\n"), 0U);         // the whole of one command
  EXPECT_EQ(wrong("c\nd\n"), 0U);           // a paragraph to the end
  EXPECT_EQ(wrong("a 1.234\n⋮\nd\n"), 0U);  // what is left out is said
  EXPECT_EQ(wrong("⋮\nb 10\n⋮\n"), 0U);     // on either side
  EXPECT_EQ(wrong("a 1.3\n"), 1U);          // another number
  EXPECT_EQ(wrong("b 11\n⋮\n"), 1U);        // whole ones are exact
  EXPECT_EQ(wrong("b 10\n\nc\n"), 1U);      // the end is missing
  EXPECT_EQ(wrong("d\n"), 1U);              // the beginning is missing
  EXPECT_EQ(wrong("⋮\nc\nb 10\n⋮\n"), 1U);  // another order
  EXPECT_EQ(wrong("a 1.234 e\n"), 1U);      // another word
  EXPECT_EQ(wrong("a 1.234\nb 10\n\nd\n"), 1U);
}

TEST(DocumentationCheck, LeavesOutTimesAndTheOrderOfMembers) {
  EXPECT_EQ(without_times("5 blocks in 0.96 s: all"), without_times("5 blocks in 12.1 s: all"));
  EXPECT_EQ(without_times("{\"seconds\":0.5,\"saved\":true}"), without_times("{\"seconds\":1e-3,\"saved\":true}"));
  EXPECT_EQ(without_times("member 0, block 1/3  train 1  gain  99.1%  0.10 s"), "block 1/3  train 1  ? s");
  EXPECT_EQ(without_times("block 2/3  train 1  gain  99.1%  0.10 s"), "block 2/3  train 1  gain  99.1%  ? s");
  EXPECT_EQ(without_times("block 1/3  70 iterations (cut short)  ? s"),
            without_times("block 1/3  9 iterations (cut short)  ? s"));
  EXPECT_EQ(without_times("memory    about 9.8 MB"), without_times("memory    about 23.1 MB"));
  std::vector<std::string> lines = {
      "x", "member 2, block 1/3", "block  1/3", "member 2, block 2/3", "width seconds", "6 0.01", "", "6 0.01"};
  settle(lines);
  EXPECT_EQ(lines, (std::vector<std::string>{"x", "block  1/3", "member 2, block 1/3", "member 2, block 2/3",
                                             "width seconds", "6", "", "6 0.01"}));
}

TEST(DocumentationCheck, NoticesACommandThatFails) {
  EXPECT_EQ(run_script(script_of("```sh\ntrue\nfalse  # exit code 1\n```\n", "page")).code, 0);
  EXPECT_NE(run_script(script_of("```sh\nfalse\ntrue\n```\n", "page")).code, 0);
  EXPECT_NE(run_script(script_of("```sh\ntrue  # exit code 1\n```\n", "page")).code, 0);
  EXPECT_NE(run_script(script_of("```sh\nrfnn nonsense\n```\n", "page")).code, 0);
  EXPECT_EQ(run_script(script_of("```text\nfalse\n```\n", "page")).code, 0);
}
#endif

TEST(Documentation, ReadmeShowsTheTenLineExampleAsItIs) {
  std::vector<std::string> examples;
  for (const Fence& fence : fences_of(read_text(root() / "README.md")))
    if (fence.language == "cpp") examples.push_back(fence.content);
  ASSERT_EQ(examples.size(), 1U);
  EXPECT_EQ(examples.front(), read_text(root() / "examples/ten_lines/ten_lines.cpp"));
}

TEST(Documentation, LinksLeadSomewhere) {
  static const std::regex link(R"re((?:\]\(|src="|srcset="|href=")([^)" ]+)[)"])re");
  for (const fs::path& page : pages()) {
    const std::string text = read_text(page);
    for (const std::string& target : all_matches(prose_of(text), link)) {
      if (target.find("://") != std::string::npos || target.rfind("mailto:", 0) == 0) continue;
      const std::string file = target.substr(0, target.find('#'));
      const bool leads = file.empty() || fs::exists(page.parent_path() / file);
      EXPECT_TRUE(leads) << name_of(page) << " links " << target;
      if (!leads || target.find('#') == std::string::npos || (!file.empty() && fs::path(file).extension() != ".md"))
        continue;
      const std::string there = file.empty() ? text : read_text(page.parent_path() / file);
      const auto headings = all_matches("\n" + prose_of(there), std::regex("\n#+ ([^\n]+)"));
      const std::string anchor = target.substr(target.find('#') + 1);
      EXPECT_TRUE(
          std::any_of(headings.begin(), headings.end(), [&](const std::string& h) { return anchor_of(h) == anchor; }))
          << name_of(page) << " links " << target;
    }
  }
}

/// A file named in the text: below src/rfnn, or from the top of the tree.
fs::path source_file(const std::string& name) {
  const fs::path inside = root() / "src/rfnn" / name;
  return fs::exists(inside) ? inside : root() / name;
}

TEST(Documentation, FilesNamedExist) {
  static const std::regex file(R"re(`((?:[a-z_0-9]+/)+[A-Za-z_0-9]+\.(?:hpp|cpp|cmake|py|sh|md))`)re");
  std::size_t seen = 0;
  for (const fs::path& page : pages())
    for (const std::string& name : all_matches(prose_of(read_text(page)), file)) {
      // Generic names such as tests/fuzz/NAME_fuzz.cpp stand for many files.
      if (name.find("NAME") != std::string::npos) continue;
      EXPECT_TRUE(fs::exists(source_file(name))) << name_of(page) << " names " << name;
      ++seen;
    }
  EXPECT_GT(seen, 50U);
}

TEST(Documentation, FunctionsNamedExistWhereTheyAreSaidToBe) {
  // `path/file.cpp`: `name`, `Class::name`
  static const std::regex place(R"re(`([a-z_/]+\.(?:hpp|cpp))`: ((?:`[A-Za-z_:0-9]+`(?:, )?)+))re");
  static const std::regex name(R"re(`([A-Za-z_:0-9]+)`)re");
  std::size_t seen = 0;
  for (const fs::path& page : pages()) {
    const std::string prose = prose_of(read_text(page));
    for (auto i = std::sregex_iterator(prose.begin(), prose.end(), place); i != std::sregex_iterator(); ++i) {
      const fs::path file = source_file((*i)[1]);
      ASSERT_TRUE(fs::exists(file)) << name_of(page) << " names " << (*i)[1];
      const std::string code = read_text(file);
      for (const std::string& function : all_matches((*i)[2], name)) {
        // `Class::name` may stand in the class's header as plain name.
        const std::string word = file.extension() == ".hpp" ? function.substr(function.rfind(':') + 1) : function;
        EXPECT_TRUE(std::regex_search(code, std::regex("(^|[^A-Za-z0-9_])" + word + "([^A-Za-z0-9_]|$)")))
            << name_of(page) << ": there is no " << function << " in " << (*i)[1];
        ++seen;
      }
    }
  }
  EXPECT_GT(seen, 60U);
}

TEST(Documentation, OptionsNamedExist) {
  constexpr std::array<std::string_view, 30> flags = {
      "target",   "ignore",   "weight", "out",       "valid",    "config", "run-dir", "json",        "quiet",
      "dry-run",  "blocks",   "rows",   "noise",     "markdown", "help",   "threads", "version",     "report",
      "data",     "seeds",    "quick",  "no-origin", "from",     "resume", "base",    "base-column", "checkpoint-every",
      "interval", "gradient", "format"};
  static const std::regex flag("(?:^|[^-a-z])--([a-z][a-z_-]*)");
  for (const std::string page : {"README.md", "docs/tutorial.md", "docs/math.md"}) {
    const std::string text = read_text(root() / page);
    std::string checked = prose_of(text);
    for (const Fence& fence : fences_of(text))
      if (fence.language == "sh") checked += fence.content;
    for (const std::string& name : all_matches(checked, flag)) {
      if (name == "widht") continue;  // a slip, shown on purpose
      EXPECT_TRUE(rfnn::find_field(name) != nullptr || std::find(flags.begin(), flags.end(), name) != flags.end())
          << page << " speaks of --" << name;
    }
  }
}

TEST(DocumentationCheck, ReadsFencesAnchorsAndLinks) {
  const auto fences = fences_of("a\n```sh\none\ntwo\n```\nb\n```\nthree\n```\n");
  ASSERT_EQ(fences.size(), 2U);
  EXPECT_EQ(fences[0].language, "sh");
  EXPECT_EQ(fences[0].line, 3U);
  EXPECT_EQ(fences[0].content, "one\ntwo\n");
  EXPECT_EQ(fences[1].content, "three\n");
  EXPECT_EQ(prose_of("a\n```\nb\n```\nc\n"), "a\n\n\n\nc\n");
  EXPECT_EQ(anchor_of("4. Inspect: what did it learn?"), "4-inspect-what-did-it-learn");
}

}  // namespace
