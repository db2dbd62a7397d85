#pragma once

// JSON that the command prints. Reading and printing it is compiled once, not in every test.

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <string>

namespace rfnn::testing {

using Json = nlohmann::json;

/// Throws where the text is no JSON.
Json parsed(const std::string& text);

}  // namespace rfnn::testing

namespace nlohmann {

/// How GoogleTest shows a value that is not what was expected.
void PrintTo(const json& value, std::ostream* out);

}  // namespace nlohmann
