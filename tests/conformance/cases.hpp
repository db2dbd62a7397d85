#pragma once

// The engines there are (rows/engine.hpp), and the data and shapes they are tried on.

#include <Eigen/Dense>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "rfnn/features/kernels.hpp"
#include "rfnn/rows/threads/direct_engine.hpp"
#include "rfnn/rows/engine.hpp"
#include "rfnn/rows/reference/reference_work.hpp"
#include "rfnn/rows/row_work.hpp"
#include "rfnn/rows/threads/threaded_work.hpp"
#include "rows/naive.hpp"

namespace rfnn::testing {

/// Mean squares of the residual, per output.
struct StateErrors {
  Eigen::VectorXd train, validation;
};

/// Rows, the work on them, and the chain of a block: what a network of sampled blocks is trained with.
class Chain {
 public:
  using MakeEngine = std::function<std::unique_ptr<rows::Engine>(rows::RowWork&, const rows::RowState&)>;
  Chain(
      std::unique_ptr<rows::RowWork> work, const rows::ScaledRows& train, const rows::ScaledRows& validation,
      const MakeEngine& make = [](rows::RowWork& by, const rows::RowState& rows) { return by.chain(rows); })
      : train_(train), validation_(validation), work_(std::move(work)), engine_(make(*work_, train_)) {}
  Chain(const Chain&) = delete;  // the engine refers to the rows
  Chain& operator=(const Chain&) = delete;

  void begin_block(const std::vector<rows::BranchShape>& branches, std::span<const std::size_t> rows) {
    engine_->begin_block(branches, rows);
  }
  void keep(std::size_t branch, const Matrix& frequencies) { engine_->keep(branch, frequencies); }
  void propose(std::size_t branch, const Matrix& frequencies) { engine_->propose(branch, frequencies); }
  void accept(const std::vector<char>& accepted) { engine_->accept(accepted); }
  bool reduce_kept(least_squares::NormalEquations& problem, Interrupt& interrupt) {
    return engine_->reduce_kept(problem, interrupt);
  }
  bool reduce_proposed(least_squares::NormalEquations& problem, Interrupt& interrupt) {
    return engine_->reduce_proposed(problem, interrupt);
  }
  bool triangle(const std::vector<std::size_t>& columns, least_squares::Triangle& problem, Interrupt& interrupt) {
    return engine_->triangle(columns, problem, interrupt);
  }
  bool correlate(const std::vector<std::size_t>& columns, Eigen::MatrixXd& rhs, Eigen::VectorXd& energy,
                 Interrupt& interrupt) {
    return engine_->correlate(columns, rhs, energy, interrupt);
  }
  bool normal_product(const std::vector<std::size_t>& columns, const Eigen::MatrixXd& v, Eigen::MatrixXd& product,
                      Interrupt& interrupt) {
    return engine_->normal_product(columns, v, product, interrupt);
  }
  [[nodiscard]] std::size_t block_rows() const { return engine_->block_rows(); }

  bool advance(const Block& block, Interrupt& interrupt) {
    return work_->advance(block, train_, interrupt) &&
           (validation_.count() == 0 || work_->advance(block, validation_, interrupt));
  }
  [[nodiscard]] StateErrors errors() const {
    return {work_->mean_squares(train_),
            validation_.count() > 0 ? work_->mean_squares(validation_) : Eigen::VectorXd()};
  }

