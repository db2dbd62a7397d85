#include "rfnn/sensitivity/row_derivatives.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "rfnn/sensitivity/dual.hpp"

namespace rfnn::sensitivity {
namespace {

using Duals = std::vector<Dual>;

/// What a branch adds: a value per output, and per output the derivatives by the branch's variables.
struct Sums {
  Duals values, slopes;
};

void add_features(const Branch& branch, const Duals& v, Sums& sums) {
  const std::size_t outputs = sums.values.size();
  for (std::size_t j = 0; j < branch.frequencies.rows(); ++j) {
    Dual phase;
    for (std::size_t k = 0; k < v.size(); ++k) phase += branch.frequencies(j, k) * v[k];
    const Dual c = cosine(phase), s = sine(phase);
    for (std::size_t o = 0; o < outputs; ++o) {
      const double re = branch.amplitudes(2 * j, o), im = branch.amplitudes(2 * j + 1, o);
      sums.values[o] += re * c - im * s;
      const Dual by_phase = -(re * s + im * c);
      for (std::size_t k = 0; k < v.size(); ++k) sums.slopes[o * v.size() + k] += branch.frequencies(j, k) * by_phase;
    }
  }
}

void add_trend(const Branch& branch, const Duals& v, Sums& sums) {
  const std::size_t degree = branch.trend_degree();
  for (std::size_t o = 0; o < sums.values.size() && !branch.trend.empty(); ++o) {
    sums.values[o] += branch.trend(0, o);
    for (std::size_t k = 0; k < v.size(); ++k) {
      Dual power = 1.0;
      for (std::size_t q = 0; q < degree; ++q) {
        const double coefficient = branch.trend(1 + q * v.size() + k, o);
        sums.slopes[o * v.size() + k] += static_cast<double>(q + 1) * coefficient * power;
        power *= v[k];
        sums.values[o] += coefficient * power;
      }
    }
  }
}

/// A part of a law at a difference δ; `gradient` += its derivatives by δ.
class PartAt {
 public:
  PartAt(const FrequencyLaw& law, const FrequencyLaw::Part& part, const Duals& difference)
      : law_(law), part_(part), difference_(difference) {}

  Dual add(Duals& gradient) const { return part_.radial ? add_radial(gradient) : add_plain(gradient); }

 private:
  Dual add_radial(Duals& gradient) const {
    Dual squares;
    for (std::size_t k = 0; k < difference_.size(); ++k)
      squares += part_.rough[k] * part_.rough[k] * (difference_[k] * difference_[k]);
    const Dual length = square_root(squares), decay = part_.strength * exponential(-length);
    if (decay.value == 0.0) return 0.0;
    const int order = part_.order;
    Dual steep = order == 0   ? (length.value > 0.0 ? 1.0 / length : Dual(0.0))
                 : order == 1 ? Dual(1.0)
                              : (1.0 + length) / 3.0;
    steep *= -decay;
    for (std::size_t k = 0; k < difference_.size(); ++k)
      gradient[k] += part_.rough[k] * part_.rough[k] * (difference_[k] * steep);
    return decay * (order == 0 ? Dual(1.0) : order == 1 ? 1.0 + length : 1.0 + length + length * length / 3.0);
  }

  Dual add_plain(Duals& gradient) const {
    const std::size_t variables = difference_.size();
    Duals log_slope(variables);  // of all but the cosine
    Dual exponent, factor = part_.strength, phase;
    for (std::size_t k = 0; k < variables; ++k) {
      const double t = part_.rough[k];
      const Dual x = t * magnitude(difference_[k]);
      exponent -= x;
      if (part_.order == 0) log_slope[k] = -t * sign(difference_[k]);
      if (part_.order == 1) {
        factor *= 1.0 + x;
        log_slope[k] = -(t * t) * difference_[k] / (1.0 + x);
      }
      if (part_.order == 2) {
        factor *= 1.0 + x + x * x / 3.0;
        log_slope[k] = -(t * t) * difference_[k] * (1.0 + x) / (3.0 + x * (3.0 + x));
      }
      if (!part_.centre.empty()) phase += part_.centre[k] * difference_[k];
    }
    for (std::size_t j = 0; j < part_.smooth.size(); ++j) {
      const double square = part_.smooth[j] * part_.smooth[j];
      const bool mapped = law_.map.rows() > 0;
      Dual u = mapped ? Dual(0.0) : difference_[j];
      for (std::size_t k = 0; k < variables && mapped; ++k) u += law_.map(j, k) * difference_[k];
      exponent -= 0.5 * square * (u * u);
      if (!mapped) log_slope[j] -= square * u;
      for (std::size_t k = 0; k < variables && mapped; ++k) log_slope[k] -= square * law_.map(j, k) * u;
    }
    factor *= exponential(exponent);
    if (factor.value == 0.0) return 0.0;
    const Dual value = factor * cosine(phase), swing = factor * sine(phase);
    for (std::size_t k = 0; k < variables; ++k) {
      gradient[k] += value * log_slope[k];
      if (!part_.centre.empty()) gradient[k] -= part_.centre[k] * swing;
    }
    return value;
  }

