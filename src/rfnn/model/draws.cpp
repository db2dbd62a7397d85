#include "rfnn/model/draws.hpp"

#include <algorithm>
#include <cmath>

namespace rfnn {
namespace {

bool all_finite(const Matrix& values) {
  return std::all_of(values.data(), values.data() + values.size(), [](double v) { return std::isfinite(v); });
}

bool same_shape(const Matrix& a, const Matrix& b) { return a.rows() == b.rows() && a.cols() == b.cols(); }

bool is_like(const Branch& drawn, const Branch& branch) {
  return !branch.closed_form && !drawn.closed_form && branch.lattice.empty() && drawn.lattice.empty() &&
         branch.trend.empty() && drawn.trend.empty() && drawn.kind == branch.kind &&
         same_shape(drawn.frequencies, branch.frequencies) && same_shape(drawn.amplitudes, branch.amplitudes);
}

}  // namespace

std::optional<std::string> what_is_wrong(const ChainDraws& draws, const Network& network) {
  if (draws.empty()) return std::nullopt;
  if (network.blocks.empty()) return "it has draws of a network without blocks";
  if (draws.loss.rows() != draws.count() || draws.loss.cols() != network.blocks.size() || !all_finite(draws.loss))
    return "its draws have not a finite loss for each block";
  for (const Network& drawn : draws.networks) {
    if (drawn.blocks.size() != network.blocks.size()) return "a draw has not the blocks of the network";
    for (std::size_t l = 0; l < drawn.blocks.size(); ++l) {
      const auto &branches = drawn.blocks[l].branches, &others = network.blocks[l].branches;
      if (!std::equal(branches.begin(), branches.end(), others.begin(), others.end(), is_like))
        return "a draw has a block that is not like that of the network";
      for (const Branch& branch : branches)
        if (!all_finite(branch.frequencies) || !all_finite(branch.amplitudes))
          return "a draw has a frequency or an amplitude that is not finite";
    }
  }
  return std::nullopt;
}

}  // namespace rfnn
