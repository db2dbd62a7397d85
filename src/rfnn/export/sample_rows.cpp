#include "rfnn/export/sample_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "rfnn/data/encoding.hpp"
#include "rfnn/export/plan.hpp"
#include "rfnn/rows/predict.hpp"

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
  const TableCode code = columns_of_table(model);
  std::vector<bool> used;
  std::size_t input = 0;
  for (const ColumnCode& column : code.inputs) {
    bool any = false;
    for (const std::size_t end = input + inputs_of(column); input < end; ++input) any = any || is_needed(model, input);
    used.push_back(any);
  }
  RowEncoder encoder(code, used, model.options.missing);
  Matrix inputs(rows.rows(), model.input_count());
  std::vector<double> cells(code.inputs.size());
  std::vector<std::size_t> incomplete;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t k = 0; k < cells.size(); ++k) {
      const std::size_t levels = code.inputs[k].levels.size();
      cells[k] = rows(i, k);
      const bool known = cells[k] >= 0.0 && cells[k] < static_cast<double>(levels) && cells[k] == std::floor(cells[k]);
      if (code.inputs[k].kind == ColumnKind::category && !std::isnan(cells[k]) && !known) cells[k] = unseen_level;
    }
    if (!encoder.encode(cells.data(), inputs.data() + i * inputs.cols())) incomplete.push_back(i);
  }
  Matrix outputs = predict(model, inputs.view());
  for (const std::size_t i : incomplete)
    for (std::size_t o = 0; o < outputs.cols(); ++o) outputs(i, o) = std::numeric_limits<double>::quiet_NaN();
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

}  // namespace rfnn
