#include "cli/terminal.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "rfnn/core/error.hpp"

namespace rfnn::cli {
namespace {

/// Writes all of it; the error number of the failure, or 0.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) {  // somebody made the terminal non-blocking
      pollfd wait{.fd = descriptor, .events = POLLOUT, .revents = 0};
      ::poll(&wait, 1, -1);
      continue;
    }
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view{} : std::string_view{value};
}

/// What the environment says of the encoding; the program itself stays in the "C" locale, so that numbers do.
bool utf8_locale() {
  std::string_view locale;
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    locale = environment(name);
    if (!locale.empty()) break;
  }
  std::string encoding;
  for (const char c : locale.substr(std::min(locale.find('.'), locale.size())))
    if (c != '.' && c != '-') encoding += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return encoding.rfind("utf8", 0) == 0;
}

bool colour_wanted() { return live_terminal() && environment("NO_COLOR").empty(); }

}  // namespace

void print_result(std::string_view text) {
  const int failure = write_all(STDOUT_FILENO, text);
  if (failure == EPIPE) throw ReaderGone{};
  if (failure != 0) {
    throw InputError(fmt::format("Cannot write to standard output: {}.", std::strerror(failure)),
                     "Check the place it is redirected to.");
  }
}

bool reader_gone() {
  pollfd ask{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
  return ::poll(&ask, 1, 0) == 1 && (ask.revents & POLLERR) != 0;
}

void say(std::string_view text) { write_all(STDERR_FILENO, for_locale(text)); }

bool live_terminal() {
  static const bool live =
      ::isatty(STDERR_FILENO) == 1 && environment("TERM") != "dumb" && !environment("TERM").empty();
  return live;
}

std::size_t terminal_width() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

std::size_t result_width() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return std::clamp<std::size_t>(size.ws_col, 60, 100);
}

bool result_on_terminal() { return ::isatty(STDOUT_FILENO) == 1; }

std::string styled(Style style, std::string_view text) {
  static const bool colour = colour_wanted();
  if (!colour) return std::string(text);
  const char* code = style == Style::error     ? "1;31"
                     : style == Style::warning ? "33"
                     : style == Style::strong  ? "1"
                                               : "2";
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

std::string for_locale(std::string_view text) {
  static const bool utf8 = utf8_locale();
  std::string result(text);
  if (utf8) return result;
  static constexpr std::pair<std::string_view, std::string_view> plain[] = {
      {"±", "+/-"}, {"∞", "inf"}, {"λ", "lambda"}, {"γ", "gamma"}, {"δ", "delta"}, {"ω", "omega"},
      {"×", "x"},   {"·", "*"},   {"−", "-"},      {"–", "-"},     {"—", "-"},     {"…", "..."},
      {"²", "^2"},  {"′", "'"},   {"≤", "<="},     {"≥", ">="},    {"→", "->"},    {"µ", "u"}};
  for (const auto& [symbol, letters] : plain)
    for (std::size_t place = 0; (place = result.find(symbol, place)) != std::string::npos; place += letters.size())
      result.replace(place, symbol.size(), letters);
  return result;
}

std::string printable(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return result;
}

}  // namespace rfnn::cli
