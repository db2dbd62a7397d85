#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "rfnn/diagnostics/trend.hpp"
#include "rfnn/report/run_sections.hpp"
#include "rfnn/report/run_text.hpp"

namespace rfnn::report {
namespace {

constexpr std::size_t most_terms = 50;

std::string term_text(const TrendTerm& term) {
  if (term.power == 0) return "1";
  const std::string difference = fmt::format("({} − {})", label_of(term.variable), short_number(term.about));
  return term.power == 1 ? difference : fmt::format("{}^{}", difference, term.power);
}

}  // namespace

std::vector<Item> trend_terms(const RunStory& story) {
  const Model& model = *story.model;
  const std::vector<TrendTerm> terms = trends(model);
  std::vector<Item> items;
  if (terms.empty()) return items;
  items.emplace_back(
      Paragraph{"A trend goes on beyond the data, unlike what wanders about it: the model adds it to the mean of the "
                "target, and the waves to both."});
  Table table{.caption = "Trend", .header = {"term"}, .rows = {}};
  const bool several = model.members.size() > 1;
  if (several) table.header.insert(table.header.begin(), "member");
  for (std::size_t o = 0; o < outputs_shown(model); ++o) table.header.push_back(label_of(model.targets[o].name));
  for (std::size_t i = 0; i < std::min(terms.size(), most_terms); ++i) {
    std::vector<Cell> row;
    if (several) row.emplace_back(std::to_string(terms[i].member));
    row.emplace_back(term_text(terms[i]));
    for (std::size_t o = 0; o < outputs_shown(model); ++o) row.emplace_back(short_number(terms[i].coefficient[o]));
    table.rows.push_back(std::move(row));
  }
  if (terms.size() > most_terms) table.caption += fmt::format(" ({} of {} terms)", most_terms, terms.size());
  items.emplace_back(std::move(table));
  return items;
}

}  // namespace rfnn::report
