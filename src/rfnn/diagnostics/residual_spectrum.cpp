#include "rfnn/diagnostics/residual_spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rfnn {
namespace {

constexpr double pi = std::numbers::pi;
constexpr std::size_t oversampling = 4;   ///< grid points per resolvable frequency
constexpr std::size_t most_turns = 1000;  ///< over the range of x
constexpr double most_work = 1e7;         ///< rows × grid points of one pass
constexpr std::size_t most_drawn = 400;
constexpr std::size_t most_lines = 5;

struct Rows {
  std::vector<double> x, r;  ///< both centred
};

double variance(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value * value;
  return sum / static_cast<double>(values.size());
}

void centre(std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  for (double& value : values) value -= sum / static_cast<double>(values.size());
}

std::size_t distinct(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return static_cast<std::size_t>(std::unique(values.begin(), values.end()) - values.begin());
}

/// A(ω) at ω = first + g · step. Each row's exp(iωx) is turned from one grid point to the next by a multiplication.
std::vector<double> amplitudes(const Rows& rows, double first, double step, std::size_t count) {
  const std::size_t n = rows.x.size();
  std::vector<double> cosine(n), sine(n), turn_cosine(n), turn_sine(n), result(count);
  for (std::size_t i = 0; i < n; ++i) {
    cosine[i] = rows.r[i] * std::cos(first * rows.x[i]);
    sine[i] = rows.r[i] * std::sin(first * rows.x[i]);
    turn_cosine[i] = std::cos(step * rows.x[i]);
    turn_sine[i] = std::sin(step * rows.x[i]);
  }
  for (std::size_t g = 0; g < count; ++g) {
    double a = 0.0, b = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      a += cosine[i];
      b += sine[i];
      const double next = cosine[i] * turn_cosine[i] - sine[i] * turn_sine[i];
      sine[i] = sine[i] * turn_cosine[i] + cosine[i] * turn_sine[i];
      cosine[i] = next;
    }
    result[g] = 2.0 / static_cast<double>(n) * std::hypot(a, b);
  }
  return result;
}

/// A(ω) at one frequency.
double amplitude_at(const Rows& rows, double frequency) {
  double a = 0.0, b = 0.0;
  for (std::size_t i = 0; i < rows.x.size(); ++i) {
    a += rows.r[i] * std::cos(frequency * rows.x[i]);
    b += rows.r[i] * std::sin(frequency * rows.x[i]);
  }
  return std::hypot(a, b);
}

/// The top of the peak between two grid points, by thirds.
double refined(const Rows& rows, double low, double high) {
  for (int round = 0; round < 12; ++round) {
    const double left = low + (high - low) / 3.0, right = high - (high - low) / 3.0;
    if (amplitude_at(rows, left) < amplitude_at(rows, right)) {
      low = left;
    } else {
      high = right;
    }
  }
  return 0.5 * (low + high);
}

/// Takes the best constant + cosine + sine of one frequency out of the residuals; returns the amplitude.
double take_out(Rows& rows, double frequency) {
  const std::size_t n = rows.x.size();
  double cc = 0, ss = 0, cs = 0, c1 = 0, s1 = 0, rc = 0, rs = 0, r1 = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double c = std::cos(frequency * rows.x[i]), s = std::sin(frequency * rows.x[i]), r = rows.r[i];
    cc += c * c, ss += s * s, cs += c * s, c1 += c, s1 += s, rc += r * c, rs += r * s, r1 += r;
  }
  // The constant is eliminated by hand; what is left are two equations.
  const auto count = static_cast<double>(n);
  cc -= c1 * c1 / count, ss -= s1 * s1 / count, cs -= c1 * s1 / count, rc -= r1 * c1 / count, rs -= r1 * s1 / count;
  const double determinant = cc * ss - cs * cs;
  if (!(determinant > 1e-12 * count * count)) return 0.0;
  const double a = (rc * ss - rs * cs) / determinant, b = (rs * cc - rc * cs) / determinant;
  for (std::size_t i = 0; i < n; ++i) {
    rows.r[i] -= a * std::cos(frequency * rows.x[i]) + b * std::sin(frequency * rows.x[i]);
  }
  centre(rows.r);
  return std::hypot(a, b);
}

