#pragma once

#include <vector>

#include "clock.hpp"
#include "forwarding_engine.hpp"

namespace rfnn::bench {

/// An engine that notes when each Gibbs iteration begins (the first branch is given a proposal), and otherwise only
/// hands on. Everything an iteration does falls between two such moments.
class TimedEngine final : public ForwardingEngine {
 public:
  using ForwardingEngine::ForwardingEngine;

  [[nodiscard]] const std::vector<double>& begins() const { return begins_; }
  void forget() { begins_.clear(); }
  /// The last proposed frequencies of a branch.
  [[nodiscard]] const Matrix& proposal(std::size_t branch) const { return proposals_[branch]; }

  void propose(std::size_t branch, const Matrix& frequencies) override {
    if (branch == 0) begins_.push_back(now());
    if (proposals_.size() <= branch) proposals_.resize(branch + 1);
    proposals_[branch] = frequencies;
    ForwardingEngine::propose(branch, frequencies);
  }

 private:
  std::vector<double> begins_;
  std::vector<Matrix> proposals_;
};

}  // namespace rfnn::bench
