#pragma once

// Private header. Preset auto: ways to begin a network race on rows that they have not seen; the best one, or an
// average of some, wins.

#include <cstdint>
#include <optional>
#include <vector>

#include "rfnn/training/folds.hpp"
#include "rfnn/training/holdout.hpp"
#include "rfnn/training/networks.hpp"
#include "rfnn/training/unfinished.hpp"
#include "rfnn/training/ways.hpp"

namespace rfnn::training {

struct RaceResult {
  std::vector<std::size_t> ways;  ///< that won, by place among those that began; none where the mean is as good
  std::vector<std::vector<std::optional<TrainedNetwork>>> networks;  ///< by fold and way
  std::optional<HeldOut> judged;                                     ///< what the winners' average leaves
  std::size_t folds = 1;   ///< that all ways have been through; 0: none has begun
  Unfinished unfinished;   ///< of ways and folds
  std::int64_t tried = 0;  ///< networks shown to those who watch
};

/// Each way of beginning, judged on the same rows; of few rows on all, each by a network that has not seen it. All go
/// through the first fold; only those that may still win, and with what they have learnt, through the others.
RaceResult race(const Options& options, const Model& model, std::size_t rows, const std::vector<Fold>& folds,
                Networks& networks);

}  // namespace rfnn::training
