#include "rfnn/export/onnx_kernel.hpp"

#include <algorithm>
#include <limits>

namespace rfnn::exporting {
namespace {

using Integers = OnnxGraph::Integers;

/// Centres that are summed at a time: what a row of a batch needs while it is computed is some arrays of as many.
constexpr std::size_t centres_together = 4096;
/// A number further out counts as this one: no kernel reaches so far.
constexpr double farthest = 1e100;

Integers place(std::size_t index) { return {static_cast<std::int64_t>(index)}; }

/// 1, 1 + x or 1 + x + x²/3.
std::string q(OnnxGraph& graph, int order, const std::string& x) {
  const std::string one = graph.scalar(1.0);
  if (order == 1) return graph.plus(one, x);
  return graph.plus(one, graph.times(x, graph.plus(one, graph.operation("Div", {x, graph.scalar(3.0)}))));
}

/// Sum of values, of which there may be none yet.
void add_to(OnnxGraph& graph, std::string& sum, const std::string& value) {
  sum = sum.empty() ? value : graph.plus(sum, value);
}
void multiply_by(OnnxGraph& graph, std::string& product, const std::string& value) {
  product = product.empty() ? value : graph.times(product, value);
}

/// The kernel between all rows and the centres from `first` to `last`, from differences that are made once.
class Panel {
 public:
  Panel(OnnxGraph& graph, const FrequencyLaw& law, std::vector<std::string> differences)
      : graph_(graph), law_(law), differences_(std::move(differences)), sizes_(differences_.size()) {}

  std::string value() {
    std::string sum;
    for (const FrequencyLaw::Part& part : law_.parts) add_to(graph_, sum, part.radial ? radial(part) : factors(part));
    return sum;
  }

 private:
  const std::string& size(std::size_t c) {
    if (sizes_[c].empty()) sizes_[c] = graph_.operation("Abs", {differences_[c]});
    return sizes_[c];
  }

  std::string radial(const FrequencyLaw::Part& part) {
    std::string squares;
    for (std::size_t k = 0; k < part.rough.size(); ++k) {
      if (part.rough[k] == 0.0) continue;
      const std::string x = graph_.times(graph_.scalar(part.rough[k]), differences_[k]);
      add_to(graph_, squares, graph_.times(x, x));
    }
    const std::string length =
        squares.empty() ? graph_.times(graph_.scalar(0.0), differences_[0]) : graph_.operation("Sqrt", {squares});
    return decayed(part.strength, length, part.order == 0 ? "" : q(graph_, part.order, length));
  }

  std::string factors(const FrequencyLaw::Part& part) {
    const std::size_t variables = law_.variables(), mapped = law_.map.rows();
    std::string exponent, factor, half_phase;
    for (std::size_t k = 0; k < variables; ++k) {
      const double slope = part.rough[k], smooth = mapped > 0 ? 0.0 : part.smooth[k];
      if (slope != 0.0) {
        const std::string x = graph_.times(graph_.scalar(slope), size(k));
        add_to(graph_, exponent, x);
        if (part.order > 0) multiply_by(graph_, factor, q(graph_, part.order, x));
      }
      if (smooth != 0.0) add_to(graph_, exponent, half_square(smooth, k));
      if (!part.centre.empty() && part.centre[k] != 0.0)
        add_to(graph_, half_phase, graph_.times(graph_.scalar(0.5 * part.centre[k]), differences_[k]));
    }
    for (std::size_t j = 0; j < mapped; ++j)
      if (part.smooth[j] != 0.0) add_to(graph_, exponent, half_square(part.smooth[j], variables + j));
    if (exponent.empty()) exponent = graph_.times(graph_.scalar(0.0), differences_[0]);
    if (!half_phase.empty()) multiply_by(graph_, factor, graph_.cosine(half_phase));
    return decayed(part.strength, exponent, factor);
  }

  std::string half_square(double smooth, std::size_t c) {
    return graph_.times(graph_.scalar(0.5 * smooth * smooth), graph_.times(differences_[c], differences_[c]));
  }

  /// strength · exp(−exponent) · factor; 0, not 0 · ∞, however far away.
  std::string decayed(double strength, const std::string& exponent, const std::string& factor) {
    const std::string decay = graph_.operation("Exp", {graph_.operation("Neg", {exponent})}),
                      value = graph_.minus_of(graph_.times(graph_.scalar(-strength), decay)), zero = graph_.scalar(0.0);
    if (factor.empty()) return value;
    return graph_.where(graph_.operation("Greater", {decay, zero}), graph_.times(value, factor), zero);
  }

