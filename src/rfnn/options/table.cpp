#include "rfnn/options/table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rfnn/core/error.hpp"
#include "rfnn/options/field_values.hpp"
#include "rfnn/options/nearest.hpp"
#include "rfnn/options/number_text.hpp"

namespace rfnn {
namespace {

using detail::CountOrAuto;
using detail::field;
using detail::InputOrAuto;
using detail::MemorySize;
using detail::newer;
using detail::of_paper;
using detail::of_reading;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr Bounds positive{.low = 0.0, .high = infinity, .low_open = true, .high_open = true};
constexpr Bounds not_negative{.low = 0.0, .high = infinity, .high_open = true};
constexpr Bounds from(double low, double high) { return {.low = low, .high = high}; }

constexpr std::string_view network = "Network";
constexpr std::string_view sampling = "Sampling";
constexpr std::string_view least_squares = "Least squares";
constexpr std::string_view data = "Data";
constexpr std::string_view stopping = "Error control";
constexpr std::string_view run = "Run";
constexpr std::string_view reading = "Reading tables";

constexpr std::array table{
    field<&Options::preset>("preset", network, "set of defaults the other options start from"),
    field<&Options::width, CountOrAuto>(
        "width", network, "W, features per branch of a block; with preset auto the most there may be, auto is no bound",
        from(1, 65536)),
    field<&Options::blocks>("blocks", network, "L, the largest number of blocks; 0 is the mean alone", from(0, 100000)),
    field<&Options::members, CountOrAuto>(
        "members", network, "networks trained on seeds of their own and averaged (1 with preset paper)", from(1, 1000)),
    field<&Options::branches>("branches", network,
                              "branches of later blocks: over inputs and state apart, or over both together; auto is "
                              "what held-out rows prefer"),
    field<&Options::refine>("refine", network, "refine each block's frequencies by least squares (preset auto only)"),
    of_paper(field<&Options::iterations>("iterations", sampling, "M, Metropolis-within-Gibbs iterations per block",
                                         from(0, 1e12))),
    of_paper(field<&Options::gamma>("gamma", sampling, "exponent of the acceptance rule, input branch", positive)),
    of_paper(field<&Options::gamma_state>("gamma_state", sampling, "exponent of the acceptance rule, state branch",
                                          positive)),
    of_paper(field<&Options::delta>("delta", sampling, "variance of the proposals, input branch; auto is 2.4²/inputs",
                                    positive)),
    of_paper(field<&Options::delta_state>("delta_state", sampling,
                                          "variance of the proposals, state branch; auto is 2.4²/outputs", positive)),
    field<&Options::ridge>(
        "ridge", least_squares,
        "λ, Tikhonov regularisation per block, the last one given serves all later blocks; auto is from the data",
        not_negative),
    of_paper(field<&Options::initial_spread>("initial_spread", sampling,
                                             "standard deviation of the initial frequencies", positive)),
    of_paper(field<&Options::keep>("keep", sampling, "state of the chain a block ends with: its last or its best")),
    of_paper(field<&Options::state_branch>(
        "state_branch", sampling,
        "frequencies over the state: sampled, or frozen as drawn (the predecessor's method)")),
    of_paper(field<&Options::negative>(
        "negative", sampling,
        "frequencies refused: one of every pair ω, −ω (half-space), or all with a negative component")),
    field<&Options::standardise_inputs>("standardise_inputs", data, "scale inputs to mean 0 and standard deviation 1"),
    field<&Options::standardise_outputs>("standardise_outputs", data,
                                         "scale targets to mean 0 and standard deviation 1"),
    of_paper(field<&Options::burn_in>("burn_in", sampling,
                                      "iterations before accepted frequencies enter the histograms (at most half of M)",
                                      from(0, 1e12))),
    newer(of_paper(field<&Options::draws>("draws", sampling,
                                          "states of each chain after burn-in to keep: error bars and samples of "
                                          "functions come from them; 0 is none",
                                          from(0, 10000)))),
    of_paper(field<&Options::block_rows>("block_rows", data,
                                         "rows a block is fitted to: the same, disjoint parts, or random subsets")),
    of_paper(field<&Options::subset_fraction>("subset_fraction", data,
                                              "share of the rows in each random subset (block-rows subset)",
                                              {.low = 0.0, .high = 1.0, .low_open = true})),
    of_paper(field<&Options::proposal_fraction>(
        "proposal_fraction", data,
        "share of a block's rows that proposals are weighed on; the kept state is solved for on all of them",
        {.low = 0.0, .high = 1.0, .low_open = true})),
    of_paper(field<&Options::solver>("solver", least_squares, "method for the least-squares problems")),
    of_paper(field<&Options::solver_tolerance>("solver_tolerance", least_squares,
                                               "relative residual at which the iterative solver ends",
                                               {.low = 0.0, .high = 1.0, .low_open = true, .high_open = true})),
    of_paper(field<&Options::flat_window>("flat_window", sampling,
                                          "end a block when its best loss was flat over so many iterations; 0 is never",
                                          from(0, 1e12))),
    of_paper(field<&Options::flat_tolerance>("flat_tolerance", sampling,
                                             "relative fall of the loss that still counts as flat",
                                             {.low = 0.0, .high = 1.0, .high_open = true})),
    field<&Options::tolerance>("tolerance", stopping,
                               "stop at this mean squared error (validation rows, or else training rows); 0 is never",
                               not_negative),
    field<&Options::patience>("patience", stopping,
                              "stop after so many blocks without gain and go back to the best; 0 is never",
                              from(0, 100000)),
    field<&Options::validation_fraction>(
        "validation_fraction", stopping,
        "share of the rows held out for validation; of fewer than 1000 auto holds out each once",
        {.low = 0.0, .high = 1.0, .high_open = true}),
    field<&Options::holdout>("holdout", stopping,
                             "which rows are held out: at random, the last ones (to forecast), or stretches in the "
                             "middle (to fill gaps)"),
    field<&Options::holdout_by, InputOrAuto>("holdout_by", stopping,
                                             "input along which holdout tail and gap go, by name or by number among "
                                             "the inputs; auto is the first time, or the first",
                                             from(1, 100000)),
    field<&Options::max_time>("max_time", stopping, "seconds of wall clock for the whole command; 0 is no limit",
                              from(0, 1e9)),
    field<&Options::memory, MemorySize>("memory", run,
                                        "memory the whole command may use; rows that do not fit lie in temporary files",
                                        from(1e6, 1e15)),
    field<&Options::threads>("threads", run, "worker threads, 0 is all there are; results do not depend on it",
                             from(0, 1024)),
    field<&Options::seed>("seed", run, "seed of the random streams", from(0, 0x1p64)),
    of_reading(field<&Options::missing>("missing", reading,
                                        "rows with missing cells: refuse the table, leave them out, or fill in the "
                                        "column's mean")),
    of_reading(field<&Options::missing_values, detail::NoneOrTexts>(
        "missing_values", reading, "words that mark a missing cell, beside an empty one, NA, NaN, null and ?")),
    of_reading(field<&Options::categorical, detail::NoneOrTexts>(
        "categorical", reading, "columns whose values are categories although they are numbers")),
    of_reading(field<&Options::unseen>("unseen", reading,
                                       "levels of a category that training has not seen: refuse them, or take the "
                                       "mean over those seen")),
    of_reading(field<&Options::columns, detail::AllOrTexts>("columns", reading,
                                                            "columns to take as inputs; the others are left out")),
    of_reading(
        field<&Options::header>("header", reading, "is the first line of a text table the names of its columns")),
    of_reading(field<&Options::delimiter, detail::DelimiterMark>(
        "delimiter", reading,
        "what separates the cells of a text table: a character, tab, or space for any white space")),
    of_reading(field<&Options::decimal>("decimal", reading, "decimal mark of the numbers of a text table")),
    of_reading(field<&Options::comment, detail::CommentMark>("comment", reading,
                                                             "text that begins a line to pass over, # say")),
};

static_assert(table.size() == detail::count_members<Options>(), "a member of Options has no row in the table");

constexpr bool names_are_distinct() {
  for (std::size_t i = 0; i < table.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (table[i].name == table[j].name) return false;
    }
  }
  return true;
}
static_assert(names_are_distinct(), "two rows of the table have one name");

/// A name that is settled but not there yet.
constexpr std::string_view reserved_name = "engine";

std::string with_hyphens(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), '_', '-');
  return text;
}

