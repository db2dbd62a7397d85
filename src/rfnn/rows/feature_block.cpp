#include "rfnn/rows/feature_block.hpp"

namespace rfnn::rows {

std::size_t FeatureBlock::movable() const {
  std::size_t count = 0;
  for (const Feature& feature : features) count += feature.active.size();
  return count;
}

Block FeatureBlock::as_block(std::size_t inputs, std::size_t outputs) const {
  Block block;
  for (const BranchKind kind : {BranchKind::input, BranchKind::state, BranchKind::joint}) {
    std::vector<std::size_t> chosen;
    for (std::size_t f = 0; f < size(); ++f) {
      bool input = false, state = false;
      for (std::size_t k = 0; k < features[f].frequency.size(); ++k)
        if (features[f].frequency[k] != 0.0) (k < inputs ? input : state) = true;
      const BranchKind own = input && state ? BranchKind::joint : state ? BranchKind::state : BranchKind::input;
      if (own == kind) chosen.push_back(f);
    }
    if (chosen.empty()) continue;
    const std::size_t first = kind == BranchKind::state ? inputs : 0, count = variables_of(kind, inputs, outputs);
    Branch branch{kind, Matrix(chosen.size(), count), Matrix(2 * chosen.size(), outputs)};
    for (std::size_t j = 0; j < chosen.size(); ++j) {
      for (std::size_t k = 0; k < count; ++k)
        branch.frequencies(j, k) =
            first + k < features[chosen[j]].frequency.size() ? features[chosen[j]].frequency[first + k] : 0.0;
      for (std::size_t part = 0; part < 2; ++part)
        for (std::size_t o = 0; o < outputs; ++o)
          branch.amplitudes(2 * j + part, o) =
              amplitudes(static_cast<Eigen::Index>(2 * chosen[j] + part), static_cast<Eigen::Index>(o));
    }
    block.branches.push_back(std::move(branch));
  }
  return block;
}

}  // namespace rfnn::rows
