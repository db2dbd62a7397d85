#include "rfnn/rows/windows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "rfnn/rows/tiles.hpp"

namespace rfnn::rows {
namespace {

/// By so much a margin shrinks at a time where a window would have too many rows, and how often.
constexpr double narrower = 0.7;
constexpr int times_narrower = 8;

/// Cuts rows into halves until they are small enough.
class Cutting {
 public:
  Cutting(const Matrix& inputs, const std::vector<double>& aspect, std::size_t own_rows)
      : inputs_(inputs), aspect_(aspect), own_rows_(own_rows), order_(inputs.rows()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::vector<double> low(inputs.cols()), high(inputs.cols());
    for (std::size_t k = 0; k < inputs.cols(); ++k) {
      low[k] = high[k] = inputs(0, k);
      for (std::size_t i = 0; i < inputs.rows(); ++i) {
        low[k] = std::min(low[k], inputs(i, k));
        high[k] = std::max(high[k], inputs(i, k));
      }
    }
    cut(0, order_.size(), low, high);
  }

  std::vector<double> lows, highs;  ///< of the parts, one behind the other
  std::vector<std::size_t> ends;    ///< of their rows in order()
  [[nodiscard]] const std::vector<std::size_t>& order() const { return order_; }

 private:
  void cut(std::size_t first, std::size_t last, const std::vector<double>& low, const std::vector<double>& high) {
    if (last - first > own_rows_) {
      std::vector<std::size_t> sides(low.size());
      std::iota(sides.begin(), sides.end(), std::size_t{0});
      std::stable_sort(sides.begin(), sides.end(), [&](std::size_t a, std::size_t b) {
        return aspect_[a] * (high[a] - low[a]) > aspect_[b] * (high[b] - low[b]);
      });
      for (const std::size_t k : sides)
        if (cut_along(k, first, last, low, high)) return;
    }
    std::sort(order_.begin() + static_cast<std::ptrdiff_t>(first), order_.begin() + static_cast<std::ptrdiff_t>(last));
    lows.insert(lows.end(), low.begin(), low.end());
    highs.insert(highs.end(), high.begin(), high.end());
    ends.push_back(last);
  }

  /// Between two different values next to the middle; false where all are equal.
  bool cut_along(std::size_t k, std::size_t first, std::size_t last, const std::vector<double>& low,
                 const std::vector<double>& high) {
    using Place = std::vector<std::size_t>::iterator;
    const Place begin = order_.begin() + static_cast<std::ptrdiff_t>(first),
                end = order_.begin() + static_cast<std::ptrdiff_t>(last), middle = begin + (end - begin) / 2;
    const auto value = [&](std::size_t row) { return inputs_(row, k); };
    const auto smaller = [&](std::size_t a, std::size_t b) { return value(a) < value(b); };
    std::nth_element(begin, middle, end, smaller);
    const double at = value(*middle);
    // Those below the middle value, those that have it, those above.
    const Place has_it = std::partition(begin, end, [&](std::size_t row) { return value(row) < at; }),
                above_it = std::partition(has_it, end, [&](std::size_t row) { return value(row) == at; });
    if (has_it == begin && above_it == end) return false;
    const bool below = above_it == end || (has_it != begin && middle - has_it < above_it - middle);
    const Place cut_at = below ? has_it : above_it;
    const double other =
        below ? value(*std::max_element(begin, has_it, smaller)) : value(*std::min_element(above_it, end, smaller));
    std::vector<double> below_high = high, above_low = low;
    below_high[k] = above_low[k] = 0.5 * (at + other);
    const std::size_t place = first + static_cast<std::size_t>(cut_at - begin);
    cut(first, place, low, below_high);
    cut(place, last, above_low, high);
    return true;
  }

