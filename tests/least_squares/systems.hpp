#pragma once

// Systems to solve, the two reductions of them that the solvers take, and LAPACK's answer.

#include <Eigen/Dense>
#include <cmath>
#include <random>
#include <vector>

#include <lapacke.h>

#include "rfnn/least_squares/solvers.hpp"

namespace rfnn::testing {

struct System {
  Eigen::MatrixXd a;  ///< rows × columns
  Eigen::MatrixXd r;  ///< rows × outputs
};

Eigen::MatrixXd random_matrix(Eigen::Index rows, Eigen::Index cols, unsigned seed);

System random_system(Eigen::Index rows, Eigen::Index columns, Eigen::Index outputs, unsigned seed);

/// Cosines and sines of `features` frequencies at random points, the columns the network really has.
System fourier_system(Eigen::Index rows, Eigen::Index features, Eigen::Index outputs, unsigned seed);

/// A with singular values from 1 down to 1/condition, geometrically spaced.
System graded_system(Eigen::Index rows, Eigen::Index columns, Eigen::Index outputs, double condition, unsigned seed);

least_squares::NormalEquations normal_equations(const System& s);

least_squares::Triangle triangle(const System& s, Eigen::Index tile = 64);

/// [A; √(Nλ) I] and [R; 0].
System stacked(const System& s, double lambda);

/// Householder QR of the stacked system, by LAPACK.
Eigen::MatrixXd lapack_qr(const System& s, double lambda);

/// Solution of smallest norm of the stacked system, by LAPACK's SVD.
Eigen::MatrixXd lapack_smallest_norm(const System& s, double lambda);

Eigen::MatrixXd solve_qr(const System& s, double lambda);

Eigen::MatrixXd solve_svd(const System& s, double lambda);

Eigen::MatrixXd solve_cholesky(const System& s, double lambda);

Eigen::MatrixXd solve_iterative(const System& s, double lambda, double tolerance = 1e-13);

/// |Aᵀ(A b − r) + Nλ b| relative to its largest possible size.
double normal_residual(const System& s, double lambda, const Eigen::MatrixXd& b);

double relative_difference(const Eigen::MatrixXd& x, const Eigen::MatrixXd& reference);

}  // namespace rfnn::testing
