#include "cli/arguments.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <sstream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/terminal.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/options/nearest.hpp"
#include "rfnn/options/number_text.hpp"

namespace rfnn::cli {
namespace {

constexpr std::array<std::string_view, 8> truths = {"true", "false", "yes", "no", "on", "off", "1", "0"};

std::string kind_of(const Field& field) {
  switch (field.kind) {
    case FieldKind::integer:
      return "N";
    case FieldKind::integer_or_auto:
      return "N|auto";
    case FieldKind::input_or_auto:
      return "NAME|auto";
    case FieldKind::number:
      return "X";
    case FieldKind::number_or_auto:
      return "X|auto";
    case FieldKind::numbers_or_auto:
      return "X[,X...]|auto";
    case FieldKind::boolean:
      return "[true|false]";
    case FieldKind::choice:
      return fmt::format("{}", fmt::join(field.choices, "|"));
    case FieldKind::size:
      return "SIZE";
    case FieldKind::text:
      return "TEXT";
    case FieldKind::texts:
      return "TEXT[,TEXT...]";
  }
  return {};
}

/// Makes every option flag `--name=value`, with hyphens: a boolean without a value is true.
std::vector<std::string> spelled_out(const std::vector<std::string>& words) {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--") {
      result.insert(result.end(), words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
      break;
    }
    const std::size_t equals = word.find('=');
    const Field* field = word.rfind("--", 0) == 0 ? find_field(std::string_view(word).substr(2, equals - 2)) : nullptr;
    if (field == nullptr) {
      result.push_back(word);
      continue;
    }
    const std::string flag = "--" + flag_name(*field);
    if (equals != std::string::npos) {
      result.push_back(flag + word.substr(equals));
    } else if (field->kind != FieldKind::boolean) {
      result.push_back(flag);
      if (i + 1 < words.size()) result.push_back(words[++i]);
    } else if (i + 1 < words.size() && std::find(truths.begin(), truths.end(), words[i + 1]) != truths.end()) {
      result.push_back(flag + "=" + words[++i]);
    } else {
      result.push_back(flag + "=true");
    }
  }
  return result;
}

}  // namespace