 private:
  rows::RowState train_, validation_;
  std::unique_ptr<rows::RowWork> work_;
  std::unique_ptr<rows::Engine> engine_;
};

inline std::unique_ptr<Chain> reference_chain(const rows::ScaledRows& train, const rows::ScaledRows& validation) {
  return std::make_unique<Chain>(std::make_unique<rows::ReferenceWork>(), train, validation);
}

/// An engine of threads with limits of its own.
inline std::unique_ptr<Chain> direct_chain(const rows::ScaledRows& train, const rows::ScaledRows& validation,
                                           std::size_t threads, const features::Kernels& level,
                                           const rows::DirectEngine::Limits& limits) {
  return std::make_unique<Chain>(std::make_unique<rows::ThreadedWork>(threads, level), train, validation,
                                 [&](rows::RowWork& work, const rows::RowState& rows) {
                                   return std::make_unique<rows::DirectEngine>(rows, work.workers(), level, limits);
                                 });
}

struct EngineCase {
  std::string name;
  std::function<std::unique_ptr<Chain>(const rows::ScaledRows&, const rows::ScaledRows&)> make;
};
inline std::ostream& operator<<(std::ostream& out, const EngineCase& engine) { return out << engine.name; }

inline EngineCase direct(const features::Kernels& level, std::size_t threads) {
  return {"direct_" + std::string(level.name) + "_" + std::to_string(threads),
          [&level, threads](const auto& train, const auto& validation) {
            return std::make_unique<Chain>(std::make_unique<rows::ThreadedWork>(threads, level), train, validation);
          }};
}

/// The ways of working that only large problems take, on small ones.
inline EngineCase direct(const std::string& name, const rows::DirectEngine::Limits& limits, std::size_t threads) {
  return {"direct_" + name + "_" + std::to_string(threads),
          [limits, threads](const auto& train, const auto& validation) {
            return direct_chain(train, validation, threads, features::kernels(), limits);
          }};
}

inline std::vector<EngineCase> engines() {
  std::vector<EngineCase> all;
  for (const char* name : {"baseline", "avx2", "avx512"})
    if (const features::Kernels* level = features::kernels(name)) all.push_back(direct(*level, 1));
  for (const std::size_t threads : {2U, 4U}) all.push_back(direct(features::kernels(), threads));
  for (const std::size_t threads : {1U, 2U}) {
    all.push_back(direct("uncached", {.cache = 0}, threads));
    all.push_back(direct("wide", {.cache = 0, .wide_gram = 0, .group = 100000}, threads));
    all.push_back(direct("wide_cached", {.wide_gram = 0}, threads));
  }
  return all;
}

struct Shape {
  std::size_t rows, inputs, outputs;
  std::vector<rows::BranchShape> branches;
  bool subset = false;
};
inline std::string words(const Shape& shape) {
  std::string text = std::to_string(shape.rows) + " rows, d = " + std::to_string(shape.inputs) +
                     ", m = " + std::to_string(shape.outputs) + (shape.subset ? ", subset" : "");
  for (const rows::BranchShape& branch : shape.branches)
    text += ", " + std::string(name_of(branch.kind)) + " " + std::to_string(branch.features);
  return text;
}

struct Data {
  explicit Data(const Shape& shape)
      : train_inputs(normal_matrix(shape.rows, shape.inputs, 1)),
        train_targets(normal_matrix(shape.rows, shape.outputs, 2)),
        validation_inputs(normal_matrix(shape.rows / 3, shape.inputs, 3)),
        validation_targets(normal_matrix(shape.rows / 3, shape.outputs, 4)) {
    // Rows from all over the data, some of them several times, not in order.
    if (shape.subset)
      for (std::size_t i = 0; i < shape.rows / 2 + 3; ++i) block_rows.push_back(i * 7919 % shape.rows);
  }
  [[nodiscard]] rows::ScaledRows train() const { return {train_inputs.view(), train_targets.view()}; }
  [[nodiscard]] rows::ScaledRows validation() const { return {validation_inputs.view(), validation_targets.view()}; }
  Matrix train_inputs, train_targets, validation_inputs, validation_targets;
  std::vector<std::size_t> block_rows;
};

inline std::vector<char> pattern(std::size_t features, std::size_t number) {
  std::vector<char> accepted(features);
  for (std::size_t j = 0; j < features; ++j)
    accepted[j] = number == 0 ? 0 : number == 1 ? 1 : static_cast<char>((j + number) % 2);
  return accepted;
}

}  // namespace rfnn::testing
