#pragma once

#include <string>
#include <vector>

namespace rfnn::cli {

/// An argument of a command, as people are told of it.
struct ArgumentText {
  std::vector<std::string> names;  ///< "-o", "--out"; of a positional argument its one name, "DATA"
  std::string kind;                ///< what its value looks like: "FILE", "N|auto"; empty: it has none
  std::string help;                ///< with the default in brackets at the end
  std::string group = "Options";   ///< heading it stands under
  [[nodiscard]] bool is_flag() const { return !names.empty() && names.front()[0] == '-'; }
};

/// A command, as `--help`, the manual page and the completion of shells tell of it: one description for all.
struct CommandText {
  std::string name;  ///< "fit"
  std::string summary;
  std::string usage;  ///< "rfnn fit DATA --target NAME"
  std::vector<ArgumentText> arguments;
  std::string footer;
};

/// Words that a value may be: those of its kind in small letters ("auto" of "N|auto", all of "last|best").
std::vector<std::string> words_of(const ArgumentText& argument);

/// Is the value the name of a file or a folder?
bool is_path(const ArgumentText& argument);

/// Groups in the order in which they first come up.
std::vector<std::string> groups_of(const CommandText& command);

/// The text in lines of at most `width` characters, each after the first after `indent` spaces. What has no spaces is
/// never broken.
std::string wrapped(const std::string& text, std::size_t width, std::size_t indent);

/// A name from a file in a column of a table, `indent` behind the line's begin and `width` characters wide. One that is
/// longer stands in lines of its own above the rest of its row, none of them longer than result_width().
std::string name_cell(const std::string& name, std::size_t width, std::size_t indent = 0);

/// wrapped() for standard error, as wide as its terminal; one line where it goes elsewhere.
std::string told(const std::string& text, std::size_t indent);

/// "warning: " and a text, as told.
std::string warning_text(const std::string& text);

/// The help of a command in lines of at most `width` characters.
std::string help_text(const CommandText& command, std::size_t width);

/// Its manual page, in roff.
std::string manual_page(const CommandText& command);

}  // namespace rfnn::cli
