#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/command_text.hpp"
#include "cli/completion.hpp"
#include "cli/manual.hpp"
#include "cli/terminal.hpp"
#include "cli/topics.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/io/atomic_file.hpp"
#include "rfnn/options/nearest.hpp"
#include "rfnn/options/table.hpp"

namespace rfnn::cli {
namespace {

/// A command tells of itself when it is asked for help.
CommandText text_of(const Command& command) {
  try {
    command.run({.words = {"--help"}, .line = {"rfnn", std::string(command.name), "--help"}, .started = {}});
  } catch (const HelpRequested& help) {
    return help.command;
  }
  return {};
}

std::vector<CommandText> all_texts() {
  std::vector<CommandText> texts;
  for (const Command& command : commands()) texts.push_back(text_of(command));
  return texts;
}

/// All that `rfnn help` knows: commands, topics, options.
std::vector<std::string> topic_names() {
  std::vector<std::string> names;
  for (const Command& command : commands()) names.emplace_back(command.name);
  for (const Topic& topic : topics()) names.emplace_back(topic.name);
  for (const Field& field : option_table())
    if (std::find(names.begin(), names.end(), flag_name(field)) == names.end()) names.push_back(flag_name(field));
  return names;
}

std::string option_text(const Field& field) {
  const std::string line = fmt::format("--{}: {}.", flag_name(field), field.help);
  return wrapped(line, result_width(), 2) +
         fmt::format(
             "\n\n  values   {}\n  default  {}\n  group    {}\n\n`rfnn options` lists all options, `rfnn fit "
             "--help` too.\n",
             describe_values(field), describe_default(field), field.group);
}

[[noreturn]] void refuse(const std::string& name) {
  const std::vector<std::string> names = topic_names();
  const std::string_view near = nearest(name, names);
  throw UsageError(fmt::format("There is no command, option or topic \"{}\".", printable(name)),
                   near.empty() ? "`rfnn help` lists them." : fmt::format("Did you mean `rfnn help {}`?", near));
}

std::string topic_text(const std::string& name, bool manual) {
  // A word may be a command or a topic and an option too.
  std::string text;
  for (const Command& command : commands()) {
    if (command.name != name) continue;
    if (manual) return manual_page(text_of(command));
    text = help_text(text_of(command), result_width());
  }
  if (manual) refuse(name);
  if (const Topic* topic = find_topic(name)) text = fmt::format("{}: {}\n\n{}", topic->name, topic->title, topic->text);
  if (const Field* field = find_field(name.rfind("--", 0) == 0 ? name.substr(2) : name))
    text += (text.empty() ? "" : "\n") + option_text(*field);
  if (text.empty()) refuse(name);
  return text;
}

void write_file(const std::filesystem::path& place, const std::string& text) {
  std::error_code error;
  std::filesystem::create_directories(place.parent_path(), error);
  io::AtomicFile file(place.string());
  file.write(text);
  file.commit();
}

/// Manual pages and completion in the folders below `share` where systems look for them.
void write_all(const std::filesystem::path& share) {
  const std::vector<CommandText> all = all_texts();
  write_file(share / "man/man1/rfnn.1", overview_page(all));
  for (const CommandText& command : all)
    write_file(share / fmt::format("man/man1/rfnn-{}.1", command.name), manual_page(command));
  const std::vector<std::string> names = topic_names();
  write_file(share / "bash-completion/completions/rfnn", completion_script("bash", all, names));
  write_file(share / "zsh/site-functions/_rfnn", completion_script("zsh", all, names));
  write_file(share / "fish/vendor_completions.d/rfnn.fish", completion_script("fish", all, names));
}

}  // namespace

namespace {

/// What the commands of a group are for, and their names; a command of no group comes last.
struct Group {
  std::string_view purpose;
  std::vector<std::string_view> names;
};

std::vector<Group> groups() {
  return {{"before training", {"check", "generate"}},
          {"training", {"fit", "cv", "tune"}},
          {"with a model", {"predict", "evaluate", "compare", "optimum", "export"}},
          {"to see what it learnt", {"inspect", "importance", "sensitivity", "report", "diagnose", "draws"}},
          {"besides", {"reproduce", "options", "info", "completion", "help"}}};
}

std::string command_lines(std::size_t width) {
  constexpr std::size_t indent = 14;
  std::string text;
  std::vector<std::string_view> told;
  const auto line = [&](const Command& command) {
    told.push_back(command.name);
    return fmt::format("  {:<12}{}\n", command.name, wrapped(std::string(command.summary), width, indent));
  };
  for (const Group& group : groups()) {
    text += fmt::format(" {}\n", group.purpose);
    for (const std::string_view name : group.names)
      for (const Command& command : commands())
        if (command.name == name) text += line(command);
  }
  for (const Command& command : commands())
    if (std::find(told.begin(), told.end(), command.name) == told.end()) text += line(command);
  return text;
}

}  // namespace

std::string overview_text() {
  const std::size_t width = result_width();
  std::string text = wrapped(about_the_program(), width, 0) + "\n\nUsage: rfnn COMMAND [ARGUMENTS]\n\nCommands:\n" +
                     command_lines(width);
  text += "\n`rfnn COMMAND --help` explains a command, `rfnn --version` prints the version.\n";
  std::string names = "`rfnn help TOPIC` has more: ";
  for (const Topic& topic : topics()) names += fmt::format("{}, ", topic.name);
  return text + wrapped(names + "any option.", width, 0) +
         "\n\nFor a start:\n"
         "  rfnn generate multiscale --rows 2000 --seed 1 --out train.csv\n"
         "  rfnn fit train.csv --target y\n"
         "  rfnn inspect train.rfnn\n";
}

ExitCode run_help(const Invocation& call) {
  std::string topic;
  std::optional<std::string> share;
  bool manual = false;
  Arguments arguments("help", "Explain a command, an option or a topic.", "[TOPIC] [--man]");
  arguments.optional_positional(topic, "TOPIC", "a command, an option, or one of the topics that `rfnn help` lists");
  arguments.flag(manual, "--man", "print the manual page of rfnn or of a command, as `man` takes it");
  arguments.value(share, "--write-share", "DIR",
                  "write all manual pages and completion scripts below DIR, for packages");
  arguments.parse(call.words);
  if (share) {
    write_all(*share);
  } else if (topic.empty()) {
    print_result(manual ? overview_page(all_texts()) : for_locale(overview_text()));
  } else {
    print_result(manual ? topic_text(topic, true) : for_locale(topic_text(topic, false)));
  }
  return ExitCode::done;
}

ExitCode run_completion(const Invocation& call) {
  std::string shell;
  Arguments arguments("completion", "Print the script that lets a shell complete commands, flags and values.",
                      "bash|zsh|fish");
  arguments.positional(shell, "bash|zsh|fish", "the shell");
  arguments.footer(
      "For this session of bash: source <(rfnn completion bash). An installed rfnn brings all three along: bash finds "
      "it where bash-completion is installed, zsh and fish by themselves.");
  arguments.parse(call.words);
  const std::vector<std::string> shells = {"bash", "zsh", "fish"};
  if (std::find(shells.begin(), shells.end(), shell) == shells.end())
    throw UsageError(fmt::format("There is no completion for \"{}\".", printable(shell)), "Give bash, zsh or fish.");
  print_result(completion_script(shell, all_texts(), topic_names()));
  return ExitCode::done;
}

}  // namespace rfnn::cli
