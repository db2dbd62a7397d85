#include "rfnn/io/table_code_json.hpp"

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "rfnn/core/error.hpp"
#include "rfnn/io/model_decoder.hpp"
#include "rfnn/io/text.hpp"

namespace rfnn::io {
namespace {

constexpr std::array kinds = {ColumnKind::number, ColumnKind::time, ColumnKind::category, ColumnKind::boolean};
constexpr std::array forms = {TimeForm::date, TimeForm::date_time, TimeForm::time_of_day};

/// The one of `all` that has the name.
template <class Enum, std::size_t count>
Enum named(const std::array<Enum, count>& all, const std::string& name, const std::string& origin) {
  for (const Enum value : all)
    if (name_of(value) == name) return value;
  fail_model_file(origin, "there is no column of the kind " + shown(name));
}

ColumnCode column_code_from_json(const Json& json, const std::string& origin) {
  ColumnCode column;
  column.name = json_value<std::string>(json, "name", origin);
  column.position = json_value<std::uint64_t>(json, "position", origin);
  column.kind = named(kinds, json_value<std::string>(json, "kind", origin), origin);
  if (json.contains("unit")) column.unit = json_value<std::string>(json, "unit", origin);
  if (column.kind == ColumnKind::time) {
    column.time.form = named(forms, json_value<std::string>(json, "form", origin), origin);
    column.time.zoned = json_value<bool>(json, "utc", origin);
    const auto origin_text = json_value<std::string>(json, "origin", origin);
    const auto moment = parse_moment(origin_text);
    if (!moment || moment->form != TimeForm::date) fail_model_file(origin, "there is no date " + shown(origin_text));
    column.time.origin = moment->days;
    if (json_value<std::string>(json, "time_unit", origin) != "day")
      fail_model_file(origin, "its times are not in days");
  }
  if (column.kind == ColumnKind::category)
    column.levels = json_as<std::vector<std::string>>(json_field(json, "levels", origin), "levels", origin);
  if (json.contains("fill")) column.fill = json_value<std::vector<double>>(json, "fill", origin);
  if (json.contains("missing")) column.missing = json_value<std::uint64_t>(json, "missing", origin);
  if (json.contains("indicator")) column.indicator = json_value<bool>(json, "indicator", origin);
  return column;
}

std::vector<ColumnCode> list_from_json(const Json& json, const char* name, const std::string& origin) {
  const Json& list = json_field(json, name, origin);
  if (!list.is_array()) fail_model_file(origin, "its " + shown(name) + " are not a list");
  std::vector<ColumnCode> columns;
  for (const Json& column : list) columns.push_back(column_code_from_json(column, origin));
  return columns;
}

}  // namespace

Json to_json(const ColumnCode& column) {
  Json json = {{"name", to_utf8(column.name)}, {"position", column.position}, {"kind", name_of(column.kind)}};
  if (!column.unit.empty()) json["unit"] = to_utf8(column.unit);
  if (column.kind == ColumnKind::time) {
    json["form"] = name_of(column.time.form);
    json["time_unit"] = "day";
    json["origin"] = date_text(column.time.origin);
    json["utc"] = column.time.zoned;
  }
  if (column.kind == ColumnKind::category) {
    Json levels = Json::array();
    for (const std::string& level : column.levels) levels.push_back(to_utf8(level));
    json["levels"] = std::move(levels);
  }
  if (!column.fill.empty()) json["fill"] = column.fill;
  json["missing"] = column.missing;
  json["indicator"] = column.indicator;
  return json;
}

Json to_json(const TableCode& code) {
  Json inputs = Json::array(), targets = Json::array();
  for (const ColumnCode& column : code.inputs) inputs.push_back(to_json(column));
  for (const ColumnCode& column : code.targets) targets.push_back(to_json(column));
  return {{"inputs", std::move(inputs)}, {"targets", std::move(targets)}};
}

TableCode table_code_from_json(const Json& json, const std::string& origin) {
  return {.inputs = list_from_json(json, "inputs", origin), .targets = list_from_json(json, "targets", origin)};
}

}  // namespace rfnn::io
