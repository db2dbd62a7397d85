#include "rfnn/rows/ranks/pass.hpp"

#include <utility>

#include "rfnn/least_squares/solvers.hpp"

namespace rfnn::rows {

void Packer::put(const Eigen::MatrixXd& matrix) {
  numbers_.insert(numbers_.end(), matrix.data(), matrix.data() + matrix.size());
}

void Packer::put_upper(const Eigen::MatrixXd& matrix) {
  for (Eigen::Index j = 0; j < matrix.cols(); ++j)
    for (Eigen::Index i = 0; i <= j; ++i) numbers_.push_back(matrix(i, j));
}

Eigen::MatrixXd Unpacker::get(Eigen::Index rows, Eigen::Index cols) {
  const double* const first = std::exchange(next_, next_ + rows * cols);
  return Eigen::Map<const Eigen::MatrixXd>(first, rows, cols);
}

Eigen::MatrixXd Unpacker::get_upper(Eigen::Index size, bool symmetric) {
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(size, size);
  for (Eigen::Index j = 0; j < size; ++j)
    for (Eigen::Index i = 0; i <= j; ++i) {
      matrix(i, j) = *next_++;
      if (symmetric) matrix(j, i) = matrix(i, j);
    }
  return matrix;
}

Numbers packed(const least_squares::NormalEquations& problem) {
  Packer out;
  out.put_upper(problem.gram);
  out.put(problem.rhs);
  out.put(problem.energy);
  out.put(problem.rows);
  return out.take();
}

void unpack(const Numbers& numbers, Eigen::Index n, Eigen::Index m, least_squares::NormalEquations& problem) {
  Unpacker in(numbers);
  problem.gram = in.get_upper(n, true);
  problem.rhs = in.get(n, m);
  problem.energy = in.get(m, 1);
  problem.rows = in.get();
}

Numbers packed_proposed(const least_squares::NormalEquations& problem, Eigen::Index p) {
  const Eigen::Index n = problem.gram.rows() - p;
  Packer out;
  out.put(problem.gram.bottomLeftCorner(p, n));
  out.put_upper(problem.gram.bottomRightCorner(p, p));
  out.put(problem.rhs.bottomRows(p));
  return out.take();
}

void unpack_proposed(const Numbers& numbers, Eigen::Index p, least_squares::NormalEquations& problem) {
  const Eigen::Index n = problem.gram.rows() - p;
  Unpacker in(numbers);
  problem.gram.bottomLeftCorner(p, n) = in.get(p, n);
  problem.gram.topRightCorner(n, p) = problem.gram.bottomLeftCorner(p, n).transpose();
  problem.gram.bottomRightCorner(p, p) = in.get_upper(p, true);
  problem.rhs.bottomRows(p) = in.get(p, problem.rhs.cols());
}

Numbers packed(const least_squares::Triangle& problem) {
  Packer out;
  out.put_upper(problem.upper);
  out.put(problem.projected);
  out.put(problem.rest);
  out.put(problem.rows);
  return out.take();
}

least_squares::Triangle unpack_triangle(const Numbers& numbers, Eigen::Index n, Eigen::Index m) {
  Unpacker in(numbers);
  least_squares::Triangle problem;
  problem.upper = in.get_upper(n, false);
  problem.projected = in.get(n, m);
  problem.rest = in.get(m, 1);
  problem.rows = in.get();
  return problem;
}

void join_triangles(Eigen::Index n, Eigen::Index m, Numbers& into, const Numbers& from) {
  if (into.size() != from.size()) return;  // interrupted
  const least_squares::Triangle a = unpack_triangle(into, n, m), b = unpack_triangle(from, n, m);
  least_squares::TriangleBuilder both(n, m);
  both.add(a.upper, a.projected);
  both.add(b.upper, b.projected);
  least_squares::Triangle joined = both.triangle();
  joined.rest += a.rest + b.rest;
  joined.rows = a.rows + b.rows;
  into = packed(joined);
}

Numbers packed(const FeatureSums& sums) {
  Packer out;
  out.put_upper(sums.gram);
  out.put(sums.rhs);
  out.put(sums.energy);
  return out.take();
}

void unpack(const Numbers& numbers, Eigen::Index n, Eigen::Index m, FeatureSums& sums) {
  Unpacker in(numbers);
  sums.gram = in.get_upper(n, true);
  sums.rhs = in.get(n, m);
  sums.energy = in.get(m, 1);
}

Numbers packed(const JacobianSums& sums) {
  Packer out;
  out.put_upper(sums.gram);
  out.put(sums.rhs);
  for (const Eigen::MatrixXd& cross : sums.cross) out.put(cross);
  out.put_upper(sums.curvature);
  out.put(sums.slope);
  out.put(sums.energy);
  return out.take();
}

void unpack(const Numbers& numbers, Eigen::Index n, Eigen::Index movable, Eigen::Index m, JacobianSums& sums) {
  Unpacker in(numbers);
  sums.gram = in.get_upper(n, true);
  sums.rhs = in.get(n, m);
  sums.cross.resize(static_cast<std::size_t>(m));
  for (Eigen::MatrixXd& cross : sums.cross) cross = in.get(n, movable);
  sums.curvature = in.get_upper(movable, true);
  sums.slope = in.get(movable, 1);
  sums.energy = in.get(m, 1);
}

void put_features(Writer& out, const std::vector<Feature>& features) {
  out.put<std::uint64_t>(features.size());
  for (const Feature& feature : features) {
    out.put_list(std::span<const double>(feature.frequency));
    out.put_list(std::span<const std::uint32_t>(feature.active));
  }
}

std::vector<Feature> get_features(Reader& in) {
  std::vector<Feature> features(in.get<std::uint64_t>());
  for (Feature& feature : features) {
    feature.frequency = in.get_list<double>();
    feature.active = in.get_list<std::uint32_t>();
  }
  return features;
}

}  // namespace rfnn::rows
