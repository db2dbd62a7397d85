#pragma once

// Private header. Each method of finding a block, as member.hpp wants it.

#include <optional>

#include "rfnn/sampling/growth.hpp"
#include "rfnn/training/member.hpp"

namespace rfnn {

std::optional<ProposedBlock> propose_sequential(GrowthPasses& passes, const MemberRows& rows,
                                                const Resolution& resolution, const GrowthPlan& plan,
                                                Interrupt& interrupt);

/// Nothing where the rows are no case for a lattice, or when interrupted.
std::optional<ProposedBlock> propose_lattice(GrowthPasses& passes, const MemberRows& rows, std::size_t max_features,
                                             Interrupt& interrupt);

/// Nothing when interrupted, or where a first look with fewer features is far from the error that rivals have reached
/// on the held-out rows. `operations`: multiply-adds it may take, about.
std::optional<ProposedBlock> propose_random(GrowthPasses& passes, const MemberRows& rows, std::size_t max_features,
                                            double operations, double rival, std::uint64_t seed, std::uint64_t member,
                                            Interrupt& interrupt);

}  // namespace rfnn
