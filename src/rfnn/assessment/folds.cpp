#include "rfnn/assessment/folds.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "rfnn/core/error.hpp"
#include "rfnn/core/random.hpp"
#include "rfnn/data/moment.hpp"
#include "rfnn/options/number_text.hpp"

namespace rfnn::assessment {
namespace {

void check_count(std::size_t folds, std::size_t there, const std::string& things) {
  if (folds < 2) throw UsageError("Cross-validation needs at least 2 folds.", "Give --folds 5, say.");
  if (folds > there)
    throw UsageError(std::to_string(folds) + " folds cannot be made of " + std::to_string(there) + " " +
                         (there == 1 ? things.substr(0, things.size() - 1) : things) + ".",
                     "Give fewer folds, --folds " +
                         std::to_string(std::max<std::size_t>(std::min<std::size_t>(there, 5), 2)) + " say" +
                         (there < 2 ? ", and more " + things : "") + ".");
}

std::vector<std::size_t> counted(std::size_t count) {
  std::vector<std::size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  return numbers;
}

/// An order of the numbers below `count`, by Fisher and Yates.
std::vector<std::size_t> drawn_order(std::size_t count, std::uint64_t seed, std::uint64_t repeat) {
  const Stream stream({seed, repeat, 0, 0}, Purpose::fold_order);
  std::vector<std::size_t> order = counted(count);
  for (std::size_t i = count; i > 1; --i) {
    const auto other = static_cast<std::size_t>(stream.uniform(i) * static_cast<double>(i));
    std::swap(order[i - 1], order[std::min(other, i - 1)]);
  }
  return order;
}

/// How many of `count` things the fold has: the first ones have one more.
std::size_t share_of(std::size_t count, std::size_t folds, std::size_t fold) {
  return count / folds + (fold < count % folds ? 1 : 0);
}

/// Per row the fold that predicts it.
std::vector<FoldRows> from_numbers(const std::vector<std::size_t>& fold_of, std::size_t folds) {
  std::vector<FoldRows> result(folds);
  for (std::size_t row = 0; row < fold_of.size(); ++row)
    for (std::size_t fold = 0; fold < folds; ++fold)
      (fold == fold_of[row] ? result[fold].test : result[fold].train).push_back(row);
  return result;
}

/// Stretches of an order.
std::vector<FoldRows> cut(const std::vector<std::size_t>& order, std::size_t folds) {
  std::vector<std::size_t> fold_of(order.size());
  std::size_t next = 0;
  for (std::size_t fold = 0; fold < folds; ++fold)
    for (std::size_t k = share_of(order.size(), folds, fold); k > 0; --k) fold_of[order[next++]] = fold;
  return from_numbers(fold_of, folds);
}

std::size_t group_count(std::span<const std::size_t> groups) {
  return groups.empty() ? 0 : 1 + *std::max_element(groups.begin(), groups.end());
}

/// All texts as numbers, or nothing where one is none.
std::optional<std::vector<double>> as_numbers(const std::vector<std::string>& texts) {
  std::vector<double> numbers;
  for (const std::string& text : texts) {
    const auto number = number_from<double>(text);
    if (!number || !std::isfinite(*number)) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

/// Days and nanoseconds, where all are of one form, all with a zone or all without.
std::optional<std::vector<std::pair<std::int64_t, std::int64_t>>> as_moments(const std::vector<std::string>& texts) {
  std::vector<std::pair<std::int64_t, std::int64_t>> moments;
  std::optional<Moment> first;
  for (const std::string& text : texts) {
    const auto moment = parse_moment(text);
    if (!moment) return std::nullopt;
    if (!first) first = moment;
    if (moment->form != first->form || moment->zoned != first->zoned) return std::nullopt;
    moments.emplace_back(moment->days, moment->nanoseconds);
  }
  return moments;
}

/// Digits and the signs of a date, of which all have the same pattern: then the order of texts is that of times.
bool dates_of_one_form(const std::vector<std::string>& texts) {
  const auto pattern = [](const std::string& text) {
    std::string form = text;
    for (char& c : form)
      if (c >= '0' && c <= '9') c = '0';
    return form;
  };
  if (texts.empty()) return false;
  const std::string first = pattern(texts[0]);
  const bool year_first = first.starts_with("0000-00-00") || first.starts_with("0000/00/00");
  return year_first && std::all_of(texts.begin(), texts.end(), [&](auto& text) { return pattern(text) == first; });
}

/// The first cell that is not what most of the others are: numbers, or moments like the first of them.
std::size_t odd_time(const std::vector<std::string>& times) {
  const auto is_number = [](const std::string& text) { return number_from<double>(text).has_value(); };
  const auto first =
      std::find_if(times.begin(), times.end(), [](const auto& text) { return parse_moment(text).has_value(); });
  const auto like_first = [&](const std::string& text) {
    const auto moment = parse_moment(text);
    return moment && moment->form == parse_moment(*first)->form && moment->zoned == parse_moment(*first)->zoned;
  };
  const auto numbers = std::count_if(times.begin(), times.end(), is_number);
  const auto moments = first == times.end() ? 0 : std::count_if(times.begin(), times.end(), like_first);
  const auto odd = std::find_if(times.begin(), times.end(), [&](const std::string& text) {
    return moments > numbers ? !like_first(text) : !is_number(text);
  });
  return odd == times.end() ? 0 : static_cast<std::size_t>(odd - times.begin());
}

template <class Value>
std::vector<std::size_t> numbered(const std::vector<Value>& values) {
  std::map<Value, std::size_t> numbers;
  for (const Value& value : values) numbers.emplace(value, 0);
  std::size_t next = 0;
  for (auto& [value, number] : numbers) number = next++;
  std::vector<std::size_t> result;
  for (const Value& value : values) result.push_back(numbers[value]);
  return result;
}

}  // namespace

std::vector<FoldRows> k_fold(std::size_t rows, std::size_t folds) {
  check_count(folds, rows, "rows");
  return cut(counted(rows), folds);
}

std::vector<FoldRows> shuffled_k_fold(std::size_t rows, std::size_t folds, std::uint64_t seed, std::uint64_t repeat) {
  check_count(folds, rows, "rows");
  return cut(drawn_order(rows, seed, repeat), folds);
}

std::vector<FoldRows> group_k_fold(std::span<const std::size_t> groups, std::size_t folds) {
  const std::size_t count = group_count(groups);
  check_count(folds, count, "groups");
  std::vector<std::size_t> size(count, 0);
  for (const std::size_t group : groups) ++size[group];
  // Of groups of one size the last comes first: scikit-learn turns an ascending order around.
  std::vector<std::size_t> order = counted(count);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return size[a] < size[b]; });
  std::reverse(order.begin(), order.end());
  std::vector<std::size_t> filled(folds, 0), fold_of_group(count), fold_of;
  for (const std::size_t group : order) {
    const auto lightest = static_cast<std::size_t>(std::min_element(filled.begin(), filled.end()) - filled.begin());
    filled[lightest] += size[group];
    fold_of_group[group] = lightest;
  }
  for (const std::size_t group : groups) fold_of.push_back(fold_of_group[group]);
  return from_numbers(fold_of, folds);
}

std::vector<FoldRows> shuffled_group_k_fold(std::span<const std::size_t> groups, std::size_t folds, std::uint64_t seed,
                                            std::uint64_t repeat) {
  const std::size_t count = group_count(groups);
  check_count(folds, count, "groups");
  const std::vector<std::size_t> order = drawn_order(count, seed, repeat);
  std::vector<std::size_t> fold_of_group(count), fold_of;
  std::size_t next = 0;
  for (std::size_t fold = 0; fold < folds; ++fold)
    for (std::size_t k = share_of(count, folds, fold); k > 0; --k) fold_of_group[order[next++]] = fold;
  for (const std::size_t group : groups) fold_of.push_back(fold_of_group[group]);
  return from_numbers(fold_of, folds);
}

std::vector<FoldRows> time_series_split(std::span<const std::size_t> order, std::size_t folds) {
  check_count(folds, order.empty() ? 0 : order.size() - 1, "rows that have one before them");
  const std::size_t size = order.size() / (folds + 1);
  std::vector<FoldRows> result(folds);
  for (std::size_t fold = 0; fold < folds; ++fold) {
    const std::size_t first = order.size() - (folds - fold) * size;
    result[fold].train.assign(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(first));
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(first);
    result[fold].test.assign(begin, begin + static_cast<std::ptrdiff_t>(size));
  }
  return result;
}

std::vector<std::size_t> group_numbers(const std::vector<std::string>& names) {
  const auto numbers = as_numbers(names);
  return numbers ? numbered(*numbers) : numbered(names);
}

std::vector<std::size_t> time_order(const std::vector<std::string>& times, const std::string& column,
                                    std::span<const std::size_t> rows) {
  std::vector<std::size_t> order = counted(times.size());
  if (const auto numbers = as_numbers(times)) {
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return (*numbers)[a] < (*numbers)[b]; });
    return order;
  }
  if (const auto moments = as_moments(times)) {
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return (*moments)[a] < (*moments)[b]; });
    return order;
  }
  if (!dates_of_one_form(times)) {
    const std::size_t odd = odd_time(times);
    throw InputError("Column " + column + " gives no order of time: row " +
                         std::to_string((rows.empty() ? odd : rows[odd]) + 1) + " has " +
                         (times[odd].empty() ? "nothing" : "\"" + times[odd] + "\"") + ".",
                     "Give numbers, or dates that all have one form and begin with the year (2024-05-01).");
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return times[a] < times[b]; });
  return order;
}

}  // namespace rfnn::assessment
