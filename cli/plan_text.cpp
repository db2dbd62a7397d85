#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/columns.hpp"
#include "cli/command_text.hpp"
#include "cli/fit_plan.hpp"
#include "cli/terminal.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/core/scratch_file.hpp"
#include "rfnn/data/statistics.hpp"
#include "rfnn/io/json.hpp"
#include "rfnn/io/text.hpp"
#include "rfnn/training/memory.hpp"
#include "rfnn/training/ranks/rank_memory.hpp"
#include "rfnn/training/tuning.hpp"

namespace rfnn::cli {
namespace {

using io::Json;

/// An upper bound: every block, every iteration. One solve per proposal and one for the kept state.
double solves(const Options& options) {
  const double per_iteration = options.state_branch == StateBranch::sampled ? 3.0 : 2.0;
  const auto blocks = static_cast<double>(options.blocks);
  if (options.blocks == 0) return 0.0;
  return blocks + static_cast<double>(options.iterations) * (2.0 + per_iteration * (blocks - 1.0));
}

training::MemoryPlan memory_of(const FitPlan& plan, std::size_t constant) {
  const Options& options = plan.facts.options;
  training::RunSizes sizes;
  sizes.rows = plan.facts.rows;
  sizes.validation_rows = plan.facts.validation_rows;
  sizes.inputs = plan.facts.inputs.size() - constant;
  sizes.outputs = plan.facts.targets.size();
  sizes.data_bytes = static_cast<double>(plan.data.bytes + (plan.validation ? plan.validation->bytes : 0));
  for (const TableData* data : {&plan.data, plan.validation ? &*plan.validation : nullptr})
    if (data != nullptr && data->on_disk) sizes.file_bytes += static_cast<double>(data->bytes);
  sizes.threads = thread_count(options.threads);
  if (plan.ranks == 0) return memory_plan(options, sizes);
  const training::MemoryPlan of_rank = rank_plan(options, sizes, plan.ranks);
  return options.preset == Preset::automatic ? gathering_plan(options, sizes) : of_rank;
}

/// Inputs that training will leave out. Nothing where others have rows too.
std::vector<std::string> constant_inputs(const FitPlan& plan) {
  std::vector<std::string> names;
  if (plan.ranks > 1) return names;
  const auto statistics = column_statistics(plan.data.table.view.inputs);
  for (std::size_t i = 0; i < statistics.size(); ++i) {
    if (statistics[i].constant) names.push_back(plan.facts.inputs[i]);
  }
  return names;
}

/// The parts that count.
std::string parts_text(const training::MemoryNeed& memory, bool mapped) {
  const std::pair<std::string_view, double> parts[] = {{mapped ? "data (mapped)" : "data", memory.data},
                                                       {"rows", memory.rows},
                                                       {"features", memory.features},
                                                       {"sums", memory.sums},
                                                       {"solver", memory.solver},
                                                       {"program", memory.program}};
  std::string text;
  for (const auto& [name, bytes] : parts) {
    if (bytes >= 0.005 * memory.total())
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, training::size_text(bytes));
  }
  return text;
}

}  // namespace

std::string automatic_plan(const Options& options) {
  std::vector<std::string> chosen;
  if (options.ridge.empty()) chosen.emplace_back("ridge");
  if (options.width == 0) chosen.emplace_back("width");
  if (options.branches == Branches::automatic) chosen.emplace_back("branches");
  const std::string members = options.members > 1 ? fmt::format("{} members of ", options.members) : "";
  const std::string width = options.width > 0 ? fmt::format(" of width up to {}", options.width) : "";
  std::string text =
      fmt::format("{}up to {}{}", members, io::counted(static_cast<std::size_t>(options.blocks), "block"), width);
  if (chosen.empty()) return text;
  const std::string last = chosen.back();
  chosen.pop_back();
  return fmt::format("{}; {}{}{} chosen on {} rows", text, fmt::join(chosen, ", "), chosen.empty() ? "" : " and ", last,
                     options.validation_fraction > 0.0 ? "held-out" : "validation or training");
}

