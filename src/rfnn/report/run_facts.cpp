#include "rfnn/report/run_facts.hpp"

#include <cmath>
#include <sstream>

#include "rfnn/options/number_text.hpp"

namespace rfnn::report {
namespace {

std::string text(const Model& model, const char* name) {
  const auto found = model.facts.find(name);
  return found == model.facts.end() ? std::string() : found->second;
}

std::optional<double> seconds(const Model& model, const char* name) {
  const auto value = number_from<double>(text(model, name));
  return value && std::isfinite(*value) ? value : std::nullopt;
}

/// Names with commas between them.
std::vector<std::string> list(const std::string& joined) {
  std::vector<std::string> names;
  std::istringstream rest(joined);
  for (std::string name; std::getline(rest, name, ',');)
    if (!name.empty()) names.push_back(name);
  return names;
}

}  // namespace

RunFactsNoted facts_noted(const Model& model) {
  RunFactsNoted facts{.command = text(model, "command"),
                      .folder = text(model, "folder"),
                      .data = text(model, "data"),
                      .validation = text(model, "validation"),
                      .started = text(model, "started"),
                      .seconds_reading = seconds(model, "seconds_reading"),
                      .seconds_preparing = seconds(model, "seconds_preparing"),
                      .options_given = std::nullopt};
  if (!facts.command.empty()) facts.options_given = list(text(model, "options_given"));
  return facts;
}

}  // namespace rfnn::report
