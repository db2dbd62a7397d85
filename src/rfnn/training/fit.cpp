#include "rfnn/training/fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rfnn/core/error.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/diagnostics/rate.hpp"
#include "rfnn/options/table.hpp"
#include "rfnn/rows/engine.hpp"
#include "rfnn/sampling/gibbs.hpp"
#include "rfnn/training/error_control.hpp"
#include "rfnn/training/facts.hpp"
#include "rfnn/training/prepare.hpp"

namespace rfnn {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_between(Clock::time_point from, Clock::time_point to) { return std::chrono::duration<double>(to - from).count(); }

/// The clock, the budget and the observer of one run: what the interrupt asks between tiles of rows.
class Supervision {
 public:
  Supervision(const Options& options, const FitExtras& extras)
      : options_(options), observer_(extras.observer), began_(Clock::now()), started_(extras.started.value_or(began_)) {
    // A little of the budget is left for the last pass over the validation rows and for writing the model.
    const double reserve = std::min(0.05 * options.max_time, 0.25);
    if (options.max_time > 0.0)
      deadline_ = started_ + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.max_time - reserve));
  }

  bool poll() {
    const auto now = Clock::now();
    if (deadline_ && now >= *deadline_) return stop(StopReason::out_of_time);
    if (observer_ == nullptr) return true;
    where_.iteration = chain.iteration;
    where_.acceptance = chain.acceptance;
    where_.loss = chain.loss;
    where_.elapsed = seconds_between(began_, now);
    where_.remaining = remaining(now);
    return observer_->progress(where_) || stop(StopReason::interrupted);
  }

  void begin_block(std::int64_t block, std::size_t moving, const History& history) {
    where_.block = block;
    where_.blocks = options_.blocks;
    where_.iterations = options_.iterations;
    const bool first = history.blocks.empty();
    where_.previous_train_mse = first ? history.empty_train_mse : history.blocks.back().train_mse;
    where_.previous_validation_mse = first ? history.empty_validation_mse : history.blocks.back().validation_mse;
    chain = {0, 0.0, std::numeric_limits<double>::quiet_NaN()};
    moving_ = static_cast<double>(moving);
  }
  void end_block() { work_done_ += moving_ * static_cast<double>(chain.iteration); }

  bool stop(StopReason reason) {
    if (!reason_) reason_ = reason;
    return false;
  }
  [[nodiscard]] StopReason reason() const { return reason_.value_or(StopReason::interrupted); }
  [[nodiscard]] double elapsed() const { return seconds_between(began_, Clock::now()); }

  ChainProgress chain;

 private:
  // Work counts branch moves: block 1 has one moving branch, later blocks mostly two.
  [[nodiscard]] std::optional<double> remaining(Clock::time_point now) const {
    const double later = options_.state_branch == StateBranch::sampled ? 2.0 : 1.0;
    const double done = work_done_ + moving_ * static_cast<double>(chain.iteration);
    const double total = static_cast<double>(options_.iterations) * (1.0 + later * static_cast<double>(options_.blocks - 1));
    std::optional<double> left;
    if (done > 0.0) left = seconds_between(began_, now) * std::max(0.0, total / done - 1.0);
    if (deadline_) left = std::min(left.value_or(std::numeric_limits<double>::infinity()), seconds_between(now, *deadline_));
    return left;
  }

  const Options& options_;
  Observer* observer_;
  Clock::time_point began_, started_;
  std::optional<Clock::time_point> deadline_;
  std::optional<StopReason> reason_;
  Progress where_;
  double moving_ = 1.0, work_done_ = 0.0;
};

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
  BranchPlan input{{BranchKind::input, width}, inputs, {options.seed, block, 0, options.gamma, step(options.delta, inputs), options.negative, false}, {}, {}};
  for (const Column& column : model.inputs)
    if (column.used) input.variable_names.push_back(column.name);
  for (const double sd : model.scaler.input_sd) input.units.push_back(1.0 / sd);
  plan.branches.push_back(std::move(input));
  if (number == 1) return plan;

  BranchPlan state{{BranchKind::state, width}, outputs, {options.seed, block, 1, options.gamma_state, step(options.delta_state, outputs), options.negative, options.state_branch == StateBranch::frozen}, {}, {}};
  for (const Column& column : model.targets) state.variable_names.push_back(column.name);
  for (const double sd : model.scaler.output_sd) state.units.push_back(1.0 / sd);
  plan.branches.push_back(std::move(state));
  return plan;
}

/// Standardised squared errors per output → mean over outputs in the target's units.
double in_target_units(const Eigen::VectorXd& errors, const std::vector<double>& output_sd) {
  double sum = 0.0;
  for (std::size_t o = 0; o < output_sd.size(); ++o) sum += output_sd[o] * output_sd[o] * errors(static_cast<Eigen::Index>(o));
  return sum / static_cast<double>(output_sd.size());
}

/// Adds the block to the state of all rows and notes the errors. A run that was told to stop gets half a second for it: without
/// that pass the training error is the chain's own and the validation error stays unknown.
void join_block(Engine& engine, const Model& model, SampledBlock& sampled, Interrupt& interrupt) {
  const auto limit = Clock::now() + std::chrono::milliseconds(500);
  Interrupt grace([limit] { return Clock::now() < limit; });
  if (!engine.advance(sampled.block, interrupt.stopped() ? grace : interrupt)) return;
  const StateErrors errors = engine.errors();
  sampled.record.train_mse = in_target_units(errors.train, model.scaler.output_sd);
  if (errors.validation.size() > 0) sampled.record.validation_mse = in_target_units(errors.validation, model.scaler.output_sd);
}

/// The model as it stands: the blocks worth keeping, and why training ended.
void conclude(Model& model, const ErrorControl& control, StopReason reason, double elapsed) {
  model.members.front().blocks.resize(static_cast<std::size_t>(control.blocks_to_keep()));
  model.stop_reason = reason;
  model.stop_text = control.words(reason, elapsed);
  model.history.rate_slope = rate_slope(model.history.blocks);
  model.seconds = elapsed;
}

}  // namespace

Model fit(const Dataset& data, const Options& options, const FitExtras& extras) {
  validate(options);
  Supervision supervision(options, extras);
  Interrupt interrupt([&] { return supervision.poll(); });

  Model model;
  model.options = options;
  model.members.resize(1);
  const PreparedRows rows = prepare(data, options, extras, model);
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

  const auto engine = make_engine(EngineKind::direct, {rows.train_inputs.view(), rows.train_targets.view()},
                                  {rows.validation_inputs.view(), rows.validation_targets.view()},
                                  static_cast<std::size_t>(options.threads));
  for (std::int64_t number = 1; !stop; ++number) {
    const auto began = Clock::now();
    const BlockPlan plan = plan_block(number, options, model);
    std::vector<BranchShape> shapes;
    for (const BranchPlan& branch : plan.branches) shapes.push_back(branch.shape);
    supervision.begin_block(number, static_cast<std::size_t>(std::count_if(plan.branches.begin(), plan.branches.end(), [](const BranchPlan& b) { return !b.moves.frozen; })), model.history);

    engine->begin_block(shapes, rows_of_block(number, rows, options, extras));
    std::optional<SampledBlock> sampled = sample_block(*engine, plan, options, interrupt, supervision.chain);
    if (!sampled) {  // nothing was solved for yet
      stop = supervision.reason();
      break;
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

}  // namespace rfnn