Arguments::Arguments(std::string command, std::string_view summary, std::string usage)
    : command_("rfnn " + command),
      usage_(command_ + " " + std::move(usage)),
      about_{
          .name = std::move(command), .summary = std::string(summary), .usage = usage_, .arguments = {}, .footer = {}},
      app_(std::make_unique<CLI::App>(std::string(summary), command_)) {
  app_->set_help_flag("-h,--help", "");
  app_->allow_extras();
  app_->option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

Arguments::~Arguments() = default;

void Arguments::describe(const std::string& flag, const std::string& kind, const std::string& help,
                         const std::string& group) {
  ArgumentText text{.names = {}, .kind = kind, .help = help, .group = group};
  std::istringstream names(flag);
  for (std::string name; std::getline(names, name, ',');) text.names.push_back(name);
  about_.arguments.push_back(std::move(text));
}

void Arguments::footer(const std::string& text) { about_.footer = text; }

void Arguments::positional(std::string& value, const std::string& name, const std::string& help) {
  optional_positional(value, name, help);
  positionals_.emplace_back(name, &value);
}

void Arguments::optional_positional(std::string& value, const std::string& name, const std::string& help) {
  app_->add_option(name, value);
  describe(name, "", help, "Arguments");
}

void Arguments::positionals(std::vector<std::string>& values, const std::string& name, const std::string& help,
                            const std::optional<std::string>* unless) {
  app_->add_option(name, values)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  describe(name, "", help, "Arguments");
  lists_.push_back({name, &values, unless});
}

void Arguments::value(std::optional<std::string>& value, const std::string& flag, const std::string& kind,
                      const std::string& help) {
  app_->add_option_function<std::string>(flag, [&value](const std::string& text) { value = text; });
  describe(flag, kind, help, group_);
}

void Arguments::values(std::vector<std::string>& values, const std::string& flag, const std::string& kind,
                       const std::string& help) {
  describe(flag, kind, help, group_);
  app_->add_option(flag, values)
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void Arguments::flag(bool& value, const std::string& flag, const std::string& help) {
  app_->add_flag(flag, value);
  describe(flag, "", help, group_);
}

void Arguments::option_flags(GivenOptions& given) {
  for (const Field& field : option_table()) {
    const std::string flag = "--" + flag_name(field);
    app_->add_option_function<std::string>(
        flag, [&given, row = &field](const std::string& text) { given.emplace_back(row, text); });
    describe(flag, kind_of(field), fmt::format("{} [{}]", field.help, describe_default(field)),
             std::string(field.group));
  }
}

void Arguments::reading_flags(GivenOptions& given) {
  for (const Field& field : option_table()) {
    if (!field.reading || field.name == "categorical" || field.name == "columns") continue;  // the model knows
    const std::string flag = "--" + flag_name(field);
    app_->add_option_function<std::string>(
        flag, [&given, row = &field](const std::string& text) { given.emplace_back(row, text); });
    describe(flag, kind_of(field), std::string(field.help), fmt::format("{} [as in training]", field.group));
  }
}

void Arguments::parse(std::vector<std::string> words) {
  words = spelled_out(words);
  std::reverse(words.begin(), words.end());  // CLI11 takes them from the back
  try {
    app_->parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    describe("-h,--help", "", "show this and end", "Options");
    throw HelpRequested{about_};
  } catch (const CLI::ArgumentMismatch& error) {
    refuse_missing_value(error.what());
  } catch (const CLI::ParseError& error) {
    throw UsageError(std::string(error.what()) + ".", "Usage: " + usage_);
  }
  const std::vector<std::string> extra = app_->remaining();
  for (const std::string& word : extra) {  // an unknown flag explains what follows it
    if (word.size() > 1 && word[0] == '-') refuse_extra(word);
  }
  if (!extra.empty()) refuse_extra(extra.front());
  for (const auto& [name, text] : positionals_) {
    if (text->empty()) throw UsageError(fmt::format("`{}` needs {}.", command_, name), "Usage: " + usage_);
  }
  for (const auto& [name, list, unless] : lists_) {
    if (list->empty() && unless != nullptr && *unless) continue;
    if (list->empty() || list->front().empty())
      throw UsageError(fmt::format("`{}` needs at least one {}.", command_, name.substr(0, name.find('.'))),
                       "Usage: " + usage_);
  }
}

void Arguments::refuse_extra(const std::string& word) const {
  if (word.size() < 2 || word[0] != '-') {
    throw UsageError(fmt::format("`{}` has no use for \"{}\".", command_, printable(word)), "Usage: " + usage_);
  }
  const std::string flag = word.substr(0, word.find('='));
  std::string wanted = flag;
  std::replace(wanted.begin(), wanted.end(), '_', '-');
  std::vector<std::string> flags;
  for (const CLI::Option* option : app_->get_options()) {
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  }
  const bool table = app_->get_option_no_throw("--width") != nullptr;
  if (table && wanted.size() > 2 && is_reserved(std::string_view(wanted).substr(2))) {
    Options scratch;
    set_option(scratch, std::string_view(wanted).substr(2), "");  // throws, with what the table knows of it
  }
  const std::string_view near = nearest(wanted, flags);
  throw UsageError(
      fmt::format("`{}` has no option {}.", command_, printable(flag)),
      near.empty() ? fmt::format("`{} --help` lists them all.", command_) : fmt::format("Did you mean {}?", near));
}

void Arguments::refuse_missing_value(const std::string& message) const {
  const std::string flag = message.substr(0, message.find(':'));
  const Field* field = flag.rfind("--", 0) == 0 ? find_field(std::string_view(flag).substr(2)) : nullptr;
  throw UsageError(fmt::format("{} needs a value.", flag),
                   field == nullptr ? fmt::format("Usage: {}", usage_)
                                    : fmt::format("Give {} ({}).", describe_values(*field), field->help));
}

std::uint64_t whole_number(const std::string& text, std::string_view flag, std::uint64_t low, std::uint64_t high) {
  const auto number = number_from<std::uint64_t>(text);
  if (number && *number >= low && *number <= high) return *number;
  const auto real = number_from<double>(text);  // 1e6
  if (!number && real && *real >= static_cast<double>(low) && *real <= 0x1p53 &&
      *real == static_cast<double>(static_cast<std::uint64_t>(*real)) && static_cast<std::uint64_t>(*real) <= high) {
    return static_cast<std::uint64_t>(*real);
  }
  const std::string top = high == std::numeric_limits<std::uint64_t>::max() ? "2^64 - 1" : std::to_string(high);
  throw UsageError(fmt::format("{} cannot be \"{}\".", flag, printable(text)),
                   fmt::format("Give a whole number from {} to {}.", low, top));
}

}  // namespace rfnn::cli
