#include "rfnn/reproduction/claims.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "rfnn/options/number_text.hpp"
#include "rfnn/report/figure.hpp"
#include "rfnn/reproduction/claim_definitions.hpp"

namespace rfnn::reproduction {
namespace {

/// Adam has no chain to keep the best state of.
bool by_adam(const std::string& method) { return method.starts_with("adam"); }

/// Reads the claim on every seed that has all runs it needs.
Evidence evidence_of(const ClaimDefinition& definition, std::span<const Run> runs, const std::string& variant) {
  std::map<std::uint64_t, std::vector<const Run*>> by_seed;
  for (const std::string& method : definition.methods)
    for (const Run* run : runs_of(runs, definition.target, method + (by_adam(method) ? "" : variant)))
      by_seed[run->task.seed].push_back(run);
  Evidence evidence;
  for (const auto& [seed, needed] : by_seed) {
    if (needed.size() != definition.methods.size()) continue;
    const double value = definition.value(needed);
    if (!std::isnan(value)) evidence.readings.push_back({seed, value, definition.met(value, needed)});
  }
  return evidence;
}

/// Three digits: more would be noise over a few seeds.
std::string number_text(double value, bool percent) {
  const double rounded = number_from<double>(fmt::format("{:.3g}", percent ? 100.0 * value : value)).value_or(value);
  const std::string text = report::short_number(std::abs(rounded));
  return (rounded < 0.0 ? "−" : "") + text + (percent ? " %" : "");
}

Json json_of(const Evidence& evidence) {
  const Quartiles values = quartiles(evidence.values());
  Json per_seed = Json::array();
  for (const Reading& reading : evidence.readings)
    per_seed.push_back({{"seed", reading.seed}, {"value", json_number(reading.value)}, {"met", reading.met}});
  const std::size_t seeds = evidence.readings.size();
  return {{"median", json_number(values.median)},
          {"lower_quartile", json_number(values.lower)},
          {"upper_quartile", json_number(values.upper)},
          {"seeds", seeds},
          {"share_met",
           seeds == 0 ? Json(nullptr) : Json(static_cast<double>(evidence.met()) / static_cast<double>(seeds))},
          {"verdict", words_of(evidence.verdict())},
          {"per_seed", std::move(per_seed)}};
}

}  // namespace

std::string_view words_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds:
      return "holds";
    case Verdict::partly:
      return "partly";
    case Verdict::does_not_hold:
      return "does not hold";
    case Verdict::not_run:
      return "not run";
  }
  return "";
}

std::vector<double> Evidence::values() const {
  std::vector<double> all;
  for (const Reading& reading : readings) all.push_back(reading.value);
  return all;
}

std::size_t Evidence::met() const {
  return static_cast<std::size_t>(
      std::count_if(readings.begin(), readings.end(), [](const Reading& reading) { return reading.met; }));
}

Verdict Evidence::verdict() const {
  if (readings.empty()) return Verdict::not_run;
  if (4 * met() >= 3 * readings.size()) return Verdict::holds;
  return 4 * met() >= readings.size() ? Verdict::partly : Verdict::does_not_hold;
}

std::vector<Claim> claims_of(std::span<const Run> runs) {
  std::vector<Claim> claims;
  for (const ClaimDefinition& definition : claim_definitions()) {
    if (std::none_of(runs.begin(), runs.end(), [&](const Run& run) { return run.task.target == definition.target; }))
      continue;
    Claim claim;
    claim.id = definition.id;
    claim.target = definition.target;
    claim.statement = definition.statement;
    claim.measure = definition.measure;
    claim.condition = definition.condition;
    claim.percent = definition.percent;
    claim.published = evidence_of(definition, runs, "");
    if (definition.with_best && !by_adam(definition.methods.front()))
      claim.best = evidence_of(definition, runs, "-best");
    claims.push_back(std::move(claim));
  }
  return claims;
}

std::string median_and_quartiles(std::span<const double> values, bool percent) {
  if (values.empty()) return "–";
  const Quartiles all = quartiles(values);
  std::string text = number_text(all.median, percent);
  if (values.size() > 1) text += " [" + number_text(all.lower, percent) + ", " + number_text(all.upper, percent) + "]";
  return text;
}

std::string median_and_quartiles(const Evidence& evidence, bool percent) {
  return median_and_quartiles(evidence.values(), percent);
}

Json to_json(const Claim& claim) {
  Json json = {{"id", claim.id},
               {"example", target_names()[static_cast<std::size_t>(claim.target)]},
               {"claim", claim.statement},
               {"measure", claim.measure},
               {"condition", claim.condition}};
  json.update(json_of(claim.published));
  json["best_state"] = claim.best ? json_of(*claim.best) : Json(nullptr);
  return json;
}

}  // namespace rfnn::reproduction
