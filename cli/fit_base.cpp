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
  for (const std::string& name : names) {
    const auto place = place_of(inputs, name);
    if (!place)
      throw UsageError(fmt::format("--base-column names {}, which is no input.", printable(name)),
                       fmt::format("Name one of the inputs: {}.", listed(inputs)));
    base.inputs.push_back(*place);
  }
  return base;
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
    throw InputError(fmt::format("{} predicts {}, --target names {}.", printable(*arguments.base),
                                 io::counted(model->outputs(), "column"), layout.targets.size()),
                     "Give a base for the same targets.");
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
