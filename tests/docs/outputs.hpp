#pragma once

// What a page shows of its commands' output, beside what they print.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <regex>
#include <string>
#include <tuple>
#include <vector>

#include "docs/markdown.hpp"

namespace rfnn::testing {

/// Stands at the beginning of what a command prints, in the log of a script that begins with `marks_commands`.
inline constexpr char command_begins = '\x1e';
inline const std::string marks_commands = "trap \"printf '\\036'\" DEBUG\n";

/// Stands in a page for lines left out.
inline const std::string left_out = "⋮";

/// What the commands of one `sh` block printed: lines, and at which of them a command or a paragraph begins. One line
/// behind the last begins something, too.
struct Printed {
  std::vector<std::string> lines;
  std::vector<bool> begins_command, begins_paragraph;
};

/// A line of output as far as it is the same for everybody: without times, without what depends on the moment at which
/// a first block is told of (`member 0`, its gain), and without the memory a run needs, which grows with the threads.
inline std::string without_times(const std::string& line) {
  static const std::regex member("^member 0, "), first("^(.*block +1/.*)  gain +[-0-9.]+%"),
      seconds("[0-9]+\\.[0-9]+ s\\b|\\b[0-9]+(?::[0-9]{2})+\\b"), field("\"(seconds|elapsed)\":[-+0-9.e]+"),
      version("\"version\":\"[^\"]*\""), number("[0-9.]+");
  std::string same = std::regex_replace(line, member, "");
  same = std::regex_replace(same, first, "$1");
  same = std::regex_replace(same, seconds, "? s");
  same = std::regex_replace(same, field, "\"$1\":?");
  same = std::regex_replace(same, version, "\"version\":?");
  // How far a block got before the clock cut it short.
  if (same.find("(cut short)") != std::string::npos || same.starts_with("memory  "))
    same = std::regex_replace(same, number, "?");
  return same;
}

/// Networks trained side by side tell of their blocks in any order: puts lines of progress that stand together, or
/// events, in that of member and block. Leaves out the last column of tables that end with seconds.
inline void settle(std::vector<std::string>& lines) {
  static const std::regex progress("^(?:member +([0-9]+), )?block +([0-9]+)/.*"),
      event("^\\{\"event\":\"block\".*\"member\":([0-9]+),\"block\":([0-9]+),.*"), last("^(.*[^ ]) +[-0-9.]+$");
  using Place = std::tuple<int, int, std::size_t>;
  bool timed = false;
  std::vector<std::pair<Place, std::string>> run;
  std::size_t i = 0;
  const auto end_run = [&] {
    std::sort(run.begin(), run.end());
    for (std::size_t k = 0; k < run.size(); ++k) lines[i - run.size() + k] = run[k].second;
    run.clear();
  };
  for (; i < lines.size(); ++i) {
    std::smatch match;
    const std::string line = lines[i];
    if (std::regex_match(line, match, progress) || std::regex_match(line, match, event)) {
      run.push_back({{std::atoi(match[1].str().c_str()), std::atoi(match[2].str().c_str()), i}, line});
      continue;
    }
    end_run();
    if (timed && std::regex_match(line, match, last) && line.find("theory") == std::string::npos) lines[i] = match[1];
    if (line.ends_with(" seconds")) timed = true;
    if (line.empty()) timed = false;
  }
  end_run();
}

/// By the line of the page at which a block's commands begin, what the log of a script of `script_of`, its commands
/// marked, holds.
inline std::map<std::size_t, Printed> printed_by(const std::string& log, const std::string& name) {
  std::map<std::size_t, Printed> blocks;
  const std::string heading = "## " + name + ", line ";
  Printed* block = nullptr;
  bool begins = false, paragraph = true;
  for (std::string line : lines_of(log)) {
    begins = begins || line.find(command_begins) != std::string::npos;
    std::erase(line, command_begins);
    if (line.starts_with(heading)) {
      block = &blocks[std::strtoul(line.c_str() + heading.size(), nullptr, 10)];
      begins = true;
    } else if (block != nullptr && !line.starts_with("... ")) {  // what is said after half a minute of silence
      block->lines.push_back(without_times(line));
      block->begins_command.push_back(begins);
      block->begins_paragraph.push_back(begins || paragraph);
      paragraph = line.empty();
      begins = false;
    }
  }
  for (auto& [place, found] : blocks) {
    settle(found.lines);
    found.begins_command.push_back(true);
    found.begins_paragraph.push_back(true);
  }
  return blocks;
}

/// The same words with about the same numbers: whole ones exactly, others to two per cent.
inline bool agree(const std::string& said, const std::string& printed) {
  static const std::regex number("[-+]?[0-9][0-9.]*(?:e[-+]?[0-9]+)?"), space("[ ]+");
  const auto words = [](const std::string& text) {
    return std::regex_replace(std::regex_replace(text, number, "#"), space, " ");
  };
  if (words(said) != words(printed)) return false;
  auto a = std::sregex_iterator(said.begin(), said.end(), number);
  auto b = std::sregex_iterator(printed.begin(), printed.end(), number);
  for (; a != std::sregex_iterator() && b != std::sregex_iterator(); ++a, ++b) {
    const bool whole = a->str().find_first_of(".e") == std::string::npos;
    const double x = std::strtod(a->str().c_str(), nullptr), y = std::strtod(b->str().c_str(), nullptr);
    if (std::abs(x - y) > (whole ? 0.0 : 0.02 * std::max(std::abs(x), std::abs(y)))) return false;
  }
  return a == std::sregex_iterator() && b == std::sregex_iterator();
}

/// Whether `said`, the content of a `text` block, shows what was printed: in order, from the beginning of a command's
/// output or paragraph to the end of a command's output, but for what "⋮" stands for.
inline bool shows(const std::string& said, const Printed& printed) {
  std::vector<std::vector<std::string>> pieces(1);
  for (const std::string& line : lines_of(said)) {
    if (line == left_out)
      pieces.emplace_back();
    else
      pieces.back().push_back(without_times(line));
  }
  std::size_t from = 0;
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    std::vector<std::string>& piece = pieces[p];
    settle(piece);
    if (piece.empty()) continue;
    const auto fits = [&](std::size_t at) {
      if (p == 0 && !printed.begins_paragraph[at]) return false;
      if (p + 1 == pieces.size() && !printed.begins_command[at + piece.size()]) return false;
      for (std::size_t k = 0; k < piece.size(); ++k)
        if (!agree(piece[k], printed.lines[at + k])) return false;
      return true;
    };
    while (from + piece.size() <= printed.lines.size() && !fits(from)) ++from;
    if (from + piece.size() > printed.lines.size()) return false;
    from += piece.size();
  }
  return true;
}

/// What a page says that its commands do not print, as texts to read, and how many outputs it shows.
struct Shown {
  std::vector<std::string> wrong;
  std::size_t outputs = 0;
};

inline Shown compare_outputs(const std::string& markdown, const std::string& name, const std::string& log) {
  Shown found;
  const auto printed = printed_by(log, name);
  std::size_t commands = 0;
  for (const Fence& fence : fences_of(markdown)) {
    if (fence.language == "sh") commands = fence.line;
    if (fence.language != "text" || commands == 0) continue;
    ++found.outputs;
    const auto block = printed.find(commands);
    std::string lines;
    if (block != printed.end())
      for (const std::string& line : block->second.lines) lines += line + "\n";
    if (block == printed.end() || !shows(fence.content, block->second))
      found.wrong.push_back(name + ", line " + std::to_string(fence.line) + " says\n" + fence.content +
                            "but its commands print\n" + lines);
  }
  return found;
}

}  // namespace rfnn::testing
