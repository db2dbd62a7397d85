#include "rfnn/training/folds.hpp"

#include <utility>

#include "rfnn/data/split.hpp"
#include "rfnn/training/tuning.hpp"

namespace rfnn::training {

std::vector<Fold> make_folds(const DatasetView& data, const Options& options, const FitExtras& extras,
                             const Model& model, const PreparedRows& prepared) {
  std::vector<Fold> folds(1);
  folds[0].rows = {rows::RowState(prepared.train), rows::RowState(prepared.validation)};
  const std::vector<std::size_t>& order = prepared.rows.order;
  const auto add = [&](const Split& split) {
    folds.push_back({{rows::RowState(scaled_rows(data, model, split.train, prepared.rows.weights)),
                      rows::RowState(scaled_rows(data, model, split.validation, prepared.rows.weights))}});
  };
  if (options.holdout != Holdout::random && !prepared.held_out.empty()) {
    const std::vector<Split> splits =
        splits_along(options.holdout, data.inputs, time_input(options), order, held_out_share(options, order.size()));
    for (std::size_t k = 1; k < splits.size(); ++k) add(splits[k]);
    return folds;
  }
  if (extras.validation || prepared.held_out.empty() || order.size() >= tuning::cross_fitted_rows) return folds;
  const std::size_t wanted = order.size() < tuning::very_few_rows ? tuning::folds_of_very_few : tuning::folds;
  // The rows not held out yet, in as many parts as are left.
  std::vector<std::size_t> left = prepared.trained_on();
  for (std::size_t fold = 1; fold < wanted && left.size() > 1; ++fold) {
    const double share = 1.0 / static_cast<double>(wanted - fold);
    Split split = holdout_split(data.inputs, left, share, options.seed);
    // The last part is all that is left.
    if (fold + 1 == wanted) split = {{}, left};
    if (split.validation.empty()) break;
    const std::vector<std::size_t> held_out = split.validation;
    left = std::move(split.train);
    std::vector<std::size_t> train;
    std::vector<char> is_held_out(data.rows(), 0);
    for (const std::size_t row : held_out) is_held_out[row] = 1;
    for (const std::size_t row : order)
      if (is_held_out[row] == 0) train.push_back(row);
    add({train, held_out});
  }
  return folds;
}

}  // namespace rfnn::training
