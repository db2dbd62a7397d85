#pragma once

#include <string>
#include <vector>

#include "cli/command_text.hpp"

namespace rfnn::cli {

/// rfnn(1), in roff. `manual_page` of cli/command_text.hpp gives that of a command.
std::string overview_page(const std::vector<CommandText>& all);

}  // namespace rfnn::cli
