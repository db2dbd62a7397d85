#include "rfnn/export/formula.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include <fmt/format.h>

#include "rfnn/export/sample_rows.hpp"

namespace rfnn::exporting {

double Formula::rounded(double value) const { return std::strtod(number(value).c_str(), nullptr); }

std::string Formula::number(double value) const { return fmt::format("{:.{}g}", value, digits_); }

Formula::Formula(const Plan& plan, int digits) : plan_(plan), digits_(digits), mean_(plan.outputs(), 0.0) {
  const auto& networks = plan.model.members;
  for (const Network& network : networks)
    for (std::size_t l = 1; l < network.blocks.size(); ++l)
      for (const Branch& branch : network.blocks[l].branches) one_sum_ = one_sum_ && branch.kind == BranchKind::input;
  for (std::size_t e = 0; e < networks.size(); ++e) {
    for (std::size_t o = 0; o < mean_.size(); ++o) mean_[o] += plan.members[e].mean[o];
    if (e == 0 || !one_sum_) members_.emplace_back();
    for (const Block& block : networks[e].blocks) {
      if (!one_sum_ || members_.back().empty()) members_.back().emplace_back();
      const double share = one_sum_ ? 1.0 / static_cast<double>(networks.size()) : 1.0;
      for (const Branch& branch : block.branches) add_branch(branch, share, members_.back().back());
    }
  }
  for (std::vector<Sum>& blocks : members_)
    for (Sum& sum : blocks) {
      take_constants(sum);
      merge(sum);
    }
  for (double& mean : mean_) mean = rounded(mean);
}

/// Waves that do not turn, and constants of trends, are one: part of the mean, unless states see them.
void Formula::take_constants(Sum& sum) {
  std::vector<double> constant(mean_.size(), 0.0);
  std::erase_if(sum.waves, [&](const Wave& wave) {
    if (std::any_of(wave.frequency.begin(), wave.frequency.end(), [](double f) { return f != 0.0; })) return false;
    for (std::size_t o = 0; o < constant.size(); ++o) constant[o] += wave.amplitude[o] * std::cos(wave.phase[o]);
    return true;
  });
  std::erase_if(sum.powers, [&](const Power& power) {
    for (std::size_t o = 0; o < constant.size() && power.power == 0; ++o) constant[o] += power.coefficient[o];
    return power.power == 0;
  });
  if (one_sum_) {
    for (std::size_t o = 0; o < constant.size(); ++o) mean_[o] += constant[o];
    return;
  }
  for (double& of : constant) of = rounded(of);
  if (std::any_of(constant.begin(), constant.end(), [](double of) { return of != 0.0; }))
    sum.powers.insert(sum.powers.begin(), {.variable = 0, .power = 0, .coefficient = constant});
}

/// In the units of the data: inputs less their mean, states as they are.
void Formula::add_branch(const Branch& branch, double share, Sum& sum) const {
  const Seen seen = seen_by(branch, plan_.inputs.front().size(), plan_.outputs());
  const std::vector<double>& out = plan_.model.scaler.output_sd;
  const std::size_t inputs = plan_.inputs.front().size(), outputs = plan_.outputs();
  const auto sd = [&](std::size_t k) {
    const std::size_t variable = seen.first + k;
    return variable < inputs ? plan_.inputs.front()[variable].scale.sd : out[variable - inputs];
  };
  for (std::size_t j = 0; j < branch.frequencies.rows(); ++j) {
    Wave wave{.kind = branch.kind, .frequency = {}, .amplitude = {}, .phase = {}};
    for (std::size_t k = 0; k < seen.count; ++k) wave.frequency.push_back(rounded(branch.frequencies(j, k) / sd(k)));
    for (std::size_t o = 0; o < outputs; ++o) {
      const double re = branch.amplitudes(2 * j, o), im = branch.amplitudes(2 * j + 1, o);
      wave.amplitude.push_back(share * out[o] * std::hypot(re, im));
      wave.phase.push_back(std::atan2(im, re));
    }
    sum.waves.push_back(std::move(wave));
  }
  for (std::size_t row = 0; row < branch.trend.rows(); ++row) {
    Power power;
    power.power = row == 0 ? 0 : 1 + (row - 1) / seen.count;
    power.variable = row == 0 ? 0 : seen.first + (row - 1) % seen.count;
    const double unit = row == 0 ? 1.0 : std::pow(sd((row - 1) % seen.count), static_cast<double>(power.power));
    for (std::size_t o = 0; o < outputs; ++o)
      power.coefficient.push_back(rounded(share * out[o] * branch.trend(row, o) / unit));
    sum.powers.push_back(std::move(power));
  }
}

/// Waves of the same frequency, as rounded, become one; the largest come first.
void Formula::merge(Sum& sum) const {
  std::vector<Wave> merged;
  for (Wave& wave : sum.waves) {
    const auto first = std::find_if(wave.frequency.begin(), wave.frequency.end(), [](double f) { return f != 0.0; });
    if (first != wave.frequency.end() && *first < 0.0) {
      for (double& f : wave.frequency) f = f == 0.0 ? 0.0 : -f;
      for (double& p : wave.phase) p = -p;
    }
    const auto twin = std::find_if(merged.begin(), merged.end(), [&](const Wave& other) {
      return other.kind == wave.kind && other.frequency == wave.frequency;
    });
    if (twin == merged.end()) {
      merged.push_back(std::move(wave));
      continue;
    }
    for (std::size_t o = 0; o < wave.amplitude.size(); ++o) {
      const double re = twin->amplitude[o] * std::cos(twin->phase[o]) + wave.amplitude[o] * std::cos(wave.phase[o]),
                   im = twin->amplitude[o] * std::sin(twin->phase[o]) + wave.amplitude[o] * std::sin(wave.phase[o]);
      twin->amplitude[o] = std::hypot(re, im);
      twin->phase[o] = std::atan2(im, re);
    }
  }
  const auto size = [](const Wave& wave) {
    return std::inner_product(wave.amplitude.begin(), wave.amplitude.end(), wave.amplitude.begin(), 0.0);
  };
  std::stable_sort(merged.begin(), merged.end(), [&](const Wave& a, const Wave& b) { return size(a) > size(b); });
  for (Wave& wave : merged)
    for (std::size_t o = 0; o < wave.amplitude.size(); ++o) {
      wave.amplitude[o] = rounded(wave.amplitude[o]);
      wave.phase[o] = rounded(wave.phase[o]);
    }
  sum.waves = std::move(merged);
}

// ---- values
// -------------------------------------------------------------------------------------------------------------

std::vector<double> Formula::differences(const double* row) const {
  std::vector<double> values;
  for (const PlanInput& input : plan_.inputs.front()) {
    const double cell = row[input.column];
    double x = std::isnan(cell) && plan_.fills ? input.fill : cell;
    if (input.kind == PlanInput::Kind::missing) x = std::isnan(cell) ? 1.0 : 0.0;
    if (input.kind == PlanInput::Kind::level && !std::isnan(cell))
      x = cell == static_cast<double>(input.level) ? 1.0 : 0.0;
    if (input.scale.log_from > 0.0) x = std::log(std::max(x, rounded(input.scale.log_from)));
    values.push_back(x - rounded(input.scale.mean));
  }
  return values;
}

void Formula::add_value(const Sum& sum, const std::vector<double>& variables, std::vector<double>& values) const {
  for (const Wave& wave : sum.waves) {
    const std::size_t first = wave.kind == BranchKind::state ? plan_.inputs.front().size() : 0;
    double phase = 0.0;
    for (std::size_t k = 0; k < wave.frequency.size(); ++k) phase += wave.frequency[k] * variables[first + k];
    for (std::size_t o = 0; o < values.size(); ++o) values[o] += wave.amplitude[o] * std::cos(phase + wave.phase[o]);
  }
  for (const Power& power : sum.powers)
    for (std::size_t o = 0; o < values.size(); ++o)
      values[o] += power.coefficient[o] *
                   (power.power == 0 ? 1.0 : std::pow(variables[power.variable], static_cast<double>(power.power)));
}

std::vector<double> Formula::value(const double* row) const {
  const std::vector<double> inputs = differences(row);
  std::vector<double> outputs = mean_;
  for (const std::vector<Sum>& blocks : members_) {
    std::vector<double> state(outputs.size(), 0.0);
    for (const Sum& sum : blocks) {
      std::vector<double> variables = inputs;
      variables.insert(variables.end(), state.begin(), state.end());
      add_value(sum, variables, state);
    }
    for (std::size_t o = 0; o < outputs.size(); ++o) outputs[o] += state[o] / static_cast<double>(members_.size());
  }
  return outputs;
}

double formula_difference(const Plan& plan, int digits) {
  constexpr std::size_t count = 200;
  const Formula formula(plan, digits);
  const Matrix rows = export_sample_rows(plan.model, count), predicted = predict_export_rows(plan.model, rows.view());
  Matrix values(count, plan.outputs());
  for (std::size_t i = 0; i < count; ++i) {
    const std::vector<double> row = formula.value(rows.data() + i * rows.cols());
    std::copy(row.begin(), row.end(), values.data() + i * values.cols());
  }
  return export_difference(plan.model, values.view(), predicted.view());
}

}  // namespace rfnn::exporting