std::string plan_text(const FitPlan& plan) {
  const io::RunFacts& facts = plan.facts;
  const Options& options = facts.options;
  constexpr std::size_t columns = 80, indent = 10;
  std::string text = fmt::format("data      {}: {}\n", printable(facts.data), io::counted(facts.rows, "row"));
  text +=
      "inputs    " + wrapped(fmt::format("{}: {}", facts.inputs.size(), listed(facts.inputs)), columns, indent) + "\n";
  text += fmt::format("targets   {}: {}\n", facts.targets.size(), listed(facts.targets));
  if (plan.ranks > 0)
    text +=
        options.preset == Preset::automatic
            ? fmt::format("ranks     {}; the first, where the rows that are used are gathered, trains\n", plan.ranks)
            : fmt::format("ranks     {}, each with about {}\n", plan.ranks,
                          io::counted((facts.rows + plan.ranks - 1) / plan.ranks, "row"));
  if (!facts.ignored.empty()) text += fmt::format("left out  {}\n", listed(facts.ignored));
  if (!facts.weight.empty()) text += fmt::format("weight    {}\n", printable(facts.weight));
  for (const std::string& note : plan.notes) text += "columns   " + wrapped(printable(note), columns, indent) + "\n";
  const std::vector<std::string> constant = constant_inputs(plan);
  if (!constant.empty()) {
    text += fmt::format("constant  {} (left out too)\n", listed(constant));
  }
  if (plan.validation)
    text += fmt::format("valid     {}: {}\n", printable(facts.validation), io::counted(facts.validation_rows, "row"));
  text += "options   ";
  const bool automatic = options.preset == Preset::automatic;
  std::string given;
  for (const Field& field : option_table()) {
    if (automatic && field.paper_only) continue;
    given += fmt::format("{}{} {}", given.empty() ? "" : ", ", flag_name(field), field.print(options));
  }
  text += wrapped(given, columns, indent) + "\n";
  if (automatic) {
    text += "work      " + wrapped("preset auto: " + automatic_plan(options), columns, indent) + "\n";
  } else {
    text += fmt::format("work      at most {:.3g} least-squares solves of up to {} unknowns\n", solves(options),
                        options.width * (options.blocks > 1 ? 4 : 2));
  }
  const training::MemoryPlan memory = memory_of(plan, constant.size());
  const std::string need = training::size_text(memory.need.total()), limit = find_field("memory")->print(options);
  const std::string where = plan.ranks == 0 ? "" : automatic ? " on the first rank" : " on each rank";
  text += fmt::format("memory    about {}{}{}: {}\n", need, options.memory > 0.0 ? " of " + limit : "", where,
                      parts_text(memory.need, plan.data.mapped && (plan.ranks == 0 || !automatic)));
  if (memory.on_disk)
    text += fmt::format("disk      rows lie in temporary files in {}: about {}\n", printable(scratch_folder()),
                        training::size_text(memory.disk));
  if (memory.rows < std::min(facts.rows, training::tuning::most_rows))
    text += fmt::format("rows      {} of {}, drawn at random: memory is enough for so many\n", memory.rows, facts.rows);
  text += fmt::format("model     {}\n", printable(facts.model));
  for (const std::string& warning : plan.warnings)
    text += styled(Style::warning, "warning: ") + printable(warning) + "\n";
  return text;
}

std::string plan_json(const FitPlan& plan) {
  const io::RunFacts& facts = plan.facts;
  const std::vector<std::string> constant = constant_inputs(plan);
  const training::MemoryPlan memory_plan = memory_of(plan, constant.size());
  const training::MemoryNeed& memory = memory_plan.need;
  const Json json = {
      {"data", facts.data},
      {"rows", facts.rows},
      {"inputs", facts.inputs},
      {"targets", facts.targets},
      {"ignored", facts.ignored},
      {"weight", facts.weight},
      {"constant", constant},
      {"validation_rows",
       plan.validation || facts.options.validation_fraction == 0.0 ? Json(facts.validation_rows) : Json(nullptr)},
      {"options", io::read_json(options_to_json(facts.options))},
      {"solves", facts.options.preset == Preset::paper ? Json(solves(facts.options)) : Json(nullptr)},
      {"memory_bytes", memory.total()},
      {"memory_is_lower_bound", false},
      {"memory",
       {{"data", memory.data},
        {"rows", memory.rows},
        {"features", memory.features},
        {"sums", memory.sums},
        {"solver", memory.solver},
        {"program", memory.program}}},
      {"rows_used", facts.options.preset == Preset::automatic ? std::min(memory_plan.rows, training::tuning::most_rows)
                                                              : facts.rows},
      {"on_disk", memory_plan.on_disk},
      {"disk_bytes", memory_plan.disk},
      {"mapped", plan.data.mapped},
      {"ranks", plan.ranks > 0 ? Json(plan.ranks) : Json(nullptr)},
      {"model", facts.model},
      {"columns", plan.notes},
      {"warnings", plan.warnings}};
  return io::json_text(json) + "\n";
}

}  // namespace rfnn::cli