  const Matrix& inputs_;
  const std::vector<double>& aspect_;
  std::size_t own_rows_;
  std::vector<std::size_t> order_;
};

Matrix corners(const std::vector<double>& list, std::size_t inputs) {
  Matrix matrix(list.size() / inputs, inputs);
  std::copy(list.begin(), list.end(), matrix.data());
  return matrix;
}

}  // namespace

WindowRows cut_windows(const Matrix& inputs, const std::vector<double>& aspect, const WindowSizes& sizes,
                       std::size_t others) {
  const std::size_t d = inputs.cols();
  const Cutting parts(inputs, aspect, sizes.own_rows);
  const Matrix low = corners(parts.lows, d), high = corners(parts.highs, d);
  const BoxTree tree(low, high);
  WindowRows cut;
  cut.windows.low = cut.windows.high = Matrix(low.rows(), d);
  cut.windows.scale = Matrix(low.rows(), d + others);
  cut.first.push_back(0);
  std::vector<double> below(d), above(d);
  std::vector<std::size_t> around;
  for (std::size_t w = 0; w < low.rows(); ++w) {
    const std::size_t begin = w == 0 ? 0 : parts.ends[w - 1], own = parts.ends[w] - begin;
    double longest = 0.0, margin = sizes.margin;
    for (std::size_t k = 0; k < d; ++k) longest = std::max(longest, aspect[k] * (high(w, k) - low(w, k)));
    for (int turn = 0;; ++turn, margin *= narrower) {
      for (std::size_t k = 0; k < d; ++k) {
        // A side without length has that of the longest.
        const double side = high(w, k) > low(w, k) ? high(w, k) - low(w, k) : longest / aspect[k];
        const double reach = std::max(margin * side, 1e-9);
        below[k] = low(w, k) - reach;
        above[k] = high(w, k) + reach;
      }
      around.clear();
      tree.each(below.data(), above.data(), [&](std::size_t part) {
        if (part == w) return;
        for (std::size_t i = part == 0 ? 0 : parts.ends[part - 1]; i < parts.ends[part]; ++i) {
          const std::size_t row = parts.order()[i];
          bool inside = true;
          for (std::size_t k = 0; k < d; ++k) inside = inside && inputs(row, k) > below[k] && inputs(row, k) < above[k];
          if (inside) around.push_back(row);
        }
      });
      if (own + around.size() <= sizes.most_rows || turn == times_narrower) break;
    }
    // Still too many: every so manieth of them.
    const std::size_t room = std::max(sizes.most_rows, own) - own,
                      every = around.empty() || room == 0 ? 1 : (around.size() + room - 1) / room;
    cut.places.insert(cut.places.end(), parts.order().begin() + static_cast<std::ptrdiff_t>(begin),
                      parts.order().begin() + static_cast<std::ptrdiff_t>(begin + own));
    for (std::size_t i = 0; i < around.size() && room > 0; i += every) cut.places.push_back(around[i]);
    cut.own.push_back(own);
    cut.windows.rows.push_back(cut.places.size() - cut.first.back());
    cut.first.push_back(cut.places.size());
    double half = 0.0;
    for (std::size_t k = 0; k < d; ++k) {
      cut.windows.low(w, k) = below[k];
      cut.windows.high(w, k) = above[k];
      half = std::max(half, 0.5 * aspect[k] * (above[k] - below[k]));
    }
    for (std::size_t k = 0; k < d + others; ++k) cut.windows.scale(w, k) = k < d ? aspect[k] / half : 1.0;
  }
  return cut;
}

Matrix scaled_points(const Windows& windows, std::size_t window, const Matrix& variables, const std::size_t* places,
                     std::size_t count) {
  Matrix points(count, variables.cols());
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t k = 0; k < points.cols(); ++k) points(i, k) = windows.scale(window, k) * variables(places[i], k);
  return points;
}

PreparedWindows::PreparedWindows(const ClosedForm& of) : form(of), law(of.law), tree(of.windows.low, of.windows.high) {
  const Windows& windows = form.windows;
  const std::size_t outputs = form.coefficients.cols();
  for (std::size_t k = 0; k < windows.inputs(); ++k) {
    double lowest = form.centres(0, k), highest = lowest;
    for (std::size_t i = 0; i < form.centres.rows(); ++i) {
      lowest = std::min(lowest, form.centres(i, k));
      highest = std::max(highest, form.centres(i, k));
    }
    least.push_back(lowest);
    most.push_back(highest);
  }
  std::size_t first = 0;
  std::vector<std::size_t> places;
  for (std::size_t w = 0; w < windows.count(); ++w) {
    const std::size_t count = windows.rows[w];
    places.resize(count);
    std::iota(places.begin(), places.end(), first);
    const Centres<double> points(law, scaled_points(windows, w, form.centres, places.data(), count));
    std::vector<TilePoints<double>>& tiles = centres.emplace_back(TiledColumns::tiles_for(count));
    for (std::size_t tile = 0; tile < tiles.size(); ++tile) tiles[tile].place(law, points, tile * tile_rows);
    AlignedVector& columns = coefficients_.emplace_back(TiledColumns::tiles_for(count) * outputs * tile_rows, 0.0);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t o = 0; o < outputs; ++o)
        columns[((i / tile_rows) * outputs + o) * tile_rows + i % tile_rows] = form.coefficients(first + i, o);
    first += count;
  }
}

