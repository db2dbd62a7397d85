#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "clock.hpp"
#include "rfnn/rows/engine.hpp"

namespace rfnn::bench {

/// An engine that notes when each Gibbs iteration begins (the first branch is given a proposal), and otherwise only
/// hands on. Everything an iteration does falls between two such moments.
class TimedEngine final : public rows::Engine {
 public:
  explicit TimedEngine(std::unique_ptr<rows::Engine> engine) : engine_(std::move(engine)) {}

  [[nodiscard]] const std::vector<double>& begins() const { return begins_; }
  void forget() { begins_.clear(); }
  /// The last proposed frequencies of a branch.
  [[nodiscard]] const Matrix& proposal(std::size_t branch) const { return proposals_[branch]; }

  void propose(std::size_t branch, const Matrix& frequencies) override {
    if (branch == 0) begins_.push_back(now());
    if (proposals_.size() <= branch) proposals_.resize(branch + 1);
    proposals_[branch] = frequencies;
    engine_->propose(branch, frequencies);
  }

  void begin_block(const std::vector<rows::BranchShape>& branches, std::span<const std::size_t> rows) override {
    engine_->begin_block(branches, rows);
  }
  void keep(std::size_t branch, const Matrix& frequencies) override { engine_->keep(branch, frequencies); }
  void accept(const std::vector<char>& accepted) override { engine_->accept(accepted); }
  bool reduce_kept(least_squares::NormalEquations& problem, Interrupt& interrupt) override {
    return engine_->reduce_kept(problem, interrupt);
  }
  bool reduce_proposed(least_squares::NormalEquations& problem, Interrupt& interrupt) override {
    return engine_->reduce_proposed(problem, interrupt);
  }
  bool triangle(const std::vector<std::size_t>& columns, least_squares::Triangle& problem,
                Interrupt& interrupt) override {
    return engine_->triangle(columns, problem, interrupt);
  }
  bool correlate(const std::vector<std::size_t>& columns, Eigen::MatrixXd& rhs, Eigen::VectorXd& energy,
                 Interrupt& interrupt) override {
    return engine_->correlate(columns, rhs, energy, interrupt);
  }
  bool normal_product(const std::vector<std::size_t>& columns, const Eigen::MatrixXd& v, Eigen::MatrixXd& product,
                      Interrupt& interrupt) override {
    return engine_->normal_product(columns, v, product, interrupt);
  }
  [[nodiscard]] std::size_t block_rows() const override { return engine_->block_rows(); }

 private:
  std::unique_ptr<rows::Engine> engine_;
  std::vector<double> begins_;
  std::vector<Matrix> proposals_;
};

}  // namespace rfnn::bench