std::string with_underscores(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

/// "a number >= 0 and < 1"
std::string describe_number(const Bounds& bounds) {
  std::string text = "a number " + std::string(bounds.low_open ? "> " : ">= ") + shortest(bounds.low);
  if (bounds.high < infinity) text += std::string(bounds.high_open ? " and < " : " and <= ") + shortest(bounds.high);
  return text;
}

/// Long or unprintable texts are shown shortened.
std::string shown(std::string_view value) {
  std::string text = "\"";
  for (const char c : value.substr(0, 60)) text += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
  return text + (value.size() > 60 ? "…\"" : "\"");
}

/// The published algorithm chooses nothing by itself, and is one network with an input and a state branch.
void check_paper(const Options& options) {
  const auto require = [](bool good, const std::string& cause, const std::string& cure) {
    if (!good) throw UsageError(cause, "Give " + cure + ", or use preset auto.");
  };
  require(options.width != 0, "Preset paper cannot choose the width.", "width a number (the published one is 6)");
  require(!options.ridge.empty(), "Preset paper cannot choose the ridge.",
          "ridge a number (the published one is 1e-4)");
  require(options.members == 1,
          "Preset paper trains one network; members cannot be " + CountOrAuto::print(options.members) + ".",
          "members 1");
  require(options.branches == Branches::input_state,
          "Preset paper has one branch over the inputs and one over the state.", "branches input,state");
  require(!options.refine, "Preset paper does not refine frequencies.", "refine false");
}

/// Rows beyond the others have to be held out for anything to be chosen by them.
void check_holdout(const Options& options) {
  if (options.holdout == Holdout::random || options.validation_fraction > 0.0) return;
  throw UsageError("With validation-fraction 0 no rows are held out: holdout has nothing to choose.",
                   "Give validation-fraction a number above 0, or leave holdout at random.");
}

}  // namespace

