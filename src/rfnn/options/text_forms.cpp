// The option table as JSON and as a page of documentation.

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "rfnn/core/error.hpp"
#include "rfnn/options/field_values.hpp"
#include "rfnn/options/table.hpp"

namespace rfnn {
namespace {

bool is_text(FieldKind kind) { return kind == FieldKind::size || kind == FieldKind::text || kind == FieldKind::texts; }

/// One of a list, in double quotes where it could not be told from several else.
std::string list_item(std::string_view text) {
  if (!text.empty() && text.find_first_of(",\"") == std::string_view::npos && detail::trimmed(text) == text)
    return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

/// A value in JSON: numbers bare, words quoted, a list of one as its only number.
std::string json_value(const Field& row, const Options& options) {
  const std::string text = row.print(options);
  if (is_text(row.kind)) return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  if (row.kind == FieldKind::choice || text == "auto") return '"' + text + '"';
  if (row.kind != FieldKind::numbers_or_auto || text.find(',') == std::string::npos) return text;
  std::string list = "[";
  for (const std::string_view piece : detail::split(text, ','))
    list += (list.size() > 1 ? ", " : "") + std::string(piece);
  return list + "]";
}

/// Reads a flat JSON object token by token and hands every value to the field's own parser, as the text it was: no
/// number is rounded on the way, and nothing is ever nested deeper than a list.
class OptionReader final : public nlohmann::json_sax<nlohmann::json> {
 public:
  OptionReader(Options& options, std::string_view origin) : options_(options), origin_(origin) {}

  bool start_object(std::size_t) override {
    if (opened_) refuse("nests an object where a value should be", "Options have no inner objects.");
    opened_ = true;
    return true;
  }
  bool end_object() override { return true; }

  bool key(std::string& name) override {
    field_ = find_field(name);
    if (field_ == nullptr) {
      try {
        set_option(options_, name, "");
      } catch (const UsageError& error) {
        throw InputError(origin_ + ": " + error.cause(), error.cure());
      }
    }
    for (const Field* seen : seen_) {
      if (seen == field_) refuse("is given twice", "Keep one of them.");
    }
    seen_.push_back(field_);
    return true;
  }

  bool null() override { return scalar("null", false); }
  bool boolean(bool value) override { return scalar(value ? "true" : "false", field_kind() == FieldKind::boolean); }
  bool number_integer(number_integer_t value) override { return number(std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override { return number(std::to_string(value)); }
  bool number_float(number_float_t, const std::string& token) override {
    std::string text = token;
    for (char& c : text) c = c == ',' ? '.' : c;  // the reader writes the point the way the process's locale does
    return number(text);
  }
  bool string(std::string& text) override {
    const FieldKind kind = field_kind();
    if (in_list_ && kind == FieldKind::texts) {
      list_ += (list_.empty() ? "" : ",") + list_item(text);
      return true;
    }
    const bool word = kind == FieldKind::choice || is_text(kind) || text == "auto";
    if (!word && !in_list_) refuse("cannot be the text \"" + text.substr(0, 60) + "\"", allowed() + " No quotes.");
    return scalar(text, word && !in_list_);
  }
  bool binary(binary_t&) override { return scalar("binary data", false); }

  bool start_array(std::size_t) override {
    const bool listed = field_kind() == FieldKind::numbers_or_auto || field_kind() == FieldKind::texts;
    if (!listed || in_list_) refuse("cannot be a list", allowed());
    in_list_ = true;
    list_.clear();
    return true;
  }
  bool end_array() override {
    in_list_ = false;
    return assign(list_);
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) override {
    std::string reason = error.what();  // "[json.exception…] parse error at line 1, column 2: …"
    if (const auto start = reason.find("parse error"); start != std::string::npos) reason.erase(0, start);
    for (char& c : reason) c = static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    if (reason.size() > 200) reason.resize(200);
    throw InputError(origin_ + " is not valid JSON at byte " + std::to_string(position) + ": " + reason + ".",
                     "Give one JSON object, like the one `rfnn inspect --json` prints under \"options\".");
  }

 private:
  FieldKind field_kind() {
    if (!opened_ || field_ == nullptr) {
      throw InputError(origin_ + " is not a JSON object.",
                       "Give one object, like the one `rfnn inspect --json` prints under \"options\".");
    }
    return field_->kind;
  }

  bool number(const std::string& text) {
    const FieldKind kind = field_kind();
    if (in_list_) {
      list_ += (list_.empty() ? "" : ",") + text;
      return true;
    }
    return scalar(text, kind != FieldKind::boolean && kind != FieldKind::choice && kind != FieldKind::text);
  }

  bool scalar(const std::string& text, bool right_type) {
    field_kind();
    if (!right_type || in_list_) refuse("cannot be " + text.substr(0, 60), allowed());
    return assign(text);
  }

  bool assign(const std::string& text) {
    try {
      field_->parse(*field_, options_, text);
    } catch (const UsageError& error) {
      throw InputError(origin_ + ": " + error.cause(), error.cure());
    }
    return true;
  }

  [[nodiscard]] std::string allowed() const {
    return "Give " + describe_values(*field_) + " (" + std::string(field_->help) + ").";
  }

  [[noreturn]] void refuse(const std::string& what, const std::string& cure) const {
    throw InputError(origin_ + ": " + (field_ ? "option " + std::string(field_->name) + " " : "it ") + what + ".",
                     cure);
  }

  Options& options_;
  std::string origin_;
  const Field* field_ = nullptr;
  std::vector<const Field*> seen_;
  bool opened_ = false;
  bool in_list_ = false;
  std::string list_;
};

}  // namespace

namespace {

template <class Leave>
std::string json_object(const Options& options, int indent, const Leave& leave) {
  const std::string line = indent < 0 ? "" : "\n" + std::string(static_cast<std::size_t>(indent), ' ');
  std::string text = "{";
  for (const Field& row : option_table()) {
    if (leave(row)) continue;
    if (text.size() > 1) text += indent < 0 ? ", " : ",";
    text += line + '"' + std::string(row.name) + "\": " + json_value(row, options);
  }
  return text + (indent < 0 ? "}" : "\n}");
}

}  // namespace

std::string options_to_json(const Options& options, int indent) {
  return json_object(options, indent, [](const Field&) { return false; });
}

std::string options_to_record(const Options& options) {
  const Options defaults = preset_options(options.preset);
  return json_object(options, -1,
                     [&](const Field& row) { return row.newer && row.print(options) == row.print(defaults); });
}

void options_from_json(Options& options, std::string_view json, std::string_view origin) {
  Options read = options;
  OptionReader reader(read, origin);
  nlohmann::json::sax_parse(json.begin(), json.end(), &reader);
  options = read;
}

Preset preset_in_json(std::string_view json, std::string_view origin, Preset otherwise) {
  Options read;
  read.preset = otherwise;
  options_from_json(read, json, origin);
  return read.preset;
}

Options recorded_options(std::string_view json, std::string_view origin) {
  Options options = preset_options(preset_in_json(json, origin, Preset::paper));
  options_from_json(options, json, origin);
  return options;
}

std::string options_to_markdown() {
  const Options automatic = preset_options(Preset::automatic), paper = preset_options(Preset::paper);
  std::string page =
      "# Options\n\n"
      "<!-- Written by `rfnn options --markdown`; a test compares the two. Change src/rfnn/options/table.cpp instead. "
      "-->\n\n"
      "Every option of a training run. On the command line they are flags with hyphens (`--gamma-state 12`); in JSON, "
      "config\n"
      "files and code they have underscores (`gamma_state`). A flag wins over `--config FILE`, and both over the "
      "defaults\n"
      "of the preset: `auto`, which chooses by itself what the data ask for, or `paper`, the published algorithm with\n"
      "exactly L blocks of M iterations. A dash in the column of preset `auto` marks an option that has no effect "
      "there.\n";
  std::vector<std::string_view> groups;
  for (const Field& row : option_table()) {
    bool known = false;
    for (const std::string_view group : groups) known = known || group == row.group;
    if (!known) groups.push_back(row.group);
  }
  for (const std::string_view group : groups) {
    page += "\n## " + std::string(group) + "\n\n| option | auto | paper | values | meaning |\n|---|---|---|---|---|\n";
    for (const Field& row : option_table()) {
      if (row.group != group) continue;
      page += "| `" + flag_name(row) + "` | " + (row.paper_only ? "–" : "`" + row.print(automatic) + "`") + " | `" +
              row.print(paper) + "` | " + describe_values(row) + " | " + std::string(row.help) + " |\n";
    }
  }
  return page;
}

}  // namespace rfnn
