#include "cli/json.hpp"

#include <ostream>

namespace rfnn::testing {

Json parsed(const std::string& text) { return Json::parse(text); }

}  // namespace rfnn::testing

namespace nlohmann {

void PrintTo(const json& value, std::ostream* out) { *out << value; }

}  // namespace nlohmann
