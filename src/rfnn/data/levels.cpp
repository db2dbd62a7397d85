#include "rfnn/data/levels.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace rfnn {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The length of the number that a text begins with, its sign and decimals included; 0: there is none.
std::size_t number_length(std::string_view text) {
  std::size_t at = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  const auto digits = [&] {
    const std::size_t first = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    return at - first;
  };
  if (digits() == 0) return 0;
  if (at + 1 < text.size() && (text[at] == '.' || text[at] == ',') && is_digit(text[at + 1])) {
    ++at;
    digits();
  }
  return at;
}

}  // namespace

std::string_view unit_behind_number(std::string_view text) {
  static constexpr std::array<std::string_view, 4> ordinals = {"st", "nd", "rd", "th"};
  std::string_view unit = text.substr(number_length(text));
  if (unit.size() == text.size()) return {};
  unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
  };
  // kg, m/s2, kg m^-3, °C, %: what a unit is written with, digits in the place of exponents only.
  const auto belongs = [&](char c) {
    return is_letter(c) || is_digit(c) || std::string_view("/^*- %.").find(c) != std::string_view::npos;
  };
  if (unit.empty() || !is_letter(unit[0]) || !std::all_of(unit.begin(), unit.end(), belongs)) return {};
  if (std::find(ordinals.begin(), ordinals.end(), unit) != ordinals.end()) return {};
  return unit;
}

std::optional<LevelsWithUnit> levels_with_unit(const std::string& name, const std::vector<std::string>& levels) {
  // Things are called 2WD and 4WD, or 3-door and 5-door; nobody has five names that differ in a number in front only.
  constexpr std::size_t names = 4, numbers_per_unit = 3;
  std::set<std::string_view> units;
  bool fractions = false;
  for (const std::string& level : levels) {
    const std::string_view unit = unit_behind_number(level);
    if (unit.empty()) return std::nullopt;
    units.insert(unit);
    fractions = fractions ||
                std::string_view(level).substr(0, number_length(level)).find_first_of(".,") != std::string_view::npos;
  }
  // Several of them, kg and g: one has two letters, and each stands behind some numbers. Otherwise the words are no
  // units: 10W40 and 5W30, 7 Main Street and 12 Station Road, the classes 1a, 1b and 2a.
  const bool words = std::any_of(units.begin(), units.end(), [](std::string_view unit) { return unit.size() > 1; });
  if (levels.size() < 2 || (units.size() > 1 && (!words || units.size() * numbers_per_unit > levels.size())))
    return std::nullopt;
  return LevelsWithUnit{
      .text = "numbers with a unit, \"" + levels.front() + "\"",
      .cure =
          "Write the numbers alone, in one unit (a row below the header may name it), or, if they are names of "
          "things, give --categorical '" +
          name + "'.",
      .refused = fractions || (levels.size() > names && units.size() == 1)};
}

}  // namespace rfnn
