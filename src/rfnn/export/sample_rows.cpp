#include "rfnn/export/sample_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "rfnn/data/encoding.hpp"
#include "rfnn/export/plan.hpp"
#include "rfnn/rows/predict.hpp"
#include "rfnn/uncertainty/error_bars.hpp"

namespace rfnn {
namespace {

/// Inputs of the model back as a row of the table: what a column holds is read off the inputs it made.
void row_of_inputs(const Model& model, const TableCode& code, const std::vector<double>& inputs, double* row) {
  std::size_t input = 0;
  for (std::size_t k = 0; k < code.inputs.size(); ++k) {
    const ColumnCode& column = code.inputs[k];
    const std::size_t count = inputs_of(column),
                      levels = column.kind == ColumnKind::category ? column.levels.size() : 1;
    const auto first = inputs.begin() + static_cast<std::ptrdiff_t>(input);
    row[k] = column.kind == ColumnKind::category
                 ? static_cast<double>(std::max_element(first, first + static_cast<std::ptrdiff_t>(levels)) - first)
                 : *first;
    const bool missing = column.indicator && inputs[input + count - 1] > 0.5;
    if (missing && model.options.missing == Missing::mean) row[k] = std::numeric_limits<double>::quiet_NaN();
    input += count;
  }
}

const ClosedForm* first_closed_form(const Model& model) {
  for (const Network& member : model.members)
    for (const Block& block : member.blocks)
      for (const Branch& branch : block.branches)
        if (branch.closed_form) return &*branch.closed_form;
  return nullptr;
}

/// Inputs of a centre, in the units of the data.
std::vector<double> inputs_of_centre(const Model& model, const ClosedForm& form, std::size_t centre) {
  std::vector<double> inputs;
  std::size_t used = 0;
  for (const Column& column : model.inputs) {
    double value = column.mean;
    if (column.used) {
      const Standardised scale = model.scaler.input(used);
      value = scale.mean + scale.sd * form.centres(centre, used++);
      if (scale.log_from > 0.0) value = std::exp(value);
    }
    inputs.push_back(value);
  }
  return inputs;
}

/// Numbers that fill the unit interval evenly, another sequence for each column: multiples of the powers of the root of
/// x^(d+1) = x + 1, which fill the unit cube of d columns.
double spread(std::size_t row, std::size_t column, std::size_t columns) {
  double root = 2.0;
  for (int turn = 0; turn < 60; ++turn) root = std::pow(1.0 + root, 1.0 / (static_cast<double>(columns) + 1.0));
  const double share = 0.5 + static_cast<double>(row + 1) * std::pow(root, -static_cast<double>(column + 1));
  return share - std::floor(share);
}

/// Rows of the table as inputs of the model.
struct RowsAsInputs {
  Matrix inputs;
  std::vector<std::size_t> incomplete;

  void blank(Matrix& outputs) const {
    for (const std::size_t i : incomplete)
      for (std::size_t o = 0; o < outputs.cols(); ++o) outputs(i, o) = std::numeric_limits<double>::quiet_NaN();
  }
};

RowsAsInputs encode(const Model& model, ConstMatrixView rows) {
  const TableCode code = columns_of_table(model);
  std::vector<bool> used;
  std::size_t input = 0;
  for (const ColumnCode& column : code.inputs) {
    bool any = false;
    for (const std::size_t end = input + inputs_of(column); input < end; ++input) any = any || is_needed(model, input);
    used.push_back(any);
  }
  RowEncoder encoder(code, used, model.options.missing);
  RowsAsInputs encoded{Matrix(rows.rows(), model.input_count()), {}};
  std::vector<double> cells(code.inputs.size());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t k = 0; k < cells.size(); ++k) {
      const std::size_t levels = code.inputs[k].levels.size();
      cells[k] = rows(i, k);
      const bool known = cells[k] >= 0.0 && cells[k] < static_cast<double>(levels) && cells[k] == std::floor(cells[k]);
      if (code.inputs[k].kind == ColumnKind::category && !std::isnan(cells[k]) && !known) cells[k] = unseen_level;
    }
    if (!encoder.encode(cells.data(), encoded.inputs.data() + i * model.input_count())) encoded.incomplete.push_back(i);
  }
  return encoded;
}

}  // namespace

