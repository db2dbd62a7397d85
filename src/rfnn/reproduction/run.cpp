#include "rfnn/reproduction/run.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "rfnn/core/error.hpp"
#include "rfnn/core/version.hpp"
#include "rfnn/diagnostics/scores.hpp"
#include "rfnn/options/table.hpp"
#include "rfnn/rows/predict.hpp"
#include "rfnn/training/fit.hpp"

namespace rfnn::reproduction {
namespace {

/// Changes when records no longer mean the same; older ones are then run anew.
constexpr std::int64_t record_schema = 1;

class TaskObserver final : public Observer {
 public:
  explicit TaskObserver(const std::function<bool(double)>& proceed) : proceed_(proceed) {}
  bool progress(const Progress& now) override {
    const double chain =
        now.iterations > 0 ? static_cast<double>(now.iteration) / static_cast<double>(now.iterations) : 0.0;
    const double blocks = static_cast<double>(now.block > 0 ? now.block - 1 : 0) + chain;
    return proceed_(now.blocks > 0 ? blocks / static_cast<double>(now.blocks) : 0.0);
  }

 private:
  const std::function<bool(double)>& proceed_;
};

/// Fills in the errors on the rows `data` of the network's first block.block blocks.
Scores scores_after(std::int64_t block, const Model& model, const Dataset& data) {
  ScoreSum sum(1);
  const PredictOptions options{.blocks = static_cast<std::size_t>(block), .threads = 1};
  sum.add(data.targets.view(), predict(model, data.inputs.view(), options).view());
  return sum.scores();
}

void test(RunBlock& block, const Model& model, const Dataset& rows) {
  const Scores scores = scores_after(block.block, model, rows);
  block.test_mse = scores.mse.front();
  block.max_error = scores.max_error.front();
}

RunBlock block_of(const BlockRecord& record) {
  RunBlock block;
  block.block = record.block;
  block.train_mse = record.train_mse;
  block.seconds = record.seconds;
  for (const BranchRecord& branch : record.branches) {
    if (branch.proposed == 0) continue;  // frozen
    (branch.kind == BranchKind::input ? block.input_acceptance : block.state_acceptance) = branch.acceptance();
  }
  return block;
}

bool train(Run& run, const Options& options, const Dataset& data, const std::function<bool(double)>& proceed) {
  TaskObserver observer(proceed);
  FitExtras extras;
  extras.observer = &observer;
  run.model = fit(data, options, extras);
  run.seconds = run.model.seconds;
  for (const BlockRecord& record : run.model.history.blocks) run.blocks.push_back(block_of(record));
  return run.model.stop_reason != StopReason::interrupted;
}

bool train(Run& run, const baselines::AdamOptions& options, const Dataset& data,
           const std::function<bool(double)>& proceed) {
  baselines::AdamResult result = baselines::train_with_adam(data, options, [&](std::int64_t epoch) {
    return proceed(static_cast<double>(epoch) / static_cast<double>(options.epochs));
  });
  run.model = std::move(result.model);
  run.curve = std::move(result.curve);
  run.seconds = result.seconds;
  if (!result.complete) return false;
  RunBlock block;
  block.block = options.blocks;
  block.train_mse = scores_after(block.block, run.model, data).mse.front();
  if (!std::isfinite(block.train_mse))
    throw NumericalError("Adam diverged: the training error is no longer a number.", "Use a smaller learning rate.");
  block.seconds = result.seconds;
  run.blocks.push_back(block);
  return true;
}

Json json_of(const Options& options) {
  // The names the paper's tables know, and how we read what they leave open; all else is preset `paper`.
  const Json all = io::read_json(options_to_json(options));
  Json json = Json::object();
  for (const char* name : {"preset", "width", "blocks", "iterations", "gamma", "gamma_state", "delta", "delta_state",
                           "ridge", "keep", "state_branch", "negative", "burn_in", "solver", "seed"})
    json[name] = all.at(name);
  return json;
}

Json json_of(const baselines::AdamOptions& options) {
  return {{"width", options.width},
          {"blocks", options.blocks},
          {"epochs", options.epochs},
          {"batch", options.batch},
          {"learning_rate", options.learning_rate},
          {"beta1", options.beta1},
          {"beta2", options.beta2},
          {"epsilon", options.epsilon},
          {"ridge", options.ridge},
          {"initial_spread", options.initial_spread},
          {"seed", options.seed}};
}

}  // namespace

Json json_number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
Json json_number(const std::optional<double>& value) { return value ? json_number(*value) : Json(nullptr); }

std::vector<const Run*> runs_of(std::span<const Run> runs, Target target, std::string_view method) {
  std::vector<const Run*> found;
  for (const Run& run : runs)
    if (run.task.target == target && run.task.method.id == method) found.push_back(&run);
  std::sort(found.begin(), found.end(), [](const Run* a, const Run* b) { return a->task.seed < b->task.seed; });
  return found;
}

std::optional<Run> run_task(const Task& task, const std::function<bool(double)>& proceed) {
  Run run;
  run.task = task;
  run.version = version();
  const Dataset data = training_rows_of(task);
  const bool complete =
      std::visit([&](const auto& options) { return train(run, options, data, proceed); }, task.method.options);
  if (!complete) return std::nullopt;
  const Dataset rows = test_rows_of(task);
  for (RunBlock& block : run.blocks) test(block, run.model, rows);
  return run;
}

Json settings_json(const Task& task) {
  return {{"quick", task.quick},
          {"rows", task.rows},
          {"test_rows", task.test_rows},
          {"training_rows_seed", task.seed},
          {"test_rows_seed", task.seed + most_seeds},
          {task.method.by_adam() ? "adam" : "fit",
           std::visit([](const auto& options) { return json_of(options); }, task.method.options)}};
}

Json to_json(const Run& run) {
  Json json = {{"format", "rfnn-reproduction-run"},
               {"schema", record_schema},
               {"version", run.version},
               {"example", run.task.example()},
               {"method", run.task.method.id},
               {"seed", run.task.seed},
               {"settings", settings_json(run.task)},
               {"seconds", json_number(run.seconds)},
               {"blocks", Json::array()}};
  for (const RunBlock& block : run.blocks)
    json["blocks"].push_back(
        {{"block", block.block},
         {"train_mse", json_number(block.train_mse)},
         {"test_mse", json_number(block.test_mse)},
         {"max_error", json_number(block.max_error)},
         {"acceptance",
          {{"input", json_number(block.input_acceptance)}, {"state", json_number(block.state_acceptance)}}},
         {"seconds", json_number(block.seconds)}});
  if (run.task.method.by_adam()) {
    Json epochs = Json::array(), losses = Json::array(), errors = Json::array();
    for (const baselines::AdamPoint& point : run.curve) {
      epochs.push_back(point.epoch);
      losses.push_back(json_number(point.loss));
      errors.push_back(json_number(point.mse));
    }
    json["curve"] = {{"epoch", std::move(epochs)}, {"loss", std::move(losses)}, {"train_mse", std::move(errors)}};
  }
  return json;
}

Run run_from_json(const Json& json, const Task& task, const std::string& origin) {
  const auto refuse = [&origin](const std::string& why) {
    throw InputError(origin + ": " + why + ".", "Run it anew.");
  };
  if (io::json_value<std::string>(json, "format", origin) != "rfnn-reproduction-run" ||
      io::json_value<std::int64_t>(json, "schema", origin) != record_schema)
    refuse("this is not the record of a run as this version writes it");
  if (io::json_value<std::string>(json, "example", origin) != task.example() ||
      io::json_value<std::string>(json, "method", origin) != task.method.id ||
      io::json_field(json, "settings", origin) != settings_json(task))
    refuse("the run was made with other settings");

  Run run;
  run.task = task;
  run.version = io::json_value<std::string>(json, "version", origin);
  run.seconds = io::json_value<double>(json, "seconds", origin);
  for (const Json& item : io::json_field(json, "blocks", origin)) {
    RunBlock block;
    block.block = io::json_value<std::int64_t>(item, "block", origin);
    block.train_mse = io::json_value<double>(item, "train_mse", origin);
    block.test_mse = io::json_value<double>(item, "test_mse", origin);
    block.max_error = io::json_value<double>(item, "max_error", origin);
    const Json& acceptance = io::json_field(item, "acceptance", origin);
    block.input_acceptance = io::json_value<std::optional<double>>(acceptance, "input", origin);
    block.state_acceptance = io::json_value<std::optional<double>>(acceptance, "state", origin);
    block.seconds = io::json_value<double>(item, "seconds", origin);
    run.blocks.push_back(block);
  }
  if (run.blocks.empty()) refuse("the record has no blocks");
  if (task.method.by_adam()) {
    const Json& curve = io::json_field(json, "curve", origin);
    const auto epochs = io::json_value<std::vector<std::int64_t>>(curve, "epoch", origin);
    const auto losses = io::json_value<std::vector<double>>(curve, "loss", origin);
    const auto errors = io::json_value<std::vector<double>>(curve, "train_mse", origin);
    if (losses.size() != epochs.size() || errors.size() != epochs.size())
      refuse("the lists of its curve are of different lengths");
    for (std::size_t i = 0; i < epochs.size(); ++i) run.curve.push_back({epochs[i], losses[i], errors[i]});
  }
  return run;
}

}  // namespace rfnn::reproduction
