#include "rfnn/training/fit.hpp"

#include <cmath>
#include <functional>
#include <memory>

#include <fmt/format.h>

#include "rfnn/core/error.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/data/split.hpp"
#include "rfnn/diagnostics/rate.hpp"
#include "rfnn/options/table.hpp"
#include "rfnn/rows/engine.hpp"
#include "rfnn/sampling/gibbs.hpp"
#include "rfnn/training/automatic.hpp"
#include "rfnn/training/error_control.hpp"
#include "rfnn/training/facts.hpp"
#include "rfnn/training/prepare.hpp"
#include "rfnn/training/supervision.hpp"

namespace rfnn {
namespace {

/// Block 1 sees the inputs; later blocks also the state.
BlockPlan plan_block(std::int64_t number, const Options& options, const Model& model) {
  const std::size_t inputs = model.used_inputs(), outputs = model.outputs();
  // The variance 2.4²/d is the optimal one of a random walk in d dimensions.
  const auto step = [](const NumberOrAuto& variance, std::size_t dimension) {
    return std::sqrt(variance.value_or(2.4 * 2.4 / static_cast<double>(dimension)));
  };
  BlockPlan plan;
  plan.number = number;
  plan.lambda = options.ridge_of(number);
  for (const double sd : model.scaler.output_sd) plan.output_variance.push_back(sd * sd);

  const auto width = static_cast<std::size_t>(options.width);
  const auto block = static_cast<std::uint64_t>(number);
  BranchPlan input{
      .shape = {BranchKind::input, width}, .variables = inputs, .moves = {}, .variable_names = {}, .units = {}};
  input.moves = {options.seed, block, 0, options.gamma, step(options.delta, inputs), options.negative, false};
  for (const Column& column : model.inputs)
    if (column.used) input.variable_names.push_back(column.name);
  for (const double sd : model.scaler.input_sd) input.units.push_back(1.0 / sd);
  plan.branches.push_back(std::move(input));
  if (number == 1) return plan;

  BranchPlan state{
      .shape = {BranchKind::state, width}, .variables = outputs, .moves = {}, .variable_names = {}, .units = {}};
  state.moves = {options.seed,
                 block,
                 1,
                 options.gamma_state,
                 step(options.delta_state, outputs),
                 options.negative,
                 options.state_branch == StateBranch::frozen};
  for (const Column& column : model.targets) state.variable_names.push_back(column.name);
  for (const double sd : model.scaler.output_sd) state.units.push_back(1.0 / sd);
  plan.branches.push_back(std::move(state));
  return plan;
}

/// Standardised squared errors per output → mean over outputs in the target's units.
double error_in_target_units(const Eigen::VectorXd& errors, const std::vector<double>& output_sd) {
  double sum = 0.0;
  for (std::size_t o = 0; o < output_sd.size(); ++o)
    sum += output_sd[o] * output_sd[o] * errors(static_cast<Eigen::Index>(o));
  return sum / static_cast<double>(output_sd.size());
}

/// Does what completes a block. A run that was told to stop gets half a second for it.
bool in_time_left(Interrupt& interrupt, const std::function<bool(Interrupt&)>& work) {
  const auto limit = Clock::now() + std::chrono::milliseconds(500);
  Interrupt grace([limit] { return Clock::now() < limit; });
  return work(interrupt.stopped() ? grace : interrupt);
}

/// Adds the block to the state of all rows and notes the errors. Without that pass the training error is the chain's
/// own and the validation error stays unknown.
void join_block(Engine& engine, const Model& model, SampledBlock& sampled, Interrupt& interrupt) {
  if (!in_time_left(interrupt, [&](Interrupt& left) { return engine.advance(sampled.block, left); })) return;
  const StateErrors errors = engine.errors();
  sampled.record.train_mse = error_in_target_units(errors.train, model.scaler.output_sd);
  if (errors.validation.size() > 0)
    sampled.record.validation_mse = error_in_target_units(errors.validation, model.scaler.output_sd);
}

/// The model as it stands: the blocks worth keeping, and why training ended.
void conclude(Model& model, const ErrorControl& control, StopReason reason, double elapsed) {
  model.members.front().blocks.resize(static_cast<std::size_t>(control.blocks_to_keep()));
  model.stop_reason = reason;
  model.stop_text = control.words(reason, elapsed);
  model.history.rate_slope = rate_slope(model.history.blocks);
  model.seconds = elapsed;
}

/// The blocks trained so far and what is known about them.
void go_on_from(const Model& start, Model& model) {
  if (start.members.size() != 1)
    throw UsageError("The network to go on from has " + std::to_string(start.members.size()) + " members.",
                     "Preset paper trains one network: go on with preset auto.");
  model.members = start.members;
  for (const BlockRecord& record : start.history.blocks)
    if (is_kept(start, record)) model.history.blocks.push_back(record);
}

Model fit_as_published(const DatasetView& data, const Options& options, const FitExtras& extras) {
  Supervision supervision(options, extras);
  Interrupt interrupt([&] { return supervision.poll(); });

  Model model;
  model.options = options;
  model.members.resize(1);
  if (extras.start != nullptr) go_on_from(*extras.start, model);
  // What goes over all rows without looking at the interrupt goes to another thread where it takes long.
  constexpr std::size_t many_numbers = 1000000;
  const bool large = data.rows() * (data.inputs.size() + data.targets.size()) > many_numbers;
  const auto attend = [&](const std::function<void()>& work) { large ? watch(work, interrupt) : work(); };

  PreparedRows rows;
  attend([&] { rows = prepare(data, options, extras, model); });
  model.facts = facts_of_this_run(options);
  if (extras.observer != nullptr)
    for (const std::string& warning : model.warnings) extras.observer->warning(warning);

  ErrorControl control(options, model.history);
  std::optional<StopReason> stop = control.at_start();
  if (!rows.target_varies)
    stop = StopReason::constant_target;
  else if (model.used_inputs() == 0)
    stop = StopReason::no_inputs;
  else if (options.blocks == 0)
    stop = StopReason::all_blocks;
  if (stop) {
    conclude(model, control, *stop, supervision.elapsed());
    return model;
  }

  std::unique_ptr<Engine> engine;
  attend([&] {
    engine = make_engine(EngineKind::direct, rows.train, rows.validation, static_cast<std::size_t>(options.threads));
  });
  if (extras.rows_per_block.empty()) rows.forget_lists();  // the engine has what it needs
  model.facts["seconds_preparing"] = fmt::format("{:.6f}", supervision.elapsed());
  const auto trained = static_cast<std::int64_t>(model.blocks());
  if (trained > 0) {
    Interrupt never;  // without its blocks the network is nothing to go on from
    for (const Block& block : model.members.front().blocks) attend([&] { engine->advance(block, never); });
    const StateErrors errors = engine->errors();
    const Eigen::VectorXd& watched = errors.validation.size() > 0 ? errors.validation : errors.train;
    stop = control.go_on(trained, error_in_target_units(watched, model.scaler.output_sd));
  }
  for (std::int64_t number = trained + 1; !stop; ++number) {
    const auto began = Clock::now();
    const BlockPlan plan = plan_block(number, options, model);
    supervision.begin_block(number, plan.moving(), model.history);
    attend([&] {
      engine->begin_block(plan.shapes(),
                          proposal_rows(options.proposal_fraction, rows.train.count(),
                                        rows_of_block(number, rows, options, extras), number, options.seed));
    });
    std::optional<SampledBlock> sampled = sample_block(*engine, plan, options, interrupt, supervision.chain);
    if (!sampled) {  // nothing was solved for yet
      stop = supervision.reason();
      break;
    }
    if (options.proposal_fraction < 1.0) {
      attend([&] { engine->begin_block(plan.shapes(), rows_of_block(number, rows, options, extras)); });
      in_time_left(interrupt, [&](Interrupt& left) { return solve_block(*engine, plan, options, *sampled, left); });
    }
    join_block(*engine, model, *sampled, interrupt);
    supervision.end_block();
    sampled->record.seconds = seconds_between(began, Clock::now());
    model.members.front().blocks.push_back(std::move(sampled->block));
    model.history.blocks.push_back(std::move(sampled->record));
    const BlockRecord& record = model.history.blocks.back();

    stop = control.after(record);
    if (interrupt.stopped() && stop != StopReason::tolerance && !(stop == StopReason::all_blocks && record.complete))
      stop = supervision.reason();
    if (extras.observer != nullptr && !extras.observer->block_done(record) && !stop) stop = StopReason::interrupted;
    if (extras.checkpoint && !stop) {
      Model so_far = model;
      conclude(so_far, control, StopReason::interrupted, supervision.elapsed());
      extras.checkpoint(so_far);
    }
  }
  conclude(model, control, *stop, supervision.elapsed());
  return model;
}

}  // namespace

Model fit(const DatasetView& data, const Options& options, const FitExtras& extras) {
  validate(options);
  return options.preset == Preset::automatic ? fit_automatically(data, options, extras)
                                             : fit_as_published(data, options, extras);
}

}  // namespace rfnn
