#include <algorithm>
#include <cmath>

#include "rfnn/features/law_kernels.hpp"
#include "rfnn/features/law_slopes.hpp"
#include "rfnn/rows/tiles.hpp"
#include "rfnn/rows/windows.hpp"
#include "rfnn/sensitivity/branch_slopes.hpp"

namespace rfnn::sensitivity {
namespace {

using rows::tile_rows;

/// Rows how many at a time: their columns and those of their derivatives stay in the first cache.
constexpr std::size_t rows_together = 2;

/// f = Σ_w h_w g_w with the shares h_w = φ_w / Σφ, and g_w = Σ_i c_i k(S_w (v − v_i)):
///   ∂f = Σ_w h_w ∂g_w + ∂h_w g_w,    ∂h_w = (∂φ_w − h_w Σ∂φ) / Σφ.
class WindowSlopes final : public BranchSlopes {
 public:
  explicit WindowSlopes(const ClosedForm& form) : on_(form), counting_(coordinates_that_count(form.law)) {}

  bool add(const std::vector<const double*>& variables, std::size_t rows, const SlopeSums& sums, SlopeScratch& scratch,
           Interrupt& interrupt) const override {
    meet(variables, rows, scratch);
    for (const std::size_t w : scratch.met_windows) {
      if (!interrupt.proceed()) return false;
      sum_window(w, variables, scratch);
      add_window(w, sums, scratch);
    }
    return true;
  }

 private:
  /// Which windows count for which rows, how much, and how fast that changes.
  void meet(const std::vector<const double*>& variables, std::size_t rows, SlopeScratch& scratch) const {
    const Windows& windows = on_.form.windows;
    const std::size_t inputs = windows.inputs();
    scratch.met.resize(windows.count());
    for (SlopeScratch::Met& met : scratch.met) {
      met.rows.clear();
      met.weights.clear();
      met.weight_slopes.clear();
    }
    scratch.met_windows.clear();
    scratch.totals.assign(rows, 0.0);
    scratch.total_slopes.assign(rows * inputs, 0.0);
    std::vector<double> at(inputs);
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t k = 0; k < inputs; ++k) at[k] = std::clamp(variables[k][row], on_.least[k], on_.most[k]);
      on_.tree.each(at.data(), at.data(), [&](std::size_t w) {
        const double weight = window_weight(windows, w, at.data());
        if (!(weight > 0.0)) return;
        SlopeScratch::Met& met = scratch.met[w];
        if (met.rows.empty()) scratch.met_windows.push_back(w);
        met.rows.push_back(row);
        met.weights.push_back(weight);
        scratch.totals[row] += weight;
        for (std::size_t k = 0; k < inputs; ++k) {
          // Beyond the centres the weights are those of the nearest place within their range.
          const double slope = variables[k][row] == at[k] ? weight * weight_slope(w, k, at[k]) : 0.0;
          met.weight_slopes.push_back(slope);
          scratch.total_slopes[row * inputs + k] += slope;
        }
      });
    }
    std::sort(scratch.met_windows.begin(), scratch.met_windows.end());
  }

  /// b′/b of b(u) = (1 − |u|)⁴(4|u| + 1) along input k, by the input.
  [[nodiscard]] double weight_slope(std::size_t window, std::size_t k, double x) const {
    const double low = on_.form.windows.low(window, k), high = on_.form.windows.high(window, k);
    const double u = 2.0 * (x - low) / (high - low) - 1.0, size = std::abs(u);
    return -20.0 * u / ((1.0 - size) * (4.0 * size + 1.0)) * 2.0 / (high - low);
  }