Matrix export_sample_rows(const Model& model, std::size_t count) {
  const TableCode code = columns_of_table(model);
  const std::size_t columns = code.inputs.size();
  const ClosedForm* const form = first_closed_form(model);
  Matrix rows(count, columns);
  for (std::size_t i = 0; i < count; ++i) {
    double* const row = rows.data() + i * columns;
    if (form != nullptr && i % 2 == 1) {
      const std::size_t centre = (i * form->centres.rows()) / count;
      row_of_inputs(model, code, inputs_of_centre(model, *form, centre), row);
      continue;
    }
    std::size_t input = 0;
    for (std::size_t k = 0; k < columns; ++k) {
      const ColumnCode& column = code.inputs[k];
      const Column& known = model.inputs[input];
      const double share = spread(i, k, columns), levels = static_cast<double>(column.levels.size());
      row[k] = column.kind == ColumnKind::category  ? std::min(std::floor(share * levels), levels - 1.0)
               : column.kind == ColumnKind::boolean ? std::round(share)
                                                    : known.min + share * (known.max - known.min);
      input += inputs_of(column);
    }
  }
  return rows;
}

Matrix predict_export_rows(const Model& model, ConstMatrixView rows) {
  const RowsAsInputs encoded = encode(model, rows);
  Matrix outputs = predict(model, encoded.inputs.view());
  encoded.blank(outputs);
  return outputs;
}

double export_difference(const Model& model, ConstMatrixView exported, ConstMatrixView predicted) {
  double largest = 0.0;
  for (std::size_t i = 0; i < predicted.rows(); ++i)
    for (std::size_t o = 0; o < predicted.cols(); ++o) {
      const double a = exported(i, o), b = predicted(i, o);
      if (std::isnan(a) && std::isnan(b)) continue;
      const double difference = a == b ? 0.0 : std::abs(a - b) / std::max(std::abs(b), model.targets[o].sd);
      if (!(difference <= largest))
        largest = std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
    }
  return largest;
}

ExportBounds bounds_of_export_rows(const Model& model, ConstMatrixView rows, double coverage) {
  const ErrorBars bars(model);
  const RowsAsInputs encoded = encode(model, rows);
  ExportBounds bounds{predict(model, encoded.inputs.view()), {}, {}, {}};
  Matrix widths(rows.rows(), model.outputs());
  bars.widths(encoded.inputs.view(), std::as_const(bounds.predicted).view(), widths.view());
  bounds.lower = bounds.upper = bounds.std = widths;
  for (std::size_t o = 0; o < model.outputs(); ++o) {
    const double low = bars.quantile(o, 0.5 * (1.0 - coverage)), high = bars.quantile(o, 0.5 * (1.0 + coverage));
    for (std::size_t i = 0; i < widths.rows(); ++i) {
      bounds.lower(i, o) = bounds.predicted(i, o) + low * widths(i, o);
      bounds.upper(i, o) = bounds.predicted(i, o) + high * widths(i, o);
      bounds.std(i, o) = bars.deviation(o) * widths(i, o);
    }
  }
  for (Matrix* of : {&bounds.predicted, &bounds.lower, &bounds.upper, &bounds.std}) encoded.blank(*of);
  return bounds;
}

double export_bounds_difference(const Model& model, const ExportBounds& exported, const ExportBounds& predicted) {
  constexpr double least = 1e-6;
  double largest = 0.0;
  for (std::size_t i = 0; i < predicted.lower.rows(); ++i)
    for (std::size_t o = 0; o < predicted.lower.cols(); ++o) {
      const double around = predicted.predicted(i, o), own = exported.predicted(i, o);
      const auto difference = [&](const Matrix& a, const Matrix& b, double shift) {
        if (std::isnan(a(i, o)) && std::isnan(b(i, o))) return 0.0;
        const double size = std::abs(a(i, o) - b(i, o) - shift);
        return std::isnan(size) ? std::numeric_limits<double>::infinity() : size;
      };
      const double shift = own == around || std::isnan(around) ? 0.0 : own - around;
      const double of_row =
          std::max({difference(exported.lower, predicted.lower, shift),
                    difference(exported.upper, predicted.upper, shift), difference(exported.std, predicted.std, 0.0)});
      const double unit = std::max(predicted.upper(i, o) - predicted.lower(i, o),
                                   least * std::max(std::abs(around), model.targets[o].sd));
      if (of_row > 0.0) largest = std::max(largest, std::isnan(unit) ? of_row : of_row / unit);
    }
  return largest;
}

}  // namespace rfnn
