#include "rfnn/io/json_values.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>
#include <nlohmann/json.hpp>

#include "rfnn/core/error.hpp"
#include "rfnn/io/text.hpp"

namespace rfnn::io {
namespace {

/// A JSON value as a T; false when it is of another type or range.
bool convert(const Json& json, bool& value) {
  if (json.is_boolean()) value = json.get<bool>();
  return json.is_boolean();
}
bool convert(const Json& json, std::string& value) {
  if (json.is_string()) value = json.get<std::string>();
  return json.is_string();
}
bool convert(const Json& json, double& value) {
  if (json.is_null())
    value = std::numeric_limits<double>::quiet_NaN();
  else if (json.is_number())
    value = json.get<double>();
  return json.is_null() || json.is_number();
}
bool convert(const Json& json, std::optional<double>& value) {
  if (json.is_null())
    value = std::nullopt;
  else if (json.is_number())
    value = json.get<double>();
  return json.is_null() || json.is_number();
}
bool convert(const Json& json, std::uint64_t& value) {
  if (!json.is_number_unsigned()) return false;
  value = json.get<std::uint64_t>();
  return true;
}
bool convert(const Json& json, std::int64_t& value) {
  if (!json.is_number_integer()) return false;
  if (json.is_number_unsigned() &&
      json.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    return false;
  value = json.get<std::int64_t>();
  return true;
}
template <class T>
bool convert(const Json& json, std::vector<T>& values) {
  if (!json.is_array()) return false;
  values.clear();
  values.reserve(json.size());
  for (const Json& item : json) {
    T value{};
    if (!convert(item, value)) return false;
    values.push_back(std::move(value));
  }
  return true;
}

}  // namespace

void fail_json(const std::string& origin, const std::string& what) {
  throw InputError(origin + ": " + what + ".", "Get a sound copy of the file, or train the model again.");
}

const Json& json_field(const Json& json, const char* name, const std::string& origin) {
  if (!json.is_object()) fail_json(origin, "an object with the field " + shown(name) + " was expected");
  const auto found = json.find(name);
  if (found == json.end()) fail_json(origin, "the field " + shown(name) + " is missing");
  return *found;
}

const Json& json_list(const Json& json, const char* name, const std::string& origin) {
  const Json& list = json_field(json, name, origin);
  if (!list.is_array()) fail_json(origin, "the field " + shown(name) + " is not a list");
  return list;
}

template <class T>
T json_as(const Json& json, const std::string& what, const std::string& origin) {
  T value{};
  if (!convert(json, value)) fail_json(origin, shown(what) + " has an unexpected value");
  return value;
}

template <class T>
T json_value(const Json& json, const char* name, const std::string& origin) {
  return json_as<T>(json_field(json, name, origin), name, origin);
}
template bool json_value(const Json&, const char*, const std::string&);
template double json_value(const Json&, const char*, const std::string&);
template std::int64_t json_value(const Json&, const char*, const std::string&);
template std::uint64_t json_value(const Json&, const char*, const std::string&);
template std::string json_value(const Json&, const char*, const std::string&);
template std::optional<double> json_value(const Json&, const char*, const std::string&);
template std::vector<double> json_value(const Json&, const char*, const std::string&);
template std::vector<std::int64_t> json_value(const Json&, const char*, const std::string&);
template std::vector<std::uint64_t> json_value(const Json&, const char*, const std::string&);
template std::vector<std::string> json_as(const Json&, const std::string&, const std::string&);
template std::vector<std::uint64_t> json_as(const Json&, const std::string&, const std::string&);

std::string json_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string json_string(std::string_view text) { return json_text(to_utf8(text)); }

Json read_json(std::string_view text) { return Json::parse(text.begin(), text.end(), nullptr, false); }

Json parse_json(std::string_view text, const std::string& origin) {
  constexpr int deepest = 32;
  constexpr std::size_t most_names = 1000;
  std::array<std::size_t, deepest + 2> names{};
  const auto watch = [&](int depth, Json::parse_event_t event, const Json&) {
    if (depth > deepest) fail_json(origin, "the JSON is nested deeper than " + std::to_string(deepest) + " levels");
    // Names of an object are one level below its braces.
    if (event == Json::parse_event_t::object_start) names[static_cast<std::size_t>(depth) + 1] = 0;
    if (event == Json::parse_event_t::key && ++names[static_cast<std::size_t>(depth)] > most_names)
      fail_json(origin, "a JSON object has more than " + std::to_string(most_names) + " names");
    return true;
  };
  try {
    return Json::parse(text.begin(), text.end(), watch);
  } catch (const Json::parse_error& error) {
    fail_json(origin, "the JSON is malformed at byte " + std::to_string(error.byte));
  } catch (const Json::exception&) {
    fail_json(origin, "the JSON is malformed");
  }
}

}  // namespace rfnn::io
