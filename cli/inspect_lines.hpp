#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "rfnn/diagnostics/spectrum.hpp"
#include "rfnn/model/model.hpp"

namespace rfnn::cli {

/// Lines of a spectrum, or laws, that are shown.
inline constexpr std::size_t lines_shown = 20;

/// The line that stands for those left out; nothing when there are none.
std::string more_text(std::size_t count, std::size_t shown);

/// The first of the variables that is a time; nothing: none is.
std::optional<std::size_t> time_among(const Model& model, BranchKind kind);

/// The largest lines of a spectrum, a row each: amplitude, period and frequency, with the place in the network if
/// asked.
std::string lines_text(const Model& model, const std::vector<SpectralLine>& lines, bool with_place,
                       bool several = false);

}  // namespace rfnn::cli
