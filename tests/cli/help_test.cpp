// What the command says of itself: help, manual pages, completion. All of it is made from the same descriptions.

#include <cstdlib>
#include <regex>
#include <sstream>

#include "cli/process.hpp"
#include "rfnn/options/table.hpp"

namespace rfnn::testing {
namespace {

const Words& commands() {
  static const Words names = [] {
    Folder folder;
    Words found;
    std::istringstream lines(must(folder, {"--help"}).out);
    bool inside = false;
    for (std::string line; std::getline(lines, line);) {
      if (line == "Commands:") inside = true;
      if (inside && line.empty()) break;
      std::smatch match;
      if (inside && std::regex_match(line, match, std::regex("  ([a-z]+) .*"))) found.push_back(match[1]);
    }
    return found;
  }();
  return names;
}

std::size_t characters(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

TEST(Help, FitsEightyColumnsAndAScreenOrIsGrouped) {
  Folder folder;
  ASSERT_GE(commands().size(), 10U);
  for (const std::string& command : commands()) {
    const std::string help = must(folder, {"help", command}).out;
    // After it comes what an option of that name is.
    const std::string own = must(folder, {command, "--help"}).out;
    EXPECT_EQ(help.substr(0, own.size()), own);
    EXPECT_EQ(help.size() > own.size(), find_field(command) != nullptr) << help;
    std::istringstream lines(help);
    std::size_t count = 0, groups = 0;
    for (std::string line; std::getline(lines, line); ++count) {
      EXPECT_LE(characters(line), 80U) << command << ": " << line;
      groups += !line.empty() && line[0] != ' ' && line.back() == ':' ? 1 : 0;
    }
    EXPECT_TRUE(count <= 40 || groups >= 4) << command << " takes " << count << " lines";
  }
}

TEST(Help, HasTopicsAndOptions) {
  Folder folder;
  EXPECT_NE(must(folder, {"help", "exit-codes"}).out.find("4  cut short"), std::string::npos);
  for (const Field& field : option_table())
    EXPECT_NE(must(folder, {"help", flag_name(field)}).out.find(describe_values(field)), std::string::npos);
  const Outcome wrong = run(folder, {"help", "rigde"});
  EXPECT_EQ(wrong.code, 1);
  EXPECT_NE(wrong.err.find("Did you mean `rfnn help ridge`?"), std::string::npos);
}

TEST(Help, ShortFlagsWhereTheLongOnesAre) {
  Folder folder;
  for (const std::string& command : commands()) {
    const std::string help = must(folder, {command, "--help"}).out;
    for (const char* flag : {"--out ", "--target ", "--quiet "}) {
      const std::size_t place = help.find(std::string("  ") + flag);
      EXPECT_EQ(place, std::string::npos) << command << " has " << flag << "without its letter";
    }
  }
}

/// The words that a real bash would offer after these.
std::string completed(const Folder& folder, const std::string& words) {
  const std::string script = "source rfnn.bash; COMP_WORDS=(" + words +
                             "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _rfnn; echo \"${COMPREPLY[*]}\" > offered";
  write_file(folder / "try.bash", script);
  const std::string line = "cd '" + folder.path().string() + "' && bash --norc try.bash 2> complaints";
  EXPECT_EQ(std::system(line.c_str()), 0);
  EXPECT_EQ(read_file(folder / "complaints"), "");
  std::string offered = read_file(folder / "offered");
  if (!offered.empty()) offered.pop_back();
  return offered;
}

TEST(Completion, ABashThatSourcesItKnowsCommandsFlagsAndValues) {
  Folder folder;
  write_file(folder / "rfnn.bash", must(folder, {"completion", "bash"}).out);
  EXPECT_EQ(completed(folder, "rfnn diag"), "diagnose");
  EXPECT_EQ(completed(folder, "rfnn fit --pre"), "--preset");
  EXPECT_EQ(completed(folder, "rfnn fit a.csv --preset ''"), "auto paper");
  EXPECT_EQ(completed(folder, "rfnn fit a.csv --preset = p"), "paper");
  EXPECT_EQ(completed(folder, "rfnn fit a.csv --branches i"), "input,state");
  EXPECT_EQ(completed(folder, "rfnn generate s"), "stairstep sine");
  EXPECT_EQ(completed(folder, "rfnn completion ''"), "bash zsh fish");
  EXPECT_EQ(completed(folder, "rfnn help exit"), "exit-codes");
  EXPECT_EQ(completed(folder, "rfnn fit a.csv --seed ''"), "");
}

/// What an interactive zsh offers when Tab is pressed after each of these lines: a line each. The shell runs in a
/// terminal of its own; what completion would show goes to a file instead.
std::string offered_by_zsh(const Folder& folder, const Words& lines) {
  write_file(folder / "setup.zsh",
             "fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -D\n"
             "compadd() {\n"
             "  if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then builtin compadd \"$@\"; return; fi\n"
             "  local -a fit; builtin compadd -A fit \"$@\"; offers+=($fit)\n"
             "}\n"
             "offer() { typeset -gaU offers=(); _main_complete; print -r -- ${(o)offers} >> offered }\n"
             "offer_and_clear() { zle offer; BUFFER=; }\n"
             "zle -C offer complete-word offer; zle -N offer_and_clear; bindkey '^I' offer_and_clear\n");
  std::string terminal = "zmodload zsh/zpty; zpty shell zsh -f -i; zpty -w shell 'source ./setup.zsh'\n";
  for (const std::string& line : lines) terminal += "zpty -w -n shell '" + line + "'$'\\t'\n";
  terminal += "zpty -w shell exit; while zpty -r shell ignored; do :; done\n";
  write_file(folder / "terminal.zsh", terminal);
  const std::string command =
      "cd '" + folder.path().string() + "' && HOME=. timeout 100 zsh -f terminal.zsh > /dev/null";
  EXPECT_EQ(std::system(command.c_str()), 0);
  return read_file(folder / "offered");
}

TEST(Completion, AZshThatReadsItOffersCommandsFlagsAndValues) {
  if (std::system("command -v zsh > /dev/null 2>&1") != 0) GTEST_SKIP() << "there is no zsh";
  Folder folder;
  write_file(folder / "_rfnn", must(folder, {"completion", "zsh"}).out);
  write_file(folder / "table.csv", "");
  EXPECT_EQ(offered_by_zsh(folder, {"rfnn diag", "rfnn fit --pre", "rfnn fit table.csv --preset ",
                                    "rfnn fit table.csv --branches i", "rfnn fit table.csv --seed ", "rfnn completion ",
                                    "rfnn help exit", "rfnn check tab"}),
            "diagnose\n--preset\nauto paper\ninput,state\n\nbash fish zsh\nexit-codes\ntable.csv\n");
}

TEST(Completion, OtherShellsReadTheirScripts) {
  Folder folder;
  for (const std::string shell : {"zsh", "fish"}) {
    const std::string script = must(folder, {"completion", shell}).out;
    for (const std::string& command : commands()) EXPECT_NE(script.find(command), std::string::npos);
    write_file(folder / "script", script);
    if (std::system(("command -v " + shell + " > /dev/null 2>&1").c_str()) != 0) continue;
    EXPECT_EQ(std::system((shell + " -n '" + (folder / "script") + "'").c_str()), 0) << shell;
  }
  EXPECT_EQ(run(folder, {"completion", "tcsh"}).code, 1);
}

TEST(Completion, AFishThatSourcesItKnowsTheCommandByTheFirstWord) {
  if (std::system("command -v fish > /dev/null 2>&1") != 0) GTEST_SKIP() << "there is no fish";
  Folder folder;
  write_file(folder / "rfnn.fish", must(folder, {"completion", "fish"}).out);
  const auto words = [&](const std::string& line) {
    const std::string command = "cd '" + folder.path().string() +
                                "' && HOME=. fish -c \"source rfnn.fish; complete -C '" + line +
                                "'\" | cut -f 1 | tr '\\n' ' ' > words";
    EXPECT_EQ(std::system(command.c_str()), 0);
    return read_file(folder / "words");
  };
  EXPECT_EQ(words("rfnn diag"), "diagnose ");
  EXPECT_EQ(words("rfnn fit --pre"), "--preset ");
  EXPECT_EQ(words("rfnn fit a.csv --preset "), "auto paper ");
  EXPECT_EQ(words("rfnn completion "), "bash fish zsh ");
  EXPECT_EQ(words("rfnn help rfnn.f"), "") << "topics, and no files, after whatever command";
  EXPECT_EQ(words("rfnn help fit --fam"), "");
  EXPECT_EQ(words("rfnn predict rfnn.f"), "rfnn.fish ");
}

TEST(Manual, EveryPageIsRoffWithoutWarnings) {
  Folder folder;
  must(folder, {"help", "--write-share", "share"});
  const bool groff = std::system("command -v groff > /dev/null 2>&1") == 0;
  Words pages = {"rfnn.1"};
  for (const std::string& command : commands()) pages.push_back("rfnn-" + command + ".1");
  for (const std::string& name : pages) {
    const std::string page = folder / ("share/man/man1/" + name);
    ASSERT_TRUE(fs::exists(page)) << name;
    EXPECT_EQ(read_file(page).substr(0, 3), ".TH");
    if (!groff) continue;
    const std::string line =
        "groff -ww -man -Tutf8 '" + page + "' 2>&1 > /dev/null | cat > '" + (folder / "said") + "'";
    ASSERT_EQ(std::system(line.c_str()), 0);
    EXPECT_EQ(read_file(folder / "said"), "") << name;
  }
  EXPECT_EQ(read_file(folder / "share/man/man1/rfnn-fit.1"), must(folder, {"help", "fit", "--man"}).out);
}

}  // namespace
}  // namespace rfnn::testing
