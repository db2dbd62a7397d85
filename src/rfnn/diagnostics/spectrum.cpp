#include "rfnn/diagnostics/spectrum.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <functional>
#include <initializer_list>
#include <numbers>
#include <unordered_map>
#include <utility>

namespace rfnn {
namespace {

double norm(const std::vector<double>& values) {
  double result = 0.0;
  for (const double value : values) result = std::hypot(result, value);
  return result;
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

/// Finds those of very many points that are less than 1 away: the points lie in cells of side 1 along the few
/// coordinates that vary most, and only neighbouring cells are looked through.
class NearPoints {
 public:
  explicit NearPoints(const std::vector<std::vector<double>>& points) {
    const std::size_t coordinates = points.empty() ? 0 : points.front().size();
    std::vector<std::pair<double, std::size_t>> reach(coordinates);  // minus the farthest from 0
    for (std::size_t k = 0; k < coordinates; ++k) {
      reach[k].second = k;
      for (const auto& point : points) reach[k].first = std::min(reach[k].first, -std::abs(point[k]));
    }
    std::sort(reach.begin(), reach.end());
    for (std::size_t a = 0; a < std::min<std::size_t>(coordinates, 3); ++a) axes_.push_back(reach[a].second);
  }

  void add(const std::vector<double>& point, std::size_t number) { cells_[cell(point, 0)].push_back(number); }

  /// Numbers of the points in the cells around `point` and around its negative, ascending.
  [[nodiscard]] std::vector<std::size_t> around(const std::vector<double>& point) const {
    std::vector<double> opposite(point.size());
    for (std::size_t k = 0; k < point.size(); ++k) opposite[k] = -point[k];
    std::vector<std::size_t> numbers;
    std::size_t neighbours = 1;
    for (std::size_t a = 0; a < axes_.size(); ++a) neighbours *= 3;
    for (std::size_t which = 0; which < neighbours; ++which)
      for (const std::vector<double>* place : std::initializer_list<const std::vector<double>*>{&point, &opposite})
        if (const auto found = cells_.find(cell(*place, which)); found != cells_.end())
          numbers.insert(numbers.end(), found->second.begin(), found->second.end());
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return numbers;
  }

 private:
  using Cell = std::array<double, 3>;

  /// The cell of a point (0), or one of its neighbours. Cells are whole doubles: no frequency is too large for them.
  [[nodiscard]] Cell cell(const std::vector<double>& point, std::size_t neighbour) const {
    constexpr std::array steps = {0.0, -1.0, 1.0};
    Cell result = {};
    for (std::size_t a = 0; a < axes_.size(); ++a, neighbour /= 3)
      result[a] = std::floor(point[axes_[a]]) + steps[neighbour % 3] + 0.0;
    return result;
  }

  struct Hash {
    std::size_t operator()(const Cell& cell) const {
      std::size_t hash = 0;
      for (const double part : cell) hash = hash * 0x9E3779B97F4A7C15u + std::hash<double>()(part);
      return hash;
    }
  };

  std::vector<std::size_t> axes_;
  std::unordered_map<Cell, std::vector<std::size_t>, Hash> cells_;
};

bool within_one(const std::vector<double>& a, const std::vector<double>& b, double sign) {
  double squares = 0.0;
  for (std::size_t k = 0; k < a.size() && squares <= 1.0; ++k) squares += (a[k] - sign * b[k]) * (a[k] - sign * b[k]);
  return squares <= 1.0;
}

/// Every line joins the largest one whose frequency, each variable times its weight, is at most 1 away.
std::vector<SpectralLine> merged(std::vector<SpectralLine> lines, const std::vector<double>& weights) {
  sort_by_amplitude(lines);
  std::vector<std::vector<double>> places(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i)
    for (std::size_t k = 0; k < weights.size(); ++k) places[i].push_back(lines[i].frequency[k] * weights[k]);

  NearPoints kept(places);
  std::vector<SpectralLine> result;
  std::vector<std::size_t> place_of;  // of the lines kept
  const auto joins = [&](std::size_t i) {
    for (const std::size_t larger : kept.around(places[i]))
      for (const double sign : {1.0, -1.0})
        if (within_one(places[place_of[larger]], places[i], sign)) {
          add(result[larger], lines[i], sign);
          return true;
        }
    return false;
  };
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (joins(i)) continue;
    kept.add(places[i], result.size());
    place_of.push_back(i);
    result.push_back(std::move(lines[i]));
  }
  sort_by_amplitude(result);
  return result;
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

std::vector<Column> variables_seen(const Model& model, BranchKind kind) {
  std::vector<Column> columns;
  if (kind != BranchKind::state) columns = columns_of_frequencies(model);
  if (kind != BranchKind::input) columns.insert(columns.end(), model.targets.begin(), model.targets.end());
  return columns;
}

bool counts_days(const Model& model, const std::string& variable) {
  return std::any_of(model.table.inputs.begin(), model.table.inputs.end(), [&](const ColumnCode& column) {
    return column.kind == ColumnKind::time && column.name == variable;
  });
}

std::vector<SpectralLine> distinguishable_lines(const Model& model, std::vector<SpectralLine> lines, BranchKind kind) {
  std::vector<double> ranges;
  for (const Column& column : variables_seen(model, kind)) {
    const double range = column.max - column.min;
    ranges.push_back(range > 0.0 && std::isfinite(range) ? range : 1.0);
  }
  std::erase_if(lines, [&](const SpectralLine& line) { return line.branch != kind; });
  return merged(std::move(lines), ranges);
}

std::vector<SpectralLine> distinguishable_lines(const Model& model, BranchKind kind) {
  return distinguishable_lines(model, spectrum(model), kind);
}

std::vector<SpectralLine> merged_input_lines(const std::vector<SpectralLine>& lines, double distance) {
  std::vector<SpectralLine> chosen;
  for (const SpectralLine& line : lines) {
    if (line.branch == BranchKind::input) chosen.push_back(line);
  }
  const std::size_t variables = chosen.empty() ? 0 : chosen.front().frequency.size();
  return merged(std::move(chosen), std::vector<double>(variables, 1.0 / distance));
}

}  // namespace rfnn
