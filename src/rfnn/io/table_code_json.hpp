#pragma once

// Private header: the description of a table's columns as JSON.

#include <string>

#include "rfnn/data/column_code.hpp"
#include "rfnn/io/json.hpp"

namespace rfnn::io {

Json to_json(const ColumnCode& column);
Json to_json(const TableCode& code);

/// Throws InputError where a member is missing or of another type; check() says whether the whole is sound.
TableCode table_code_from_json(const Json& json, const std::string& origin);

}  // namespace rfnn::io
