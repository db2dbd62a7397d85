#include "rfnn/io/cell_readers.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "rfnn/data/encoding.hpp"
#include "rfnn/data/levels.hpp"
#include "rfnn/io/text.hpp"
#include "rfnn/options/number_text.hpp"

namespace rfnn::io {
namespace {

/// Levels kept while a table is read; a few more than are allowed, so that the message can say that there are more.
constexpr std::size_t most_kept = 10 * most_levels;

std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash ^ (hash >> 29U);
}

}  // namespace

std::size_t TextPlaces::find(std::string_view text) const {
  if (table_.empty()) return none;
  const std::uint64_t hash = hash_of(text);
  const std::size_t mask = table_.size() - 1;
  for (std::size_t i = hash & mask; table_[i].place != none; i = (i + 1) & mask)
    if (table_[i].hash == hash && table_[i].text == text) return table_[i].place;
  return none;
}

void TextPlaces::add(std::string_view text, std::size_t place) {
  if (2 * (count_ + 1) > table_.size()) grow();
  const std::uint64_t hash = hash_of(text);
  const std::size_t mask = table_.size() - 1;
  std::size_t i = hash & mask;
  while (table_[i].place != none) i = (i + 1) & mask;
  table_[i] = {std::string(text), hash, place};
  ++count_;
}

void TextPlaces::grow() {
  std::vector<Entry> old = std::move(table_);
  table_ = std::vector<Entry>(std::max<std::size_t>(16, 2 * old.size()));
  const std::size_t mask = table_.size() - 1;
  for (Entry& entry : old) {
    if (entry.place == none) continue;
    std::size_t i = entry.hash & mask;
    while (table_[i].place != none) i = (i + 1) & mask;
    table_[i] = std::move(entry);
  }
}

std::string level_text(std::string_view cell) {
  const auto number = number_from<double>(cell);
  const std::string_view digits = cell.substr(cell.starts_with('-') || cell.starts_with('+') ? 1 : 0);
  const bool code = digits.size() > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9';  // 007
  return number && std::isfinite(*number) && !code ? shortest(*number) : to_utf8(cell);
}

int boolean_of(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, int>, 4> words = {
      {{"true", 1}, {"false", 0}, {"yes", 1}, {"no", 0}}};
  if (text.size() < 2 || text.size() > 5) return -1;
  for (const auto& [word, value] : words)
    if (same_but_case(text, word)) return value;
  return -1;
}

CellReader::CellReader(ColumnCode code, bool counts, Unseen unseen)
    : code_(std::move(code)), counts_(counts), unseen_(unseen) {
  for (std::size_t k = 0; k < code_.levels.size(); ++k) places_.add(code_.levels[k], k);
}

double CellReader::missing() const {
  if (kind() == ColumnKind::time && counts_) return std::bit_cast<double>(missing_time);
  return std::numeric_limits<double>::quiet_NaN();
}

std::size_t CellReader::place_of(std::string_view text) const {
  const std::size_t place = places_.find(text);
  return place != TextPlaces::none ? place : places_.find(level_text(text));
}

CellReader::Found CellReader::read_time(std::string_view text, double& value) const {
  const auto moment = parse_moment(text);
  if (!moment) return Found::refused;
  const bool clock = code_.time.form == TimeForm::time_of_day;
  if (clock != (moment->form == TimeForm::time_of_day)) return Found::refused;
  if (code_.time.zoned != moment->zoned && !clock) return Found::refused;
  if (!counts_) {
    value = days_from(code_.time.origin, moment->days, moment->nanoseconds);
    return Found::value;
  }
  constexpr std::int64_t farthest = std::numeric_limits<std::int64_t>::max() / nanoseconds_per_day - 1;
  const bool dates = code_.time.form == TimeForm::date;
  if (dates ? moment->nanoseconds != 0 : moment->days > farthest || moment->days < -farthest) return Found::refused;
  value = std::bit_cast<double>(dates ? moment->days : moment->days * nanoseconds_per_day + moment->nanoseconds);
  return Found::value;
}

CellReader::Found CellReader::read(std::string_view text, const CellRules& rules, double& value) const {
  if (kind() == ColumnKind::category) {  // what is a level is not missing, and looked for first: it is what cells are
    const std::size_t place = places_.find(text);
    if (place != TextPlaces::none) {
      value = static_cast<double>(place);
      return Found::value;
    }
  } else if (kind() == ColumnKind::time) {
    const Found found = read_time(text, value);
    if (found == Found::value) return found;
  } else if (const int truth = boolean_of(text); truth >= 0) {
    value = truth;
    return Found::value;
  }
  if (rules.is_missing(text)) {
    value = missing();
    return Found::missing;
  }
  if (kind() == ColumnKind::boolean && !counts_ && (text == "0" || text == "1")) {
    value = text == "1" ? 1.0 : 0.0;
    return Found::value;
  }
  if (kind() != ColumnKind::category) return Found::refused;
  if (const std::size_t place = place_of(text); place != TextPlaces::none) {
    value = static_cast<double>(place);
    return Found::value;
  }
  if (counts_) return Found::new_level;
  if (unseen_ == Unseen::error) return Found::refused;
  value = unseen_level;
  return Found::value;
}

CellReader::Found CellReader::read_number(double number, double& value) const {
  if (std::isnan(number)) {
    value = missing();
    return Found::missing;
  }
  if (kind() == ColumnKind::category) return read(shortest(number), {}, value);
  value = number;
  const bool fits = kind() == ColumnKind::number || (kind() == ColumnKind::boolean && (number == 0.0 || number == 1.0));
  return fits ? Found::value : Found::refused;
}

