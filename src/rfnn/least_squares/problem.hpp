#pragma once

// Private header.

#include <Eigen/Dense>

namespace rfnn::least_squares {

/// The W-sized remains of  min_B (1/N)|A B − R|² + λ|B|²  after one pass over the rows, as sums:
/// AᵀA B = AᵀR. n columns, m outputs.
struct NormalEquations {
  Eigen::MatrixXd gram;    ///< AᵀA, n × n, both triangles
  Eigen::MatrixXd rhs;     ///< AᵀR, n × m
  Eigen::VectorXd energy;  ///< |R_o|² per output o
  double rows = 0.0;       ///< N
};

template <class Archive>
void fields(Archive& archive, NormalEquations& problem) {
  archive(problem.gram, problem.rhs, problem.energy, problem.rows);
}

/// The same after an orthogonal reduction: A = Q·upper, projected = QᵀR. Accurate where AᵀA would square the condition.
struct Triangle {
  Eigen::MatrixXd upper;      ///< n × n upper triangular
  Eigen::MatrixXd projected;  ///< n × m
  Eigen::VectorXd rest;       ///< |R_o|² outside the span of A, per output
  double rows = 0.0;
};

/// |A B − R_o|² per output from the sums: energy − 2 Bᵀrhs + BᵀGB, never below zero.
Eigen::VectorXd misfit(const NormalEquations& problem, const Eigen::MatrixXd& amplitudes);
/// The same into a vector that keeps its memory.
void misfit(const NormalEquations& problem, const Eigen::MatrixXd& amplitudes, Eigen::VectorXd& result);
Eigen::VectorXd misfit(const Triangle& problem, const Eigen::MatrixXd& amplitudes);

}  // namespace rfnn::least_squares
