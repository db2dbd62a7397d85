#include "cli/factor_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "cli/columns.hpp"
#include "cli/terminal.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/data/moment.hpp"
#include "rfnn/io/sensitivity_json.hpp"

namespace rfnn::cli {
namespace {

/// The input that `text` begins with, before a `=`, and what stands behind it. A longer name wins.
std::pair<Factor*, std::string> input_and_rest(std::vector<Factor>& factors, const std::string& text,
                                               const std::string& flag) {
  Factor* found = nullptr;
  for (Factor& factor : factors)
    if (text.starts_with(factor.name + "=") && (found == nullptr || found->name.size() < factor.name.size()))
      found = &factor;
  if (found != nullptr) return {found, text.substr(found->name.size() + 1)};
  std::vector<std::string> names;
  for (const Factor& factor : factors) names.push_back(factor.name);
  throw UsageError(fmt::format("{} {} names no input.", flag, printable(text)),
                   fmt::format("Write NAME=…; the inputs are {}.", listed(names)));
}

std::optional<double> number_of(const Factor& factor, const std::string& text) {
  if (factor.kind == ColumnKind::time) {
    const std::optional<Moment> moment = parse_moment(text);
    if (!moment) return std::nullopt;
    return days_from(factor.time.origin, moment->days, moment->nanoseconds);
  }
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// An input that is named twice would be what the last one says.
void refuse_twice(std::vector<const Factor*>& named, const Factor* factor, const std::string& flags) {
  if (std::find(named.begin(), named.end(), factor) != named.end())
    throw UsageError(fmt::format("{} says twice what {} is.", flags, printable(factor->name)), "Say it once.");
  named.push_back(factor);
}

void narrow_levels(Factor& factor, const std::string& text) {
  const std::vector<std::string> names = io::level_names(factor);
  std::vector<double> shares(names.size(), 0.0);
  std::istringstream list(text);
  for (std::string level; std::getline(list, level, '|');) {
    const auto place = std::find(names.begin(), names.end(), level);
    if (place == names.end())
      throw UsageError(fmt::format("{} has no level {}.", printable(factor.name), printable(level)),
                       fmt::format("Its levels are {}.", listed(names)));
    // One that training never saw alone counts as the others do.
    const auto at = static_cast<std::size_t>(place - names.begin());
    shares[at] = factor.shares[at] > 0.0 ? factor.shares[at] : 1.0;
  }
  if (text.empty())
    throw UsageError(fmt::format("--box {}= leaves no level of it.", printable(factor.name)),
                     fmt::format("Name one or more of {}, with | between them.", listed(names)));
  factor.shares = std::move(shares);
}

}  // namespace

void narrow(std::vector<Factor>& factors, const std::vector<std::string>& boxes) {
  std::vector<const Factor*> named;
  for (const std::string& box : boxes) {
    const auto [factor, rest] = input_and_rest(factors, box, "--box");
    refuse_twice(named, factor, "--box");
    if (!factor->continuous()) {
      narrow_levels(*factor, rest);
      continue;
    }
    const std::size_t dots = rest.find("..");
    const auto low = number_of(*factor, rest.substr(0, dots)),
               high = dots == std::string::npos ? low : number_of(*factor, rest.substr(dots + 2));
    if (!low || !high || *low > *high)
      throw UsageError(
          fmt::format("--box {} is no range.", printable(box)),
          fmt::format("Write {0}={1}..{2}, the lower bound first, or {0}={1} for one value.", printable(factor->name),
                      io::value_text(*factor, factor->low), io::value_text(*factor, factor->high)));
    factor->low = *low;
    factor->high = *high;
    factor->spread = Spread::uniform;
  }
}

void make_normal(std::vector<Factor>& factors, const std::vector<std::string>& laws,
                 const std::vector<std::string>& boxes) {
  std::vector<const Factor*> named, boxed;
  for (const std::string& box : boxes) boxed.push_back(input_and_rest(factors, box, "--box").first);
  for (const std::string& law : laws) {
    const auto [factor, rest] = input_and_rest(factors, law, "--normal");
    refuse_twice(named, factor, "--normal");
    if (std::find(boxed.begin(), boxed.end(), factor) != boxed.end())
      throw UsageError(fmt::format("--box and --normal both say what {} is drawn from.", printable(factor->name)),
                       "Give one of the two: a box is uniform, a normal law has no bounds.");
    const std::size_t comma = rest.find(',');
    char* end = nullptr;
    const auto mean = comma == std::string::npos ? std::nullopt : number_of(*factor, rest.substr(0, comma));
    const double sd = comma == std::string::npos ? -1.0 : std::strtod(rest.c_str() + comma + 1, &end);
    if (!factor->continuous() || !mean || !(sd >= 0.0) || !std::isfinite(sd) || *end != '\0' ||
        comma + 1 == rest.size())
      throw UsageError(
          fmt::format("--normal {} is no mean with a standard deviation.", printable(law)),
          "Write NAME=MEAN,SD for an input that is a number or a time; the deviation of a time is in days.");
    factor->mean = *mean;
    factor->sd = sd;
    factor->spread = Spread::normal;
  }
}

}  // namespace rfnn::cli
