#pragma once

// Private header.

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "rfnn/rows/ranks/ranks_work.hpp"

namespace rfnn::rows {

/// Rows that all ranks hold under a number. Where nobody has them any more, the ranks drop them.
struct HeldRows final : DistantRows {
  HeldRows(std::shared_ptr<PassCaller> by, std::uint64_t known_as, std::size_t how_many, std::size_t d, std::size_t m)
      : caller(std::move(by)), number(known_as) {
    rows = how_many;
    inputs = d;
    outputs = m;
  }
  ~HeldRows() override;

  std::shared_ptr<PassCaller> caller;
  std::uint64_t number;
};

/// The number of rows that are spread.
std::uint64_t number_of(const RowState& rows);

/// The passes of a chain over all ranks.
class RanksEngine final : public Engine {
 public:
  RanksEngine(const RowState& rows, std::shared_ptr<PassCaller> caller, std::uint64_t number)
      : rows_(rows), caller_(std::move(caller)), number_(number) {}
  ~RanksEngine() override;
  RanksEngine(const RanksEngine&) = delete;
  RanksEngine& operator=(const RanksEngine&) = delete;

  void begin_block(const std::vector<BranchShape>& branches, std::span<const std::size_t> rows) override;
  void keep(std::size_t branch, const Matrix& frequencies) override;
  void propose(std::size_t branch, const Matrix& frequencies) override;
  void accept(const std::vector<char>& accepted) override;
  bool reduce_kept(least_squares::NormalEquations& problem, Interrupt& interrupt) override;
  bool reduce_proposed(least_squares::NormalEquations& problem, Interrupt& interrupt) override;
  bool triangle(const std::vector<std::size_t>& columns, least_squares::Triangle& problem,
                Interrupt& interrupt) override;
  bool correlate(const std::vector<std::size_t>& columns, Eigen::MatrixXd& rhs, Eigen::VectorXd& energy,
                 Interrupt& interrupt) override;
  bool normal_product(const std::vector<std::size_t>& columns, const Eigen::MatrixXd& v, Eigen::MatrixXd& product,
                      Interrupt& interrupt) override;
  [[nodiscard]] std::size_t block_rows() const override { return block_rows_; }

 private:
  /// A pass of this chain begins in the next message.
  Writer& ask(Pass pass);

  const RowState& rows_;
  std::shared_ptr<PassCaller> caller_;
  std::uint64_t number_;
  bool begun_ = false;
  std::size_t block_rows_ = 0;
  Eigen::Index columns_ = 0, proposed_ = 0;
};

}  // namespace rfnn::rows
