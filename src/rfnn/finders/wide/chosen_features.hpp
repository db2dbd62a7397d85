#pragma once

// Private header. Which of a law's frequencies a block of given width takes: those the rows can tell apart.
//
// Of many frequencies drawn from the law, each with its cosine and sine a and the prior s of their amplitudes, the
// ridge leverage
//
//   ℓ = s² Σ aᵀ (K + λ)⁻¹ a,    K the law's kernel of some of the rows,
//
// says how much of what the rows can show depends on it. A block takes frequency f with probability π_f in proportion
// to ℓ_f (1 at the most), and gives it the prior s_f/√π_f: in the mean over draws the kernel is that of all of them.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "rfnn/core/parallel.hpp"
#include "rfnn/finders/wide/law_search.hpp"
#include "rfnn/rows/row_work.hpp"

namespace rfnn::wide {

/// `count` frequencies of the law for these rows. Nothing when interrupted.
std::optional<rows::WideFeatures> choose_features(const LearntLaw& law, std::size_t count, std::uint64_t seed,
                                                  std::uint64_t member, rows::RowWork& work, const rows::RowState& rows,
                                                  Interrupt& interrupt);

/// The leverages of features on rows, λ being the noise of a row of weight 1: estimated by random projections, to some
/// ten per cent.
std::optional<std::vector<double>> leverages(const FrequencyLaw& law, double noise, const rows::WideFeatures& features,
                                             std::uint64_t seed, rows::RowWork& work, const rows::RowState& rows,
                                             Interrupt& interrupt);

/// π: Σ π = `count`, in proportion to the leverages, none above 1.
std::vector<double> inclusion(const std::vector<double>& leverages, std::size_t count);

}  // namespace rfnn::wide
