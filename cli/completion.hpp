#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command_text.hpp"

namespace rfnn::cli {

/// The script that teaches a shell ("bash", "zsh" or "fish") the commands, their flags and the words that values may
/// be. `topics`: what may follow `rfnn help`.
std::string completion_script(std::string_view shell, const std::vector<CommandText>& all,
                              const std::vector<std::string>& topics);

}  // namespace rfnn::cli
