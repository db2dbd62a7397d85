#include "rfnn/options/kind_names.hpp"
#include "rfnn/options/table.hpp"

#include <cmath>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/command_text.hpp"
#include "cli/terminal.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/io/json.hpp"

namespace rfnn::cli {
namespace {

using io::Json;

std::string json_text() {
  const Json automatic = io::read_json(options_to_json(preset_options(Preset::automatic)));
  const Json paper = io::read_json(options_to_json(preset_options(Preset::paper)));
  Json list = Json::array();
  for (const Field& field : option_table()) {
    const std::string name(field.name);
    Json row = {{"name", name},
                {"flag", "--" + flag_name(field)},
                {"group", field.group},
                {"type", name_of(field.kind)},
                {"default", automatic.at(name)},
                {"defaults", {{"auto", automatic.at(name)}, {"paper", paper.at(name)}}},
                {"paper_only", field.paper_only},
                {"values", describe_values(field)},
                {"help", field.help}};
    if (!field.choices.empty()) row["choices"] = field.choices;
    list.push_back(std::move(row));
  }
  return io::json_text(list, 2) + "\n";
}

std::string table_text() {
  const Options automatic = preset_options(Preset::automatic), paper = preset_options(Preset::paper);
  std::string text;
  for (const Field& field : option_table()) {
    constexpr std::size_t indent = 43;
    text += fmt::format("{:<22}{:<8}{:<13}{}\n{:<43}{}\n", flag_name(field),
                        field.paper_only ? "-" : field.print(automatic), field.print(paper),
                        wrapped(std::string(field.help), result_width(), indent), "",
                        wrapped(describe_values(field), result_width(), indent));
  }
  return fmt::format("{:<22}{:<8}{:<13}{}\n{:<22}- : no effect with preset auto\n\n", "option", "auto", "paper",
                     "meaning, values", "") +
         text;
}

}  // namespace

ExitCode run_options(const Invocation& call) {
  bool markdown = false, json = false;
  Arguments arguments("options", "List every training option with default, values and meaning.", "[--markdown|--json]");
  arguments.flag(markdown, "--markdown", "as a page of documentation");
  arguments.flag(json, "--json", "as JSON");
  arguments.parse(call.words);
  if (markdown && json) throw UsageError("--markdown and --json are two forms.", "Choose one of them.");
  print_result(markdown ? options_to_markdown() : json ? json_text() : for_locale(table_text()));
  return ExitCode::done;
}

}  // namespace rfnn::cli