  const FrequencyLaw& law_;
  const FrequencyLaw::Part& part_;
  const Duals& difference_;
};

/// Σ_i c_i k(S (v − v_i)) over centres [first, first + count), S the scales of a window or the identity.
void add_centres(const ClosedForm& form, std::size_t first, std::size_t count, const double* scale, const Duals& v,
                 Sums& sums) {
  Duals difference(v.size()), gradient(v.size());
  for (std::size_t i = first; i < first + count; ++i) {
    for (std::size_t k = 0; k < v.size(); ++k)
      difference[k] = (scale == nullptr ? 1.0 : scale[k]) * (v[k] - form.centres(i, k));
    std::fill(gradient.begin(), gradient.end(), Dual());
    Dual value;
    for (const FrequencyLaw::Part& part : form.law.parts) value += PartAt(form.law, part, difference).add(gradient);
    for (std::size_t o = 0; o < sums.values.size(); ++o) {
      sums.values[o] += form.coefficients(i, o) * value;
      for (std::size_t k = 0; k < v.size(); ++k)
        sums.slopes[o * v.size() + k] += (scale == nullptr ? 1.0 : scale[k]) * form.coefficients(i, o) * gradient[k];
    }
  }
}

/// A window's weight at x and its derivatives.
Dual window_at(const Windows& windows, std::size_t window, const Duals& x, Duals& slopes) {
  Dual weight = 1.0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double low = windows.low(window, k), high = windows.high(window, k);
    const Dual u = 2.0 * (x[k] - low) / (high - low) - 1.0, size = magnitude(u), rest = 1.0 - size;
    if (!(size.value < 1.0)) return 0.0;
    weight *= rest * rest * rest * rest * (4.0 * size + 1.0);
    slopes[k] = -20.0 * u / (rest * (4.0 * size + 1.0)) * 2.0 / (high - low);
  }
  for (Dual& slope : slopes) slope *= weight;
  return weight;
}

void add_windows(const ClosedForm& form, const Duals& v, Sums& sums) {
  const Windows& windows = form.windows;
  const std::size_t inputs = windows.inputs(), outputs = sums.values.size();
  // Beyond the centres the weights are those of the nearest place within their range.
  Duals at(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(inputs));
  std::vector<bool> within(inputs, true);
  for (std::size_t k = 0; k < inputs; ++k) {
    double least = form.centres(0, k), most = least;
    for (std::size_t i = 0; i < form.centres.rows(); ++i) {
      least = std::min(least, form.centres(i, k));
      most = std::max(most, form.centres(i, k));
    }
    within[k] = at[k].value >= least && at[k].value <= most;
    if (!within[k]) at[k] = std::clamp(at[k].value, least, most);
  }
  Dual total;
  Duals total_slopes(inputs), slopes(inputs);
  Sums weighted{Duals(outputs), Duals(sums.slopes.size())};  // Σ φ_w g_w and its derivatives
  std::size_t first = 0;
  for (std::size_t w = 0; w < windows.count(); first += windows.rows[w], ++w) {
    const Dual weight = window_at(windows, w, at, slopes);
    if (!(weight.value > 0.0)) continue;
    Sums own{Duals(outputs), Duals(sums.slopes.size())};
    add_centres(form, first, windows.rows[w], windows.scale.data() + w * v.size(), v, own);
    total += weight;
    for (std::size_t k = 0; k < inputs; ++k) total_slopes[k] += within[k] ? slopes[k] : Dual(0.0);
    for (std::size_t o = 0; o < outputs; ++o) {
      weighted.values[o] += weight * own.values[o];
      for (std::size_t k = 0; k < v.size(); ++k) {
        Dual& slope = weighted.slopes[o * v.size() + k];
        slope += weight * own.slopes[o * v.size() + k];
        if (k < inputs && within[k]) slope += slopes[k] * own.values[o];
      }
    }
  }
  for (std::size_t o = 0; o < outputs && total.value > 0.0; ++o) {
    const Dual value = weighted.values[o] / total;
    sums.values[o] += value;
    for (std::size_t k = 0; k < v.size(); ++k)
      sums.slopes[o * v.size() + k] +=
          (weighted.slopes[o * v.size() + k] - (k < inputs ? value * total_slopes[k] : Dual(0.0))) / total;
  }
}

void add_branch(const Branch& branch, const Duals& v, Sums& sums) {
  if (!branch.closed_form) {
    add_trend(branch, v, sums);
    add_features(branch, v, sums);
  } else if (branch.closed_form->windows.empty()) {
    add_centres(*branch.closed_form, 0, branch.closed_form->centres.rows(), nullptr, v, sums);
  } else {
    add_windows(*branch.closed_form, v, sums);
  }
}

/// z and J = ∂z/∂θ (outputs × inputs) after some blocks of a network.
Duals network_jacobian(const Network& network, std::size_t depth, const Duals& theta, std::size_t outputs) {
  const std::size_t inputs = theta.size();
  Duals state(outputs), jacobian(outputs * inputs);
  for (std::size_t l = 0; l < depth; ++l) {
    const Duals old_state = state, old_jacobian = jacobian;
    for (const Branch& branch : network.blocks[l].branches) {
      Duals v;
      if (branch.kind != BranchKind::state) v = theta;
      const std::size_t own = v.size();
      if (branch.kind != BranchKind::input) v.insert(v.end(), old_state.begin(), old_state.end());
      Sums sums{Duals(outputs), Duals(outputs * v.size())};
      add_branch(branch, v, sums);
      for (std::size_t o = 0; o < outputs; ++o) {
        state[o] += sums.values[o];
        for (std::size_t k = 0; k < inputs; ++k) {
          if (own > 0) jacobian[o * inputs + k] += sums.slopes[o * v.size() + k];
          for (std::size_t p = 0; own + p < v.size(); ++p)
            jacobian[o * inputs + k] += sums.slopes[o * v.size() + own + p] * old_jacobian[p * inputs + k];
        }
      }
    }
  }
  return jacobian;
}

/// The derivative of slope_of.
double bend_of(const Standardised& standardised, double x) {
  return standardised.log_from > 0.0 && x >= standardised.log_from ? -1.0 / (standardised.sd * x * x) : 0.0;
}

}  // namespace