namespace detail {

void refuse(const Field& row, std::string_view value) {
  throw UsageError("Option " + flag_name(row) + " cannot be " + shown(value) + ".",
                   "Give " + describe_values(row) + " (" + flag_name(row) + ": " + std::string(row.help) + ").");
}

bool is_plain_text(std::string_view text) {
  constexpr std::size_t longest = 100'000;
  if (text.size() > longest) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto first = static_cast<unsigned char>(text[i]);
    if (first < 0x20) return false;
    const std::size_t more = first < 0x80                    ? 0
                             : first >= 0xC2 && first < 0xE0 ? 1
                             : first >= 0xE0 && first < 0xF0 ? 2
                                                             : 3;
    if (more == 3 && (first < 0xF0 || first > 0xF4)) return false;
    for (std::size_t k = 1; k <= more; ++k) {
      const unsigned next = i + k < text.size() ? static_cast<unsigned char>(text[i + k]) : 0U;
      // The first byte that follows has less room after E0, ED, F0 and F4: no long forms, no surrogates, none too
      // large.
      const unsigned low = k > 1 ? 0x80 : first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
      const unsigned high = k > 1 ? 0xBF : first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
      if (next < low || next > high) return false;
    }
    i += more;
  }
  return true;
}

namespace {

struct Unit {
  std::string_view name;
  double bytes;
};
constexpr std::array<Unit, 9> units{{{"TB", 1e12},
                                     {"GB", 1e9},
                                     {"GiB", 0x1p30},
                                     {"MB", 1e6},
                                     {"MiB", 0x1p20},
                                     {"kB", 1e3},
                                     {"KiB", 0x1p10},
                                     {"TiB", 0x1p40},
                                     {"B", 1.0}}};

bool same_letters(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

// Always with a unit, so that it is seen to be a size; the largest one in which it is a whole number.
std::string MemorySize::print(double bytes) {
  if (bytes == 0.0) return "none";
  for (const Unit& unit : units)
    if (bytes >= unit.bytes && std::floor(bytes / unit.bytes) * unit.bytes == bytes)
      return shortest(bytes / unit.bytes) + std::string(unit.name);
  return shortest(bytes);
}

std::optional<double> MemorySize::parse(std::string_view text) {
  if (text == "none") return 0.0;
  // The number ends where its last digit or point does.
  std::size_t end = text.size();
  while (end > 0 && !(text[end - 1] >= '0' && text[end - 1] <= '9') && text[end - 1] != '.') --end;
  const std::string_view unit = trimmed(text.substr(end));
  const auto number = number_from<double>(text.substr(0, end));
  if (!number || !std::isfinite(*number) || !(*number >= 0.0)) return std::nullopt;
  if (unit.empty()) return std::floor(*number);
  for (const Unit& each : units)
    if (same_letters(unit, each.name) || (each.name.size() > 1 && same_letters(unit, each.name.substr(0, 1))))
      return std::floor(*number * each.bytes);
  return std::nullopt;
}

}  // namespace detail

std::span<const Field> option_table() { return table; }

const Field* find_field(std::string_view name) {
  const std::string wanted = with_underscores(name);
  const auto found = std::find_if(table.begin(), table.end(), [&](const Field& row) { return row.name == wanted; });
  return found == table.end() ? nullptr : &*found;
}

std::string flag_name(const Field& row) { return with_hyphens(row.name); }

std::string describe_values(const Field& row) {
  switch (row.kind) {
    case FieldKind::integer:
    case FieldKind::integer_or_auto: {
      const auto text = [](double bound) {
        return bound >= 0x1p64 ? std::string("2^64 - 1") : std::to_string(static_cast<std::int64_t>(bound));
      };
      return "a whole number from " + text(row.bounds.low) + " to " + text(row.bounds.high) +
             (row.kind == FieldKind::integer_or_auto ? ", or auto" : "");
    }
    case FieldKind::input_or_auto:
      return "the name of an input, its number among the inputs counted from 1, or auto";
    case FieldKind::number:
      return describe_number(row.bounds);
    case FieldKind::number_or_auto:
      return describe_number(row.bounds) + ", or auto";
    case FieldKind::numbers_or_auto:
      return describe_number(row.bounds) + ", several separated by commas, or auto";
    case FieldKind::boolean:
      return "true or false";
    case FieldKind::choice: {
      std::string text;
      for (std::size_t i = 0; i < row.choices.size(); ++i) {
        text += i == 0 ? "" : i + 1 == row.choices.size() ? " or " : ", ";
        text += row.choices[i];
      }
      return text;
    }
    case FieldKind::size:
      return "none, or bytes: 2GB, 500MB, 4GiB, 3e9";
    case FieldKind::text:
      return row.name == "delimiter" ? "auto, tab, space or one character that is in no number" : "none, or a text";
    case FieldKind::texts:
      return row.print(Options{}) + ", or a list separated by commas, names with a comma in double quotes";
  }
  return {};
}

std::string describe_default(const Field& row) {
  const std::string automatic = row.print(preset_options(Preset::automatic)),
                    paper = row.print(preset_options(Preset::paper));
  if (row.paper_only) return paper + ", preset paper only";
  return automatic == paper || row.name == "preset" ? automatic : automatic + "; paper: " + paper;
}

bool is_reserved(std::string_view name) { return with_underscores(name) == reserved_name; }

void set_option(Options& options, std::string_view name, std::string_view text) {
  if (const Field* row = find_field(name)) {
    row->parse(*row, options, text);
    return;
  }
  const std::string wanted = with_underscores(name);
  if (is_reserved(name)) {
    throw UsageError("Option " + with_hyphens(name) + " comes with a later version.", "Leave it out.");
  }
  std::vector<std::string> names;
  for (const Field& row : table) names.emplace_back(row.name);
  const std::string_view near = nearest(wanted, names);
  throw UsageError("There is no option " + shown(with_hyphens(name)) + ".",
                   near.empty() ? "`rfnn options` lists them all." : "Did you mean " + with_hyphens(near) + "?");
}

void validate(const Options& options) {
  for (const Field& row : table) row.check(row, options);
  check_holdout(options);
  if (options.preset == Preset::paper) check_paper(options);
}

Options preset_options(Preset preset) {
  Options options;
  options.preset = preset;
  if (preset == Preset::automatic) return options;
  options.width = 6;
  options.blocks = 10;
  options.members = 1;
  options.branches = Branches::input_state;
  options.refine = false;
  options.ridge = {1e-4};
  options.keep = Keep::last;
  options.standardise_outputs = false;
  options.patience = 0;
  options.validation_fraction = 0.0;
  return options;
}

}  // namespace rfnn
