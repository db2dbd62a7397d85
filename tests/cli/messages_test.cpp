// The page of messages, held to its word: its commands say what stands under "now" and not what stands under "before".

#include <sys/wait.h>

#include <cstdlib>
#include <regex>
#include <string>
#include <vector>

#include "cli/process.hpp"
#include "docs/markdown.hpp"
#include "places/places.hpp"

namespace rfnn::testing {
namespace {

/// What stands in backticks, single or double ones.
std::vector<std::string> phrases_in(const std::string& cell) {
  static const std::regex phrase("``(.+?)``|`([^`]+)`");
  std::vector<std::string> found;
  for (auto i = std::sregex_iterator(cell.begin(), cell.end(), phrase); i != std::sregex_iterator(); ++i)
    found.push_back((*i)[1].matched ? (*i)[1] : (*i)[2]);
  return found;
}

/// Every stretch of white space is one space: lines are broken where the terminal ends. Backticks are Markdown's.
std::string in_one_line(const std::string& text) {
  std::string line;
  for (const char c : text) {
    if (c == '`') continue;
    const bool space = c == ' ' || c == '\n';
    if (!space || (!line.empty() && line.back() != ' ')) line += space ? ' ' : c;
  }
  return line;
}

struct Row {
  std::string command;
  std::vector<std::string> before, now;
  int code = 0;
};

std::vector<Row> rows_of(const std::string& page) {
  static const std::regex row(R"(^\| `([^|]+)` \| ([^|]+) \| ([^|]+) \| ([0-9]) \|$)");
  std::vector<Row> rows;
  for (const std::string& line : lines_of(prose_of(page))) {
    std::smatch match;
    if (std::regex_match(line, match, row))
      rows.push_back({match[1], phrases_in(match[2]), phrases_in(match[3]), std::stoi(match[4])});
    else
      EXPECT_FALSE(line.starts_with("| `")) << "no row of four cells: " << line;
  }
  return rows;
}

/// A line of the shell, the command under test first on the PATH.
int shell(const Folder& folder, const std::string& line, const std::string& log) {
  write_file(folder / ".script", line);
  const std::string command = "cd '" + folder.path().string() + "' && PATH='" +
                              fs::path(command_path).parent_path().string() + "':\"$PATH\" bash .script > '" + log +
                              "' 2>&1 < /dev/null";
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Messages, AreWhatThePageSays) {
  const std::string page = read_text(fs::path(source_folder) / "docs/messages.md");
  Folder folder;
  ASSERT_EQ(shell(folder, script_of(page, "messages.md"), folder / "log"), 0) << read_file(folder / "log");
  const std::vector<Row> rows = rows_of(page);
  EXPECT_GT(rows.size(), 35U);
  for (const Row& row : rows) {
    EXPECT_EQ(shell(folder, row.command, folder / "log"), row.code) << row.command;
    const std::string said = in_one_line(read_file(folder / "log"));
    for (const std::string& words : row.before)
      EXPECT_EQ(said.find(in_one_line(words)), std::string::npos) << row.command << " says again: " << words;
    EXPECT_FALSE(row.now.empty()) << row.command;
    std::size_t from = 0;
    for (const std::string& words : row.now) {
      const std::size_t place = said.find(in_one_line(words), from);
      EXPECT_NE(place, std::string::npos) << row.command << " does not say: " << words << "\n" << said;
      if (place != std::string::npos) from = place;
    }
  }
}

}  // namespace
}  // namespace rfnn::testing
