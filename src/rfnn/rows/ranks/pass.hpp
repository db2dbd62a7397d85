#pragma once

// Private header. The passes that rank 0 asks for, and the numbers they come to: how each sum is laid out as numbers
// that add up.

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "rfnn/least_squares/problem.hpp"
#include "rfnn/rows/feature_block.hpp"
#include "rfnn/rows/ranks/message.hpp"

namespace rfnn::rows {

/// What a message asks for, one after the other; what follows each of them is said in PieceHolder. Those below `sums`
/// change what is held, the others come to numbers.
enum class Pass : std::uint8_t {
  copy,
  drop,
  scale_chain,
  drop_chain,
  keep,
  propose,
  accept,
  sums,  // none: from here on
  finish,
  advance,
  mean_squares,
  begin_block,
  reduce_kept,
  reduce_proposed,
  triangle,
  correlate,
  normal_product,
  features,
  jacobian,
  misfit
};

using Numbers = std::vector<double>;

/// Puts matrices into numbers, and takes them out again in the same order.
class Packer {
 public:
  void put(const Eigen::MatrixXd& matrix);
  void put_upper(const Eigen::MatrixXd& matrix);  ///< of a symmetric or upper triangular one
  void put(double number) { numbers_.push_back(number); }
  Numbers take() { return std::move(numbers_); }

 private:
  Numbers numbers_;
};

class Unpacker {
 public:
  explicit Unpacker(const Numbers& numbers) : next_(numbers.data()) {}
  Eigen::MatrixXd get(Eigen::Index rows, Eigen::Index cols);
  Eigen::MatrixXd get_upper(Eigen::Index size, bool symmetric);
  double get() { return *next_++; }

 private:
  const double* next_;
};

/// `n` columns, `m` outputs; of the proposed problem `p` more columns.
Numbers packed(const least_squares::NormalEquations& problem);
void unpack(const Numbers& numbers, Eigen::Index n, Eigen::Index m, least_squares::NormalEquations& problem);
Numbers packed_proposed(const least_squares::NormalEquations& problem, Eigen::Index p);
void unpack_proposed(const Numbers& numbers, Eigen::Index p, least_squares::NormalEquations& problem);
Numbers packed(const least_squares::Triangle& problem);
least_squares::Triangle unpack_triangle(const Numbers& numbers, Eigen::Index n, Eigen::Index m);
/// Orthogonal reductions of some rows and of others: that of the one on top of the other.
void join_triangles(Eigen::Index n, Eigen::Index m, Numbers& into, const Numbers& from);
Numbers packed(const FeatureSums& sums);
void unpack(const Numbers& numbers, Eigen::Index n, Eigen::Index m, FeatureSums& sums);
Numbers packed(const JacobianSums& sums);
void unpack(const Numbers& numbers, Eigen::Index n, Eigen::Index movable, Eigen::Index m, JacobianSums& sums);

void put_features(Writer& out, const std::vector<Feature>& features);
std::vector<Feature> get_features(Reader& in);

}  // namespace rfnn::rows
