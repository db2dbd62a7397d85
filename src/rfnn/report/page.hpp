#pragma once

// Private header. A page as a value, and its HTML: one offline file with everything in it.

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "rfnn/report/figure.hpp"

namespace rfnn::report {

/// How a piece of text is meant; shown as a colour and always also in words.
enum class Tone { plain, good, caution, bad };

struct Paragraph {
  std::string text;
};

/// The sentence a page is for, large.
struct Lead {
  std::string text;
};

/// A paragraph that must not be overlooked: an interrupted run, thinned data, a shortened reproduction.
struct Notice {
  std::string text;
  Tone tone = Tone::caution;
};

/// Names and values, side by side.
struct Facts {
  std::vector<std::pair<std::string, std::string>> rows;
};

/// The few numbers that sum a page up, large.
struct Highlights {
  struct Number {
    std::string value, meaning;
  };
  std::vector<Number> numbers;
};

struct Cell {
  std::string text;
  Tone tone = Tone::plain;
  Cell() = default;
  Cell(std::string words, Tone meant = Tone::plain) : text(std::move(words)), tone(meant) {}
  Cell(const char* words) : text(words) {}
};

struct Table {
  std::string caption;
  std::vector<std::string> header;
  std::vector<std::vector<Cell>> rows;
  bool folded = false;  ///< closed until asked for
};

/// Commands to copy.
struct Code {
  std::string text;
};

using Item = std::variant<Paragraph, Lead, Notice, Facts, Highlights, Table, Code, Figure>;

struct Section {
  std::string id;  ///< as a figure's
  std::string title;
  std::vector<Item> items;
};

struct Page {
  std::string title;
  std::string subtitle;
  std::vector<Section> sections;
};

/// The page as one HTML file: it asks for nothing from anywhere, and every text is escaped. Numbers of figures are
/// rounded to six digits; those that are not finite are left out.
std::string html(const Page& page);

/// Every figure of the page, in order.
std::vector<const Figure*> figures_of(const Page& page);

}  // namespace rfnn::report
