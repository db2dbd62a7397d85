#pragma once

// Private header. Where a model has no closed form, how far a point is from the rows is told by the posterior variance
// of one that is made for this alone: a law learnt from some of the rows, and means of neighbouring rows as centres.

#include <cstdint>
#include <optional>

#include "rfnn/core/parallel.hpp"
#include "rfnn/model/law.hpp"
#include "rfnn/rows/row_work.hpp"

namespace rfnn::uncertainty {

/// A law of the targets of rows, and the noise of one.
struct RowLaw {
  FrequencyLaw law;
  double noise = 0.0;
  std::optional<std::size_t> along = {};  ///< the one input it is over; empty: all of them
};
/// Nothing when interrupted, or where there is none to be learnt.
std::optional<RowLaw> learn_row_law(const rows::RowState& rows, std::uint64_t seed, rows::RowWork& work,
                                    Interrupt& interrupt);

/// Where rows are to be gone beyond along one input, over this input alone: what is open grows with the distance from
/// the rows, as the errors of forecasts do, at first with its root (what wanders), then faster than itself (what has a
/// slope), and no further than the variance of the targets.
RowLaw law_beyond(const rows::RowState& rows, std::size_t along);

/// Centres without coefficients, and the noise of one of them.
struct Companion {
  ClosedForm form;
  double noise = 0.0;
};
Companion companion_of(const rows::RowState& rows, const RowLaw& law);

}  // namespace rfnn::uncertainty
