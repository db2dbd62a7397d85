#include "rfnn/sensitivity/branch_slopes.hpp"

#include <algorithm>
#include <utility>

#include "rfnn/least_squares/markov.hpp"
#include "rfnn/rows/lattice/lattice_sum.hpp"

namespace rfnn::sensitivity {
namespace {

class LatticeSlopes final : public BranchSlopes {
 public:
  explicit LatticeSlopes(std::unique_ptr<const rows::LatticeSum> sum) : sum_(std::move(sum)) {}

  bool add(const std::vector<const double*>& variables, std::size_t rows, const SlopeSums& sums, SlopeScratch&,
           Interrupt&) const override {
    sum_->add_slopes(variables, rows, sums.values, sums.slopes);
    return true;
  }

 private:
  std::unique_ptr<const rows::LatticeSum> sum_;
};

/// A closed form whose law is a Markov process of one variable.
class SeriesSlopes final : public BranchSlopes {
 public:
  explicit SeriesSlopes(const ClosedForm& form) : sum_(form) {}

  bool add(const std::vector<const double*>& variables, std::size_t rows, const SlopeSums& sums, SlopeScratch& scratch,
           Interrupt&) const override {
    const std::size_t outputs = sums.values.size();
    scratch.sums.resize(outputs);
    for (std::size_t i = 0; i < rows; ++i) {
      const double x = variables[0][i];
      for (std::size_t o = 0; o < outputs; ++o) scratch.sums[o] = sums.values[o][i];
      sum_.add(x, scratch.sums);
      for (std::size_t o = 0; o < outputs; ++o) sums.values[o][i] = std::exchange(scratch.sums[o], sums.slopes[o][i]);
      sum_.add_slopes(x, scratch.sums);
      for (std::size_t o = 0; o < outputs; ++o) sums.slopes[o][i] = scratch.sums[o];
    }
    return true;
  }

 private:
  least_squares::MarkovSum sum_;
};

}  // namespace

std::unique_ptr<const BranchSlopes> make_slopes(const Branch& branch, Workers& workers, Interrupt& interrupt) {
  if (!branch.lattice.empty()) {
    auto sum = rows::LatticeSum::with_slopes(branch, workers, interrupt);
    if (!sum) return nullptr;
    return std::make_unique<LatticeSlopes>(std::move(sum));
  }
  if (!branch.closed_form) return make_feature_slopes(branch);
  const ClosedForm& form = *branch.closed_form;
  if (!form.windows.empty()) return make_window_slopes(form);
  if (least_squares::MarkovProcess::describes(form.law)) return std::make_unique<SeriesSlopes>(form);
  return make_closed_slopes(form);
}

std::vector<std::size_t> coordinates_that_count(const FrequencyLaw& law) {
  const std::size_t variables = law.variables(), mapped = law.map.rows();
  std::vector<std::size_t> counting;
  for (std::size_t c = 0; c < variables + mapped; ++c) {
    const bool counts = std::any_of(law.parts.begin(), law.parts.end(), [&](const FrequencyLaw::Part& part) {
      if (c >= variables) return !part.radial && part.smooth[c - variables] != 0.0;
      return part.rough[c] != 0.0 || (!part.centre.empty() && part.centre[c] != 0.0) ||
             (mapped == 0 && !part.radial && part.smooth[c] != 0.0);
    });
    if (counts) counting.push_back(c);
  }
  return counting;
}

}  // namespace rfnn::sensitivity
