#include "rfnn/finders/lines/line_fit.hpp"

#include <algorithm>
#include <cmath>

#include "rfnn/core/as_index.hpp"
#include "rfnn/finders/lines/tuning.hpp"
#include "rfnn/least_squares/dense.hpp"

namespace rfnn::lines {
namespace {

constexpr std::size_t piece = 512;  ///< places whose columns are made together
/// Columns of lines that the rows can hardly tell apart are nearly the same: a ridge for columns of length 1.
constexpr double ridge = 1e-10;

/// The terms' columns over places [first, first + columns.rows()).
void make_columns(const Timeline& timeline, const LineModel& model, std::size_t first,
                  Eigen::Ref<Eigen::MatrixXd> columns) {
  for (Eigen::Index i = 0; i < columns.rows(); ++i) {
    const std::size_t place = first + static_cast<std::size_t>(i);
    const double x = timeline.x[place];
    Eigen::Index c = 0;
    double power = 1.0;
    for (int q = 0; q <= model.degree; ++q, power *= x) columns(i, c++) = power;
    for (std::size_t k = 0; k < timeline.others.cols(); ++k)
      if (k != timeline.time) columns(i, c++) = timeline.others(place, k);
    for (const double frequency : model.frequencies) {
      columns(i, c++) = std::cos(frequency * x);
      columns(i, c++) = -std::sin(frequency * x);
    }
  }
}

/// Sums over the places of products of whitened columns.
struct Sums {
  Eigen::MatrixXd gram, right;         ///< AᵀA, AᵀY
  Eigen::VectorXd energy;              ///< |Y|², or |Y − A c|² with slopes
  std::vector<Eigen::MatrixXd> cross;  ///< per output: Aᵀ D, D the derivatives by the frequencies
  Eigen::MatrixXd curvature;           ///< Σ_o DᵀD
  Eigen::VectorXd slope;               ///< Σ_o Dᵀ(Y − A c)
};

/// One pass; with slopes Y is what the model leaves.
bool add_up(const Timeline& timeline, const Whitening& whitening, const LineModel& model, bool slopes, Sums& sums,
            Interrupt& interrupt) {
  const std::size_t outputs = timeline.outputs(), lines = model.frequencies.size();
  const Eigen::Index terms = as_index(model.trend_terms(timeline) + 2 * lines), width = as_index(lines),
                     m = as_index(outputs), first_line = as_index(model.trend_terms(timeline));
  const Eigen::Index all = terms + m + (slopes ? width * m : 0);
  sums = {Eigen::MatrixXd::Zero(terms, terms), Eigen::MatrixXd::Zero(terms, m), Eigen::VectorXd::Zero(m), {}, {}, {}};
  if (slopes) {
    sums.cross.assign(outputs, Eigen::MatrixXd::Zero(terms, width));
    sums.curvature = Eigen::MatrixXd::Zero(width, width);
    sums.slope = Eigen::VectorXd::Zero(width);
  }
  Eigen::MatrixXd columns, state = Eigen::MatrixXd::Zero(2, all);
  for (std::size_t first = 0; first < timeline.places(); first += piece) {
    if (!interrupt.proceed()) return false;
    const std::size_t count = std::min(piece, timeline.places() - first);
    columns.resize(as_index(count), all);
    make_columns(timeline, model, first, columns.leftCols(terms));
    for (std::size_t i = 0; i < count; ++i)
      for (Eigen::Index o = 0; o < m; ++o)
        columns(as_index(i), terms + o) = timeline.y(first + i, static_cast<std::size_t>(o));
    if (slopes) {
      columns.middleCols(terms, m).noalias() -= columns.leftCols(terms) * model.coefficients;
      // ∂/∂ω of Re b cos − Im b sin is x (Re b · (−sin) − Im b · cos), both of which are columns.
      for (Eigen::Index o = 0; o < m; ++o)
        for (Eigen::Index j = 0; j < width; ++j) {
          const Eigen::Index at = first_line + 2 * j;
          const double re = model.coefficients(at, o), im = model.coefficients(at + 1, o);
          for (std::size_t i = 0; i < count; ++i) {
            const Eigen::Index row = as_index(i);
            columns(row, terms + m + o * width + j) =
                timeline.x[first + i] * (re * columns(row, at + 1) - im * columns(row, at));
          }
        }
    }
    whitening.apply(first, columns, state);
    const auto a = columns.leftCols(terms), y = columns.middleCols(terms, m);
    sums.gram.selfadjointView<Eigen::Lower>().rankUpdate(a.transpose());
    sums.right.noalias() += a.transpose() * y;
    sums.energy += y.colwise().squaredNorm().transpose();
    if (!slopes) continue;
    for (Eigen::Index o = 0; o < m; ++o) {
      const auto d = columns.middleCols(terms + m + o * width, width);
      sums.cross[static_cast<std::size_t>(o)].noalias() += a.transpose() * d;
      sums.curvature.selfadjointView<Eigen::Lower>().rankUpdate(d.transpose());
      sums.slope.noalias() += d.transpose() * y.col(o);
    }
  }
  return true;
}

/// AᵀA with columns brought to length 1, and a ridge.
class Terms {
 public:
  explicit Terms(const Eigen::MatrixXd& gram) {
    length_ = gram.diagonal().cwiseSqrt().cwiseMax(std::numeric_limits<double>::min());
    const Eigen::VectorXd inverse = length_.cwiseInverse();
    const Eigen::MatrixXd scaled = inverse.asDiagonal() * gram * inverse.asDiagonal();
    double shift = ridge;
    do {
      factor_ = dense::Cholesky(scaled, shift);
      shift *= 10.0;
    } while (!factor_.positive_definite() && shift < 1.0);
  }
  [[nodiscard]] bool sound() const { return factor_.positive_definite(); }
  [[nodiscard]] Eigen::MatrixXd solve(const Eigen::MatrixXd& right) const {
    Eigen::MatrixXd result = length_.cwiseInverse().asDiagonal() * right;
    factor_.solve_in_place(result);
    return length_.cwiseInverse().asDiagonal() * result;
  }

