#include "rfnn/report/page.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "rfnn/core/version.hpp"
#include "rfnn/io/json.hpp"
#include "rfnn/io/text.hpp"
#include "rfnn/report/assets.hpp"

namespace rfnn::report {
namespace {

/// Text as it may stand between tags and inside quoted attributes.
std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : io::to_utf8(text)) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t') safe += c;
    }
  }
  return safe;
}

/// Text as a JSON string inside a script element, which ends at the first "</script" whatever surrounds it.
std::string script_string(std::string_view text) {
  std::string safe;
  for (const char c : io::json_string(text)) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string rounded(double value) { return std::isfinite(value) ? fmt::format("{:.6g}", value) : "null"; }

std::string list_of(const std::vector<double>& values) {
  std::string text = "[";
  for (const double value : values) text += (text.size() > 1 ? "," : "") + rounded(value);
  return text + "]";
}

constexpr std::string_view name_of(Mark mark) {
  switch (mark) {
    case Mark::line:
      return "line";
    case Mark::points:
      return "points";
    case Mark::line_points:
      return "line_points";
    case Mark::bars:
      return "bars";
    case Mark::stems:
      return "stems";
    case Mark::band:
      return "band";
    case Mark::cells:
      return "cells";
  }
  return "";
}

constexpr std::string_view name_of(Colour colour) {
  constexpr std::string_view names[] = {"black", "red", "blue", "green", "orange", "purple", "cyan", "grey"};
  return names[static_cast<std::size_t>(colour)];
}

constexpr std::string_view name_of(Tone tone) {
  constexpr std::string_view names[] = {"plain", "good", "caution", "bad"};
  return names[static_cast<std::size_t>(tone)];
}

constexpr std::string_view name_of(FigureSize size) {
  return size == FigureSize::full ? "full" : size == FigureSize::half ? "half" : "third";
}

/// The figures of a page as one JSON document. Abscissae are often the same in many series and frames: they are written
/// once, in "abscissae", and referred to by number.
class FigureData {
 public:
  void add(const Figure& figure) {
    std::string& out = figures_;
    if (!out.empty()) out += ",\n";
    out += fmt::format("{{\"id\":{},\"title\":{},\"x\":{},\"y\":{},\"series\":{}", script_string(figure.id),
                       script_string(figure.title), axis(figure.x), axis(figure.y), series_list(figure.series));
    if (figure.scale) {
      out += fmt::format(",\"scale\":{{\"label\":{},\"low\":{},\"high\":{},\"diverging\":{}}}",
                         script_string(figure.scale->label), rounded(figure.scale->low), rounded(figure.scale->high),
                         figure.scale->diverging);
    }
    if (!figure.frames.empty()) {
      out += fmt::format(",\"first\":{},\"frames\":[", std::min(figure.first_frame, figure.frames.size() - 1));
      for (std::size_t i = 0; i < figure.frames.size(); ++i) {
        out += fmt::format("{}{{\"label\":{},\"series\":{}}}", i ? "," : "", script_string(figure.frames[i].label),
                           series_list(figure.frames[i].series));
      }
      out += "]";
    }
    out += "}";
  }

  [[nodiscard]] std::string text() const {
    return fmt::format("{{\"figures\":[{}],\n\"abscissae\":[{}]}}", figures_, abscissae_);
  }

 private:
  static std::string axis(const Axis& axis) {
    std::string text = fmt::format("{{\"label\":{},\"logarithmic\":{}", script_string(axis.label), axis.logarithmic);
    if (axis.low) text += ",\"low\":" + rounded(*axis.low);
    if (axis.high) text += ",\"high\":" + rounded(*axis.high);
    if (axis.time)
      text += fmt::format(",\"origin\":{},\"clock\":{}", axis.time->origin, axis.time->form == TimeForm::time_of_day);
    for (std::size_t k = 0; k < axis.names.size(); ++k)
      text += (k == 0 ? ",\"names\":[" : ",") + script_string(axis.names[k]);
    if (!axis.names.empty()) text += "]";
    return text + "}";
  }

  std::size_t place_of(const std::vector<double>& x) {
    std::string list = list_of(x);
    const auto [entry, fresh] = places_.try_emplace(std::move(list), places_.size());
    if (fresh) abscissae_ += (entry->second ? ",\n" : "") + entry->first;
    return entry->second;
  }

  std::string series_list(const std::vector<Series>& list) {
    std::string text = "[";
    for (const Series& series : list) {
      if (text.size() > 1) text += ",";
      text += fmt::format("{{\"name\":{},\"mark\":\"{}\",\"colour\":\"{}\"", script_string(series.name),
                          name_of(series.mark), name_of(series.colour));
      if (series.dashed) text += ",\"dashed\":true";
      if (series.mark == Mark::cells) {
        text += fmt::format(",\"columns\":{}", series.columns);
      } else {
        text += fmt::format(",\"x\":{}", place_of(series.x));
      }
      text += ",\"y\":" + list_of(series.y);
      if (!series.low.empty()) text += ",\"low\":" + list_of(series.low);
      if (series.bar_width > 0.0) text += ",\"width\":" + rounded(series.bar_width);
      if (!series.notes.empty()) {
        text += ",\"notes\":[";
        for (std::size_t i = 0; i < series.notes.size(); ++i) text += (i ? "," : "") + script_string(series.notes[i]);
        text += "]";
      }
      text += "}";
    }
    return text + "]";
  }

  std::string figures_, abscissae_;
  std::map<std::string, std::size_t> places_;
};

/// Writes one item as HTML.
struct Writer {
  FigureData& figures;

  std::string operator()(const Paragraph& item) const { return fmt::format("<p>{}</p>\n", escaped(item.text)); }

  std::string operator()(const Lead& item) const {
    return fmt::format("<p class=\"lead\">{}</p>\n", escaped(item.text));
  }

  std::string operator()(const Notice& item) const {
    return fmt::format("<p class=\"notice {}\" role=\"note\">{}</p>\n", name_of(item.tone), escaped(item.text));
  }

  std::string operator()(const Facts& item) const {
    std::string text = "<dl class=\"facts\">\n";
    for (const auto& [name, value] : item.rows) {
      text += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", escaped(name), escaped(value));
    }
    return text + "</dl>\n";
  }

  std::string operator()(const Highlights& item) const {
    std::string text = "<ul class=\"highlights\">\n";
    for (const auto& [value, meaning] : item.numbers) {
      text += fmt::format("<li><strong>{}</strong> <span>{}</span></li>\n", escaped(value), escaped(meaning));
    }
    return text + "</ul>\n";
  }

  std::string operator()(const Table& item) const {
    std::string text = fmt::format(
        "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{0}\"><table>"
        "<caption>{0}</caption>\n<thead><tr>",
        escaped(item.caption));
    for (const std::string& name : item.header) text += fmt::format("<th scope=\"col\">{}</th>", escaped(name));
    text += "</tr></thead>\n<tbody>\n";
    for (const auto& row : item.rows) {
      text += "<tr>";
      for (const Cell& cell : row) {
        if (cell.tone == Tone::plain) {
          text += fmt::format("<td>{}</td>", escaped(cell.text));
        } else {
          text += fmt::format("<td><span class=\"badge {}\">{}</span></td>", name_of(cell.tone), escaped(cell.text));
        }
      }
      text += "</tr>\n";
    }
    text += "</tbody></table></div>\n";
    if (!item.folded) return text;
    return fmt::format("<details><summary>{}</summary>\n{}</details>\n", escaped(item.caption), text);
  }

  std::string operator()(const Code& item) const {
    return fmt::format("<pre class=\"code\" tabindex=\"0\"><code>{}</code></pre>\n", escaped(item.text));
  }

  std::string operator()(const Figure& item) const {
    figures.add(item);
    std::string text = fmt::format(
        "<figure class=\"{0}\" id=\"figure-{1}\" data-figure=\"{1}\" aria-labelledby=\"figure-{1}-title\">\n"
        "<h3 id=\"figure-{1}-title\">{2}</h3>\n"
        "<div class=\"plot\"><canvas role=\"img\" aria-label=\"{3}\"></canvas></div>\n",
        name_of(item.size), escaped(item.id), escaped(item.title), escaped(item.alternative));
    if (item.frames.size() > 1) {
      const std::size_t first = std::min(item.first_frame, item.frames.size() - 1);
      text += fmt::format(
          "<div class=\"slider\"><label for=\"{0}-slider\">{1}</label> <input id=\"{0}-slider\" type=\"range\" "
          "min=\"0\" "
          "max=\"{2}\" step=\"1\" value=\"{3}\" aria-valuetext=\"{4}\"> <output "
          "for=\"{0}-slider\">{4}</output></div>\n",
          escaped(item.id), escaped(item.slider), item.frames.size() - 1, first, escaped(item.frames[first].label));
    }
    return text + fmt::format("<figcaption>{}</figcaption>\n</figure>\n", escaped(item.caption));
  }
};

/// Neighbouring figures that are not full width stand side by side.
std::string items_html(const std::vector<Item>& items, const Writer& writer) {
  std::string text;
  bool in_row = false;
  for (const Item& item : items) {
    const auto* figure = std::get_if<Figure>(&item);
    const bool beside = figure != nullptr && figure->size != FigureSize::full;
    if (beside != in_row) text += beside ? "<div class=\"row\">\n" : "</div>\n";
    in_row = beside;
    text += std::visit(writer, item);
  }
  return text + (in_row ? "</div>\n" : "");
}

}  // namespace

