#pragma once

// Private header: JSON forms of the records a model carries. One place, so that the model file, `inspect --json`,
// `fit --json` and the run directory agree.

#include <nlohmann/json.hpp>

#include "rfnn/diagnostics/spectrum.hpp"
#include "rfnn/model/model.hpp"

namespace rfnn {

using Json = nlohmann::ordered_json;

Json to_json(const BlockRecord& record);
Json to_json(const History& history);
Json to_json(const Column& column);
Json to_json(const SpectralLine& line);
/// What `rfnn inspect --json` prints: options, data, blocks, stop_reason, spectrum, …
Json describe(const Model& model);

/// Throw InputError (with `origin`) when a field is missing or of the wrong type.
BlockRecord block_record_from_json(const Json& json, const std::string& origin);
History history_from_json(const Json& json, const std::string& origin);
Column column_from_json(const Json& json, const std::string& origin);

}  // namespace rfnn
