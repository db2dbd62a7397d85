#include "cli/cv_text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/columns.hpp"
#include "cli/command_text.hpp"
#include "cli/errors_text.hpp"
#include "cli/terminal.hpp"
#include "rfnn/io/json.hpp"

namespace rfnn::cli {
namespace {

using io::Json;

constexpr std::size_t most_lines = 50;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

std::string cell(double value) { return std::isfinite(value) ? fmt::format("{:.4g}", value) : "-"; }

std::string line_of(const std::string& name, const assessment::CrossErrors& errors) {
  return fmt::format("{:<12}{:>24}{:>14}{:>12}\n", name, with_spread(errors.mse, errors.standard_error),
                     cell(std::sqrt(errors.mse)), cell(errors.r2));
}

}  // namespace

bool CrossResult::complete() const { return std::find(done.begin(), done.end(), false) == done.end(); }

std::string cross_text(const CrossResult& result) {
  const std::string what =
      fmt::format("{}, {}, target{} {}; {}", io::counted(result.table_rows, "row"), io::counted(result.inputs, "input"),
                  result.targets.size() == 1 ? "" : "s", listed(result.targets), result.folds_of);
  std::string text =
      wrapped(printable(result.data), result_width(), 2) + "\n" + wrapped(what, result_width(), 2) + "\n\n";
  text += fmt::format("{:<12}{:>24}{:>14}{:>12}\n", "", "mse ± standard error", "rmse", "r2");
  text += line_of("network", result.network);
  for (const auto& [name, errors] : result.baselines) text += line_of(name, errors);
  if (result.targets.size() > 1) {
    text += fmt::format("\n{:<24}{:>14}{:>14}\n", "output (network)", "mse", "r2");
    for (std::size_t o = 0; o < result.targets.size(); ++o)
      text += fmt::format("{}{:>14}{:>14}\n", name_cell(result.targets[o], 24), cell(result.network.output_mse[o]),
                          cell(result.network.output_r2[o]));
  }
  if (result.folds.size() > most_lines)
    return text + fmt::format("\n{} folds; --json has the error of each.\n", result.folds.size());
  text += fmt::format("\nmse of each fold\n{:<6}{:>9}{:>12}", "fold", "rows", "network");
  for (const auto& [name, errors] : result.baselines) text += fmt::format("{:>12}", name);
  text += "\n";
  for (std::size_t fold = 0; fold < result.folds.size(); ++fold) {
    if (!result.done[fold]) continue;
    const std::string label = result.repeats > 1
                                  ? fmt::format("{}.{}", fold / result.folds_each + 1, fold % result.folds_each + 1)
                                  : std::to_string(fold + 1);
    text += fmt::format("{:<6}{:>9}{:>12}", label, result.folds[fold].test.size(), cell(result.network.fold_mse[fold]));
    for (const auto& [name, errors] : result.baselines) text += fmt::format("{:>12}", cell(errors.fold_mse[fold]));
    text += "\n";
  }
  return text;
}

std::string cross_json(const CrossResult& result) {
  Json folds = Json::array();
  for (std::size_t fold = 0; fold < result.folds.size(); ++fold) {
    if (!result.done[fold]) continue;
    Json simple = Json::object();
    for (const auto& [name, errors] : result.baselines) simple[name] = number(errors.fold_mse[fold]);
    folds.push_back({{"repeat", fold / result.folds_each + 1},
                     {"fold", fold % result.folds_each + 1},
                     {"rows", result.folds[fold].test.size()},
                     {"train_rows", result.folds[fold].train.size()},
                     {"mse", number(result.network.fold_mse[fold])},
                     {"baselines", simple},
                     {"seconds", result.seconds[fold]}});
  }
  Json simple = Json::object(), errors_of = Json::object(), explained = Json::object();
  for (const auto& [name, errors] : result.baselines) {
    simple[name] = number(errors.mse);
    errors_of[name] = number(errors.standard_error);
    explained[name] = number(errors.r2);
  }
  Json outputs = Json::array();
  for (std::size_t o = 0; o < result.targets.size(); ++o)
    outputs.push_back({{"name", result.targets[o]},
                       {"mse", o < result.network.output_mse.size() ? number(result.network.output_mse[o]) : Json()},
                       {"r2", o < result.network.output_r2.size() ? number(result.network.output_r2[o]) : Json()}});
  const Json json = {{"rows", result.network.rows},
                     {"mse", number(result.network.mse)},
                     {"standard_error", number(result.network.standard_error)},
                     {"r2", number(result.network.r2)},
                     {"complete", result.complete()},
                     {"method", result.folds_of},
                     {"folds", folds},
                     {"baselines", simple},
                     {"baselines_standard_error", errors_of},
                     {"baselines_r2", explained},
                     {"outputs", outputs},
                     {"seconds", result.elapsed}};
  return io::json_text(json) + "\n";
}

}  // namespace rfnn::cli
