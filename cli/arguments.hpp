#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command_text.hpp"
#include "rfnn/options/table.hpp"

// CLI11 is read by one source: its header takes seconds to compile.
namespace CLI {
class App;
}

namespace rfnn::cli {

/// `--help` was given: not an error, and not a result either way but on standard output.
struct HelpRequested {
  CommandText command;
};

/// Options of the table given as flags, in order.
using GivenOptions = std::vector<std::pair<const Field*, std::string>>;

/// The arguments of one command. Everything wrong with them is a UsageError that says what to write instead.
class Arguments {
 public:
  Arguments(std::string command, std::string_view summary, std::string usage);
  ~Arguments();
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  void positional(std::string& value, const std::string& name, const std::string& help);
  /// One that may be left out.
  void optional_positional(std::string& value, const std::string& name, const std::string& help);
  /// One or more, the last of the positional ones. With the flag `unless` there may be none.
  void positionals(std::vector<std::string>& values, const std::string& name, const std::string& help,
                   const std::optional<std::string>* unless = nullptr);
  void value(std::optional<std::string>& value, const std::string& flag, const std::string& kind,
             const std::string& help);
  /// May be given several times.
  void values(std::vector<std::string>& values, const std::string& flag, const std::string& kind,
              const std::string& help);
  void flag(bool& value, const std::string& flag, const std::string& help);
  /// The heading in the help of the flags that follow; "Options" until told otherwise.
  void group(const std::string& heading) { group_ = heading; }
  /// A flag for every option of the table.
  void option_flags(GivenOptions& given);
  /// A flag for every option that says how another table than the training one is read, with the model's as default.
  void reading_flags(GivenOptions& given);
  void footer(const std::string& text);

  void parse(std::vector<std::string> words);

 private:
  [[noreturn]] void refuse_extra(const std::string& word) const;
  [[noreturn]] void refuse_missing_value(const std::string& message) const;

  void describe(const std::string& flag, const std::string& kind, const std::string& help, const std::string& group);

  std::string command_;
  std::string group_ = "Options";
  std::string usage_;
  CommandText about_;
  std::unique_ptr<CLI::App> app_;
  std::vector<std::pair<std::string, const std::string*>> positionals_;
  struct List {
    std::string name;
    const std::vector<std::string>* values;
    const std::optional<std::string>* unless;
  };
  std::vector<List> lists_;
};

/// A whole number given to a flag that is not in the table.
std::uint64_t whole_number(const std::string& text, std::string_view flag, std::uint64_t low, std::uint64_t high);

}  // namespace rfnn::cli
