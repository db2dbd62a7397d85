#include "rfnn/options/table.hpp"

#include <cmath>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/terminal.hpp"
#include "rfnn/core/error.hpp"

namespace rfnn::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string_view kind_name(FieldKind kind) {
  switch (kind) {
    case FieldKind::integer:
      return "integer";
    case FieldKind::number:
      return "number";
    case FieldKind::number_or_auto:
      return "number or auto";
    case FieldKind::numbers:
      return "numbers";
    case FieldKind::boolean:
      return "boolean";
    case FieldKind::choice:
      return "choice";
  }
  return {};
}

std::string json_text() {
  const Json defaults = Json::parse(options_to_json(Options{}));
  Json list = Json::array();
  for (const Field& field : option_table()) {
    Json row = {{"name", field.name},
                {"flag", "--" + flag_name(field)},
                {"group", field.group},
                {"type", kind_name(field.kind)},
                {"default", defaults.at(std::string(field.name))},
                {"values", describe_values(field)},
                {"help", field.help}};
    if (!field.choices.empty()) row["choices"] = field.choices;
    list.push_back(std::move(row));
  }
  return list.dump(2) + "\n";
}

std::string table_text() {
  const Options defaults;
  std::string text, group;
  for (const Field& field : option_table()) {
    text += fmt::format("{:<22}{:<12}{}\n{:<34}{}\n", flag_name(field), field.print(defaults), field.help, "",
                        describe_values(field));
  }
  return fmt::format("{:<22}{:<12}{}\n\n", "option", "default", "meaning, values") + text;
}

}  // namespace

ExitCode run_options(const Invocation& call) {
  bool markdown = false, json = false;
  Arguments arguments("options", "List every training option with default, values and meaning.", "[--markdown|--json]");
  arguments.flag(markdown, "--markdown", "as a page of documentation");
  arguments.flag(json, "--json", "as JSON");
  arguments.parse(call.words);
  if (markdown && json) throw UsageError("--markdown and --json are two forms.", "Choose one of them.");
  print_result(markdown ? options_to_markdown() : json ? json_text() : table_text());
  return ExitCode::done;
}

}  // namespace rfnn::cli
