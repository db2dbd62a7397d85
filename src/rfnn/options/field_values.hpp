#pragma once

// Private header: for each type a member of Options may have, its kind and how a value is printed, parsed and checked.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "rfnn/core/error.hpp"
#include "rfnn/options/number_text.hpp"
#include "rfnn/options/options.hpp"
#include "rfnn/options/table.hpp"

namespace rfnn::detail {

/// Words of an enumeration, in the order of its enumerators.
template <class Enum>
inline constexpr std::array<std::string_view, 0> words{};
template <>
inline constexpr std::array<std::string_view, 2> words<Preset> = {"auto", "paper"};
template <>
inline constexpr std::array<std::string_view, 2> words<Keep> = {"last", "best"};
template <>
inline constexpr std::array<std::string_view, 2> words<StateBranch> = {"sampled", "frozen"};
template <>
inline constexpr std::array<std::string_view, 2> words<Negative> = {"half-space", "component"};
template <>
inline constexpr std::array<std::string_view, 3> words<BlockRows> = {"same", "disjoint", "subset"};
template <>
inline constexpr std::array<std::string_view, 4> words<Solver> = {"cholesky", "qr", "svd", "iterative"};
template <>
inline constexpr std::array<std::string_view, 3> words<Holdout> = {"random", "tail", "gap"};
template <>
inline constexpr std::array<std::string_view, 3> words<Branches> = {"auto", "input,state", "joint"};
template <>
inline constexpr std::array<std::string_view, 3> words<Missing> = {"error", "drop", "mean"};
template <>
inline constexpr std::array<std::string_view, 2> words<Unseen> = {"error", "mean"};
template <>
inline constexpr std::array<std::string_view, 3> words<Header> = {"auto", "yes", "no"};
template <>
inline constexpr std::array<std::string_view, 2> words<DecimalMark> = {".", ","};

/// Throws UsageError: field, value, what is allowed, the help line.
[[noreturn]] void refuse(const Field& field, std::string_view value);

inline bool within(const Bounds& bounds, double value) {
  return std::isfinite(value) && (bounds.low_open ? value > bounds.low : value >= bounds.low) &&
         (bounds.high_open ? value < bounds.high : value <= bounds.high);
}

/// The pieces of a list; an empty text is one empty piece.
inline std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  for (;;) {
    const std::size_t end = text.find(separator);
    pieces.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return pieces;
    text.remove_prefix(end + 1);
  }
}

inline std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

/// print, parse (nothing: not a value of this type) and valid, per type.
template <class T>
struct Value;

template <class T>
  requires(std::is_same_v<T, std::int64_t> || std::is_same_v<T, std::uint64_t>)
struct Value<T> {
  static constexpr FieldKind kind = FieldKind::integer;
  static std::string print(T value) { return std::to_string(value); }
  static std::optional<T> parse(std::string_view text) {
    if (const auto exact = number_from<T>(text)) return exact;
    // 1e6 and 5000.0 are whole numbers too, as long as a double holds them exactly.
    const auto number = number_from<double>(text);
    constexpr double exact_limit = 0x1p53;
    if (!number || !(std::abs(*number) <= exact_limit) || *number != std::floor(*number)) return std::nullopt;
    if (std::is_unsigned_v<T> && *number < 0.0) return std::nullopt;
    return static_cast<T>(*number);
  }
  static bool valid(const Bounds& bounds, T value) { return within(bounds, static_cast<double>(value)); }
};

/// A whole number that is 0 for `auto`; the bounds are those of the others.
struct CountOrAuto {
  static constexpr FieldKind kind = FieldKind::integer_or_auto;
  static std::string print(std::int64_t value) { return value == 0 ? "auto" : std::to_string(value); }
  static std::optional<std::int64_t> parse(std::string_view text) {
    if (text == "auto") return 0;
    const auto number = Value<std::int64_t>::parse(text);
    return number == 0 ? std::nullopt : number;
  }
  static bool valid(const Bounds& bounds, std::int64_t value) {
    return value == 0 || Value<std::int64_t>::valid(bounds, value);
  }
};

/// The number of an input, 0 for `auto`. Who knows the names of the inputs makes a name its number before this is
/// asked.
struct InputOrAuto : CountOrAuto {
  static constexpr FieldKind kind = FieldKind::input_or_auto;
};

