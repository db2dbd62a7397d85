#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "rfnn/io/text.hpp"

namespace rfnn::cli {

/// Standard output has no reader any more (`| head`): the command ends quietly.
struct ReaderGone {};

/// Writes to standard output at once: results only. Throws ReaderGone, or InputError when it cannot be written.
void print_result(std::string_view text);

/// True when standard output is a pipe nobody reads any more.
bool reader_gone();

/// Writes to standard error at once: everything that is not a result. Failures are not worth stopping for.
void say(std::string_view text);

/// Standard error is a terminal that can redraw a line (not TERM=dumb).
bool live_terminal();

/// Columns of the terminal behind standard error; 80 when unknown.
std::size_t terminal_width();

/// Columns of the terminal that results are read on, 60 to 100 of them; 80 where it is none.
std::size_t result_width();

/// Is standard output a terminal?
bool result_on_terminal();

enum class Style { error, warning, strong, faint };

/// The text in colour when standard error is a terminal that wants it (NO_COLOR unset, TERM not dumb), else as it is.
std::string styled(Style style, std::string_view text);

/// A text for people, with ±, ∞, λ and the like in plain letters where the locale's encoding is not UTF-8. say() does
/// so by itself.
std::string for_locale(std::string_view text);

/// Control characters replaced, so that names from files cannot drive the terminal.
std::string printable(std::string_view text);

}  // namespace rfnn::cli
