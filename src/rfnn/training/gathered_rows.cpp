#include "rfnn/training/gathered_rows.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "rfnn/options/table.hpp"
#include "rfnn/training/budget.hpp"
#include "rfnn/training/memory.hpp"
#include "rfnn/training/run.hpp"
#include "rfnn/training/tuning.hpp"

namespace rfnn::training {

void GatheredRows::fewer(std::size_t most, const Options& options) {
  warning = fmt::format("Of {} rows {}, drawn at random, are used: there is memory ({}) for so many.", in_all, most,
                        find_field("memory")->print(options));
  in_all = shape.rows(records);
}

std::size_t rows_used(const RecordShape& shape, std::size_t rows, const Options& options) {
  RunSizes sizes;
  sizes.rows = rows;
  sizes.inputs = shape.inputs;
  sizes.outputs = shape.outputs;
  sizes.threads = threads_of(options);
  return std::min(memory_plan(options, sizes).rows, tuning::most_rows);
}

Model fit_to_gathered(const GatheredRows& rows, const DatasetView& table, const Options& options,
                      const FitExtras& extras) {
  const RecordShape& shape = rows.shape;
  DatasetView view = shape.view(rows.records);
  view.input_names = table.input_names;
  view.target_names = table.target_names;
  OrderedRows ordered;
  ordered.in_all = rows.in_all;
  CanonicalRows& order = ordered.rows;
  order.order.resize(view.rows());
  std::iota(order.order.begin(), order.order.end(), std::size_t{0});
  for (std::size_t row = 0; rows.weighted && row < view.rows(); ++row) {
    order.weights.push_back(rows.records[row * shape.width() + shape.weight()]);
    order.copies.push_back(static_cast<std::uint32_t>(rows.records[row * shape.width() + shape.copies()]));
  }
  view.weights = std::nullopt;  // those of the order count
  Run run(view, options, extras);
  run.ordered = &ordered;
  if (!rows.warning.empty()) run.model.warnings.push_back(rows.warning);
  return fit_automatically(run);
}

}  // namespace rfnn::training
