#pragma once

// An engine that hands everything on to another one and writes down where the chain is.

#include <vector>

#include "benchmarks/forwarding_engine.hpp"

namespace rfnn::testing {

class SpyEngine final : public bench::ForwardingEngine {
 public:
  using ForwardingEngine::ForwardingEngine;

  void begin_block(const std::vector<rows::BranchShape>& branches, std::span<const std::size_t> rows) override {
    kept.assign(branches.size(), {});
    path.assign(branches.size(), {});
    ForwardingEngine::begin_block(branches, rows);
  }
  void keep(std::size_t branch, const Matrix& frequencies) override {
    kept[branch] = frequencies;
    path[branch] = {frequencies};
    ForwardingEngine::keep(branch, frequencies);
  }
  void propose(std::size_t branch, const Matrix& frequencies) override {
    branch_ = branch;
    proposed_ = frequencies;
    ForwardingEngine::propose(branch, frequencies);
  }
  void accept(const std::vector<char>& accepted) override {
    for (std::size_t j = 0; j < accepted.size(); ++j)
      for (std::size_t k = 0; k < proposed_.cols() && accepted[j]; ++k) kept[branch_](j, k) = proposed_(j, k);
    path[branch_].push_back(kept[branch_]);
    ForwardingEngine::accept(accepted);
  }

  std::vector<Matrix> kept;               ///< per branch
  std::vector<std::vector<Matrix>> path;  ///< per branch: the initial frequencies, then those after every step

 private:
  std::size_t branch_ = 0;
  Matrix proposed_;
};

}  // namespace rfnn::testing
