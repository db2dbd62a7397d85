#include "rfnn/report/figure.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace rfnn::report {
namespace {

/// A field of a CSV line; quoted where it has to be.
std::string field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

/// Shortest number that reads back exactly; nothing for one that is not finite.
std::string number(double value) { return std::isfinite(value) ? fmt::format("{}", value) : std::string(); }

/// A value on an axis: of times the moment, of names the name.
std::string value_on(const Axis& axis, double value) {
  if (!std::isfinite(value)) return {};
  if (axis.time) return moment_text(value, axis.time->origin, axis.time->form);
  if (value >= 0.0 && value < static_cast<double>(axis.names.size()) && value == std::floor(value))
    return field(axis.names[static_cast<std::size_t>(value)]);
  return number(value);
}

/// Centre of part `i` of `parts` of an axis, as it is drawn.
double centre(const Axis& axis, std::size_t i, std::size_t parts) {
  const double low = axis.low.value_or(0.0), high = axis.high.value_or(1.0);
  const double share = (static_cast<double>(i) + 0.5) / static_cast<double>(parts);
  return axis.logarithmic && low > 0.0 ? low * std::pow(high / low, share) : low + (high - low) * share;
}

void append_lines(std::string& text, const std::string& prefix, const Series& series, const Figure& figure,
                  bool with_low) {
  const std::string start = prefix + field(series.name) + ",";
  if (series.mark == Mark::cells) {
    const std::size_t columns = std::max<std::size_t>(series.columns, 1), rows = series.y.size() / columns;
    for (std::size_t i = 0; i < rows * columns; ++i) {
      text += start + value_on(figure.x, centre(figure.x, i % columns, columns)) + "," +
              value_on(figure.y, centre(figure.y, i / columns, rows)) + "," + number(series.y[i]) + "\n";
    }
    return;
  }
  const std::size_t points = std::min(series.x.size(), series.y.size());
  for (std::size_t i = 0; i < points; ++i) {
    text += start + value_on(figure.x, series.x[i]) + "," + number(series.y[i]);
    if (with_low) text += "," + (i < series.low.size() ? number(series.low[i]) : std::string());
    text += "\n";
  }
}

}  // namespace

std::string csv(const Figure& figure) {
  bool cells = false, bands = false;
  const auto look_at = [&](const std::vector<Series>& list) {
    for (const Series& series : list) {
      cells = cells || series.mark == Mark::cells;
      bands = bands || series.mark == Mark::band;
    }
  };
  look_at(figure.series);
  for (const Frame& frame : figure.frames) look_at(frame.series);

  std::string text = figure.frames.empty() ? "" : "frame,";
  text += cells ? "series,x,y,value\n" : bands ? "series,x,y,low\n" : "series,x,y\n";
  const std::string every = figure.frames.empty() ? "" : ",";  // what all frames show has no frame's name
  for (const Series& series : figure.series) append_lines(text, every, series, figure, bands);
  for (const Frame& frame : figure.frames) {
    for (const Series& series : frame.series) append_lines(text, field(frame.label) + ",", series, figure, bands);
  }
  return text;
}

std::vector<std::size_t> spread(std::size_t rows, std::size_t limit) {
  const std::size_t count = std::min(rows, limit);
  std::vector<std::size_t> chosen(count);
  for (std::size_t i = 0; i < count; ++i) {
    // i · rows / count without overflow
    chosen[i] = rows / count * i + rows % count * i / count;
  }
  return chosen;
}

std::string spread_note(std::size_t rows, std::size_t limit) {
  return rows <= limit ? std::string() : fmt::format("Shown: {} of {} rows, evenly spread.", limit, rows);
}

Series histogram_bars(const std::vector<double>& values, double low, double high, std::size_t bins) {
  Series bars{.name = "rows", .mark = Mark::bars, .x = {}, .y = {}};
  bins = std::max<std::size_t>(bins, 1);
  if (!(high > low)) high = low + std::max(std::abs(low), 1.0) * 1e-3;  // all values alike: one bar somewhere
  bars.bar_width = (high - low) / static_cast<double>(bins);
  bars.x.resize(bins);
  bars.y.assign(bins, 0.0);
  for (std::size_t i = 0; i < bins; ++i) bars.x[i] = low + (static_cast<double>(i) + 0.5) * bars.bar_width;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    const double place = std::clamp((value - low) / bars.bar_width, 0.0, static_cast<double>(bins) - 0.5);
    bars.y[static_cast<std::size_t>(place)] += 1.0;
  }
  return bars;
}

std::string short_number(double value) {
  if (!std::isfinite(value)) return "–";
  if (value == 0.0) return "0";
  const double size = std::abs(value);
  if (size >= 1e-3 && size < 1e6)
    return fmt::format("{:.4g}", value).find('e') == std::string::npos ? fmt::format("{:.4g}", value)
                                                                       : fmt::format("{:.0f}", value);
  // 3.1e-05 reads as 3.1e-5
  std::string text = fmt::format("{:.3g}", value);
  const std::size_t e = text.find('e');
  if (e == std::string::npos) return text;
  std::size_t digits = e + 1;
  if (text[digits] == '+') text.erase(digits, 1);
  if (text[digits] == '-') ++digits;
  while (digits + 1 < text.size() && text[digits] == '0') text.erase(digits, 1);
  return text;
}

}  // namespace rfnn::report
