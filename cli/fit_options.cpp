#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/fit_base.hpp"
#include "cli/fit_from.hpp"
#include "cli/fit_plan.hpp"
#include "cli/terminal.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/io/json.hpp"
#include "rfnn/io/model_file.hpp"

namespace rfnn::cli {
namespace {

using io::Json;

/// What a config file says of options: all of it, or what is under "options" in the document of `rfnn inspect --json`.
std::string options_in(std::string text) {
  const Json whole = io::read_json(text);  // what is no JSON is explained by those who read it
  if (!whole.is_object() || !whole.contains("options") || !whole["options"].is_object()) return text;
  return io::json_text(whole["options"]);
}

std::string read_config(const std::string& path) {
  constexpr std::size_t largest = std::size_t{64} << 20U, piece = std::size_t{1} << 16U;
  std::ifstream file(path, std::ios::binary);
  std::string text;
  bool readable = file && !std::filesystem::is_directory(path);
  while (readable && !file.eof() && text.size() <= largest) {
    const std::size_t have = text.size();
    text.resize(have + piece);
    file.read(text.data() + have, piece);
    text.resize(have + static_cast<std::size_t>(file.gcount()));
    readable = !file.bad() && (file.good() || file.eof());
  }
  if (!readable) {
    throw InputError(fmt::format("Cannot read the config file {}.", printable(path)),
                     "Check that it exists and may be read.");
  }
  if (text.size() > largest) {
    throw InputError(fmt::format("The config file {} is larger than 64 MiB.", printable(path)),
                     "Give the JSON object that `rfnn inspect --json` prints under \"options\".");
  }
  return options_in(std::move(text));
}

/// The preset that decides the defaults: the last flag's, else the config file's.
Preset chosen_preset(const FitArguments& arguments, const std::string& config, const Model* start) {
  Options flags;
  bool given = false;
  for (const auto& [field, text] : arguments.given) {
    if (field->name != "preset") continue;
    field->parse(*field, flags, text);
    given = true;
  }
  const Preset otherwise = start != nullptr && !given ? start->options.preset : flags.preset;
  if (given || !arguments.config) return otherwise;
  return preset_in_json(config, *arguments.config, otherwise);
}

/// Options of the published algorithm given with preset auto: all those of flags, and those of a config file that are
/// not the default (a file with all options is as good as one with a few).
std::vector<std::string> without_effect(const FitArguments& arguments, const ChosenOptions& chosen) {
  const Options defaults = preset_options(chosen.options.preset);
  std::vector<std::string> flags;
  for (const std::string& name : chosen.given) {
    const Field& field = *find_field(name);
    const bool flag = std::any_of(arguments.given.begin(), arguments.given.end(),
                                  [&](const auto& given) { return given.first == &field; });
    if (field.paper_only && (flag || field.print(chosen.options) != field.print(defaults)))
      flags.push_back("--" + flag_name(field));
  }
  return flags;
}

/// Takes an input that a config file names out of it, for the columns are not known yet: "" where it names none.
std::string take_named_input(std::string& config) {
  Json whole = io::read_json(config);
  if (!whole.is_object()) return "";
  for (const auto& item : whole.items()) {
    const Field* field = find_field(item.key());
    if (field == nullptr || field->kind != FieldKind::input_or_auto || !item.value().is_string()) continue;
    std::string name = item.value().get<std::string>();
    if (name == "auto") continue;
    item.value() = "auto";
    config = io::json_text(whole);
    return name;
  }
  return "";
}

}  // namespace

ChosenOptions chosen_options(const FitArguments& arguments) {
  ChosenOptions chosen;
  std::string config = arguments.config ? read_config(*arguments.config) : "";
  if (arguments.config) chosen.holdout_by = take_named_input(config);
  if (arguments.from) chosen.start = std::make_shared<const Model>(load_model(*arguments.from));
  chosen.base = base_given(arguments);
  const Preset preset = chosen_preset(arguments, config, chosen.start.get());
  chosen.options = options_to_start_from(preset, chosen.start.get());
  const auto note = [&](std::string_view name) {
    std::string given = std::string(find_field(name)->name);
    if (std::find(chosen.given.begin(), chosen.given.end(), given) == chosen.given.end()) chosen.given.push_back(given);
  };
  if (arguments.config) {
    options_from_json(chosen.options, config, *arguments.config);
    const Json given = io::read_json(config);  // named: the loop would outlive a temporary
    for (const auto& item : given.items()) note(item.key());
  }
  for (const auto& [field, text] : arguments.given) {
    const bool input = field->kind == FieldKind::input_or_auto;
    if (input) chosen.holdout_by = text == "auto" ? "" : text;
    field->parse(*field, chosen.options, input ? "auto" : text);
    note(field->name);
  }
  if (chosen.start) count_blocks(chosen, *arguments.from);
  validate(chosen.options);
  // A fraction that nobody asked for gives way to --valid.
  const bool flag = std::any_of(arguments.given.begin(), arguments.given.end(),
                                [](const auto& given) { return given.first->name == "validation_fraction"; });
  if (arguments.validation && !flag &&
      chosen.options.validation_fraction == preset_options(chosen.options.preset).validation_fraction)
    chosen.options.validation_fraction = 0.0;
  if (arguments.validation && chosen.options.holdout != Holdout::random)
    throw UsageError("Validation data were given, and holdout says which rows to hold out.",
                     "Give one of the two: leave out --valid, or leave holdout at random.");
  if (arguments.validation && chosen.options.validation_fraction > 0.0) {
    throw UsageError("Both --valid and validation-fraction ask for validation rows.",
                     "Leave one out, or give --validation-fraction 0.");
  }
  if (chosen.options.validation_fraction > 0.5)
    chosen.warnings.push_back(
        fmt::format("validation-fraction {} leaves {:.3g} of the rows to learn from: networks are chosen by little.",
                    chosen.options.validation_fraction, 1.0 - chosen.options.validation_fraction));
  if (chosen.options.preset == Preset::automatic) {
    const std::vector<std::string> idle = without_effect(arguments, chosen);
    if (!idle.empty()) {
      chosen.warnings.push_back(fmt::format("{} {} no effect with preset auto; add --preset paper",
                                            fmt::join(idle, ", "), idle.size() == 1 ? "has" : "have"));
    }
  }
  return chosen;
}

}  // namespace rfnn::cli
