#include "rfnn/training/difference.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "rfnn/core/error.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/data/canonical.hpp"
#include "rfnn/least_squares/dense.hpp"
#include "rfnn/options/options.hpp"
#include "rfnn/rows/predict.hpp"
#include "rfnn/training/prepare.hpp"
#include "rfnn/training/tuning.hpp"

namespace rfnn::training {
namespace {

/// Targets less what the base says, and all else as it was.
struct Differences {
  Matrix values;
  DatasetView view;
};

void check_base(const DatasetView& data, const Base& base) {
  const std::size_t outputs = data.targets.size();
  if (base.model && base.model->outputs() != outputs)
    throw UsageError("The base predicts " + std::to_string(base.model->outputs()) + " outputs, the data have " +
                         std::to_string(outputs) + " targets.",
                     "Give a base for the same targets.");
  const std::size_t wanted = base.model ? base.model->input_count() : outputs;
  if (base.inputs.size() != wanted)
    throw UsageError(
        "The base wants " + std::to_string(wanted) + " columns, " + std::to_string(base.inputs.size()) + " were named.",
        base.model ? "Name one input per input of the base." : "Name one input per target.");
  for (const std::size_t input : base.inputs)
    if (input >= data.inputs.size())
      throw UsageError(
          "The base wants input " + std::to_string(input) + " of " + std::to_string(data.inputs.size()) + ".",
          "Inputs count from 0.");
}

/// What the base says of every row: rows × outputs.
Matrix said_by(const Base& base, const DatasetView& data, std::size_t threads) {
  Matrix values(data.rows(), data.targets.size());
  if (!base.model) {
    for (std::size_t o = 0; o < values.cols(); ++o)
      for (std::size_t i = 0; i < values.rows(); ++i) values(i, o) = data.inputs[base.inputs[o]][i];
    return values;
  }
  const Predictor predictor(*base.model, threads);
  constexpr std::size_t together = 65536;
  Matrix inputs(std::min(together, data.rows()), base.inputs.size());
  for (std::size_t first = 0; first < data.rows(); first += inputs.rows()) {
    const std::size_t count = std::min(inputs.rows(), data.rows() - first);
    for (std::size_t k = 0; k < base.inputs.size(); ++k)
      for (std::size_t i = 0; i < count; ++i) inputs(i, k) = data.inputs[base.inputs[k]][first + i];
    predictor.predict(std::as_const(inputs).view().rows_from(0, count), values.view().rows_from(first, count),
                      {.blocks = {}, .threads = threads});
  }
  return values;
}

Differences differences(const DatasetView& data, const Matrix& said, const std::vector<double>& factor) {
  Differences made{Matrix(data.rows(), data.targets.size()), data};
  for (std::size_t o = 0; o < factor.size(); ++o)
    for (std::size_t i = 0; i < data.rows(); ++i) made.values(i, o) = data.targets[o][i] - factor[o] * said(i, o);
  made.view.targets = Columns(std::as_const(made.values).view());
  return made;
}

/// Weighted mean square that a fit of y by the columns of A leaves on each row when it is left out; the last column's
/// coefficient beside it. Infinite where the columns are not independent.
struct LeaveOneOut {
  double error = std::numeric_limits<double>::infinity();
  double last = 0.0;
};
LeaveOneOut leave_one_out(const Eigen::MatrixXd& columns, const Eigen::VectorXd& y, const Eigen::VectorXd& weights) {
  LeaveOneOut result;
  if (columns.cols() >= columns.rows()) return result;
  const Eigen::MatrixXd weighted = weights.asDiagonal() * columns;
  const dense::Cholesky factor(columns.transpose() * weighted, tuning::least_pivot * weights.sum());
  if (!factor.positive_definite()) return result;
  Eigen::MatrixXd coefficients = weighted.transpose() * y;
  factor.solve_in_place(coefficients);
  Eigen::MatrixXd half = columns.transpose();
  factor.half_solve_in_place(half);
  double sum = 0.0;
  const Eigen::VectorXd left = y - columns * coefficients.col(0);
  for (Eigen::Index i = 0; i < y.size(); ++i) {
    const double leverage = weights(i) * half.col(i).squaredNorm();
    if (!(leverage < 1.0)) return result;
    const double out = left(i) / (1.0 - leverage);
    sum += weights(i) * out * out;
  }
  return {sum / weights.sum(), coefficients(coefficients.rows() - 1, 0)};
}

/// Of mean 0 and variance 1, that a pivot says how independent a column is; nothing where it is constant.
bool standardise(Eigen::Ref<Eigen::VectorXd> column, const Eigen::VectorXd& weights) {
  column.array() -= weights.dot(column) / weights.sum();
  const double sd = std::sqrt(weights.dot(column.cwiseAbs2()) / weights.sum());
  if (!(sd > 0.0) || !std::isfinite(sd)) return false;
  column /= sd;
  return true;
}

}  // namespace

std::optional<std::string> base_has_seen(const Base& base, const DatasetView& data, const DatasetView* validation) {
  const DatasetView& rows = validation != nullptr ? *validation : data;
  Columns inputs = rows.inputs;
  for (const Base* now = &base; now->model != nullptr; now = &now->model->base) {
    Columns seen(rows.rows());
    for (const std::size_t input : now->inputs) {
      if (input >= inputs.size()) return std::nullopt;  // refused where training begins
      seen.add(inputs[input]);
    }
    inputs = std::move(seen);
    if (fingerprint(inputs, rows.targets) != now->model->data_fingerprint) continue;
    const std::string which = validation != nullptr ? "the validation rows" : "these very rows";
    return "The base was fitted to " + which +
           ": what it leaves of them is less than what it leaves of others, so that errors, those on rows held out "
           "too, "
           "and error bars are too small. Fit the base to other rows" +
           (validation != nullptr ? "." : ", or give some that it has not seen by --valid.");
  }
  return std::nullopt;
}

double factor_of(const Columns& inputs, std::span<const double> base, const ColumnView& target,
                 std::span<const std::size_t> rows, std::span<const double> weights) {
  const auto count = static_cast<Eigen::Index>(std::min(rows.size(), tuning::most_rows_for_factor));
  Eigen::VectorXd w(count), y(count), b(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const std::size_t row = rows[static_cast<std::size_t>(i)];
    w(i) = weights.empty() ? 1.0 : weights[row];
    y(i) = target[row];
    b(i) = base[row];
  }
  Eigen::VectorXd standard = b;
  if (count < 3 || !standardise(standard, w)) return 1.0;
  const double per_unit = 1.0 / std::sqrt(w.dot((b.array() - w.dot(b) / w.sum()).matrix().cwiseAbs2()) / w.sum());

  // Constant, linear trend, base: the columns are prefixes and suffixes of these.
  Eigen::MatrixXd trend = Eigen::MatrixXd::Ones(count, 1);
  if (inputs.size() <= tuning::most_inputs_of_trend)
    for (const ColumnView& input : inputs) {
      Eigen::VectorXd column(count);
      for (Eigen::Index i = 0; i < count; ++i) column(i) = input[rows[static_cast<std::size_t>(i)]];
      if (!standardise(column, w)) continue;
      trend.conservativeResize(Eigen::NoChange, trend.cols() + 1);
      trend.col(trend.cols() - 1) = column;
    }
  double best = std::numeric_limits<double>::infinity(), factor = 1.0;
  const auto consider = [&](const Eigen::MatrixXd& beside) {
    const double plain = leave_one_out(beside, y - b, w).error;
    if (plain < best) {
      best = plain;
      factor = 1.0;
    }
    Eigen::MatrixXd with_base(count, beside.cols() + 1);
    with_base << beside, standard;
    const LeaveOneOut scaled = leave_one_out(with_base, y, w);
    if (scaled.error < best) {
      best = scaled.error;
      factor = scaled.last * per_unit;
    }
  };
  consider(trend.leftCols(1));
  if (trend.cols() > 1 && count >= tuning::rows_per_trend_term * (trend.cols() + 1)) consider(trend);
  return factor;
}

Model fit_difference(const DatasetView& data, const Options& options, const FitExtras& extras,
                     const FitToTargets& fit) {
  const bool goes_on = extras.start != nullptr;
  if (goes_on && extras.base)
    throw UsageError("A base was given besides a network to go on from.",
                     "Leave the base out: the network brings its own along, if it has one.");
  check_rows(data, "data");
  if (extras.validation) check_rows(*extras.validation, "validation data");
  Base base = goes_on ? extras.start->base : *extras.base;
  check_base(data, base);
  const std::size_t threads = thread_count(options.threads);
  const Matrix said = said_by(base, data, threads);
  if (!goes_on) {
    base.factor.clear();
    const CanonicalRows rows = canonical_rows(data);
    std::vector<double> column(data.rows());
    for (std::size_t o = 0; o < said.cols(); ++o) {
      for (std::size_t i = 0; i < said.rows(); ++i) column[i] = said(i, o);
      base.factor.push_back(factor_of(data.inputs, column, data.targets[o], rows.order, rows.weights));
    }
  }
  const auto with_base = [&](Model model) {
    model.base = base;
    model.data_fingerprint = fingerprint(data.inputs, data.targets);
    return model;
  };
  const Differences train = differences(data, said, base.factor);
  Differences validation;
  FitExtras others = extras;
  others.base.reset();
  if (extras.validation) {
    check_base(*extras.validation, base);
    validation = differences(*extras.validation, said_by(base, *extras.validation, threads), base.factor);
    others.validation = validation.view;
  }
  if (extras.checkpoint) others.checkpoint = [&](const Model& so_far) { extras.checkpoint(with_base(so_far)); };
  return with_base(fit(train.view, options, others));
}

}  // namespace rfnn::training
