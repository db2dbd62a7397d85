#pragma once

#include <span>
#include <string>
#include <string_view>

namespace rfnn::cli {

/// What `rfnn help TOPIC` says besides the help of commands and options. Lines of at most 78 characters.
struct Topic {
  std::string_view name, title, text;
};
std::span<const Topic> topics();

/// nullptr: there is none of the name.
const Topic* find_topic(std::string_view name);

/// What rfnn is, in a sentence or two.
std::string about_the_program();

}  // namespace rfnn::cli
