#pragma once

// Private header. From the rows that judge networks to what the model knows of its errors (uncertainty/).

#include <cstddef>
#include <optional>
#include <vector>

#include "rfnn/training/network_training.hpp"
#include "rfnn/training/run.hpp"
#include "rfnn/uncertainty/calibration.hpp"
#include "rfnn/uncertainty/companion.hpp"

namespace rfnn::training {

/// Whose posterior variance says how far rows are: the first network of an average that has a closed form of the inputs
/// as its first block, else a law of the rows, learnt once, with centres of its own.
struct Reference {
  std::size_t member = 0, branch = 0;
  double noise = 0.0;                      ///< of a row as a centre
  std::optional<uncertainty::RowLaw> law;  ///< no member's

  [[nodiscard]] const ClosedForm& form(const Block& first) const { return *first.branches[branch].closed_form; }
};
/// Nothing where no network has one; the law of the rows is then to be learnt.
std::optional<Reference> reference_of(const std::vector<const TrainedNetwork*>& networks);

/// What the average of networks leaves on the rows of a division that none of them has seen; `predicted` is their
/// state. No networks: the mean.
uncertainty::Judged judged_rows(const NetworkRows& rows, const std::vector<const TrainedNetwork*>& networks,
                                const std::optional<Reference>& reference, rows::RowWork& work, Interrupt& interrupt);

/// The same of every row by leaving it out, where all members of the model are a closed form with all rows as centres
/// and there is time for it. `networks`: what the members were made from, in their order.
std::optional<uncertainty::Judged> left_out_rows(Run& run, const std::vector<TrainedNetwork>& networks,
                                                 rows::RowWork& work);

/// Learns the model's uncertainty from these rows; `judged.predicted` are states. `stretches`: by so many of which they
/// were judged; 0: one by one.
void learn_error_bars(Run& run, uncertainty::Judged judged, const std::optional<Reference>& reference, Judge judge,
                      std::size_t stretches, rows::RowWork& work);

}  // namespace rfnn::training