  OnnxGraph& graph_;
  const FrequencyLaw& law_;
  std::vector<std::string> differences_, sizes_;
};

/// The window each centre belongs to.
std::vector<std::size_t> window_of_centres(const Windows& windows) {
  std::vector<std::size_t> window;
  for (std::size_t w = 0; w < windows.count(); ++w) window.insert(window.end(), windows.rows[w], w);
  return window;
}

/// The share each window has of each row.
std::string window_shares(OnnxGraph& graph, const ClosedForm& form, const std::string& variables) {
  const Windows& windows = form.windows;
  const CentreRange range = centre_range(form);
  const std::string one = graph.scalar(1.0), zero = graph.scalar(0.0);
  std::string weight;
  for (std::size_t k = 0; k < windows.inputs(); ++k) {
    const std::string at = graph.operation(
        "Min", {graph.operation("Max", {graph.columns(variables, place(k)), graph.scalar(range.least[k])}),
                graph.scalar(range.most[k])});
    std::vector<double> low, side;
    for (std::size_t w = 0; w < windows.count(); ++w) {
      low.push_back(windows.low(w, k));
      side.push_back(windows.high(w, k) - windows.low(w, k));
    }
    const std::string twice = graph.times(graph.scalar(2.0), graph.minus(at, graph.row(low))),
                      u = graph.operation("Abs", {graph.minus(graph.operation("Div", {twice, graph.row(side)}), one)}),
                      rest = graph.operation("Max", {graph.minus(one, u), zero}), square = graph.times(rest, rest);
    multiply_by(graph, weight,
                graph.times(graph.times(square, square), graph.plus(graph.times(graph.scalar(4.0), u), one)));
  }
  const std::string total = graph.operation("ReduceSum", {weight, graph.list(Integers{1})}, {{"keepdims", 1}});
  return graph.operation("Div", {weight, total});
}

/// Row by row the differences of coordinate c from the centres from `first` on: of windows, both times their scales.
std::string difference(OnnxGraph& graph, const ClosedForm& form, const Matrix& points, const std::string& variables,
                       const std::vector<std::size_t>& window, std::size_t c, std::size_t first, std::size_t last) {
  const std::size_t count = form.centres.cols();
  std::vector<double> centres;
  for (std::size_t i = first; i < last; ++i) centres.push_back(points(i, c));
  const auto scale = [&](std::size_t i, std::size_t k) {
    return window.empty() ? 1.0 : form.windows.scale(window[i], k);
  };
  std::string own;
  if (c < count) {
    own = graph.columns(variables, place(c));
    std::vector<double> scales;
    for (std::size_t i = first; i < last; ++i) scales.push_back(scale(i, c));
    if (!window.empty()) own = graph.times(own, graph.row(scales));
  } else {
    const std::size_t j = c - count;
    Matrix weights(count, window.empty() ? 1 : last - first);
    for (std::size_t k = 0; k < count; ++k)
      for (std::size_t i = 0; i < weights.cols(); ++i) weights(k, i) = form.law.map(j, k) * scale(first + i, k);
    own = graph.product(variables, graph.matrix(weights));
  }
  return graph.minus(own, graph.row(centres));
}

}  // namespace

std::string onnx_closed_form(OnnxGraph& graph, const ClosedForm& form, const std::string& variables) {
  const Matrix points = kernel_points(form);
  const std::vector<std::size_t> window = window_of_centres(form.windows);
  const std::string near = graph.operation("Clip", {variables, graph.scalar(-farthest), graph.scalar(farthest)});
  const std::string shares = window.empty() ? "" : window_shares(graph, form, variables);
  std::string sum;
  for (std::size_t first = 0; first < points.rows(); first += centres_together) {
    const std::size_t last = std::min(first + centres_together, points.rows());
    std::vector<std::string> differences;
    for (std::size_t c = 0; c < points.cols(); ++c)
      differences.push_back(difference(graph, form, points, near, window, c, first, last));
    std::string kernel = Panel(graph, form.law, std::move(differences)).value();
    if (!window.empty())
      kernel = graph.times(kernel, graph.columns(shares, Integers(window.begin() + static_cast<std::ptrdiff_t>(first),
                                                                  window.begin() + static_cast<std::ptrdiff_t>(last))));
    Matrix coefficients(last - first, form.coefficients.cols());
    std::copy_n(form.coefficients.data() + first * coefficients.cols(), coefficients.size(), coefficients.data());
    add_to(graph, sum, graph.product(kernel, graph.matrix(coefficients)));
  }
  return sum;
}

namespace {

/// How many of the ascending centres are not beyond x, by halving: per row.
std::string count_up_to(OnnxGraph& graph, const Matrix& centres, const std::string& x) {
  std::size_t room = 1;
  while (room <= centres.rows()) room *= 2;
  std::vector<double> table(room, std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < centres.rows(); ++i) table[i + 1] = centres(i, 0);
  const std::string places = graph.list(table);
  std::string count;
  for (std::size_t step = room / 2; step > 0; step /= 2) {
    const std::string more = graph.list(place(step)), further = count.empty() ? more : graph.plus(count, more),
                      known = graph.operation("LessOrEqual", {graph.operation("Gather", {places, further}), x});
    count = graph.where(known, further, count.empty() ? graph.list(place(0)) : count);
  }
  return count;
}

/// r_j(z) cos(μ d) and, where there is a centre, −r_j(z) sin(μ d), for all numbers of a state; `distance` is rows × 1.
std::string state_factors(OnnxGraph& graph, const FrequencyLaw& law, const std::string& distance) {
  std::vector<std::string> columns;
  const std::string one = graph.scalar(1.0), half = graph.scalar(0.5);
  for (const FrequencyLaw::Part& part : law.parts) {
    const std::string z = graph.times(graph.scalar(part.rough[0]), distance),
                      decay = graph.operation("Exp", {graph.operation("Neg", {z})}), square = graph.times(z, z);
    std::vector<std::string> factors = {one};
    if (part.order == 1) factors = {graph.plus(one, z), z};
    if (part.order == 2)
      factors = {graph.plus(graph.plus(one, z), graph.times(half, square)), graph.plus(z, square),
                 graph.times(half, square)};
    std::vector<std::string> rows;
    for (const std::string& factor : factors)
      rows.push_back(graph.where(graph.operation("Greater", {decay, graph.scalar(0.0)}), graph.times(decay, factor),
                                 graph.scalar(0.0)));
    const double mu = part.centre.empty() ? 0.0 : part.centre[0];
    if (mu == 0.0) {
      columns.insert(columns.end(), rows.begin(), rows.end());
      continue;
    }
    const std::string cosine = graph.cosine(graph.times(graph.scalar(0.5 * mu), distance)),
                      sine = graph.operation("Sin", {graph.times(graph.scalar(-mu), distance)});
    for (const std::string& wave : {cosine, sine})
      for (const std::string& row : rows) columns.push_back(graph.times(row, wave));
  }
  return graph.beside(columns);
}

/// One more row than the matrix has, of zeros: in front of it or behind.
Matrix with_zeros(const Matrix& values, std::size_t in_front) {
  Matrix more(values.rows() + 1, values.cols());
  std::copy_n(values.data(), values.size(), more.data() + in_front * values.cols());
  return more;
}

}  // namespace

std::string onnx_series(OnnxGraph& graph, const ClosedForm& form, const std::string& variables) {
  const Series series = series_of(form);
  const std::size_t count = series.centres.rows(), outputs = form.coefficients.cols(),
                    numbers = series.before.cols() / outputs;
  const std::string x = graph.operation("Reshape", {variables, graph.list(Integers{-1})}),
                    behind = count_up_to(graph, series.centres, x);
  Matrix before_at = with_zeros(series.centres, 1), after_at = with_zeros(series.centres, 0);
  before_at(0, 0) = series.centres(0, 0);
  after_at(count, 0) = series.centres(count - 1, 0);
  const Integers shape = {-1, static_cast<std::int64_t>(outputs), static_cast<std::int64_t>(numbers)};
  const auto side = [&](const Matrix& at, const Matrix& states, bool before) {
    const std::string centre = graph.operation("Gather", {graph.matrix(at), behind}, {{"axis", 0}}),
                      away = before ? graph.minus(variables, centre) : graph.minus(centre, variables),
                      distance = graph.operation("Max", {away, graph.scalar(0.0)}),
                      state = graph.operation("Gather", {graph.matrix(states), behind}, {{"axis", 0}}),
                      factors = graph.operation("Unsqueeze",
                                                {state_factors(graph, form.law, distance), graph.list(Integers{1})}),
                      shaped = graph.operation("Reshape", {state, graph.list(shape)});
    return graph.operation("ReduceSum", {graph.times(shaped, factors), graph.list(Integers{2})}, {{"keepdims", 0}});
  };
  return graph.plus(side(before_at, with_zeros(series.before, 1), true),
                    side(after_at, with_zeros(series.after, 0), false));
}

}  // namespace rfnn::exporting
