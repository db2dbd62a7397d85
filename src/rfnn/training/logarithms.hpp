#pragma once

// Private header. Inputs over several decades: preset auto takes their logarithms where the data say so.
//
// Candidates are input columns that are positive on the training rows, span a factor of 30 or more and are skewed to
// the right, more than their logarithms are to either side. The judge is the law of frequencies
// (finders/wide/law_search.hpp), learnt with and without the logarithms from the same rows: targets are the same, so
// their likelihoods compare.

#include <cstddef>
#include <optional>
#include <vector>

#include "rfnn/core/parallel.hpp"
#include "rfnn/data/dataset.hpp"
#include "rfnn/model/model.hpp"
#include "rfnn/rows/row_work.hpp"
#include "rfnn/training/prepare.hpp"

namespace rfnn::training {

/// The logarithm of an input, as Scaler wants it.
struct InputLogarithm {
  std::size_t input = 0;  ///< among those used
  double mean = 0.0, sd = 1.0, from = 0.0;
};

/// Those inputs whose logarithms are worth a try; statistics over the training rows, by their weights.
std::vector<InputLogarithm> logarithms_to_try(const DatasetView& data, const PreparedRows& rows, const Model& model);

struct LogarithmChoice {
  std::optional<Scaler> scaler;  ///< with the logarithms that the rows clearly prefer; nothing where there are none
  bool cut_short = false;        ///< interrupted before anything was known
};

/// `operations`: multiply-adds it may take, about. `small_first`: a judge of few rows comes before the one that this
/// affords, whose word counts if it comes in time.
LogarithmChoice choose_logarithms(const DatasetView& data, const PreparedRows& rows, const Model& model,
                                  double operations, bool small_first, rows::RowWork& work, Interrupt& interrupt);

}  // namespace rfnn::training
