#include "cli/fit_base.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "cli/terminal.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/io/model_file.hpp"

namespace rfnn::cli {
namespace {

std::optional<std::size_t> place_of(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - names.begin()));
}

Base base_columns(const FitArguments& arguments, const std::vector<std::string>& inputs, const Layout& layout) {
  std::vector<std::string> names;
  for (const std::string& list : arguments.base_columns)
    for (const std::string& name : split_names(list, inputs)) names.push_back(name);
  if (names.size() != layout.targets.size())
    throw UsageError(fmt::format("--base-column names {} for {}.", io::counted(names.size(), "column"),
                                 io::counted(layout.targets.size(), "target")),
                     "Name one per target, in their order.");
  Base base;
  std::vector<std::string> numbers, others;
  for (const ColumnCode& column : layout.code.inputs)
    (column.kind == ColumnKind::number ? numbers : others).push_back(column.name);
  const std::string cure = numbers.empty() ? "No input is a column of numbers, which a base has to be."
                                           : fmt::format("Name one of numbers: {}.", listed(numbers));
  for (const std::string& name : names) {
    const auto place = place_of(inputs, name);
    if (!place)
      throw UsageError(fmt::format("--base-column names {}, which {}.", printable(name),
                                   place_of(others, name) ? "holds no numbers" : "is no input"),
                       cure);
    base.inputs.push_back(*place);
  }
  return base;
}

std::vector<std::string> names_of_targets(const Model& model) {
  std::vector<std::string> names;
  for (const Column& target : model.targets) names.push_back(target.name);
  return names;
}

/// Are all targets among those of the base?
bool learns_all_named(const Model& base, const Layout& layout) {
  const std::vector<std::string> names = names_of_targets(base);
  return std::all_of(layout.targets.begin(), layout.targets.end(),
                     [&](const Column& target) { return place_of(names, target.name).has_value(); });
}

}  // namespace

std::shared_ptr<const Model> base_given(const FitArguments& arguments) {
  if (arguments.base && !arguments.base_columns.empty())
    throw UsageError("Both --base and --base-column were given.", "Give one of the two.");
  if (arguments.from && (arguments.base || !arguments.base_columns.empty()))
    throw UsageError("--from goes on from a model, which keeps the base it has.",
                     "Leave --base and --base-column out, or begin anew without --from.");
  return arguments.base ? std::make_shared<const Model>(load_model(*arguments.base)) : nullptr;
}

Matched columns_of_base(const FitArguments& arguments, const TableReader& table, const Model& base, Layout& layout) {
  const Choice choice = choose_columns(table, arguments.targets, arguments.ignored, arguments.weight);
  layout = layout_of(base);
  layout.targets = layout_of(table, choice).targets;
  layout.table_columns = table.names().size();
  layout.code.targets.clear();
  for (const Column& target : layout.targets)
    layout.code.targets.push_back({.name = target.name, .position = target.position});
  Matched matched = match_columns(table, layout, true);
  for (std::size_t k = 0; k < matched.inputs.size(); ++k) {
    const std::size_t place = matched.inputs[k].value_or(0);
    layout.inputs[k].position = layout.code.inputs[k].position = place;
  }
  if (choice.weight) {
    matched.weight = choice.weight;
    layout.weight = layout_of(table, choice).weight;
  }
  return matched;
}

std::optional<Base> base_of(const FitArguments& arguments, std::shared_ptr<const Model> model,
                            const std::vector<std::string>& inputs, const Layout& layout) {
  if (!arguments.base_columns.empty()) return base_columns(arguments, inputs, layout);
  if (!model) return std::nullopt;
  if (model->outputs() != layout.targets.size())
    throw InputError(
        fmt::format("{} predicts {}, --target names {}.", printable(*arguments.base),
                    io::counted(model->outputs(), "column"), layout.targets.size()),
        model->outputs() > layout.targets.size() && learns_all_named(*model, layout)
            ? fmt::format("A base is a whole network: give --target {}, or a base for these targets alone.",
                          fmt::join(names_of_targets(*model), ","))
            : "Give a base for the same targets.");
  const std::vector<std::string> targets = names_of_targets(*model);
  for (std::size_t o = 0; o < targets.size(); ++o)
    if (learns_all_named(*model, layout) && targets[o] != layout.targets[o].name)
      throw InputError(fmt::format("{} predicts {} in this order, --target names them in another one.",
                                   printable(*arguments.base), listed(targets)),
                       fmt::format("Give --target {}.", fmt::join(targets, ",")));
  Base base;
  std::vector<std::string> missing;
  const bool by_place = (!layout.named || !model->named_columns) && model->inputs.size() == inputs.size();
  for (std::size_t k = 0; k < model->inputs.size(); ++k) {
    const std::string& name = model->inputs[k].name;
    const auto place = by_place ? std::optional(k) : place_of(inputs, name);
    if (!place) missing.push_back(name);
    base.inputs.push_back(place.value_or(0));
  }
  if (!missing.empty())
    throw InputError(
        fmt::format("The base {} needs {}, which the inputs have not.", printable(*arguments.base), listed(missing)),
        fmt::format("The inputs are {}.", listed(inputs)));
  base.model = std::move(model);
  return base;
}

}  // namespace rfnn::cli
