#include "cli/command_text.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>

#include <fmt/format.h>

#include "cli/terminal.hpp"

namespace rfnn::cli {
namespace {

/// Characters, not bytes, of UTF-8.
std::size_t length(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string heading(const ArgumentText& argument) {
  std::string text = fmt::format("{}", fmt::join(argument.names, ", "));
  return argument.kind.empty() ? text : text + " " + argument.kind;
}

}  // namespace

std::vector<std::string> words_of(const ArgumentText& argument) {
  std::vector<std::string> words;
  std::string kind = argument.is_flag() ? argument.kind : argument.names.front();
  kind.erase(std::remove_if(kind.begin(), kind.end(), [](char c) { return c == '[' || c == ']'; }), kind.end());
  std::istringstream parts(kind);
  for (std::string word; std::getline(parts, word, '|');) {
    const bool small = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == ',';
    });
    if (small) words.push_back(word);
  }
  return words;
}

bool is_path(const ArgumentText& argument) {
  const std::string& kind = argument.is_flag() ? argument.kind : argument.names.front();
  for (const char* name : {"FILE", "MODEL", "DATA", "TEST", "DIR"})
    if (kind.find(name) != std::string::npos) return true;
  return false;
}

std::vector<std::string> groups_of(const CommandText& command) {
  std::vector<std::string> groups;
  for (const ArgumentText& argument : command.arguments)
    if (std::find(groups.begin(), groups.end(), argument.group) == groups.end()) groups.push_back(argument.group);
  return groups;
}

std::string wrapped(const std::string& text, std::size_t width, std::size_t indent) {
  std::string result;
  std::size_t column = indent;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (column > indent && column + 1 + length(word) > width) {
      result += "\n" + std::string(indent, ' ');
      column = indent;
    }
    if (column > indent) {
      result += ' ';
      ++column;
    }
    result += word;
    column += length(word);
  }
  return result;
}

std::string name_cell(const std::string& name, std::size_t width, std::size_t indent) {
  const std::string text = printable(name);
  if (length(text) <= width) return text + std::string(width - length(text), ' ');
  const std::size_t room = result_width() - indent;
  std::string lines;
  std::size_t count = 0;
  for (const char c : text) {
    const bool begins = (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;  // a character of UTF-8
    if (begins && count++ % room == 0 && count > 1) lines += "\n" + std::string(indent, ' ');
    lines += c;
  }
  return lines + "\n" + std::string(indent + width, ' ');
}

std::string told(const std::string& text, std::size_t indent) {
  return live_terminal() ? wrapped(text, terminal_width(), indent) : text;
}

std::string warning_text(const std::string& text) {
  constexpr std::string_view word = "warning:";
  return styled(Style::warning, word) + " " + told(text, word.size() + 1);
}

std::string help_text(const CommandText& command, std::size_t width) {
  constexpr std::size_t column = 24;
  std::string text = wrapped(command.summary, width, 0) + "\n\n" + wrapped("Usage: " + command.usage, width, 7) + "\n";
  for (const std::string& group : groups_of(command)) {
    text += fmt::format("\n{}:\n", group);
    for (const ArgumentText& argument : command.arguments) {
      if (argument.group != group) continue;
      std::string head = "  " + heading(argument);
      head += length(head) + 2 > column ? "\n" + std::string(column, ' ') : std::string(column - length(head), ' ');
      text += head + wrapped(argument.help, width, column) + "\n";
    }
  }
  if (command.footer.empty()) return text;
  return text + "\n" + wrapped(command.footer, width, 0) + "\n";
}

}  // namespace rfnn::cli
