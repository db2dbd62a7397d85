#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "rfnn/core/export.hpp"
#include "rfnn/options/options.hpp"

namespace rfnn {

/// How a field's value looks in JSON: a bare token, a quoted word, or a list. `size` is a number of bytes or a text
/// with its unit, `text` any text, `texts` a list of them as one text, separated by commas; JSON may have a list there.
enum class FieldKind {
  integer,
  integer_or_auto,
  input_or_auto,
  number,
  number_or_auto,
  numbers_or_auto,
  boolean,
  choice,
  size,
  text,
  texts
};

/// The values allowed: from `low` to `high`, an open end left out.
struct Bounds {
  double low = 0.0;
  double high = 0.0;
  bool low_open = false;
  bool high_open = false;
};

/// One row of the option table. Command-line flags, help, config files, the JSON inside a model file, the
/// generated docs page and the parameters in Python all derive from these rows.
struct Field {
  std::string_view name;   ///< underscores; `flag_name` has hyphens
  std::string_view group;  ///< heading it stands under in help and docs
  FieldKind kind;
  std::string_view help;                      ///< one line, lower case start, no full stop
  Bounds bounds;                              ///< of numbers and integers
  std::span<const std::string_view> choices;  ///< words of a choice, hyphenated
  std::string (*print)(const Options&);       ///< text form: `5.76`, `auto`, `1e-4,1e-6`, `half-space`, `true`
  /// Sets the value from its text form; throws UsageError naming field, value, bound and help.
  void (*parse)(const Field&, Options&, std::string_view text);
  /// Throws UsageError when the value held is out of bounds.
  void (*check)(const Field&, const Options&);
  bool paper_only = false;  ///< has no effect but with preset paper
  bool reading = false;     ///< says how a table is read, not how a network is trained
  bool newer = false;       ///< versions that read the model files of this one may not know it
};

/// All fields, in the order of the struct.
RFNN_API std::span<const Field> option_table();

/// The row of a name written with hyphens or underscores; nullptr when there is none.
RFNN_API const Field* find_field(std::string_view name);

/// The name as a command-line flag without dashes in front: hyphens for underscores.
RFNN_API std::string flag_name(const Field& field);

/// What may be given, in words: "a number > 0, or auto", "half-space or component", …
RFNN_API std::string describe_values(const Field& field);

/// The default in words: "30; paper: 10" where the presets differ, "5000, preset paper only".
RFNN_API std::string describe_default(const Field& field);

/// Sets one option by name (the preset too: the other options then stay as they are); throws UsageError for an unknown
/// name (with the nearest one) or a bad value.
RFNN_API void set_option(Options& options, std::string_view name, std::string_view text);

/// Is the name settled for an option that comes with a later version? set_option says so when it refuses it.
RFNN_API bool is_reserved(std::string_view name);

/// Checks every bound and the relations between fields; throws UsageError. fit() calls it.
RFNN_API void validate(const Options& options);

/// One JSON object with every option, in table order; reads back exactly.
RFNN_API std::string options_to_json(const Options& options, int indent = -1);

/// The same for a file that older versions are to read: newer options only where they say something.
RFNN_API std::string options_to_record(const Options& options);

/// Sets the options named in a JSON object, the others stay. `origin` names the text in errors (a file, say).
/// Throws InputError: malformed JSON, unknown or repeated names, bad values; the options are then as they were.
RFNN_API void options_from_json(Options& options, std::string_view json, std::string_view origin);

/// The preset that a JSON object of options names, or `otherwise`. Throws like options_from_json.
RFNN_API Preset preset_in_json(std::string_view json, std::string_view origin, Preset otherwise);

/// The options of a record that once were complete (in a model file, say): what it leaves out was not there yet when it
/// was written and has the default of its preset, paper where it names none. Throws like options_from_json.
RFNN_API Options recorded_options(std::string_view json, std::string_view origin);

/// The Markdown page of all options.
RFNN_API std::string options_to_markdown();

}  // namespace rfnn
