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
};
/// Nothing when interrupted, or where there is none to be learnt.
std::optional<RowLaw> learn_row_law(const rows::RowState& rows, std::uint64_t seed, rows::RowWork& work,
                                    Interrupt& interrupt);

/// Centres without coefficients, and the noise of one of them.
struct Companion {
  ClosedForm form;
  double noise = 0.0;
};
Companion companion_of(const rows::RowState& rows, const RowLaw& law);

}  // namespace rfnn::uncertainty
