#include <algorithm>
#include <cctype>
#include <cstdint>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/command_text.hpp"
#include "cli/manual.hpp"
#include "cli/topics.hpp"
#include "rfnn/core/version.hpp"

namespace rfnn::cli {
namespace {

/// The code point that begins at `place`, which moves behind it.
std::uint32_t code_point(const std::string& text, std::size_t& place) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const std::uint32_t first = byte(place);
  const std::size_t more = first >= 0xF0U ? 3 : first >= 0xE0U ? 2 : first >= 0xC0U ? 1 : 0;
  std::uint32_t code = more == 0 ? first : first & (0x3FU >> more);
  for (std::size_t i = 1; i <= more; ++i) code = code << 6U | (byte(place + i) & 0x3FU);
  place += more + 1;
  return code;
}

/// Text as roff takes it: nothing in it is a request, hyphens can be copied, and all of it is ASCII.
std::string roff(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const std::uint32_t code = code_point(text, i);
    if (code == '\\') {
      result += "\\e";
    } else if (code == '-') {
      result += "\\-";
    } else if (code == '\'' || code == '"') {
      result += code == '"' ? "\\(dq" : "\\(aq";
    } else if (code == '`') {
      result += "\\(ga";
    } else if (code == '.' && (result.empty() || result.back() == '\n')) {
      result += "\\&.";
    } else if (code < 0x80U) {
      result += static_cast<char>(code);
    } else {
      result += fmt::format("\\[u{:04X}]", code);
    }
  }
  return result;
}

std::string capitals(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); });
  return text;
}

std::string title(const std::string& name) {
  return fmt::format(".TH \"{}\" 1 \"\" \"rfnn {}\" \"User Commands\"\n.nh\n.ad l\n", roff(capitals(name)), version());
}

std::string sentence_start(const std::string& summary) {
  std::string text = summary;
  if (!text.empty() && text.back() == '.') text.pop_back();
  if (!text.empty()) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

std::string argument_entry(const ArgumentText& argument) {
  std::string head;
  for (const std::string& name : argument.names) head += (head.empty() ? "\\fB" : ", \\fB") + roff(name) + "\\fR";
  if (!argument.kind.empty()) head += " \\fI" + roff(argument.kind) + "\\fR";
  return fmt::format(".TP\n{}\n{}\n", head, roff(argument.help));
}

std::string exit_status() {
  const Topic* topic = find_topic("exit-codes");
  return topic == nullptr ? "" : ".SH EXIT STATUS\n.nf\n" + roff(std::string(topic->text)) + ".fi\n";
}

}  // namespace

std::string manual_page(const CommandText& command) {
  std::string text = title("rfnn-" + command.name);
  text += fmt::format(".SH NAME\n{} \\- {}\n", roff("rfnn-" + command.name), roff(sentence_start(command.summary)));
  text += fmt::format(".SH SYNOPSIS\n{}\n", roff(command.usage));
  for (const std::string& group : groups_of(command)) {
    const bool alone = group == "Arguments" || group == "Options";
    text += fmt::format("{} \"{}\"\n", alone ? ".SH" : ".SS", roff(alone ? capitals(group) : group));
    for (const ArgumentText& argument : command.arguments)
      if (argument.group == group) text += argument_entry(argument);
  }
  if (!command.footer.empty()) text += ".SH NOTES\n" + roff(wrapped(command.footer, 100, 0)) + "\n";
  return text + exit_status() + ".SH SEE ALSO\n.BR rfnn (1)\n";
}

std::string overview_page(const std::vector<CommandText>& all) {
  std::string text = title("rfnn");
  text += ".SH NAME\nrfnn \\- learns a function from a table of numbers\n";
  text += ".SH SYNOPSIS\n\\fBrfnn\\fR \\fICOMMAND\\fR [\\fIARGUMENTS\\fR]\n";
  text += fmt::format(".SH DESCRIPTION\n{}\n", roff(about_the_program()));
  text += ".SH COMMANDS\n";
  for (const CommandText& command : all)
    text += fmt::format(".TP\n\\fB{}\\fR(1)\n{}\n", roff("rfnn-" + command.name), roff(command.summary));
  text += ".SH TOPICS\nShown by \\fBrfnn help\\fR \\fITOPIC\\fR; so is every training option.\n";
  for (const Topic& topic : topics())
    text += fmt::format(".SS \"{}: {}\"\n.nf\n{}.fi\n", roff(std::string(topic.name)), roff(std::string(topic.title)),
                        roff(std::string(topic.text)));
  text += ".SH SEE ALSO\n";
  for (std::size_t i = 0; i < all.size(); ++i)
    text += fmt::format(".BR {} (1){}\n", roff("rfnn-" + all[i].name), i + 1 < all.size() ? "," : "");
  return text;
}

}  // namespace rfnn::cli