double slope_of(const Standardised& standardised, double x) {
  if (standardised.log_from <= 0.0) return 1.0 / standardised.sd;
  return x < standardised.log_from ? 0.0 : 1.0 / (standardised.sd * x);
}

void hessian_product(const Model& model, std::size_t blocks, ConstMatrixView inputs, ConstMatrixView direction,
                     MatrixView products) {
  const std::size_t all = model.input_count(), outputs = model.outputs();
  Duals theta, slopes;
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < all; ++k) {
    if (!model.inputs[k].used) continue;
    const Standardised standardised = model.scaler.input(places.size());
    const double x = inputs(0, k), d = direction(0, k);
    slopes.emplace_back(slope_of(standardised, x), bend_of(standardised, x) * d);
    theta.emplace_back(standardised(x), slopes.back().value * d);
    places.push_back(k);
  }
  for (std::size_t c = 0; c < outputs * all; ++c) products(0, c) = 0.0;
  const double share = 1.0 / static_cast<double>(model.members.size());
  for (const Network& network : model.members) {
    const Duals jacobian = network_jacobian(network, std::min(blocks, network.blocks.size()), theta, outputs);
    for (std::size_t o = 0; o < outputs; ++o)
      for (std::size_t j = 0; j < places.size(); ++j)
        products(0, o * all + places[j]) +=
            share * model.scaler.output_sd[o] * (jacobian[o * places.size() + j] * slopes[j]).slope;
  }
}

}  // namespace rfnn::sensitivity
