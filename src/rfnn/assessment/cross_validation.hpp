#pragma once

// Private header. Cross-validation: networks and simple methods, each predicting rows that it has not seen.

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rfnn/assessment/folds.hpp"
#include "rfnn/core/matrix.hpp"
#include "rfnn/data/dataset.hpp"
#include "rfnn/data/encoding.hpp"
#include "rfnn/options/options.hpp"
#include "rfnn/training/observer.hpp"

namespace rfnn::assessment {

/// A table whose rows are predicted in turn. Its columns may hold more than numbers: then it is read anew for every
/// fold, which learns what they hold (levels, first dates, means) from the rows it is trained on.
struct CrossTable {
  DatasetView data;                 ///< as numbers: folds are of these rows
  const RawTable* raw = nullptr;    ///< as it was read; nullptr: `data` is all there is
  std::vector<std::size_t> places;  ///< of the rows of `data` in `raw`; empty: the same
  Missing missing = Missing::error;
};

/// The rows a fold is trained on, copied to be side by side, and what their columns hold; empty: numbers as they are.
struct FoldTable {
  Dataset rows;
  TableCode code = {};
};
FoldTable training_rows(const CrossTable& table, const FoldRows& fold);

/// The rows it predicts, as inputs. A level that the code has not counts as unseen.
EncodedRows asked_rows(const CrossTable& table, const FoldRows& fold, const TableCode& code);

/// `holdout_by` counts the inputs of the whole table; in a fold it is the one of that name. InputError where there is
/// none.
Options options_of_fold(Options options, const CrossTable& table, const TableCode& code);

/// What a network predicts for the rows of a fold (test rows × outputs), learnt from the others.
struct FoldPrediction {
  Matrix predictions;
  std::size_t blocks = 0;
  double seconds = 0.0;
  bool cut = false;                   ///< its share of the time ended training
  std::vector<std::string> warnings;  ///< of training
};

/// Where a cross-validation stands.
struct CrossProgress {
  struct Running {
    std::size_t fold = 0;
    Progress progress;
  };
  std::size_t done = 0, folds = 0;
  std::vector<Running> running;
};

/// Sees it.
struct CrossObserver {
  /// About every 25 ms, on the thread that called cross_predict(); false ends the work: folds that are not done are
  /// given up.
  std::function<bool(const CrossProgress&)> progress = {};
  std::function<void(std::size_t fold, const FoldPrediction&)> done = {};  ///< on that thread too
  /// Seconds that are left for all of it, asked by any thread when a fold begins: the fold is trained within its share
  /// of them. Not set: without a limit.
  std::function<double()> seconds_left = {};
};

/// Which folds: every `step`-th, from the first on.
struct FoldTurn {
  std::size_t first = 0, step = 1;
};

/// Trains a network on the training rows of every fold and predicts the others; nothing for folds that were given up.
/// Each is to the bit what fit() and predict() give for those rows, read as a table of their own, whatever the number
/// of threads; with few rows folds are trained side by side on a thread each. `max_time` is not looked at: the observer
/// says when to end, and how much time there is. Throws what fit() throws, with the fold. Folds of another turn are as
/// if given up.
std::vector<std::optional<FoldPrediction>> cross_predict(const CrossTable& table, const std::vector<FoldRows>& folds,
                                                         const Options& options, const CrossObserver& observer = {},
                                                         FoldTurn turn = {});

/// A simple method to compare with, fold by fold.
struct Baseline {
  std::string name;                 ///< mean, last, linear, neighbours
  std::vector<Matrix> predictions;  ///< per fold: test rows × outputs
};

/// mean: of the training rows. last (where folds follow time): the last training row. linear: least squares.
/// neighbours: the mean of the nearest rows. Folds share the threads. `proceed` is asked now and then, on the calling
/// thread; false leaves the predictions of folds not begun empty.
std::vector<Baseline> cross_baselines(const CrossTable& table, const std::vector<FoldRows>& folds, bool along_time,
                                      std::size_t threads = 1, const std::function<bool()>& proceed = {});

/// Errors of predictions for rows not learnt from. Squared errors are means over outputs.
struct CrossErrors {
  std::size_t rows = 0;         ///< that were predicted
  double mse = 0.0;             ///< over all of them
  double standard_error = 0.0;  ///< of it; NaN where it cannot be told
  double r2 = 0.0;              ///< mean over outputs of 1 − mse / variance; NaN where nothing varies
  std::vector<double> output_mse, output_r2;
  std::vector<double> fold_mse;  ///< per fold; NaN where it was given up
};

/// `predictions`: per fold, or nullptr where it was given up. `clusters`: per row, which others it is not independent
/// of (rows of a group, of a stretch of time): the standard error is that of a mean over clusters. Rows count by the
/// data's weights. A row predicted several times counts by the mean of its errors.
CrossErrors cross_errors(const DatasetView& data, const std::vector<FoldRows>& folds,
                         const std::vector<const Matrix*>& predictions, std::span<const std::size_t> clusters);

}  // namespace rfnn::assessment
