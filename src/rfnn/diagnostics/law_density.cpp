#include "rfnn/diagnostics/law_density.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "rfnn/diagnostics/spectrum.hpp"

namespace rfnn {
namespace {

// Student's law is a normal one of random width: with y the root of a χ² number of ν = 1, 3 or 5 degrees of freedom,
// rough · T is normal of deviation rough / y. Together with the smooth part ω is normal of deviation
// √(smooth² + rough²/y²) given y, so that density and distribution are integrals over y of normal ones. In log y the
// integrand is smooth and falls off on both sides: the trapezoidal rule converges geometrically.
constexpr double first_log = -26.0, last_log = 2.6, log_step = 0.2;
constexpr std::size_t nodes = static_cast<std::size_t>((last_log - first_log) / log_step) + 1;

struct Node {
  double y = 0.0, weight = 0.0;
};
using Nodes = std::array<Node, nodes>;

/// Nodes and weights for the mean over y. The weights of an order add up to 1 within 2e-8.
Nodes nodes_of(int order) {
  // √(2/π) y^(2·order) exp(−y²/2) / (1, 1, 3)
  const double scale = std::sqrt(2.0 / std::numbers::pi) / (order == 2 ? 3.0 : 1.0);
  Nodes all;
  for (std::size_t i = 0; i < nodes; ++i) {
    const double y = std::exp(first_log + log_step * static_cast<double>(i));
    all[i] = {y, log_step * y * scale * std::pow(y, 2 * order) * std::exp(-0.5 * y * y)};
  }
  return all;
}

/// Mean over the random width of value(deviation); one value where nothing is random.
template <class Value>
double mean_over(const MarginalLaw& law, const Value& value) {
  static const std::array<Nodes, 3> of_order = {nodes_of(0), nodes_of(1), nodes_of(2)};
  if (!(law.rough > 0.0)) return value(law.smooth);
  const double scale = std::max(law.smooth, law.rough), smooth = law.smooth / scale, rough = law.rough / scale;
  double sum = 0.0;
  for (const Node& node : of_order[static_cast<std::size_t>(law.order)]) {
    const double random = rough / node.y;
    sum += node.weight * value(scale * std::sqrt(smooth * smooth + random * random));
  }
  return sum;
}

double normal_density(double x, double deviation) {
  const double u = x / deviation;
  return std::exp(-0.5 * u * u) / (deviation * std::sqrt(2.0 * std::numbers::pi));
}
double normal_beyond(double x, double deviation) { return 0.5 * std::erfc(x / (deviation * std::numbers::sqrt2)); }

/// Mean of min(1, x²) for x normal around a centre.
double normal_turning(double centre, double deviation) {
  constexpr double very_wide = 1e4;  // next to nothing of it is within ±1, and the difference below would be rounding
  const double a = (-1.0 - centre) / deviation, b = (1.0 - centre) / deviation;
  const double outside = normal_beyond(b, 1.0) + normal_beyond(-a, 1.0);
  if (deviation > very_wide) return outside;
  const double at_a = normal_density(a, 1.0), at_b = normal_density(b, 1.0);
  return outside + (centre * centre + deviation * deviation) * (1.0 - outside) +
         2.0 * centre * deviation * (at_a - at_b) + deviation * deviation * (a * at_a - b * at_b);
}

/// The x with beyond(x) = 1 − share: a bracket around a scale, then false position (Illinois) in log x.
template <class Beyond>
double inverse(const Beyond& beyond, double share, double scale) {
  if (!(scale > 0.0) || !std::isfinite(scale)) return scale;
  constexpr double factor = 1.4, tolerance = 1e-10;
  constexpr int most_steps = 100;
  const auto excess = [&](double logarithm) { return beyond(std::exp(logarithm)) - (1.0 - share); };
  double low = std::log(scale), above = excess(low), high = low, below = above;
  for (int i = 0; i < most_steps && above < 0.0; ++i) above = excess(low -= factor);
  for (int i = 0; i < most_steps && below > 0.0; ++i) below = excess(high += factor);
  double last = low;
  for (int i = 0, side = 0; i < most_steps; ++i) {
    const double middle = (low * below - high * above) / (below - above);
    if (!(std::abs(middle - last) > tolerance)) break;
    last = middle;
    const double value = excess(middle);
    if (value > 0.0) {
      low = middle, above = value;
      if (side == 1) below *= 0.5;
      side = 1;
    } else if (value < 0.0) {
      high = middle, below = value;
      if (side == -1) above *= 0.5;
      side = -1;
    } else {
      break;
    }
  }
  return std::exp(last);
}

double size_of(const MarginalLaw& law) { return std::max({law.centre, law.smooth, law.rough}); }

/// Data units (or those of their logarithm) per standardised unit, for each variable of a branch.
std::vector<double> units_of(const Model& model, BranchKind kind) {
  std::vector<double> units = model.scaler.input_sd;
  const std::vector<double>& outputs = model.scaler.output_sd;
  if (kind == BranchKind::joint) units.insert(units.end(), outputs.begin(), outputs.end());
  return units;
}

/// Of the smooth scales s of u = M v along variable k: √Σ_j (s_j M_jk)².
double smooth_along(const FrequencyLaw& law, const FrequencyLaw::Part& part, std::size_t k) {
  if (law.map.rows() == 0) return part.smooth[k];
  double size = 0.0;
  for (std::size_t j = 0; j < part.smooth.size(); ++j) size = std::hypot(size, part.smooth[j] * law.map(j, k));
  return size;
}

LawPart part_of(const FrequencyLaw& law, const FrequencyLaw::Part& part, const std::vector<double>& units,
                const std::vector<double>& output_sd) {
  LawPart made;
  const double all = law.variance();
  made.share = all > 0.0 ? part.strength / all : 0.0;
  for (const double sd : output_sd) made.variance.push_back(part.strength * sd * sd);
  for (std::size_t k = 0; k < units.size(); ++k)
    made.marginals.push_back({.centre = part.centre.empty() ? 0.0 : std::abs(part.centre[k]) / units[k],
                              .smooth = smooth_along(law, part, k) / units[k],
                              .rough = part.rough[k] / units[k],
                              .order = part.order});
  return made;
}

}  // namespace

double MarginalLaw::density(double frequency) const {
  if (is_point()) return 0.0;
  return mean_over(*this, [&](double deviation) {
    return normal_density(frequency - centre, deviation) + normal_density(frequency + centre, deviation);
  });
}

double MarginalLaw::beyond(double frequency) const {
  if (is_point()) return centre > frequency ? 1.0 : 0.0;
  if (centre == 0.0)
    return mean_over(*this, [&](double deviation) { return 2.0 * normal_beyond(frequency, deviation); });
  return mean_over(*this, [&](double deviation) {
    return normal_beyond(frequency - centre, deviation) + normal_beyond(frequency + centre, deviation);
  });
}

double MarginalLaw::quantile(double share) const {
  if (is_point()) return centre;
  return inverse([this](double frequency) { return beyond(frequency); }, share, size_of(*this));
}

double MarginalLaw::turning(double distance) const {
  if (!(distance > 0.0)) return 0.0;
  const double middle = centre * distance;
  if (is_point()) return std::min(1.0, middle * middle);
  return mean_over(*this, [&](double deviation) { return normal_turning(middle, deviation * distance); });
}

namespace {

/// Of windows, which have scales of their own, that with the geometric mean of these.
FrequencyLaw typical_law(const ClosedForm& form) {
  FrequencyLaw law = form.law;
  const Windows& windows = form.windows;
  for (std::size_t k = 0; k < windows.scale.cols(); ++k) {
    double sum = 0.0;
    for (std::size_t w = 0; w < windows.count(); ++w) sum += std::log(windows.scale(w, k));
    const double scale = std::exp(sum / static_cast<double>(windows.count()));
    for (FrequencyLaw::Part& part : law.parts) part.rough[k] *= scale;
  }
  return law;
}

}  // namespace

std::vector<BranchLaw> laws(const Model& model) {
  std::vector<BranchLaw> all;
  for (std::size_t e = 0; e < model.members.size(); ++e) {
    const std::vector<Block>& blocks = model.members[e].blocks;
    for (std::size_t l = 0; l < blocks.size(); ++l)
      for (const Branch& branch : blocks[l].branches) {
        if (!branch.closed_form) continue;
        const FrequencyLaw law = typical_law(*branch.closed_form);
        BranchLaw& made = all.emplace_back(BranchLaw{.member = e,
                                                     .block = l + 1,
                                                     .branch = branch.kind,
                                                     .variables = {},
                                                     .centres = branch.width(),
                                                     .variance = {},
                                                     .parts = {}});
        for (const double sd : model.scaler.output_sd) made.variance.push_back(law.variance() * sd * sd);
        for (const Column& column : variables_seen(model, branch.kind)) made.variables.push_back(column.name);
        const std::vector<double> units = units_of(model, branch.kind);
        for (const FrequencyLaw::Part& part : law.parts)
          made.parts.push_back(part_of(law, part, units, model.scaler.output_sd));
      }
  }
  return all;
}

BranchLaw mean_law(const std::vector<BranchLaw>& laws) {
  const auto fewest = std::min_element(laws.begin(), laws.end(), [](const BranchLaw& a, const BranchLaw& b) {
    return a.variables.size() < b.variables.size();
  });
  BranchLaw mean = *fewest;
  mean.parts.clear();
  for (const BranchLaw& law : laws) {
    mean.centres = std::max(mean.centres, law.centres);
    for (std::size_t o = 0; o < mean.variance.size(); ++o)
      mean.variance[o] = std::max(mean.variance[o], law.variance[o]);
    for (LawPart part : law.parts) {
      part.share /= static_cast<double>(laws.size());
      part.marginals.resize(mean.variables.size());
      mean.parts.push_back(std::move(part));
    }
  }
  return mean;
}

double law_density(const BranchLaw& law, std::size_t variable, double frequency) {
  double sum = 0.0;
  for (const LawPart& part : law.parts)
    if (part.share > 0.0) sum += part.share * part.marginals[variable].density(frequency);
  return sum;
}

double law_quantile(const BranchLaw& law, std::size_t variable, double share) {
  double scale = 0.0;
  for (const LawPart& part : law.parts)
    if (part.share > 0.0) scale = std::max(scale, size_of(part.marginals[variable]));
  const auto beyond = [&](double frequency) {
    double sum = 0.0;
    for (const LawPart& part : law.parts)
      if (part.share > 0.0) sum += part.share * part.marginals[variable].beyond(frequency);
    return sum;
  };
  return beyond(0.0) <= 1.0 - share ? 0.0 : inverse(beyond, share, scale);
}

}  // namespace rfnn
