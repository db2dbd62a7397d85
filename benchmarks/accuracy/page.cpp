// A page of the report format from its description: bench_page PAGE.json PAGE.html. A script that measures decides what
// is shown (summary, tables, figures) and need not know how it is drawn. The JSON mirrors report/page.hpp: an item is
// an object with one member, named after the item; texts are plain, a cell is a text or [text, tone].

#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "rfnn/report/page.hpp"

namespace {

using namespace rfnn::report;
using Json = nlohmann::json;

/// The enumerator that stands beside a word; an unknown word is a mistake of the script and says so.
template <class Enum, std::size_t size>
Enum one_of(const std::pair<const char*, Enum> (&words)[size], const std::string& word) {
  for (const auto& [name, value] : words)
    if (word == name) return value;
  throw std::runtime_error(fmt::format("no such word in a page: {}", word));
}

Tone tone_of(const std::string& word) {
  static constexpr std::pair<const char*, Tone> words[] = {
      {"plain", Tone::plain}, {"good", Tone::good}, {"caution", Tone::caution}, {"bad", Tone::bad}};
  return one_of(words, word);
}

Colour colour_of(const std::string& word) {
  static constexpr std::pair<const char*, Colour> words[] = {
      {"black", Colour::black},   {"red", Colour::red},       {"blue", Colour::blue}, {"green", Colour::green},
      {"orange", Colour::orange}, {"purple", Colour::purple}, {"cyan", Colour::cyan}, {"grey", Colour::grey}};
  return one_of(words, word);
}

Mark mark_of(const std::string& word) {
  static constexpr std::pair<const char*, Mark> words[] = {{"line", Mark::line},
                                                           {"points", Mark::points},
                                                           {"line_points", Mark::line_points},
                                                           {"stems", Mark::stems},
                                                           {"band", Mark::band}};
  return one_of(words, word);
}

FigureSize size_of(const std::string& word) {
  static constexpr std::pair<const char*, FigureSize> words[] = {
      {"full", FigureSize::full}, {"half", FigureSize::half}, {"third", FigureSize::third}};
  return one_of(words, word);
}

Cell cell_of(const Json& cell) {
  if (cell.is_string()) return Cell(cell.get<std::string>());
  return Cell(cell.at(0).get<std::string>(), tone_of(cell.at(1).get<std::string>()));
}

Table table_of(const Json& table) {
  Table result{.caption = table.at("caption").get<std::string>(),
               .header = table.at("header").get<std::vector<std::string>>(),
               .rows = {},
               .folded = table.value("folded", false)};
  for (const Json& row : table.at("rows")) {
    auto& cells = result.rows.emplace_back();
    for (const Json& cell : row) cells.push_back(cell_of(cell));
  }
  return result;
}

Axis axis_of(const Json& axis) {
  Axis result{.label = axis.at("label").get<std::string>(), .logarithmic = axis.value("logarithmic", false)};
  if (axis.contains("low")) result.low = axis["low"].get<double>();
  if (axis.contains("high")) result.high = axis["high"].get<double>();
  return result;
}

Series series_of(const Json& series) {
  return {.name = series.value("name", ""),
          .mark = mark_of(series.value("mark", "points")),
          .colour = colour_of(series.value("colour", "blue")),
          .dashed = series.value("dashed", false),
          .x = series.at("x").get<std::vector<double>>(),
          .y = series.at("y").get<std::vector<double>>(),
          .low = series.value("low", std::vector<double>{}),
          .notes = series.value("notes", std::vector<std::string>{})};
}

Figure figure_of(const Json& figure) {
  Figure result{.id = figure.at("id").get<std::string>(),
                .title = figure.at("title").get<std::string>(),
                .caption = figure.at("caption").get<std::string>(),
                .alternative = figure.at("alternative").get<std::string>(),
                .x = axis_of(figure.at("x")),
                .y = axis_of(figure.at("y"))};
  for (const Json& series : figure.at("series")) result.series.push_back(series_of(series));
  result.size = size_of(figure.value("size", "full"));
  return result;
}

Item item_of(const Json& item) {
  const std::string& kind = item.begin().key();
  const Json& value = item.begin().value();
  if (kind == "paragraph") return Paragraph{value.get<std::string>()};
  if (kind == "notice") return Notice{value.at(0).get<std::string>(), tone_of(value.at(1).get<std::string>())};
  if (kind == "facts") return Facts{value.get<std::vector<std::pair<std::string, std::string>>>()};
  if (kind == "code") return Code{value.get<std::string>()};
  if (kind == "table") return table_of(value);
  if (kind == "figure") return figure_of(value);
  if (kind != "highlights") throw std::runtime_error(fmt::format("no such item of a page: {}", kind));
  Highlights highlights;
  for (const Json& number : value)
    highlights.numbers.push_back({number.at(0).get<std::string>(), number.at(1).get<std::string>()});
  return highlights;
}

Page page_of(const Json& described) {
  Page page{.title = described.at("title").get<std::string>(),
            .subtitle = described.at("subtitle").get<std::string>(),
            .sections = {}};
  for (const Json& section : described.at("sections")) {
    page.sections.push_back(
        {.id = section.at("id").get<std::string>(), .title = section.at("title").get<std::string>(), .items = {}});
    for (const Json& item : section.at("items")) page.sections.back().items.push_back(item_of(item));
  }
  return page;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "bench_page PAGE.json PAGE.html\n");
    return 1;
  }
  try {
    std::ifstream in(argv[1]);
    const std::string text = html(page_of(Json::parse(in)));
    std::ofstream out(argv[2]);
    out << text;
    return out.flush() ? 0 : 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_page: {}\n", error.what());
    return 2;
  }
}
