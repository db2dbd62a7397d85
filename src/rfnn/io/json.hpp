#pragma once

// Private header: JSON forms of the records a model carries. One place, so that the model file, `inspect --json`,
// `fit --json` and the run directory agree. Numbers that are not finite are null; names and texts that are not UTF-8
// are taken for Latin-1, so that every document can be printed. Whoever looks into a Json includes <nlohmann/json.hpp>;
// reading and printing are compiled here, once.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "rfnn/diagnostics/law_density.hpp"
#include "rfnn/diagnostics/trend.hpp"
#include "rfnn/diagnostics/spectrum.hpp"
#include "rfnn/model/model.hpp"

namespace rfnn::io {

using Json = nlohmann::ordered_json;

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

/// A value as text: on one line, or indented by so many spaces per level. What is not UTF-8 is replaced.
std::string json_text(const Json& json, int indent = -1);
/// A text as a JSON string, quotes and all.
std::string json_string(std::string_view text);

/// Parses JSON of our own; discarded, which Json can be asked for, where the text is none.
Json read_json(std::string_view text);
/// Parses JSON that may be anyone's: InputError when it is malformed, deeper than 32 levels or has an object of more
/// than 1000 names (looking for duplicates costs the square of that).
Json parse_json(std::string_view text, const std::string& origin);

/// A field of an object; InputError when there is none.
const Json& json_field(const Json& json, const char* name, const std::string& origin);

/// A value as a T; InputError naming `what` when it is of another type or range. double takes null for nan.
template <class T>
T json_as(const Json& json, const std::string& what, const std::string& origin);

/// The same of a field that must be there.
template <class T>
T json_value(const Json& json, const char* name, const std::string& origin);

}  // namespace rfnn::io
