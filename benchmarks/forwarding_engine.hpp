#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "rfnn/rows/engine.hpp"

namespace rfnn::bench {

/// An engine that hands everything on to another one. Who watches a chain derives from it: benchmarks that take times,
/// tests that look where it is.
class ForwardingEngine : public rows::Engine {
 public:
  explicit ForwardingEngine(std::unique_ptr<rows::Engine> engine) : engine_(std::move(engine)) {}

  void begin_block(const std::vector<rows::BranchShape>& branches, std::span<const std::size_t> rows) override {
    engine_->begin_block(branches, rows);
  }
  void keep(std::size_t branch, const Matrix& frequencies) override { engine_->keep(branch, frequencies); }
  void propose(std::size_t branch, const Matrix& frequencies) override { engine_->propose(branch, frequencies); }
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
};

}  // namespace rfnn::bench
