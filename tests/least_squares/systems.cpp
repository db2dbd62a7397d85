#include "least_squares/systems.hpp"

namespace rfnn::testing {

Eigen::MatrixXd random_matrix(Eigen::Index rows, Eigen::Index cols, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  return Eigen::MatrixXd::NullaryExpr(rows, cols, [&] { return normal(engine); });
}

System random_system(Eigen::Index rows, Eigen::Index columns, Eigen::Index outputs, unsigned seed) {
  return {random_matrix(rows, columns, seed), random_matrix(rows, outputs, seed + 1000)};
}

System fourier_system(Eigen::Index rows, Eigen::Index features, Eigen::Index outputs, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> point(-1.7, 1.7);
  std::uniform_real_distribution<double> frequency(0.0, 20.0);
  System system{Eigen::MatrixXd(rows, 2 * features), random_matrix(rows, outputs, seed + 1)};
  const Eigen::VectorXd x = Eigen::VectorXd::NullaryExpr(rows, [&] { return point(engine); });
  for (Eigen::Index j = 0; j < features; ++j) {
    const double omega = frequency(engine);
    system.a.col(2 * j) = (omega * x.array()).cos();
    system.a.col(2 * j + 1) = -(omega * x.array()).sin();
  }
  return system;
}

System graded_system(Eigen::Index rows, Eigen::Index columns, Eigen::Index outputs, double condition, unsigned seed) {
  const Eigen::MatrixXd u = Eigen::HouseholderQR<Eigen::MatrixXd>(random_matrix(rows, columns, seed)).householderQ() *
                            Eigen::MatrixXd::Identity(rows, columns);
  const Eigen::MatrixXd v =
      Eigen::HouseholderQR<Eigen::MatrixXd>(random_matrix(columns, columns, seed + 1)).householderQ();
  Eigen::VectorXd s(columns);
  for (Eigen::Index k = 0; k < columns; ++k) {
    s(k) = columns == 1 ? 1.0 : std::pow(condition, -static_cast<double>(k) / static_cast<double>(columns - 1));
  }
  return {u * s.asDiagonal() * v.transpose(), random_matrix(rows, outputs, seed + 2)};
}

least_squares::NormalEquations normal_equations(const System& s) {
  return {s.a.transpose() * s.a, s.a.transpose() * s.r, s.r.colwise().squaredNorm().transpose(),
          static_cast<double>(s.a.rows())};
}

least_squares::Triangle triangle(const System& s, Eigen::Index tile) {
  least_squares::TriangleBuilder builder(s.a.cols(), s.r.cols());
  for (Eigen::Index first = 0; first < s.a.rows(); first += tile) {
    const Eigen::Index count = std::min(tile, s.a.rows() - first);
    builder.add(s.a.middleRows(first, count), s.r.middleRows(first, count));
  }
  return builder.triangle();
}

System stacked(const System& s, double lambda) {
  const Eigen::Index n = s.a.cols();
  System result{Eigen::MatrixXd::Zero(s.a.rows() + n, n), Eigen::MatrixXd::Zero(s.a.rows() + n, s.r.cols())};
  result.a.topRows(s.a.rows()) = s.a;
  result.a.bottomRows(n).diagonal().setConstant(std::sqrt(static_cast<double>(s.a.rows()) * lambda));
  result.r.topRows(s.r.rows()) = s.r;
  return result;
}

Eigen::MatrixXd lapack_qr(const System& s, double lambda) {
  System work = stacked(s, lambda);
  const auto rows = static_cast<lapack_int>(work.a.rows());
  const lapack_int info =
      LAPACKE_dgels(LAPACK_COL_MAJOR, 'N', rows, static_cast<lapack_int>(work.a.cols()),
                    static_cast<lapack_int>(work.r.cols()), work.a.data(), rows, work.r.data(), rows);
  return info == 0 ? Eigen::MatrixXd(work.r.topRows(s.a.cols())) : Eigen::MatrixXd();
}

Eigen::MatrixXd lapack_smallest_norm(const System& s, double lambda) {
  System work = stacked(s, lambda);
  const auto rows = static_cast<lapack_int>(work.a.rows());
  const auto columns = static_cast<lapack_int>(work.a.cols());
  std::vector<double> singular(static_cast<std::size_t>(columns));
  lapack_int rank = 0;
  const lapack_int info = LAPACKE_dgelsd(LAPACK_COL_MAJOR, rows, columns, static_cast<lapack_int>(work.r.cols()),
                                         work.a.data(), rows, work.r.data(), rows, singular.data(), 1e-12, &rank);
  return info == 0 ? Eigen::MatrixXd(work.r.topRows(s.a.cols())) : Eigen::MatrixXd();
}

Eigen::MatrixXd solve_qr(const System& s, double lambda) {
  Eigen::MatrixXd b;
  least_squares::QrSolver().solve(triangle(s), lambda, b);
  return b;
}

Eigen::MatrixXd solve_svd(const System& s, double lambda) {
  Eigen::MatrixXd b;
  least_squares::SvdSolver().solve(triangle(s), lambda, b);
  return b;
}

Eigen::MatrixXd solve_cholesky(const System& s, double lambda) {
  Eigen::MatrixXd b;
  return least_squares::CholeskySolver().solve(normal_equations(s), lambda, b) ? b : Eigen::MatrixXd();
}

Eigen::MatrixXd solve_iterative(const System& s, double lambda, double tolerance) {
  Eigen::MatrixXd b = Eigen::MatrixXd::Zero(s.a.cols(), s.r.cols());
  const auto product = [&](const Eigen::MatrixXd& v, Eigen::MatrixXd& result) {
    result.noalias() = s.a.transpose() * (s.a * v);
    return true;
  };
  least_squares::solve_iteratively(product, s.a.transpose() * s.r, static_cast<double>(s.a.rows()), lambda, tolerance,
                                   5000, b);
  return b;
}

double normal_residual(const System& s, double lambda, const Eigen::MatrixXd& b) {
  const double shift = static_cast<double>(s.a.rows()) * lambda;
  const double size = s.a.norm() * (s.a.norm() * b.norm() + s.r.norm()) + shift * b.norm();
  const double residual = (s.a.transpose() * (s.a * b - s.r) + shift * b).norm();
  return size > 0.0 ? residual / size : residual;
}

double relative_difference(const Eigen::MatrixXd& x, const Eigen::MatrixXd& reference) {
  if (x.rows() != reference.rows() || x.cols() != reference.cols()) return HUGE_VAL;
  const double size = reference.norm();
  return size > 0.0 ? (x - reference).norm() / size : x.norm();
}

}  // namespace rfnn::testing