  /// g_w and its derivatives by coordinates, with the sign turned, for the rows that the window counts for.
  void sum_window(std::size_t window, const std::vector<const double*>& variables, SlopeScratch& scratch) const {
    const std::vector<std::size_t>& rows = scratch.met[window].rows;
    const std::size_t coordinates = on_.law.coordinates(), outputs = on_.form.coefficients.cols(),
                      counting = counting_.size();
    scratch.row_points.resize(rows.size() * coordinates);
    scratch.row_pointers.resize(rows.size());
    std::vector<double> point(variables.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t k = 0; k < point.size(); ++k)
        point[k] = on_.form.windows.scale(window, k) * variables[k][rows[i]];
      double* const place = scratch.row_points.data() + i * coordinates;
      on_.law.place(point.data(), place);
      scratch.row_pointers[i] = place;
    }
    make_room(scratch);
    scratch.sums.assign(rows.size() * outputs, 0.0);
    scratch.slope_sums.assign(counting * rows.size() * outputs, 0.0);
    std::vector<const double*> right(outputs);
    for (std::size_t tile = 0; tile < on_.centres[window].size(); ++tile) {
      for (std::size_t o = 0; o < outputs; ++o) right[o] = on_.coefficients(window, tile, o);
      for (std::size_t first = 0; first < rows.size(); first += rows_together)
        sum_rows(on_.centres[window][tile], first, std::min(rows_together, rows.size() - first), rows.size(), right,
                 scratch);
    }
  }

  /// Columns of values and of the derivatives that count, for some rows.
  void make_room(SlopeScratch& scratch) const {
    const std::size_t coordinates = on_.law.coordinates();
    scratch.columns.resize(rows_together * (1 + counting_.size()) * tile_rows);
    scratch.values.resize(rows_together);
    scratch.slopes.assign(rows_together * coordinates, nullptr);
    scratch.chosen.resize(rows_together);
    double* next = scratch.columns.data();
    for (std::size_t i = 0; i < rows_together; ++i) {
      scratch.values[i] = next;
      for (const std::size_t c : counting_) scratch.slopes[i * coordinates + c] = next += tile_rows;
      next += tile_rows;
    }
  }

  /// A tile of centres for `count` of `all` rows.
  void sum_rows(const rows::TilePoints<double>& centres, std::size_t first, std::size_t count, std::size_t all,
                const std::vector<const double*>& right, SlopeScratch& scratch) const {
    const std::size_t coordinates = on_.law.coordinates(), outputs = right.size();
    slopes_.panel(on_.law.view(), centres.columns(), scratch.row_pointers.data() + first, count, scratch.values.data(),
                  scratch.slopes.data());
    std::copy_n(scratch.values.begin(), count, scratch.chosen.begin());
    kernels_.correlate(scratch.chosen.data(), count, right.data(), outputs, scratch.sums.data() + first * outputs);
    for (std::size_t a = 0; a < counting_.size(); ++a) {
      for (std::size_t i = 0; i < count; ++i) scratch.chosen[i] = scratch.slopes[i * coordinates + counting_[a]];
      kernels_.correlate(scratch.chosen.data(), count, right.data(), outputs,
                         scratch.slope_sums.data() + (a * all + first) * outputs);
    }
  }

  void add_window(std::size_t window, const SlopeSums& sums, const SlopeScratch& scratch) const {
    const SlopeScratch::Met& met = scratch.met[window];
    const Windows& windows = on_.form.windows;
    const Matrix& map = on_.form.law.map;
    const std::size_t outputs = sums.values.size(), variables = sums.slopes.size() / outputs, inputs = windows.inputs(),
                      count = met.rows.size();
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t row = met.rows[i];
      const double total = scratch.totals[row], share = met.weights[i] / total;
      for (std::size_t o = 0; o < outputs; ++o) {
        const double value = scratch.sums[i * outputs + o];
        sums.values[o][row] += share * value;
        for (std::size_t k = 0; k < variables; ++k) {
          double slope = 0.0;
          for (std::size_t a = 0; a < counting_.size(); ++a) {
            if (counting_[a] < variables && k != counting_[a]) continue;
            const double factor = counting_[a] < variables ? 1.0 : map(counting_[a] - variables, k);
            slope -= factor * scratch.slope_sums[(a * count + i) * outputs + o];
          }
          slope *= share * windows.scale(window, k);
          if (k < inputs) {
            const double share_slope =
                (met.weight_slopes[i * inputs + k] - share * scratch.total_slopes[row * inputs + k]) / total;
            slope += share_slope * value;
          }
          sums.slopes[o * variables + k][row] += slope;
        }
      }
    }
  }

  rows::PreparedWindows on_;
  std::vector<std::size_t> counting_;
  const features::LawKernels<double>& kernels_ = features::law_kernels<double>();
  const features::LawSlopes& slopes_ = features::law_slopes();
};

}  // namespace

std::unique_ptr<const BranchSlopes> make_window_slopes(const ClosedForm& form) {
  return std::make_unique<WindowSlopes>(form);
}

}  // namespace rfnn::sensitivity
