#pragma once

// Private header. Why a model does not know how far off its predictions may be.

#include <string>

#include "rfnn/model/model.hpp"

namespace rfnn::uncertainty {

/// Sentences.
struct Missing {
  std::string cause, cure;
};
/// Of a model that has no `uncertainty`.
Missing why_missing(const Model& model);

/// The fact noted of a model that went on from another: from how many blocks.
inline constexpr const char* went_on = "went_on_from_blocks";

}  // namespace rfnn::uncertainty
