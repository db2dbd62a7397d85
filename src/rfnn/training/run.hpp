#pragma once

// Private header. What both presets share: preparing the rows, reasons not to train at all, and the end.

#include <functional>
#include <optional>

#include "rfnn/core/journal_place.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/data/dataset.hpp"
#include "rfnn/model/model.hpp"
#include "rfnn/rows/row_work.hpp"
#include "rfnn/training/fit.hpp"
#include "rfnn/training/prepare.hpp"
#include "rfnn/training/supervision.hpp"

namespace rfnn::training {

/// Rows of a network that are spread over ranks, and the work on them; held-out rows are here.
struct SpreadFit {
  rows::RowWork& work;
  rows::RowState train, held_out;
  PreparedRows prepared;  ///< as far as anybody looks at it
};

/// Rows of which nothing is asked but how many and how wide they are.
rows::ScaledRows shape_of(const rows::RowState& rows);

/// One call of fit(): its data, clock, rows and the model in the making.
struct Run {
  Run(const DatasetView& the_data, const Options& the_options, const FitExtras& the_extras)
      : data(the_data),
        options(the_options),
        extras(the_extras),
        supervision(options, extras),
        interrupt([this] { return supervision.poll(); }),
        journal(the_extras.journal, "") {}

  /// Checks, merges, orders, splits and scales; tells the observer the warnings. Why not to train, or nothing;
  /// networks to go on from are then the model's.
  std::optional<StopReason> prepare_rows();

  /// The same, without a look at networks to go on from.
  std::optional<StopReason> rows_to_train_on();

  /// What goes over all rows without looking at the interrupt goes to another thread where it takes long.
  void attend(const std::function<void()>& work);

  /// The model as it stands, with why training ended.
  void conclude(StopReason reason, std::string text);

  const DatasetView& data;
  const Options& options;
  const FitExtras& extras;
  Supervision supervision;
  Interrupt interrupt;
  JournalPlace journal;
  PreparedRows prepared;
  Model model;
  SpreadFit* spread = nullptr;           ///< the rows, and all that the model knows of them, are there already
  const OrderedRows* ordered = nullptr;  ///< the order of the data, where it is known
};

/// Preset paper: one network, sampled blocks, every one joins.
Model fit_as_published(Run& run);

/// Preset auto: several networks, judged on held-out rows (ensemble.cpp).
Model fit_automatically(Run& run);

}  // namespace rfnn::training
