#include "rfnn/diagnostics/spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <numbers>
#include <utility>

namespace rfnn {
namespace {

double norm(const std::vector<double>& values) {
  double result = 0.0;
  for (const double value : values) result = std::hypot(result, value);
  return result;
}

double distance_between(const std::vector<double>& a, const std::vector<double>& b, double sign) {
  double difference = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) difference = std::hypot(difference, a[k] - sign * b[k]);
  return difference;
}

/// Adds a line to a near one. cos and sin of ω and of −ω span the same functions: there the phase turns with the sign.
void add(SpectralLine& to, const SpectralLine& line, double sign) {
  to.phase.resize(to.amplitude.size());
  for (std::size_t o = 0; o < line.amplitude.size(); ++o) {
    const double phase = o < line.phase.size() ? line.phase[o] : 0.0;
    const std::complex<double> sum =
        std::polar(to.amplitude[o], to.phase[o]) + std::polar(line.amplitude[o], sign * phase);
    to.amplitude[o] = std::abs(sum);
    to.phase[o] = std::arg(sum);
  }
}

/// Largest first; equals keep their order.
void sort_by_amplitude(std::vector<SpectralLine>& lines) {
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < lines.size(); ++i) order.emplace_back(-norm(lines[i].amplitude), i);
  std::sort(order.begin(), order.end());
  std::vector<SpectralLine> sorted;
  sorted.reserve(lines.size());
  for (const auto& [size, i] : order) sorted.push_back(std::move(lines[i]));
  lines = std::move(sorted);
}

/// Data units (or those of their logarithm) per standardised unit, for each variable of a branch.
std::vector<double> units_of(BranchKind kind, const Scaler& scaler) {
  std::vector<double> units;
  if (kind != BranchKind::state) units = scaler.input_sd;
  if (kind != BranchKind::input) units.insert(units.end(), scaler.output_sd.begin(), scaler.output_sd.end());
  return units;
}

}  // namespace

std::vector<SpectralLine> spectrum(const Model& model) {
  std::vector<SpectralLine> lines;
  const auto members = static_cast<double>(model.members.size());  // the prediction is their average
  for (std::size_t e = 0; e < model.members.size(); ++e) {
    const std::vector<Block>& blocks = model.members[e].blocks;
    for (std::size_t l = 0; l < blocks.size(); ++l) {
      for (const Branch& branch : blocks[l].branches) {
        const std::vector<double> units = units_of(branch.kind, model.scaler);
        for (std::size_t j = 0; j < branch.frequencies.rows(); ++j) {
          SpectralLine line;
          line.member = e;
          line.block = l + 1;
          line.branch = branch.kind;
          for (std::size_t k = 0; k < branch.frequencies.cols(); ++k) {
            line.frequency.push_back(branch.frequencies(j, k) / units[k]);
            line.cycles.push_back(line.frequency.back() / (2.0 * std::numbers::pi));
          }
          for (std::size_t o = 0; o < branch.amplitudes.cols(); ++o) {
            const std::complex<double> b(branch.amplitudes(2 * j, o), branch.amplitudes(2 * j + 1, o));
            line.amplitude.push_back(std::abs(b) * model.scaler.output_sd[o] / members);
            line.phase.push_back(std::arg(b));
          }
          lines.push_back(std::move(line));
        }
      }
    }
  }
  sort_by_amplitude(lines);
  return lines;
}

std::vector<SpectralLine> merged_input_lines(const std::vector<SpectralLine>& lines, double distance) {
  std::vector<SpectralLine> ordered;
  for (const SpectralLine& line : lines) {
    if (line.branch == BranchKind::input) ordered.push_back(line);
  }
  sort_by_amplitude(ordered);

  // Near frequencies have near lengths, so that few of very many lines need to be compared.
  const double slack = distance * (1.0 + 1e-9);
  std::multimap<double, std::size_t> by_length;
  std::vector<SpectralLine> merged;
  for (SpectralLine& line : ordered) {
    const double length = norm(line.frequency), rounding = 1e-9 * length;
    std::vector<std::size_t> candidates;
    for (auto near = by_length.lower_bound(length - slack - rounding);
         near != by_length.end() && near->first <= length + slack + rounding; ++near)
      candidates.push_back(near->second);
    std::sort(candidates.begin(), candidates.end());  // the largest wins
    bool joined = false;
    for (std::size_t c = 0; c < candidates.size() && !joined; ++c) {
      SpectralLine& larger = merged[candidates[c]];
      for (const double sign : {1.0, -1.0}) {
        if (distance_between(larger.frequency, line.frequency, sign) > distance) continue;
        add(larger, line, sign);
        joined = true;
        break;
      }
    }
    if (joined) continue;
    by_length.emplace(length, merged.size());
    merged.push_back(std::move(line));
  }
  sort_by_amplitude(merged);
  return merged;
}

}  // namespace rfnn
