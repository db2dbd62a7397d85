#include <algorithm>

#include "rfnn/features/law_kernels.hpp"
#include "rfnn/features/law_slopes.hpp"
#include "rfnn/rows/closed_sum.hpp"
#include "rfnn/rows/tiles.hpp"
#include "rfnn/sensitivity/branch_slopes.hpp"

namespace rfnn::sensitivity {
namespace {

using rows::tile_rows;

/// So many centres at a time: their columns and those of their derivatives stay in the first cache.
constexpr std::size_t centres_together = 2;
static_assert(tile_rows % centres_together == 0);

bool is_centred(const FrequencyLaw& law) {
  return std::any_of(law.parts.begin(), law.parts.end(), [](const auto& part) { return !part.centre.empty(); });
}

/// v ↦ Σ_i c_i k(v − v_i), centre by centre, and the same sums of the kernel's derivatives by coordinates.
class ClosedSlopes final : public BranchSlopes {
 public:
  explicit ClosedSlopes(const ClosedForm& form)
      : form_(form),
        law_(form.law),
        centres_(law_, form.centres),
        counting_(coordinates_that_count(form.law)),
        may_turn_(!is_centred(form.law)) {}

  bool add(const std::vector<const double*>& variables, std::size_t rows, const SlopeSums& sums, SlopeScratch& scratch,
           Interrupt& interrupt) const override {
    const std::size_t outputs = sums.values.size();
    const bool turned = may_turn_ && rows <= rows::most_turned_rows;
    if (!turned) scratch.points.place(law_, variables.data());
    make_room(outputs, scratch);
    for (std::size_t first = 0; first < centres_.size(); first += centres_together) {
      if (!interrupt.proceed()) return false;
      const std::size_t count = std::min(centres_together, centres_.size() - first);
      if (!turned) {
        slopes_.panel(law_.view(), scratch.points.columns(), centres_.from(first), count, scratch.values.data(),
                      scratch.slopes.data());
      } else {
        if (first % tile_rows == 0) turned_panel(variables, rows, first, scratch);
        turn_back(first % tile_rows, count, rows, scratch);
      }
      combine(first, count, sums.values, scratch);
    }
    fold(form_.law.map, counting_, rows, sums, scratch);
    return true;
  }

 private:
  /// Columns of values and of the derivatives that count, and of the latter's sums, which begin as 0.
  void make_room(std::size_t outputs, SlopeScratch& scratch) const {
    const std::size_t counting = counting_.size(), coordinates = law_.coordinates();
    scratch.columns.resize(centres_together * (1 + counting) * tile_rows);
    scratch.values.resize(centres_together);
    scratch.slopes.assign(centres_together * coordinates, nullptr);
    double* next = scratch.columns.data();
    for (std::size_t i = 0; i < centres_together; ++i) {
      scratch.values[i] = next;
      for (const std::size_t c : counting_) scratch.slopes[i * coordinates + c] = next += tile_rows;
      next += tile_rows;
    }
    scratch.coordinate_sums.assign(outputs * counting * tile_rows, 0.0);
  }

  /// k(centre − row) of a tile of centres from `first` on, and its derivatives, row by row.
  void turned_panel(const std::vector<const double*>& variables, std::size_t rows, std::size_t first,
                    SlopeScratch& scratch) const {
    const std::size_t coordinates = law_.coordinates();
    scratch.row_points.resize(rows * coordinates);
    scratch.turned.resize(rows * (1 + counting_.size()) * tile_rows);
    scratch.row_pointers.resize(rows);
    scratch.turned_values.resize(rows);
    scratch.turned_slopes.assign(rows * coordinates, nullptr);
    std::vector<double> point(variables.size());
    double* next = scratch.turned.data();
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t k = 0; k < point.size(); ++k) point[k] = variables[k][row];
      double* const place = scratch.row_points.data() + row * coordinates;
      law_.place(point.data(), place);
      scratch.row_pointers[row] = place;
      scratch.turned_values[row] = next;
      for (const std::size_t c : counting_) scratch.turned_slopes[row * coordinates + c] = next += tile_rows;
      next += tile_rows;
    }
    scratch.points.place(law_, centres_, first);
    slopes_.panel(law_.view(), scratch.points.columns(), scratch.row_pointers.data(), rows,
                  scratch.turned_values.data(), scratch.turned_slopes.data());
  }

  /// From there to columns over rows: the kernel is even, its derivatives are odd.
  void turn_back(std::size_t in_tile, std::size_t count, std::size_t rows, SlopeScratch& scratch) const {
    const std::size_t coordinates = law_.coordinates();
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t row = 0; row < rows; ++row) scratch.values[i][row] = scratch.turned_values[row][in_tile + i];
      for (const std::size_t c : counting_)
        for (std::size_t row = 0; row < rows; ++row)
          scratch.slopes[i * coordinates + c][row] = -scratch.turned_slopes[row * coordinates + c][in_tile + i];
    }
  }

  void combine(std::size_t first, std::size_t count, const std::vector<double*>& values, SlopeScratch& scratch) const {
    const std::size_t outputs = values.size(), coordinates = law_.coordinates();
    const double* const coefficients = form_.coefficients.data() + first * outputs;
    scratch.chosen.assign(scratch.values.begin(), scratch.values.begin() + static_cast<std::ptrdiff_t>(count));
    kernels_.combine(scratch.chosen.data(), count, coefficients, outputs, values.data());
    std::vector<double*> out(outputs);
    for (std::size_t a = 0; a < counting_.size(); ++a) {
      for (std::size_t i = 0; i < count; ++i) scratch.chosen[i] = scratch.slopes[i * coordinates + counting_[a]];
      for (std::size_t o = 0; o < outputs; ++o)
        out[o] = scratch.coordinate_sums.data() + (o * counting_.size() + a) * tile_rows;
      kernels_.combine(scratch.chosen.data(), count, coefficients, outputs, out.data());
    }
  }

  /// The derivatives by the variables: those by v, and Mᵀ times those by u = M v.
  static void fold(const Matrix& map, const std::vector<std::size_t>& counting, std::size_t rows, const SlopeSums& sums,
                   const SlopeScratch& scratch) {
    const std::size_t outputs = sums.values.size(), variables = sums.slopes.size() / outputs;
    for (std::size_t o = 0; o < outputs; ++o)
      for (std::size_t a = 0; a < counting.size(); ++a) {
        const double* const sum = scratch.coordinate_sums.data() + (o * counting.size() + a) * tile_rows;
        for (std::size_t k = 0; k < variables; ++k) {
          if (counting[a] < variables && k != counting[a]) continue;
          const double factor = counting[a] < variables ? 1.0 : map(counting[a] - variables, k);
          double* const out = sums.slopes[o * variables + k];
          for (std::size_t row = 0; row < rows; ++row) out[row] += factor * sum[row];
        }
      }
  }

  const ClosedForm& form_;
  rows::LawTerms<double> law_;
  rows::Centres<double> centres_;
  std::vector<std::size_t> counting_;
  bool may_turn_;
  const features::LawKernels<double>& kernels_ = features::law_kernels<double>();
  const features::LawSlopes& slopes_ = features::law_slopes();
};

}  // namespace

std::unique_ptr<const BranchSlopes> make_closed_slopes(const ClosedForm& form) {
  return std::make_unique<ClosedSlopes>(form);
}

}  // namespace rfnn::sensitivity
