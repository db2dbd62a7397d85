#include "cli/completion.hpp"

#include <fmt/format.h>

namespace rfnn::cli {
namespace {

/// In single quotes, as all three shells take them.
std::string quoted(const std::string& text, std::string_view inner = "'\\''") {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string(inner) : std::string(1, c);
  return result + "'";
}

/// One short line: up to the first of what ends a thought.
std::string short_help(const std::string& help) {
  return help.substr(0, std::min({help.find(" ["), help.find("; "), help.size()}));
}

std::vector<std::string> positional_words(const CommandText& command, const std::vector<std::string>& topics) {
  if (command.name == "help") return topics;
  std::vector<std::string> words;
  for (const ArgumentText& argument : command.arguments)
    if (!argument.is_flag())
      for (std::string& word : words_of(argument)) words.push_back(std::move(word));
  return words;
}

bool takes_paths(const CommandText& command) {
  for (const ArgumentText& argument : command.arguments)
    if (!argument.is_flag() && is_path(argument)) return true;
  return false;
}

// bash -----------------------------------------------------------------------------------------------------------

/// `flag|flag) …;;` for every flag with a value: the words it may be, files, or nothing that could be known.
std::string bash_values(const CommandText& command) {
  std::string text;
  for (const ArgumentText& argument : command.arguments) {
    if (!argument.is_flag() || argument.kind.empty()) continue;
    const std::vector<std::string> words = words_of(argument);
    const std::string action = !words.empty()      ? fmt::format("words='{}'", fmt::join(words, " "))
                               : is_path(argument) ? "files=yes"
                                                   : "words=";
    text += fmt::format("        {}) {};;\n", fmt::join(argument.names, "|"), action);
  }
  return text;
}

std::string bash_script(const std::vector<CommandText>& all, const std::vector<std::string>& topics) {
  std::string names, cases;
  for (const CommandText& command : all) {
    std::string flags;
    for (const ArgumentText& argument : command.arguments)
      for (const std::string& name : argument.names)
        if (argument.is_flag()) flags += (flags.empty() ? "" : " ") + name;
    names += (names.empty() ? "" : " ") + command.name;
    cases += fmt::format("    {})\n      flags='{}'\n      others='{}' paths={}\n      case $before in\n{}",
                         command.name, flags, fmt::join(positional_words(command, topics), " "),
                         takes_paths(command) ? "yes" : "no", bash_values(command));
    cases += "        *) known=no;;\n      esac;;\n";
  }
  return fmt::format(R"(# bash completion for rfnn, written by `rfnn completion bash`
_rfnn() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} words= files=no known=yes
  local flags= others= paths=no
  # bash takes --flag=value apart at the =.
  if [[ $word == = ]]; then word=; elif [[ $before == = ]]; then before=${{COMP_WORDS[COMP_CWORD-2]}}; fi
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '{} --help --version' -- "$word"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
{}    *) return;;
  esac
  if [[ $known == no ]]; then
    if [[ $word == -* ]]; then words=$flags; else words=$others files=$paths; fi
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  if [[ $files == no ]]; then compopt +o default +o bashdefault 2>/dev/null; fi
}}
complete -o bashdefault -o default -F _rfnn rfnn
)",
                     names, cases);
}

// zsh ------------------------------------------------------------------------------------------------------------

/// Brackets and colons mean something in the descriptions of _arguments.
std::string zsh_text(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string zsh_action(const std::vector<std::string>& words, bool path) {
  if (!words.empty()) return fmt::format("({})", fmt::join(words, " "));
  return path ? "_files" : " ";
}

std::string zsh_argument(const ArgumentText& argument) {
  const std::string help = fmt::format("[{}]", zsh_text(short_help(argument.help)));
  const std::string value = argument.kind.empty() ? ""
                                                  : fmt::format(":{}:{}", zsh_text(argument.kind),
                                                                zsh_action(words_of(argument), is_path(argument)));
  std::string text;
  for (const std::string& name : argument.names) {
    const bool with_equals = !value.empty() && name.rfind("--", 0) == 0;
    text += "        " + quoted("*" + name + (with_equals ? "=" : "") + help + value) + " \\\n";
  }
  return text;
}

std::string zsh_script(const std::vector<CommandText>& all, const std::vector<std::string>& topics) {
  std::string names, cases;
  for (const CommandText& command : all) {
    names += "    " + quoted(command.name + ":" + command.summary) + "\n";
    std::string arguments;
    for (const ArgumentText& argument : command.arguments)
      if (argument.is_flag()) arguments += zsh_argument(argument);
    arguments +=
        "        " + quoted("*:argument:" + zsh_action(positional_words(command, topics), takes_paths(command))) + "\n";
    cases += fmt::format("    {})\n      _arguments -s \\\n{}      ;;\n", command.name, arguments);
  }
  return fmt::format(R"(#compdef rfnn
# zsh completion for rfnn, written by `rfnn completion zsh`
_rfnn() {{
  local context state state_descr line
  typeset -A opt_args
  local -a commands
  commands=(
{}  )
  _arguments -C '1:command:->command' '*::argument:->argument'
  if [[ $state == command ]]; then
    _describe command commands
    return
  fi
  case $words[1] in
{}  esac
}}
if [[ ${{funcstack[1]}} == _rfnn ]]; then _rfnn "$@"; else compdef _rfnn rfnn; fi
)",
                     names, cases);
}

// fish -----------------------------------------------------------------------------------------------------------

std::string fish_script(const std::vector<CommandText>& all, const std::vector<std::string>& topics) {
  constexpr std::string_view inner = "\\'";
  // The command is the first word, and no other: `rfnn help fit`, or a file named report.
  std::string text = R"(# fish completion for rfnn, written by `rfnn completion fish`
function __rfnn_command
  set -l words (commandline -opc)
  test (count $words) -eq 1; and test "$argv[1]" = ""; and return 0
  test (count $words) -ge 2; and test "$argv[1]" = "$words[2]"
end
complete -c rfnn -f
complete -c rfnn -n '__rfnn_command ""' -l help -l version
)";
  for (const CommandText& command : all)
    text += fmt::format("complete -c rfnn -n '__rfnn_command \"\"' -a {} -d {}\n", command.name,
                        quoted(command.summary, inner));
  for (const CommandText& command : all) {
    const std::string after = fmt::format("complete -c rfnn -n '__rfnn_command {}'", command.name);
    if (takes_paths(command)) text += after + " -F\n";
    const std::vector<std::string> others = positional_words(command, topics);
    if (!others.empty()) text += fmt::format("{} -a '{}'\n", after, fmt::join(others, " "));
    for (const ArgumentText& argument : command.arguments) {
      if (!argument.is_flag()) continue;
      text += after;
      for (const std::string& name : argument.names)
        text += name.rfind("--", 0) == 0 ? " -l " + name.substr(2) : " -s " + name.substr(1);
      const std::vector<std::string> words = words_of(argument);
      if (!words.empty())
        text += fmt::format(" -x -a '{}'", fmt::join(words, " "));
      else if (!argument.kind.empty())
        text += is_path(argument) ? " -r -F" : " -x";
      text += " -d " + quoted(short_help(argument.help), inner) + "\n";
    }
  }
  return text;
}

}  // namespace

std::string completion_script(std::string_view shell, const std::vector<CommandText>& all,
                              const std::vector<std::string>& topics) {
  return shell == "bash"  ? bash_script(all, topics)
         : shell == "zsh" ? zsh_script(all, topics)
                          : fish_script(all, topics);
}

}  // namespace rfnn::cli
