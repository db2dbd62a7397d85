#pragma once

// Private header: text from files made safe to show, and compared; words for numbers.

#include <cstddef>
#include <string>
#include <string_view>

namespace rfnn::io {

/// A text from a file as it may stand in a message: in double quotes, at most `longest` characters, control characters
/// and bytes that are not UTF-8 escaped as \xNN.
std::string shown(std::string_view text, std::size_t longest = 40);

/// Without the spaces and tabs around it.
std::string_view trimmed(std::string_view text);

/// A column as messages name it: `column 3 (depth)`.
std::string shown_column(std::size_t position, std::string_view name);

/// Equal but for the case of ASCII letters.
bool same_but_case(std::string_view a, std::string_view b);

bool is_utf8(std::string_view text);

/// The text itself when it is UTF-8; else its bytes are taken for Latin-1, the usual way of being something else.
std::string to_utf8(std::string_view text);

/// Words of the system for an errno: "No such file or directory".
std::string system_message(int error);

/// "1 block", "2 blocks"
std::string counted(std::size_t count, std::string_view thing);

/// 0.42 s, 12.3 s, 3:05, 1:02:03
std::string duration(double seconds);

}  // namespace rfnn::io
