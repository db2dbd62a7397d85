#include "rfnn/rows/ranks/ranks_engine.hpp"

#include "rfnn/core/as_index.hpp"

namespace rfnn::rows {
namespace {}  // namespace

HeldRows::~HeldRows() {
  caller->waiting().put(Pass::drop);
  caller->waiting().put(number);
}

std::uint64_t number_of(const RowState& rows) { return static_cast<const HeldRows&>(*rows.distant).number; }

RanksEngine::~RanksEngine() {
  if (begun_) ask(Pass::drop_chain);
}

Writer& RanksEngine::ask(Pass pass) {
  Writer& out = caller_->waiting();
  out.put(pass);
  out.put(number_);
  return out;
}

void RanksEngine::begin_block(const std::vector<BranchShape>& branches, std::span<const std::size_t> rows) {
  Writer& out = ask(Pass::begin_block);
  out.put(number_of(rows_));
  out.put_list(std::span<const BranchShape>(branches));
  out.put_list(rows);
  begun_ = true;
  Numbers numbers;
  Interrupt never;
  caller_->call(numbers, never);
  block_rows_ = static_cast<std::size_t>(numbers[0]);
  ask(Pass::scale_chain).put(numbers[1] / numbers[0]);  // the mean weight
  columns_ = proposed_ = 0;
  for (const BranchShape& branch : branches) columns_ += as_index(2 * branch.features);
}

void RanksEngine::keep(std::size_t branch, const Matrix& frequencies) {
  Writer& out = ask(Pass::keep);
  out.put<std::uint64_t>(branch);
  out.put_matrix(frequencies);
}

void RanksEngine::propose(std::size_t branch, const Matrix& frequencies) {
  Writer& out = ask(Pass::propose);
  out.put<std::uint64_t>(branch);
  out.put_matrix(frequencies);
  proposed_ = as_index(2 * frequencies.rows());
}

void RanksEngine::accept(const std::vector<char>& accepted) {
  ask(Pass::accept).put_list(std::span<const char>(accepted));
}

bool RanksEngine::reduce_kept(least_squares::NormalEquations& problem, Interrupt& interrupt) {
  ask(Pass::reduce_kept);
  Numbers numbers;
  if (!caller_->call(numbers, interrupt)) return false;
  unpack(numbers, columns_, as_index(rows_.outputs()), problem);
  return true;
}

bool RanksEngine::reduce_proposed(least_squares::NormalEquations& problem, Interrupt& interrupt) {
  ask(Pass::reduce_proposed);
  Numbers numbers;
  if (!caller_->call(numbers, interrupt)) return false;
  unpack_proposed(numbers, proposed_, problem);
  return true;
}

bool RanksEngine::triangle(const std::vector<std::size_t>& columns, least_squares::Triangle& problem,
                           Interrupt& interrupt) {
  ask(Pass::triangle).put_list(std::span<const std::size_t>(columns));
  Numbers numbers;
  if (!caller_->call(numbers, interrupt)) return false;
  problem = unpack_triangle(numbers, as_index(columns.size()), as_index(rows_.outputs()));
  return true;
}

bool RanksEngine::correlate(const std::vector<std::size_t>& columns, Eigen::MatrixXd& rhs, Eigen::VectorXd& energy,
                            Interrupt& interrupt) {
  ask(Pass::correlate).put_list(std::span<const std::size_t>(columns));
  Numbers numbers;
  if (!caller_->call(numbers, interrupt)) return false;
  Unpacker in(numbers);
  rhs = in.get(as_index(columns.size()), as_index(rows_.outputs()));
  energy = in.get(as_index(rows_.outputs()), 1);
  return true;
}

bool RanksEngine::normal_product(const std::vector<std::size_t>& columns, const Eigen::MatrixXd& v,
                                 Eigen::MatrixXd& product, Interrupt& interrupt) {
  Writer& out = ask(Pass::normal_product);
  out.put_list(std::span<const std::size_t>(columns));
  out.put_matrix(v);
  Numbers numbers;
  if (!caller_->call(numbers, interrupt)) return false;
  product = Unpacker(numbers).get(as_index(columns.size()), v.cols());
  return true;
}

}  // namespace rfnn::rows
