// The chart page of a benchmark run: bench_report RESULTS.json PAGE.html. Reads what run.py wrote; parts that were not
// run are left out.

#include <algorithm>
#include <cmath>
#include <exception>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "rfnn/report/page.hpp"

namespace {

using namespace rfnn;
using namespace rfnn::report;
using Json = nlohmann::json;

constexpr Colour palette[] = {Colour::red, Colour::blue, Colour::green, Colour::orange, Colour::purple, Colour::cyan};

/// A joined series of the rows that `value` has something for.
Series series_of(std::string name, Colour colour, bool dashed, const std::vector<Json>& rows, const char* x,
                 const std::function<double(const Json&)>& value) {
  Series series{
      .name = std::move(name), .mark = Mark::line_points, .colour = colour, .dashed = dashed, .x = {}, .y = {}};
  for (const Json& row : rows)
    if (const double y = value(row); std::isfinite(y)) {
      series.x.push_back(row[x].get<double>());
      series.y.push_back(y);
    }
  return series;
}

double number(const Json& row, const char* key) { return row.contains(key) ? row[key].get<double>() : std::nan(""); }
double baseline(const Json& row, const char* way, const char* key) {
  return row.contains("baseline") ? row["baseline"][way][key].get<double>() : std::nan("");
}

/// "from 0.6 (at 1000) to 0.9 (at 10⁷)" over all points of a figure.
std::string range_words(const Figure& figure) {
  double low = INFINITY, high = -INFINITY, at_low = 0.0, at_high = 0.0;
  for (const Series& series : figure.series)
    for (std::size_t i = 0; i < series.y.size(); ++i) {
      if (series.y[i] < low) low = series.y[i], at_low = series.x[i];
      if (series.y[i] > high) high = series.y[i], at_high = series.x[i];
    }
  return fmt::format("Values from {} (at {}) to {} (at {}).", short_number(low), short_number(at_low),
                     short_number(high), short_number(at_high));
}

Figure finished(Figure figure, const std::string& shows) {
  figure.series.erase(
      std::remove_if(figure.series.begin(), figure.series.end(), [](const Series& series) { return series.x.empty(); }),
      figure.series.end());
  figure.alternative = shows + " " + range_words(figure);
  figure.size = FigureSize::half;
  return figure;
}

std::vector<Json> rows_where(const Json& sizes, const std::function<bool(const Json&)>& wanted, const char* order) {
  std::vector<Json> rows;
  std::copy_if(sizes.begin(), sizes.end(), std::back_inserter(rows), wanted);
  std::sort(rows.begin(), rows.end(), [&](const Json& a, const Json& b) { return a[order] < b[order]; });
  return rows;
}

/// The sizes of the table of bench_training along one axis: those of one width for every d, or of one N.
Section scaling(const Json& sizes) {
  Section section{.id = "scaling", .title = "Gibbs iterations over the sizes", .items = {}};
  section.items.emplace_back(Paragraph{
      "A later block: two branches of W features each over N rows of d inputs. The plain loop is the algorithm as "
      "published, with the better of OpenBLAS on one thread and on all; with vector cos/sin it is compiled with "
      "-O3 -march=native -ffast-math. The bound is the time of the cosines and sines, Gram entries and solves that an "
      "iteration cannot do without, at the rates the kernels reach on one tile of rows in the cache."});

  const auto over_rows = [&](std::size_t inputs) {
    return rows_where(
        sizes, [&](const Json& row) { return row["width"] == 8 && row["inputs"] == inputs; }, "rows");
  };
  const auto over_width = rows_where(
      sizes, [](const Json& row) { return row["rows"] == 10000 && row["inputs"] == 3; }, "width");
  const Axis rows_axis{.label = "rows N", .logarithmic = true}, width_axis{.label = "width W", .logarithmic = true};
  const Axis rate_axis{.label = "iterations per second", .logarithmic = true};
  const auto rate = [](const Json& row) { return number(row, "per_second"); };
  const auto rate_of_two = [](const Json& row) { return number(row, "per_second_two_threads"); };
  const auto speed_up = [](const Json& row) {
    return number(row, "per_second_two_threads") / number(row, "per_second");
  };
  const auto share = [](const Json& row) { return number(row, "share"); };
  const auto plain_rate = [](const Json& row) { return baseline(row, "plain", "per_second"); };
  const auto vector_rate = [](const Json& row) { return baseline(row, "vector", "per_second"); };

  Figure by_rows{.id = "rate-rows",
                 .title = "Speed against rows",
                 .caption = "W = 8. Library on one thread, and the plain loop where it takes at most 3 s an iteration.",
                 .alternative = {},
                 .x = rows_axis,
                 .y = rate_axis};
  Figure share_rows{.id = "share-rows",
                    .title = "Share of the bound against rows",
                    .caption = "W = 8, one thread. 1 would be an engine that costs nothing beside its kernels.",
                    .alternative = {},
                    .x = rows_axis,
                    .y = {.label = "share of the bound", .low = 0.0}};
  Figure ratio_rows{.id = "ratio-rows",
                    .title = "Ratio to the plain loop against rows",
                    .caption = "W = 8, one thread of the library. Dashed: the plain loop with vector cos/sin.",
                    .alternative = {},
                    .x = rows_axis,
                    .y = {.label = "times the plain loop", .low = 0.0}};
  Figure two_rows{.id = "threads-rows",
                  .title = "Two threads over one, against rows",
                  .caption = "W = 8. Where the rows are few, waking the second thread would cost more than it brings.",
                  .alternative = {},
                  .x = rows_axis,
                  .y = {.label = "times one thread", .low = 0.0}};
  std::size_t colour = 0;
  for (const std::size_t inputs : {1U, 3U, 10U}) {
    const auto rows = over_rows(inputs);
    const Colour own = palette[colour++];
    const std::string name = fmt::format("d = {}", inputs);
    by_rows.series.push_back(series_of(name, own, false, rows, "rows", rate));
    share_rows.series.push_back(series_of(name, own, false, rows, "rows", share));
    two_rows.series.push_back(series_of(name, own, false, rows, "rows", speed_up));
    by_rows.series.push_back(series_of(name + ", plain loop", own, true, rows, "rows", plain_rate));
    ratio_rows.series.push_back(
        series_of(name, own, false, rows, "rows", [](const Json& row) { return baseline(row, "plain", "ratio"); }));
    ratio_rows.series.push_back(series_of(name + ", vector cos/sin", own, true, rows, "rows",
                                          [](const Json& row) { return baseline(row, "vector", "ratio"); }));
  }
  section.items.emplace_back(finished(by_rows, "Iterations per second fall in proportion to the rows."));
  section.items.emplace_back(finished(ratio_rows, "How many times faster the library is than the plain loop."));
  section.items.emplace_back(finished(share_rows, "The engine's share of the bound over the rows."));
  section.items.emplace_back(finished(two_rows, "Speed of two threads over that of one."));
  if (over_width.size() < 2) return section;

  Figure by_width{.id = "rate-width",
                  .title = "Speed against width",
                  .caption = "N = 10⁴, d = 3. The plain loop where it takes at most 3 s an iteration.",
                  .alternative = {},
                  .x = width_axis,
                  .y = rate_axis};
  by_width.series = {series_of("library, one thread", Colour::red, false, over_width, "width", rate),
                     series_of("library, two threads", Colour::orange, false, over_width, "width", rate_of_two),
                     series_of("plain loop", Colour::grey, false, over_width, "width", plain_rate),
                     series_of("plain loop, vector cos/sin", Colour::grey, true, over_width, "width", vector_rate)};
  section.items.emplace_back(finished(by_width, "Iterations per second fall about with the square of the width."));

  Figure parts{.id = "bound-width",
               .title = "Where an iteration's time goes, against width",
               .caption =
                   "N = 10⁴, d = 3, one thread. Share of the measured time that each part of the bound "
                   "explains; what is missing to 1 is overhead.",
               .alternative = {},
               .x = width_axis,
               .y = {.label = "share of the time", .low = 0.0}};
  const auto part = [](const char* key) {
    return [key](const Json& row) { return row["bound"][key].get<double>() * row["per_second"].get<double>(); };
  };
  parts.series = {series_of("all", Colour::black, false, over_width, "width", share),
                  series_of("Gram", Colour::blue, false, over_width, "width", part("gram")),
                  series_of("cos/sin", Colour::green, false, over_width, "width", part("trig")),
                  series_of("solves", Colour::purple, false, over_width, "width", part("solve"))};
  section.items.emplace_back(finished(parts, "Shares of Gram matrix, cosines and sines, and solves over the width."));
  return section;
}

Section kernel_section(const Json& kernels) {
  Section section{.id = "kernels", .title = "Kernels", .items = {}};
  Table trig{.caption = "Cos/sin pairs, million a second, one input, in the first-level cache",
             .header = {"Level", "Kernel", "SLEEF's own loop", "Ratio"},
             .rows = {}};
  for (const Json& row : kernels["trig"])
    trig.rows.push_back({row["level"].get<std::string>(), short_number(1e-6 * number(row, "kernel_pairs_per_second")),
                         short_number(1e-6 * number(row, "sleef_pairs_per_second")),
                         short_number(number(row, "ratio"))});
  section.items.emplace_back(std::move(trig));
  for (const auto& [shape, words] :
       {std::pair{"upper", "Upper triangle of n columns"}, std::pair{"product", "n/2 columns with n others"}}) {
    const auto rows = rows_where(
        kernels["gram"], [name = shape](const Json& row) { return row["shape"] == name; }, "n");
    Figure figure{.id = fmt::format("gram-{}", shape),
                  .title = fmt::format("Gram matrices: {}", words),
                  .caption =
                      "2048 rows, one thread, the same SIMD level. Libraries may choose the storage order; the "
                      "flops of the result asked for are counted for all.",
                  .alternative = {},
                  .x = {.label = "columns n", .logarithmic = true},
                  .y = {.label = "Gflop/s", .low = 0.0}};
    const auto value = [](const char* key) { return [key](const Json& row) { return number(row, key); }; };
    figure.series = {series_of("kernel", Colour::red, false, rows, "n", value("kernel_gflops")),
                     series_of("Eigen", Colour::blue, false, rows, "n", value("eigen_gflops")),
                     series_of("OpenBLAS", Colour::green, false, rows, "n", value("openblas_gflops"))};
    section.items.emplace_back(finished(figure, "Rates of the kernel, Eigen and OpenBLAS over the columns."));
  }
  return section;
}

Section peer_section(const Json& peers) {
  Section section{.id = "peers", .title = "Error against seconds, with other learners", .items = {}};
  section.items.emplace_back(Paragraph{
      "Each point is one fit from scratch with a larger budget (iterations, features, trees or rows), one thread each. "
      "Test errors are mean squared errors on fresh rows."});
  std::vector<std::string> targets;
  for (const Json& result : peers["results"])
    if (const auto target = result["target"].get<std::string>();
        std::find(targets.begin(), targets.end(), target) == targets.end())
      targets.push_back(target);
  for (const std::string& target : targets) {
    Figure figure{.id = "peers-" + target,
                  .title = fmt::format("The {} function", target),
                  .caption = "Seconds of a fit and the test error it reached.",
                  .alternative = {},
                  .x = {.label = "seconds", .logarithmic = true},
                  .y = {.label = "test error", .logarithmic = true}};
    std::size_t colour = 0;
    for (const Json& result : peers["results"]) {
      if (result["target"] != target) continue;
      const bool own = result["learner"] == "rfnn";
      figure.series.push_back(series_of(
          result["name"].get<std::string>(), own ? Colour::red : palette[1 + colour++ % (std::size(palette) - 1)], !own,
          result["steps"].get<std::vector<Json>>(), "seconds", [](const Json& step) { return number(step, "error"); }));
      if (own) figure.series.back().mark = Mark::points;  // two schedules, one per level
    }
    section.items.emplace_back(finished(figure, "Test errors of six learners over the seconds of their fits."));
  }
  return section;
}

Section summary(const Json& all) {
  Section section{.id = "summary", .title = "Figures and bounds", .items = {}};
  if (all["quick"].get<bool>())
    section.items.emplace_back(
        Notice{"A quick run (--quick): everything is exercised, nothing proven.", Tone::caution});
  if (const std::string remark = all.value("remark", ""); !remark.empty())
    section.items.emplace_back(Notice{remark, Tone::caution});
  for (const Json& name : all["failed"])
    section.items.emplace_back(Notice{fmt::format("The part {} failed.", name.get<std::string>()), Tone::bad});
  section.items.emplace_back(Facts{{{"Processor", all["processor"].get<std::string>()},
                                    {"Cores", std::to_string(all["cores"].get<int>())},
                                    {"Compiler", all["compiler"].get<std::string>()},
                                    {"System", all["system"].get<std::string>()}}});
  Table table{.caption = "Ratios within this run", .header = {"Figure", "Found", "Wanted", "Met"}, .rows = {}};
  for (const Json& line : all["checks"]) {
    const Cell met = line["ok"].is_null()     ? Cell("–")
                     : line["ok"].get<bool>() ? Cell("yes", Tone::good)
                                              : Cell("no", Tone::bad);
    table.rows.push_back({line["what"].get<std::string>(), short_number(line["value"].get<double>()),
                          line["wanted"].get<std::string>(), met});
  }
  section.items.emplace_back(std::move(table));
  return section;
}

Page page_of(const Json& all) {
  Page page{.title = "Benchmarks", .subtitle = all["processor"].get<std::string>(), .sections = {summary(all)}};
  const Json& results = all["results"];
  if (results.contains("training")) page.sections.push_back(scaling(results["training"]["sizes"]));
  if (results.contains("kernels")) page.sections.push_back(kernel_section(results["kernels"]));
  if (results.contains("peers")) page.sections.push_back(peer_section(results["peers"]));
  return page;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "bench_report RESULTS.json PAGE.html\n");
    return 1;
  }
  try {
    std::ifstream in(argv[1]);
    std::ofstream out(argv[2]);
    out << html(page_of(Json::parse(in)));
    return out.flush() ? 0 : 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_report: {}\n", error.what());
    return 2;
  }
}