 private:
  Eigen::VectorXd length_;
  dense::Cholesky factor_;
};

}  // namespace

bool solve(const Timeline& timeline, const Whitening& whitening, LineModel& model, Interrupt& interrupt) {
  Sums sums;
  if (!add_up(timeline, whitening, model, false, sums, interrupt)) return false;
  const Terms terms(sums.gram);
  if (!terms.sound()) {
    model.coefficients = Eigen::MatrixXd::Zero(sums.gram.rows(), sums.right.cols());
    model.squares = sums.energy.sum();
    return true;
  }
  model.coefficients = terms.solve(sums.right);
  const Eigen::MatrixXd& c = model.coefficients;
  const Eigen::MatrixXd product = sums.gram.selfadjointView<Eigen::Lower>() * c;
  model.squares =
      std::max(0.0, sums.energy.sum() - 2.0 * c.cwiseProduct(sums.right).sum() + c.cwiseProduct(product).sum());
  return true;
}

bool refine(const Timeline& timeline, const Whitening& whitening, int steps, LineModel& model, Interrupt& interrupt) {
  if (!solve(timeline, whitening, model, interrupt)) return false;
  constexpr double largest_damping = 1e4, least_damping = 1e-9, easier = 0.2, harder = 5.0;
  double damping = 1e-3;
  for (int step = 0; step < steps && !model.frequencies.empty(); ++step) {
    Sums sums;
    if (!add_up(timeline, whitening, model, true, sums, interrupt)) return false;
    const Terms terms(sums.gram);
    if (!terms.sound()) return true;
    Eigen::MatrixXd schur = sums.curvature.selfadjointView<Eigen::Lower>();
    const Eigen::VectorXd scale =
        schur.diagonal().cwiseMax(1e-12 * schur.diagonal().maxCoeff() + std::numeric_limits<double>::min());
    for (const Eigen::MatrixXd& cross : sums.cross) schur.noalias() -= cross.transpose() * terms.solve(cross);
    bool taken = false;
    const double before = model.squares;
    for (; !taken && damping <= largest_damping; damping *= taken ? 1.0 : harder) {
      Eigen::MatrixXd damped = schur;
      damped.diagonal() += damping * scale;
      const dense::Cholesky factor(damped);
      if (!factor.positive_definite()) continue;
      Eigen::MatrixXd move = sums.slope;
      factor.solve_in_place(move);
      LineModel trial = model;
      for (std::size_t j = 0; j < trial.frequencies.size(); ++j)
        trial.frequencies[j] = std::abs(trial.frequencies[j] + move(as_index(j), 0));
      if (!solve(timeline, whitening, trial, interrupt)) return false;
      if (!(trial.squares < model.squares)) continue;
      model = std::move(trial);
      taken = true;
    }
    if (!taken) break;
    damping = std::max(damping * easier, least_damping);
    if (before - model.squares < tuning::refined_enough * before) break;
  }
  return true;
}

Eigen::MatrixXd left_by(const Timeline& timeline, const LineModel& model) {
  Eigen::MatrixXd left(as_index(timeline.places()), as_index(timeline.outputs()));
  Eigen::MatrixXd columns;
  for (std::size_t first = 0; first < timeline.places(); first += piece) {
    const std::size_t count = std::min(piece, timeline.places() - first);
    columns.resize(as_index(count), model.coefficients.rows());
    make_columns(timeline, model, first, columns);
    const Eigen::MatrixXd values = columns * model.coefficients;
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t o = 0; o < timeline.outputs(); ++o)
        left(as_index(first + i), as_index(o)) = timeline.y(first + i, o) - values(as_index(i), as_index(o));
  }
  return left;
}

}  // namespace rfnn::lines