bool CellReader::add_level(std::string_view text) {
  std::string level = level_text(text);
  std::size_t place = places_.find(level);
  if (place == TextPlaces::none) {
    if (code_.levels.size() >= most_kept) return false;
    place = code_.levels.size();
    places_.add(level, place);
    code_.levels.push_back(level);
  }
  if (level != text) places_.add(text, place);
  return true;
}

bool CellReader::add_level(double number) { return add_level(shortest(number)); }

CellReason CellReader::reason(std::string_view text) const {
  const std::string what = shown(text);
  const std::string as_category =
      counts_ ? " or, if the column holds categories, give --categorical with its name" : "";
  switch (kind()) {
    case ColumnKind::boolean:
      return {what + " is none of true, false, yes and no, which the column holds.",
              "Correct the cell," + as_category + "."};
    case ColumnKind::category: {
      if (counts_)
        return {what + " is one of more than " + std::to_string(most_kept) + " different values of the column.",
                "A category may have " + std::to_string(most_levels) + " values. " + cure_of_many_levels(code_.name)};
      std::string known;
      constexpr std::size_t listed = 12;
      for (std::size_t k = 0; k < std::min(listed, code_.levels.size()); ++k)
        known += (k == 0 ? "" : ", ") + shown(code_.levels[k]);
      return {what + " is a level that training has not seen.", "Known are " + known +
                                                                    (code_.levels.size() > listed ? ", …" : "") +
                                                                    "; --unseen mean takes the mean over them."};
    }
    case ColumnKind::time:
      break;
    case ColumnKind::number:
      return {what + " is not a number.", "Correct the cell."};
  }
  const auto moment = parse_moment(text);
  if (!moment)
    return {
        what + " is not a date or time as ISO 8601 has them, which the column holds.",
        "Write 2024-05-01, 2024-05-01T12:30:00, the same with a zone (Z, +02:00), or 12:30:00; a word that stands for "
        "a missing cell goes to --missing-values" +
            (as_category.empty() ? "." : ";" + as_category + ".")};
  if ((code_.time.form == TimeForm::time_of_day) != (moment->form == TimeForm::time_of_day))
    return {what + " is a " + std::string(name_of(moment->form)) + " in a column of another form (" +
                std::string(name_of(code_.time.form)) + ").",
            "Give all of them in one form."};
  if (code_.time.zoned != moment->zoned)
    return {what + (moment->zoned ? " has a zone, others of the column have none."
                                  : " has no zone, others of the column have."),
            "Give all of them with a zone (Z, +02:00), or none."};
  if (counts_ && code_.time.form == TimeForm::date)
    return {what + " has a time of day, the first rows of the column are dates.",
            "Give times in the first rows too: 2024-05-01T00:00."};
  return {what + " is beyond the moments that can be held to the nanosecond, from 1678 to 2261.",
          "Give dates without a time, or years as numbers."};
}

bool is_decorated_number(std::string_view text) {
  const auto plain = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '-' ||
           c == ' ';
  };
  const std::size_t before = text.size();
  while (!text.empty() && !plain(text.front())) text.remove_prefix(1);
  while (!text.empty() && !plain(text.back())) text.remove_suffix(1);
  text = trimmed(text);
  const auto number = number_from<double>(text);
  return text.size() < before && number && std::isfinite(*number);
}

void KindFinder::see(std::string_view text, const CellRules& rules) {
  double ignored = 0.0;
  const CellKind kind = classify_cell(text, ignored, rules);
  switch (kind) {
    case CellKind::missing:
      return;
    case CellKind::number:
    case CellKind::infinite:
    case CellKind::too_large:
      ++numbers_;
      return;
    case CellKind::decimal_comma:
    case CellKind::thousands:
    case CellKind::spaced:
      ++odd_numbers_;
      return;
    case CellKind::date:
    case CellKind::text:
      break;
  }
  if (const auto moment = parse_moment(trimmed(text))) {
    ++times_;
    if (moment->form == TimeForm::date_time) ++moments_;
    if (moment->form == TimeForm::time_of_day) ++clocks_;
    if (moment->zoned) ++zoned_;
  } else if (kind == CellKind::date || is_decorated_number(trimmed(text))) {
    ++odd_numbers_;  // 1.5.2024, 5%: refused with what to do rather than taken for a category
  } else if (boolean_of(trimmed(text)) >= 0) {
    ++booleans_;
  } else {
    ++texts_;
  }
}

ColumnCode KindFinder::kind(bool categorical) const {
  // A column of times is one where four of five cells are: a few that are none are faults in it, to be told with their
  // lines, and not the reason to take all the others for levels or for numbers that are wrong.
  constexpr std::size_t times_per_other = 4;
  const std::size_t others = numbers_ + odd_numbers_ + booleans_ + texts_;
  ColumnCode code;
  if (categorical) {
    code.kind = ColumnKind::category;
  } else if (times_ > 0 && times_ >= times_per_other * others) {
    code.kind = ColumnKind::time;
    code.time.form = 2 * clocks_ > times_ ? TimeForm::time_of_day : moments_ > 0 ? TimeForm::date_time : TimeForm::date;
    code.time.zoned = zoned_ > 0 && 2 * zoned_ >= times_;
  } else if (numbers_ + odd_numbers_ > 0 || texts_ + booleans_ + times_ == 0) {
    code.kind = ColumnKind::number;
  } else if (texts_ > 0 || (times_ > 0 && booleans_ > 0)) {
    code.kind = ColumnKind::category;
  } else {
    code.kind = ColumnKind::boolean;
  }
  return code;
}

}  // namespace rfnn::io