template <>
struct Value<double> {
  static constexpr FieldKind kind = FieldKind::number;
  static std::string print(double value) { return shortest(value); }
  static std::optional<double> parse(std::string_view text) { return number_from<double>(text); }
  static bool valid(const Bounds& bounds, double value) { return within(bounds, value); }
};

template <>
struct Value<NumberOrAuto> {
  static constexpr FieldKind kind = FieldKind::number_or_auto;
  static std::string print(const NumberOrAuto& value) { return value ? shortest(*value) : "auto"; }
  static std::optional<NumberOrAuto> parse(std::string_view text) {
    if (text == "auto") return NumberOrAuto{};
    const auto number = number_from<double>(text);
    return number ? std::optional<NumberOrAuto>(std::in_place, *number) : std::nullopt;
  }
  static bool valid(const Bounds& bounds, const NumberOrAuto& value) { return !value || within(bounds, *value); }
};

template <>
struct Value<std::vector<double>> {
  static constexpr FieldKind kind = FieldKind::numbers_or_auto;
  static std::string print(const std::vector<double>& values) {
    if (values.empty()) return "auto";
    std::string text;
    for (const double value : values) text += (text.empty() ? "" : ",") + shortest(value);
    return text;
  }
  static std::optional<std::vector<double>> parse(std::string_view text) {
    std::vector<double> values;
    if (text == "auto") return values;
    for (const std::string_view piece : split(text, ',')) {
      const auto number = number_from<double>(trimmed(piece));
      if (!number) return std::nullopt;
      values.push_back(*number);
    }
    return values;
  }
  static bool valid(const Bounds& bounds, const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(), [&](double v) { return within(bounds, v); });
  }
};

/// Bytes, with a unit or without; 0 is `none`, the bounds are those of the others.
struct MemorySize {
  static constexpr FieldKind kind = FieldKind::size;
  static std::string print(double bytes);
  static std::optional<double> parse(std::string_view text);
  static bool valid(const Bounds& bounds, double bytes) { return bytes == 0.0 || within(bounds, bytes); }
};

/// UTF-8 without control characters and line ends, and not endless.
bool is_plain_text(std::string_view text);

/// A list as one text; `nothing` is its word for an empty one.
template <char... nothing>
struct TextList {
  static constexpr char word_text[] = {nothing...};
  static constexpr std::string_view word{word_text, sizeof...(nothing)};
  static constexpr FieldKind kind = FieldKind::texts;
  static std::string print(const std::string& value) { return value.empty() ? std::string(word) : value; }
  static std::optional<std::string> parse(std::string_view text) {
    return text == word ? std::string() : std::string(text);
  }
  static bool valid(const Bounds&, const std::string& value) { return is_plain_text(value); }
};
using NoneOrTexts = TextList<'n', 'o', 'n', 'e'>;
using AllOrTexts = TextList<'a', 'l', 'l'>;

/// The text that begins a line of comment; empty is `none`.
struct CommentMark {
  static constexpr FieldKind kind = FieldKind::text;
  static std::string print(const std::string& value) { return value.empty() ? "none" : value; }
  static std::optional<std::string> parse(std::string_view text) {
    return text == "none" ? std::string() : std::string(text);
  }
  static bool valid(const Bounds&, const std::string& value) {
    constexpr std::size_t longest = 16;
    return value.size() <= longest && is_plain_text(value) && value.find_first_of("\"") == std::string::npos;
  }
};

/// One character, or its name where it is white; empty is `auto`.
struct DelimiterMark {
  static constexpr FieldKind kind = FieldKind::text;
  static constexpr bool untrimmed = true;
  static std::string print(const std::string& value) {
    return value.empty() ? "auto" : value == "\t" ? "tab" : value == " " ? "space" : value;
  }
  static std::optional<std::string> parse(std::string_view text) {
    if (text == "auto") return std::string();
    if (text == "tab" || text == "\\t" || text == "\t") return std::string("\t");
    if (text == "space" || text == "spaces" || text == "whitespace" || text == " ") return std::string(" ");
    return text.size() == 1 ? std::optional<std::string>(text) : std::nullopt;
  }
  static bool valid(const Bounds&, const std::string& value) {
    if (value.empty()) return true;
    const char c = value[0];
    const bool in_numbers = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                            std::string_view("+-.\"\r\n").find(c) != std::string_view::npos;
    const auto code = static_cast<unsigned char>(c);
    return value.size() == 1 && !in_numbers && (c == '\t' || (code >= 0x20 && code < 0x7f));
  }
};

