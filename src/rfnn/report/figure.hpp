#pragma once

// Private header. Figures as values: what is drawn, not how. The page (report/page.hpp) draws them in the browser;
// `csv` gives their numbers to other programs.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "rfnn/data/column_code.hpp"

namespace rfnn::report {

struct Axis {
  std::string label;  ///< with the unit where there is one
  bool logarithmic = false;
  std::optional<double> low = {}, high = {};  ///< default: from the marks
  /// Values are times of this scale: dates are shown instead of numbers of days.
  std::optional<TimeScale> time = {};
  /// The values 0, 1, … have these names: the levels of a category.
  std::vector<std::string> names = {};
};

/// How the points of a series are drawn.
enum class Mark {
  line,         ///< joined in order; a value that is not finite is a gap
  points,       ///< a dot each
  line_points,  ///< both
  bars,         ///< from 0 to y, centred at x, `bar_width` wide
  stems,        ///< a thin line from the bottom to y with a dot on top
  band,         ///< the area between `low` and y
  cells,        ///< a heat map: `columns` × rows values in y, lowest row first; x is empty
};

/// Colours have the same meaning on every page: black the data or the target, red our prediction, grey a reference.
enum class Colour { black, red, blue, green, orange, purple, cyan, grey };

struct Series {
  std::string name;  ///< in the legend; empty: not in the legend
  Mark mark = Mark::line;
  Colour colour = Colour::red;
  bool dashed = false;
  std::vector<double> x, y;
  std::vector<double> low = {};         ///< band only: its lower edge; y is the upper
  double bar_width = 0.0;               ///< bars only, in units of x
  std::size_t columns = 0;              ///< cells only
  std::vector<std::string> notes = {};  ///< one per point, shown when it is pointed at; or empty
};

/// What values a heat map's colours stand for. All frames of a figure share it.
struct ColourScale {
  std::string label;
  double low = 0.0, high = 1.0;
  bool diverging = false;  ///< two-sided around the middle, for differences
};

/// One position of a figure's slider.
struct Frame {
  std::string label;  ///< "3 blocks"
  std::vector<Series> series;
};

enum class FigureSize { full, half, third };

/// A figure. Texts are plain UTF-8 from anywhere: whoever shows them escapes them.
struct Figure {
  std::string id;  ///< lower-case letters, digits and hyphens; unique on a page and the name of its CSV file
  std::string title;
  std::string caption;      ///< what is seen and how it was made, including what was left out
  std::string alternative;  ///< what the picture shows in a sentence or two with numbers, for those who do not see it
  Axis x, y;
  std::vector<Series> series = {};  ///< always shown
  std::vector<Frame> frames = {};   ///< shown one at a time, over `series`; a slider chooses
  std::string slider = {};          ///< what the slider sets: "blocks used"
  std::size_t first_frame = 0;
  std::optional<ColourScale> scale = {};  ///< needed for cells
  /// Heat maps only: x runs over [x.low, x.high], y over [y.low, y.high].
  FigureSize size = FigureSize::full;
};

/// The figure's numbers in full, one point a line: frame (where there are any), series, x, y, and low for bands. A
/// heat map's cells give their centres and `value`.
std::string csv(const Figure& figure);

/// At most `limit` of `rows` row numbers, evenly spread, in order.
std::vector<std::size_t> spread(std::size_t rows, std::size_t limit);

/// "Shown: 2000 of 100000 rows, evenly spread." or nothing when all are shown.
std::string spread_note(std::size_t rows, std::size_t limit);

/// Equal bins over [low, high] as bars; values outside are counted in the outer bins.
Series histogram_bars(const std::vector<double>& values, double low, double high, std::size_t bins);

/// A number for people: three or four significant digits, no trailing noise.
std::string short_number(double value);

}  // namespace rfnn::report
