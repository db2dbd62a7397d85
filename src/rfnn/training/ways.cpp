#include "rfnn/training/ways.hpp"

#include "rfnn/training/budget.hpp"
#include "rfnn/training/tuning.hpp"

namespace rfnn::training {
namespace {

std::vector<Way> wide_ways(const Options& options, std::size_t rows) {
  std::vector<Way> begin = {{options.width > 0 ? Method::random : Method::kernel, shares::wide}};
  if (options.width <= 0 && rows > tuning::side_by_side_rows)
    begin.push_back({Method::kernel, shares::wide_to_stand_on, true});
  begin.push_back({Method::sequential, shares::grown_beside_wide});
  return begin;
}

/// Those that go on: trend and lines first. A lattice repeats itself beyond the rows, but closes gaps.
std::vector<Way> ways_beyond(const Options& options, std::size_t inputs, std::size_t rows) {
  std::vector<Way> begin = {{Method::lines, shares::lines}};
  if (inputs > 1) {
    for (const Way& way : wide_ways(options, rows)) begin.push_back(way);
    return begin;
  }
  if (options.width <= 0) begin.push_back({Method::series, shares::series});
  if (options.holdout == Holdout::gap) begin.push_back({Method::lattice, shares::lattice_beside_lines});
  return begin;
}

}  // namespace

bool windows_pay(const Options& options, std::size_t inputs, std::size_t rows) {
  return options.width <= 0 && inputs > 1 && inputs <= tuning::most_inputs_of_windows &&
         rows > tuning::rows_for_windows[inputs - 2];
}

bool beyond(const Options& options) { return options.holdout != Holdout::random; }

// Wide blocks need room; their ridge is part of what they learn.
std::vector<Way> ways_to_begin(const Options& options, std::size_t inputs, std::size_t rows) {
  const bool narrow = options.width > 0 && static_cast<std::size_t>(options.width) < tuning::wide;
  if (beyond(options) && narrow && options.ridge.empty())
    return {{Method::lines, shares::lines}, {Method::sequential, shares::grown_alone}};
  if (narrow || !options.ridge.empty()) return {{Method::sequential, shares::grown_alone}};
  if (beyond(options)) return ways_beyond(options, inputs, rows);
  std::vector<Way> begin;
  if (windows_pay(options, inputs, rows)) begin.push_back({Method::windows, shares::windows});
  if (inputs > 2) {
    for (const Way& way : wide_ways(options, rows)) begin.push_back(way);
    return begin;
  }
  if (options.width <= 0 && inputs == 1) begin.push_back({Method::series, shares::series});
  begin.push_back({Method::lattice, shares::lattice});
  if (windows_pay(options, inputs, rows))
    begin.push_back({.first = Method::windows, .share = shares::windows_on_top, .on_top = true});
  if (options.width <= 0 && rows <= tuning::rows_for_both[inputs - 1])
    begin.push_back({Method::kernel, shares::kernel_beside_lattice});
  begin.push_back({Method::sequential, shares::grown_beside_lattice});
  return begin;
}

}  // namespace rfnn::training
