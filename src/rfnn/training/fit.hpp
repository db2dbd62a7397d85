#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "rfnn/core/communicator.hpp"
#include "rfnn/core/export.hpp"
#include "rfnn/core/journal.hpp"
#include "rfnn/core/matrix.hpp"
#include "rfnn/data/dataset.hpp"
#include "rfnn/model/model.hpp"
#include "rfnn/options/options.hpp"
#include "rfnn/training/observer.hpp"

namespace rfnn {

/// What a training run may be given besides data and options. All of it is optional.
struct FitExtras {
  /// Rows to control the error on, instead of a held-out fraction. Borrowed: they must outlive the call of fit().
  std::optional<DatasetView> validation;
  /// Training rows of each block (indices into the data, repeats allowed), instead of `block_rows`; the last entry
  /// serves all later blocks. Equal rows are then not merged.
  std::vector<std::vector<std::size_t>> rows_per_block;
  /// A network to go on from, trained on data with the same columns: its scalers and blocks stay what they are, and
  /// blocks are added, up to `blocks` of them in all. With preset paper, stopping and going on with the same rows, seed
  /// and options gives the network that was never stopped. Borrowed.
  const Model* start = nullptr;
  /// What to learn the difference to: a model, or columns that are among the inputs. The factors are found: 1, or what
  /// fits the rows by leave-one-out (docs/going-on.md); those given are not looked at. A model to start from brings its
  /// base along.
  std::optional<Base> base;
  /// Pieces of work that are done, kept as they are: a run with the journal of one that was ended takes them from
  /// there, and ends as that would have. Without `max_time` to the same bits. Of other data or options it must not be:
  /// who keeps journals has to see to that. Borrowed.
  Journal* journal = nullptr;
  Observer* observer = nullptr;
  /// Where the clock of `max_time` starts; default: now.
  std::optional<std::chrono::steady_clock::time_point> started;
  /// Called with the model as it stands (to save a checkpoint, say): with preset paper after every block but the last,
  /// with preset auto when its networks are chosen, before they are fitted to all rows.
  std::function<void(const Model&)> checkpoint;
  /// Processes that fit one model together: each calls fit() with its own part of the rows, one part after the other
  /// being the table, and all with the same options. Rank 0 observes, saves checkpoints and may be given validation
  /// data; the others return a model that predicts the same and has no history. Borrowed; null: this process is alone.
  Communicator* ranks = nullptr;
};

/// Trains a network block by block (docs/math.md). Always returns a valid model unless the data or options are
/// unusable: UsageError (options, shapes), InputError (no rows, values that are not finite), NumericalError.
/// The result depends on data, options and seed alone, not on the number of threads nor on the order of the rows: equal
/// rows are merged into one of their common weight and all are put in an order of their own first. The numbers are read
/// where they are (a Dataset is a DatasetView too); besides them memory holds the rows in standardised units, their
/// state and residual (docs/data-files.md).
RFNN_API Model fit(const DatasetView& data, const Options& options = {}, const FitExtras& extras = {});

}  // namespace rfnn
