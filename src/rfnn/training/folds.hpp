#pragma once

// Private header. Which rows a network trains on and which judge it.

#include <cstddef>
#include <vector>

#include "rfnn/data/dataset.hpp"
#include "rfnn/model/model.hpp"
#include "rfnn/training/fit.hpp"
#include "rfnn/training/holdout.hpp"
#include "rfnn/training/network_training.hpp"
#include "rfnn/training/prepare.hpp"

namespace rfnn::training {

/// One division of the rows, in standardised units with z = 0; copies share the numbers.
struct Fold {
  NetworkRows rows;

  /// What is left on the rows that judge without any network.
  [[nodiscard]] HeldOut without_network() const { return held_out_of(rows.judge()); }
  [[nodiscard]] bool holds_out() const { return rows.held_out.count() > 0; }
};

/// Along an input (holdout tail and gap) up to three divisions, so that no single stretch decides. At random, of few
/// rows a partition in quarters, each held out once, the prepared division first; else that one alone.
std::vector<Fold> make_folds(const DatasetView& data, const Options& options, const FitExtras& extras,
                             const Model& model, const PreparedRows& prepared);

}  // namespace rfnn::training
