#include "rfnn/data/dataset.hpp"

#include "rfnn/core/error.hpp"
#include "rfnn/data/fingerprint.hpp"

namespace rfnn {
DatasetView::DatasetView(const Dataset& data)
    : DatasetView(data.inputs.view(), data.targets.view(), data.input_names, data.target_names) {
  if (data.weights.empty()) return;
  if (data.weights.size() != data.inputs.rows())
    throw UsageError("There are " + std::to_string(data.weights.size()) + " weights for " +
                         std::to_string(data.inputs.rows()) + " rows.",
                     "Give one weight per row, or none.");
  weights = ColumnView(data.weights.data());
}

std::string fingerprint(const Columns& inputs, const Columns& targets) {
  Fingerprint all;
  for (const Columns* columns : {&inputs, &targets}) {
    all.begin(columns->rows(), columns->size());
    all.add(*columns);
  }
  return all.text();
}

}  // namespace rfnn
