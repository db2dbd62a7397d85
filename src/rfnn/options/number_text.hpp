#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace rfnn {

/// The shortest text that reads back as the same double: 0.1, 5.76, 1e-4, 1e12. Independent of the locale.
inline std::string shortest(double value) {
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  std::string text(buffer, end);
  // to_chars pads exponents to two digits and signs them (1e-04, 1e+12); neither is needed to read it back.
  const std::size_t e = text.find('e');
  if (e != std::string::npos) {
    const bool negative = text[e + 1] == '-';
    std::size_t digits = text.find_first_not_of("+-0", e + 1);
    if (digits == std::string::npos) digits = text.size() - 1;
    text.replace(e + 1, digits - (e + 1), negative ? "-" : "");
  }
  return text;
}

/// The number a text is, all of it; nothing when it is anything else. A leading plus is fine, white space is not.
template <class T>
std::optional<T> number_from(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace rfnn
