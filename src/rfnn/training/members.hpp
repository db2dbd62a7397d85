#pragma once

// Private header. Preset auto: how many networks like the one that won are to be averaged, and how long each may take.

#include <cstddef>

#include "rfnn/options/options.hpp"
#include "rfnn/training/budget.hpp"
#include "rfnn/training/network_training.hpp"

namespace rfnn::training {

/// `first`: the network that won, which has a block.
class MemberPlan {
 public:
  /// `inputs`: that vary.
  MemberPlan(const Options& options, std::size_t inputs, std::size_t rows, const Budget& budget)
      : options_(options), inputs_(inputs), rows_(rows), budget_(budget) {}

  /// Another draw of a wide block's frequencies is no other network; other features refined on other rows are, and of
  /// few rows other laws: their likelihood has several maxima, none of them the truth.
  [[nodiscard]] std::size_t planned(const TrainedNetwork& first) const;

  /// Those, and of more rows what the rest of a time budget is good for.
  [[nodiscard]] std::size_t wanted(const TrainedNetwork& first) const;

  /// Of the effort, for a further member: as much as the first had, or all time left where that was too short for it.
  [[nodiscard]] double share(const TrainedNetwork& first) const;

  /// Is there time for one more, after one that took so many seconds?
  [[nodiscard]] bool time_for_another(double seconds) const;

 private:
  [[nodiscard]] bool may_have_other_laws(const TrainedNetwork& first) const;

  const Options& options_;
  std::size_t inputs_, rows_;
  const Budget& budget_;
};

}  // namespace rfnn::training
