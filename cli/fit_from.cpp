#include "cli/fit_from.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "cli/terminal.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/report/run_rows.hpp"

namespace rfnn::cli {

Options options_to_start_from(Preset preset, const Model* start) {
  Options options = preset_options(preset);
  if (start == nullptr) return options;
  if (start->options.preset != preset) {  // the table is still to be read as the model's was
    for (const Field& field : option_table())
      if (field.reading) field.parse(field, options, field.print(start->options));
    return options;
  }
  const Options usual = options;
  options = start->options;
  options.max_time = usual.max_time;
  options.threads = usual.threads;
  return options;
}

void count_blocks(ChosenOptions& chosen, const std::string& from) {
  const auto there = static_cast<std::int64_t>(chosen.start->blocks());
  const bool given = std::find(chosen.given.begin(), chosen.given.end(), "blocks") != chosen.given.end();
  if (!given) chosen.options.blocks += there;
  if (chosen.options.blocks <= there)
    throw UsageError(fmt::format("{} has {} already, and --blocks {} counts them.", printable(from),
                                 io::counted(static_cast<std::size_t>(there), "block"), chosen.options.blocks),
                     fmt::format("Give more than {}, or leave --blocks out to add as many again.", there));
}

Matched columns_to_go_on(const FitArguments& arguments, const TableReader& table, const Model& start, Layout& layout) {
  layout = layout_of(start);
  std::vector<std::string> known;
  for (const Column& target : layout.targets) known.push_back(target.name);
  if (!arguments.targets.empty() &&
      fmt::format("{}", fmt::join(arguments.targets, ",")) != fmt::format("{}", fmt::join(known, ",")))
    throw UsageError(fmt::format("{} predicts {}; --target says {}.", printable(*arguments.from), listed(known),
                                 listed(arguments.targets)),
                     "Leave --target out: the columns are those of the model.");
  if (!arguments.ignored.empty())
    throw UsageError("--ignore has no use with --from: the columns are those of the model.", "Leave --ignore out.");
  for (const auto& [field, text] : arguments.given)
    if (field->name == "columns" || field->name == "categorical")
      throw UsageError(
          fmt::format("--{} has no use with --from: the columns are those of the model.", flag_name(*field)),
          fmt::format("Leave --{} out.", flag_name(*field)));
  Matched matched = match_columns(table, layout, true);
  if (arguments.weight) {
    matched.weight = find_column(table.names(), *arguments.weight, table.origin());
    layout.weight = Column{};
    layout.weight->name = table.names()[*matched.weight];
    layout.weight->position = *matched.weight;
  }
  return matched;
}

std::optional<std::string> rows_seen_before(const FitArguments& arguments, const Model& start,
                                            const DatasetView& data) {
  if (arguments.validation || !report::fitted_to_all_rows(start) ||
      fingerprint(data.inputs, data.targets) != start.data_fingerprint)
    return std::nullopt;
  return "the network to go on from was fitted to all of these rows: it has seen those that are held out now, and the "
         "error on them is too small. Give other rows by --valid.";
}

}  // namespace rfnn::cli
