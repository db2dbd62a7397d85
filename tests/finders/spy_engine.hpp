#pragma once

// An engine that hands everything on to another one and writes down where the chain is.

#include <memory>
#include <utility>
#include <vector>

#include "rfnn/rows/engine.hpp"

namespace rfnn::testing {

class SpyEngine final : public rows::Engine {
 public:
  explicit SpyEngine(std::unique_ptr<rows::Engine> engine) : engine_(std::move(engine)) {}

  void begin_block(const std::vector<rows::BranchShape>& branches, std::span<const std::size_t> rows) override {
    kept.assign(branches.size(), {});
    path.assign(branches.size(), {});
    engine_->begin_block(branches, rows);
  }
  void keep(std::size_t branch, const Matrix& frequencies) override {
    kept[branch] = frequencies;
    path[branch] = {frequencies};
    engine_->keep(branch, frequencies);
  }
  void propose(std::size_t branch, const Matrix& frequencies) override {
    branch_ = branch;
    proposed_ = frequencies;
    engine_->propose(branch, frequencies);
  }
  void accept(const std::vector<char>& accepted) override {
    for (std::size_t j = 0; j < accepted.size(); ++j)
      for (std::size_t k = 0; k < proposed_.cols() && accepted[j]; ++k) kept[branch_](j, k) = proposed_(j, k);
    path[branch_].push_back(kept[branch_]);
    engine_->accept(accepted);
  }
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

  std::vector<Matrix> kept;               ///< per branch
  std::vector<std::vector<Matrix>> path;  ///< per branch: the initial frequencies, then those after every step

 private:
  std::unique_ptr<rows::Engine> engine_;
  std::size_t branch_ = 0;
  Matrix proposed_;
};

}  // namespace rfnn::testing