const double* PreparedWindows::coefficients(std::size_t window, std::size_t tile, std::size_t o) const {
  return coefficients_[window].data() + (tile * form.coefficients.cols() + o) * tile_rows;
}

/// Which windows count for which rows, and how much.
void WindowSum::meet(const std::vector<const double*>& variables, std::size_t rows, Scratch& scratch) const {
  const Windows& windows = on_.form.windows;
  scratch.rows_of.resize(windows.count());
  scratch.weights_of.resize(windows.count());
  for (const std::size_t w : scratch.met) {
    scratch.rows_of[w].clear();
    scratch.weights_of[w].clear();
  }
  scratch.met.clear();
  scratch.totals.assign(rows, 0.0);
  std::vector<double> at(windows.inputs());
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t k = 0; k < at.size(); ++k) at[k] = std::clamp(variables[k][row], on_.least[k], on_.most[k]);
    on_.tree.each(at.data(), at.data(), [&](std::size_t w) {
      const double weight = window_weight(windows, w, at.data());
      if (!(weight > 0.0)) return;
      if (scratch.rows_of[w].empty()) scratch.met.push_back(w);
      scratch.rows_of[w].push_back(row);
      scratch.weights_of[w].push_back(weight);
      scratch.totals[row] += weight;
    });
  }
  // A row's sum runs over the windows in their order, whatever rows are beside it.
  std::sort(scratch.met.begin(), scratch.met.end());
}

void WindowSum::add_window(const features::LawKernels<double>& kernels, std::size_t window,
                           const std::vector<const double*>& variables, Scratch& scratch) const {
  const std::vector<std::size_t>& rows = scratch.rows_of[window];
  const std::size_t coordinates = on_.law.coordinates(), outputs = on_.form.coefficients.cols();
  scratch.points.resize(rows.size() * coordinates);
  scratch.values.resize(rows.size() * tile_rows);
  scratch.point_pointers.resize(rows.size());
  scratch.columns.resize(rows.size());
  std::vector<double> point(variables.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t k = 0; k < point.size(); ++k) point[k] = on_.form.windows.scale(window, k) * variables[k][rows[i]];
    double* const place = scratch.points.data() + i * coordinates;
    on_.law.place(point.data(), place);
    scratch.point_pointers[i] = place;
    scratch.columns[i] = scratch.values.data() + i * tile_rows;
  }
  scratch.readable.assign(scratch.columns.begin(), scratch.columns.end());
  scratch.sums.assign(rows.size() * outputs, 0.0);
  std::vector<const double*> right(outputs);
  for (std::size_t tile = 0; tile < on_.centres[window].size(); ++tile) {
    kernels.panel(on_.law.view(), on_.centres[window][tile].columns(), scratch.point_pointers.data(), rows.size(),
                  scratch.columns.data());
    for (std::size_t o = 0; o < outputs; ++o) right[o] = on_.coefficients(window, tile, o);
    kernels.correlate(scratch.readable.data(), rows.size(), right.data(), outputs, scratch.sums.data());
  }
}

bool WindowSum::add(const features::LawKernels<double>& kernels, const std::vector<const double*>& variables,
                    std::size_t rows, const std::vector<double*>& out, Scratch& scratch, Interrupt& interrupt) const {
  meet(variables, rows, scratch);
  const std::size_t outputs = out.size();
  for (const std::size_t w : scratch.met) {
    if (!interrupt.proceed()) return false;
    add_window(kernels, w, variables, scratch);
    for (std::size_t i = 0; i < scratch.rows_of[w].size(); ++i) {
      const std::size_t row = scratch.rows_of[w][i];
      const double share = scratch.weights_of[w][i] / scratch.totals[row];
      for (std::size_t o = 0; o < outputs; ++o) out[o][row] += share * scratch.sums[i * outputs + o];
    }
  }
  return true;
}

}  // namespace rfnn::rows