template <>
struct Value<bool> {
  static constexpr FieldKind kind = FieldKind::boolean;
  static std::string print(bool value) { return value ? "true" : "false"; }
  static std::optional<bool> parse(std::string_view text) {
    if (text == "true" || text == "yes" || text == "on" || text == "1") return true;
    if (text == "false" || text == "no" || text == "off" || text == "0") return false;
    return std::nullopt;
  }
  static bool valid(const Bounds&, bool) { return true; }
};

template <class T>
  requires std::is_enum_v<T>
struct Value<T> {
  static constexpr FieldKind kind = FieldKind::choice;
  static std::string print(T value) {
    const auto index = static_cast<std::size_t>(value);
    return index < words<T>.size() ? std::string(words<T>[index]) : "(" + std::to_string(index) + ")";
  }
  static std::optional<T> parse(std::string_view text) {
    for (std::size_t i = 0; i < words<T>.size(); ++i) {
      const auto same = [](char given, char word) { return given == word || (given == '_' && word == '-'); };
      if (std::equal(text.begin(), text.end(), words<T>[i].begin(), words<T>[i].end(), same)) return static_cast<T>(i);
    }
    return std::nullopt;
  }
  static bool valid(const Bounds&, T value) { return static_cast<std::size_t>(value) < words<T>.size(); }
};

template <class T>
constexpr std::span<const std::string_view> choices_of() {
  if constexpr (std::is_enum_v<T>) {
    static_assert(!words<T>.empty(), "the enumeration has no words yet");
    return words<T>;
  } else {
    return {};
  }
}

template <auto member>
using MemberType = std::remove_cvref_t<decltype(std::declval<Options>().*member)>;

/// The row of one member: its type decides the kind and the three functions, unless another Form does.
template <auto member, class Form = Value<MemberType<member>>>
constexpr Field field(std::string_view name, std::string_view group, std::string_view help, Bounds bounds = {}) {
  return Field{.name = name,
               .group = group,
               .kind = Form::kind,
               .help = help,
               .bounds = bounds,
               .choices = choices_of<MemberType<member>>(),
               .print = [](const Options& options) { return Form::print(options.*member); },
               .parse =
                   [](const Field& row, Options& options, std::string_view text) {
                     constexpr bool as_it_is = requires { Form::untrimmed; };
                     auto value = Form::parse(as_it_is ? text : trimmed(text));
                     if (!value || !Form::valid(row.bounds, *value)) refuse(row, text);
                     options.*member = *std::move(value);
                   },
               .check =
                   [](const Field& row, const Options& options) {
                     if (!Form::valid(row.bounds, options.*member)) refuse(row, Form::print(options.*member));
                   }};
}

/// The row of an option that has no effect but with preset paper.
constexpr Field of_paper(Field row) {
  row.paper_only = true;
  return row;
}

/// The row of an option that versions before do not know.
constexpr Field newer(Field row) {
  row.newer = true;
  return row;
}

/// The row of an option that says how a table is read.
constexpr Field of_reading(Field row) {
  row.reading = true;
  return row;
}

/// Stands for a value of any type where only types matter.
struct Anything {
  template <class T>
  operator T() const;  // NOLINT(google-explicit-constructor)
};

/// Number of members of an aggregate: the most initialisers it takes, each in braces of its own so that a vector or an
/// optional counts as one.
template <class Aggregate, std::size_t... i>
constexpr bool takes(std::index_sequence<i...>) {
  return requires { Aggregate{{(void(i), Anything{})}...}; };
}
template <class Aggregate, std::size_t n = 0>
constexpr std::size_t count_members() {
  if constexpr (takes<Aggregate>(std::make_index_sequence<n + 1>{})) {
    return count_members<Aggregate, n + 1>();
  } else {
    return n;
  }
}

}  // namespace rfnn::detail
