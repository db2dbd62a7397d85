#include "rfnn/io/text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <system_error>

#include <fmt/format.h>

namespace rfnn::io {
namespace {

/// Length of the UTF-8 sequence at the front of `text`, 0 when there is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(text[i])); };
  const auto follows = [&](std::size_t i) { return i < text.size() && (byte(i) & 0xC0U) == 0x80U; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xC2) return 0;  // a continuation, or an overlong form
  if (first < 0xE0) return follows(1) ? 2 : 0;
  if (first < 0xF0) {
    if (!follows(1) || !follows(2)) return 0;
    const bool overlong = first == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = first == 0xED && byte(1) >= 0xA0;
    return overlong || surrogate ? 0 : 3;
  }
  if (first > 0xF4 || !follows(1) || !follows(2) || !follows(3)) return 0;
  const bool overlong = first == 0xF0 && byte(1) < 0x90;
  const bool beyond = first == 0xF4 && byte(1) >= 0x90;
  return overlong || beyond ? 0 : 4;
}

}  // namespace

std::string shown(std::string_view text, std::size_t longest) {
  static constexpr char hex[] = "0123456789abcdef";
  std::string out = "\"";
  std::size_t characters = 0;
  while (!text.empty()) {
    if (characters++ == longest) {
      out += "…";
      break;
    }
    const std::size_t length = utf8_length(text);
    const auto byte = static_cast<unsigned char>(text[0]);
    if (length == 0 || byte < 0x20 || byte == 0x7F ||
        (length == 2 && byte == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0)) {
      // The last case are the C1 control characters, which some terminals obey.
      for (std::size_t i = 0; i < (length == 0 ? 1 : length); ++i) {
        const auto value = static_cast<unsigned char>(text[i]);
        out += {'\\', 'x', hex[value >> 4U], hex[value & 15U]};
      }
      text.remove_prefix(length == 0 ? 1 : length);
      continue;
    }
    out.append(text.substr(0, length));
    text.remove_prefix(length);
  }
  return out + "\"";
}

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string shown_column(std::size_t position, std::string_view name) {
  const std::string quoted = shown(name);
  return "column " + std::to_string(position + 1) + " (" + quoted.substr(1, quoted.size() - 2) + ")";
}

bool same_but_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string to_utf8(std::string_view text) {
  if (is_utf8(text)) return std::string(text);
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      out += c;
    } else {
      out += static_cast<char>(0xC0U | (byte >> 6U));
      out += static_cast<char>(0x80U | (byte & 0x3FU));
    }
  }
  return out;
}

std::string system_message(int error) { return std::generic_category().message(error); }

std::string counted(std::size_t count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

std::string duration(double seconds) {
  if (!(seconds < 1e9)) return "?";
  if (seconds < 9.995) return fmt::format("{:.2f} s", std::max(seconds, 0.0));
  if (seconds < 59.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<long long>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

}  // namespace rfnn::io