/// The largest of every neighbourhood; neighbourhoods are equal on a logarithmic axis, as the figure's is.
void thin(const std::vector<double>& all, double first, double step, ResidualSpectrum& spectrum) {
  const double top = std::log((first + step * static_cast<double>(all.size())) / first);
  std::size_t g = 0;
  for (std::size_t part = 1; part <= most_drawn && g < all.size(); ++part) {
    const double end = first * std::exp(top * static_cast<double>(part) / static_cast<double>(most_drawn));
    std::size_t best = all.size();
    for (; g < all.size() && (first + step * static_cast<double>(g) < end || part == most_drawn); ++g) {
      if (best == all.size() || all[g] > all[best]) best = g;
    }
    if (best == all.size()) continue;
    spectrum.frequency.push_back(first + step * static_cast<double>(best));
    spectrum.amplitude.push_back(all[best]);
  }
}

}  // namespace

std::optional<ResidualSpectrum> residual_spectrum(const std::vector<double>& x, const std::vector<double>& residuals) {
  Rows rows;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i]) || !std::isfinite(residuals[i])) continue;
    rows.x.push_back(x[i]);
    rows.r.push_back(residuals[i]);
  }
  if (rows.x.size() < 8) return std::nullopt;
  const auto [low, high] = std::minmax_element(rows.x.begin(), rows.x.end());
  const double range = *high - *low;
  const std::size_t places = distinct(rows.x);
  if (!(range > 0.0) || !std::isfinite(range) || places < 4) return std::nullopt;

  // Up to half a turn per step between neighbours: beyond, frequencies repeat.
  const std::size_t half_turns = std::min(places - 1, 2 * most_turns);
  const std::size_t count = half_turns * oversampling / 2;
  const double step = 2.0 * pi / (range * static_cast<double>(oversampling)), first = pi / range;
  Rows used;
  const auto most_rows = static_cast<std::size_t>(most_work / static_cast<double>(count));
  const std::size_t kept = std::min(rows.x.size(), most_rows);
  for (std::size_t i = 0; i < kept; ++i) {
    used.x.push_back(rows.x[i * rows.x.size() / kept]);
    used.r.push_back(rows.r[i * rows.x.size() / kept]);
  }
  centre(used.x);
  centre(used.r);
  const double total = variance(used.r);
  if (!(total > 0.0) || !std::isfinite(total)) return std::nullopt;

  ResidualSpectrum spectrum;
  spectrum.rows = used.x.size();
  // For noise, N A² / (4 σ²) is exponentially distributed at each of the independent frequencies.
  const double rare = std::log(1000.0 * static_cast<double>(half_turns));
  spectrum.noise = 2.0 * std::sqrt(total * rare / static_cast<double>(used.x.size()));
  for (std::size_t found = 0; found < most_lines; ++found) {
    const std::vector<double> now = amplitudes(used, first, step, count);
    if (found == 0) thin(now, first, step, spectrum);
    const std::size_t best = static_cast<std::size_t>(std::max_element(now.begin(), now.end()) - now.begin());
    const double before = variance(used.r);
    const double near = first + step * static_cast<double>(best);
    ResidualLine line{.frequency = refined(used, near - step, near + step), .amplitude = now[best], .share = 0.0};
    const double fitted = take_out(used, line.frequency);
    if (fitted > 0.0) line.amplitude = fitted;
    line.share = (before - variance(used.r)) / total;
    if (found == 0) spectrum.strongest = line;
    if (!(fitted > spectrum.noise)) break;
    spectrum.lines.push_back(line);
  }
  return spectrum;
}

}  // namespace rfnn