std::string html(const Page& page) {
  FigureData figures;
  std::string contents, sections;
  for (const Section& section : page.sections) {
    contents += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", escaped(section.id), escaped(section.title));
    sections += fmt::format("<section id=\"{0}\" aria-labelledby=\"{0}-heading\">\n<h2 id=\"{0}-heading\">{1}</h2>\n",
                            escaped(section.id), escaped(section.title));
    sections += items_html(section.items, Writer{figures}) + "</section>\n";
  }
  std::string text =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      // Whatever a file name or column name may contain, the page can reach nothing outside itself.
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "script-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n";
  text += fmt::format("<meta name=\"generator\" content=\"rfnn {}\">\n<title>{}</title>\n<style>\n", version(),
                      escaped(page.title));
  text += assets::style;
  // Before anything is painted: dark where the reader's system is.
  text +=
      "</style>\n<script>document.documentElement.dataset.theme = "
      "matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';</script>\n";
  text += "</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the content</a>\n<header>\n";
  text += fmt::format("<div class=\"head\"><div><h1>{}</h1>\n<p class=\"subtitle\">{}</p></div>\n", escaped(page.title),
                      escaped(page.subtitle));
  text += "<button type=\"button\" id=\"theme\" hidden>Theme</button></div>\n<nav aria-label=\"Contents\"><ul>\n";
  text += contents + "</ul></nav>\n</header>\n<main id=\"main\">\n";
  text +=
      "<noscript><p class=\"notice caution\">The figures need JavaScript; texts and tables do not.</p></noscript>\n";
  text += sections + "</main>\n<footer><p>";
  text += fmt::format("Made by rfnn {}. The page is one file and asks for nothing from anywhere. ", version());
  text +=
      "Figures show and save numbers rounded to six digits. Charts are drawn by Chart.js (MIT licence).</p></footer>\n";
  text += "<script type=\"application/json\" id=\"figure-data\">\n";
  text += figures.text() + "\n</script>\n<script>\n";
  text += assets::chart;
  text += "\n</script>\n<script>\n";
  text += assets::script;
  return text + "</script>\n</body>\n</html>\n";
}

std::vector<const Figure*> figures_of(const Page& page) {
  std::vector<const Figure*> all;
  for (const Section& section : page.sections) {
    for (const Item& item : section.items) {
      if (const auto* figure = std::get_if<Figure>(&item)) all.push_back(figure);
    }
  }
  return all;
}

}  // namespace rfnn::report
