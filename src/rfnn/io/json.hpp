#pragma once

// Private header: JSON forms of the records a model carries. One place, so that the model file, `inspect --json`,
// `fit --json` and the run directory agree. Numbers that are not finite are null; names and texts that are not UTF-8
// are taken for Latin-1, so that every document can be printed.

#include <string>

#include "rfnn/diagnostics/law_density.hpp"
#include "rfnn/diagnostics/trend.hpp"
#include "rfnn/diagnostics/spectrum.hpp"
#include "rfnn/io/json_values.hpp"
#include "rfnn/model/model.hpp"

namespace rfnn::io {

Json to_json(const BlockRecord& record);
Json to_json(const History& history);
Json to_json(const Column& column);
Json to_json(const SpectralLine& line);
Json to_json(const BranchLaw& law);
Json to_json(const TrendTerm& term);
/// What `rfnn inspect --json` prints: options, data, blocks, stop_reason, spectrum, …
Json describe(const Model& model);

/// Throw InputError (with `origin`) when a field is missing or of the wrong type.
BlockRecord block_record_from_json(const Json& json, const std::string& origin);
History history_from_json(const Json& json, const std::string& origin);
Column column_from_json(const Json& json, const std::string& origin);

}  // namespace rfnn::io
