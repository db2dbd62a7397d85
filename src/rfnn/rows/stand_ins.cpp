#include "rfnn/rows/stand_ins.hpp"

namespace rfnn::rows {

void each_stand_in(const Model& model, ConstMatrixView inputs, std::size_t i,
                   FunctionRef<void(std::size_t column, std::size_t input, StandIn why)> see) {
  const auto look = [&](std::size_t column, std::size_t input, double fill) {
    for (const StandIn why : {StandIn::missing, StandIn::unseen})
      if (inputs(i, input) == marked(fill, why)) see(column, input, why);
  };
  if (model.table.empty()) {
    for (std::size_t k = 0; k < model.inputs.size(); ++k) look(k, k, model.inputs[k].mean);
    return;
  }
  std::size_t input = 0;
  for (std::size_t k = 0; k < model.table.inputs.size(); ++k) {
    const ColumnCode& column = model.table.inputs[k];
    if (!column.fill.empty()) look(k, input, column.fill[0]);
    const std::size_t end = input + inputs_of(column);
    if (column.indicator && inputs(i, end - 1) == 1.0) see(k, input, StandIn::learnt);
    input = end;
  }
}

Matrix without_marks(const Model& model, ConstMatrixView inputs) {
  Matrix plain(inputs.rows(), inputs.cols());
  for (std::size_t i = 0; i < inputs.rows(); ++i) {
    for (std::size_t k = 0; k < inputs.cols(); ++k) plain(i, k) = inputs(i, k);
    each_stand_in(model, inputs, i, [&](std::size_t column, std::size_t input, StandIn why) {
      if (why == StandIn::learnt) return;  // has none
      plain(i, input) = model.table.empty() ? model.inputs[input].mean : model.table.inputs[column].fill[0];
    });
  }
  return plain;
}

bool has_new_stand_in(const Model& model, ConstMatrixView inputs, std::size_t i) {
  bool found = false;
  each_stand_in(model, inputs, i, [&](std::size_t column, std::size_t input, StandIn why) {
    const bool learnt =
        !model.table.empty() && model.options.missing == Missing::mean && model.table.inputs[column].missing > 0;
    // Of a constant column the cell is most likely what it always was.
    found = found || why == StandIn::unseen || (why == StandIn::missing && !learnt && is_needed(model, input));
  });
  return found;
}

}  // namespace rfnn::rows
