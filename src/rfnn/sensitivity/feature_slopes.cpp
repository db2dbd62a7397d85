#include <algorithm>

#include "rfnn/features/kernels.hpp"
#include "rfnn/rows/tiles.hpp"
#include "rfnn/sensitivity/branch_slopes.hpp"

namespace rfnn::sensitivity {
namespace {

using rows::tile_rows;

/// So many features at a time: their columns, and those of their derivatives, stay in the first cache.
constexpr std::size_t features_together = 8;

/// Σ_j Re b_j cos φ_j − Im b_j sin φ_j with φ_j = ω_j·v, and a trend. By the phase a feature's derivative is
/// −Re b_j sin φ_j − Im b_j cos φ_j; by v_k it is ω_jk times that.
class FeatureSlopes final : public BranchSlopes {
 public:
  explicit FeatureSlopes(const Branch& branch) : branch_(branch) {}

  bool add(const std::vector<const double*>& variables, std::size_t rows, const SlopeSums& sums, SlopeScratch& scratch,
           Interrupt& interrupt) const override {
    if (!branch_.trend.empty()) add_trend(variables, rows, sums);
    for (std::size_t first = 0; first < branch_.frequencies.rows(); first += features_together) {
      if (!interrupt.proceed()) return false;
      add_features(first, std::min(features_together, branch_.frequencies.rows() - first), variables, rows, sums,
                   scratch);
    }
    return true;
  }

 private:
  void add_features(std::size_t first, std::size_t count, const std::vector<const double*>& variables, std::size_t rows,
                    const SlopeSums& sums, SlopeScratch& scratch) const {
    const std::size_t outputs = sums.values.size(), variable_count = variables.size();
    const double* const amplitudes = branch_.amplitudes.data() + 2 * first * outputs;
    const double* const frequencies = branch_.frequencies.data() + first * variable_count;
    rows::FeatureColumns& features = scratch.features;
    features.make(kernels_, variables, count, rows, [&](std::size_t j) { return frequencies + j * variable_count; });
    kernels_.combine(features.columns.data(), 2 * count, amplitudes, outputs, sums.values.data());
    scratch.columns.resize(features_together * tile_rows);
    scratch.chosen.resize(count);
    for (std::size_t o = 0; o < outputs; ++o) {
      std::fill(scratch.columns.begin(), scratch.columns.end(), 0.0);
      for (std::size_t j = 0; j < count; ++j) {
        double* const by_phase = scratch.columns.data() + j * tile_rows;
        const double turned[] = {-amplitudes[(2 * j + 1) * outputs + o], amplitudes[2 * j * outputs + o]};
        kernels_.combine(features.columns.data() + 2 * j, 2, turned, 1, &by_phase);
        scratch.chosen[j] = by_phase;
      }
      kernels_.combine(scratch.chosen.data(), count, frequencies, variable_count,
                       sums.slopes.data() + o * variable_count);
    }
  }

  void add_trend(const std::vector<const double*>& variables, std::size_t rows, const SlopeSums& sums) const {
    const std::size_t count = variables.size(), degree = branch_.trend_degree();
    for (std::size_t o = 0; o < sums.values.size(); ++o)
      for (std::size_t i = 0; i < rows; ++i) {
        double value = branch_.trend(0, o);
        for (std::size_t k = 0; k < count; ++k) {
          double power = 1.0, slope = 0.0;
          for (std::size_t q = 0; q < degree; ++q) {
            const double coefficient = branch_.trend(1 + q * count + k, o);
            slope += static_cast<double>(q + 1) * coefficient * power;
            power *= variables[k][i];
            value += coefficient * power;
          }
          sums.slopes[o * count + k][i] += slope;
        }
        sums.values[o][i] += value;
      }
  }

  const Branch& branch_;
  const features::Kernels& kernels_ = features::kernels();
};

}  // namespace

std::unique_ptr<const BranchSlopes> make_feature_slopes(const Branch& branch) {
  return std::make_unique<FeatureSlopes>(branch);
}

}  // namespace rfnn::sensitivity
