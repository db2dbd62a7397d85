#pragma once

// Private header: texts of JSON, and values in them that are checked for their types. Whoever looks into a Json
// includes <nlohmann/json.hpp>; reading and printing are compiled here, once.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace rfnn::io {

using Json = nlohmann::ordered_json;

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

/// The same, which must be a list.
const Json& json_list(const Json& json, const char* name, const std::string& origin);

/// A value as a T; InputError naming `what` when it is of another type or range. double takes null for nan.
template <class T>
T json_as(const Json& json, const std::string& what, const std::string& origin);

/// The same of a field that must be there.
template <class T>
T json_value(const Json& json, const char* name, const std::string& origin);

/// Refuses a document: InputError that says what is wrong with it.
[[noreturn]] void fail_json(const std::string& origin, const std::string& what);

}  // namespace rfnn::io
