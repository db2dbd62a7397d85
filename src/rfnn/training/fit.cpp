#include "rfnn/training/fit.hpp"

#include <fmt/format.h>

#include <utility>

#include "rfnn/core/error.hpp"
#include "rfnn/core/heap.hpp"
#include "rfnn/diagnostics/rate.hpp"
#include "rfnn/options/table.hpp"
#include "rfnn/training/chain_draws.hpp"
#include "rfnn/training/control.hpp"
#include "rfnn/training/difference.hpp"
#include "rfnn/training/facts.hpp"
#include "rfnn/training/limited/fit_within_memory.hpp"
#include "rfnn/training/network_training.hpp"
#include "rfnn/training/prepare.hpp"
#include "rfnn/training/ranks/fit_over_ranks.hpp"
#include "rfnn/training/run.hpp"
#include "rfnn/uncertainty/missing.hpp"

namespace rfnn {
namespace training {

rows::ScaledRows shape_of(const rows::RowState& rows) {
  return {{Columns(rows.count(), std::vector<ColumnView>(rows.inputs())), {}},
          {Columns(rows.count(), std::vector<ColumnView>(rows.outputs())), {}},
          {}};
}

void Run::attend(const std::function<void()>& work) {
  constexpr std::size_t many_numbers = 1000000;
  if (data.rows() * (data.inputs.size() + data.targets.size()) > many_numbers)
    watch(work, interrupt);
  else
    work();
}

std::optional<StopReason> Run::prepare_rows() {
  const std::optional<StopReason> stop = rows_to_train_on();
  if (!stop || extras.start == nullptr || !model.members.empty()) return stop;
  // Where training does not begin, networks to go on from stay what they are.
  model.members = extras.start->members;
  for (const BlockRecord& record : extras.start->history.blocks)
    if (is_kept(*extras.start, record)) model.history.blocks.push_back(record);
  return stop;
}

std::optional<StopReason> Run::rows_to_train_on() {
  model.options = options;
  supervision.tell(0, 0, "reading the rows");
  if (spread != nullptr)
    prepared = std::move(spread->prepared);
  else
    attend([&] { prepared = prepare(data, options, extras, model, interrupt, ordered); });
  model.facts = facts_of_this_run(options);
  if (extras.start != nullptr && extras.start->blocks() > 0)
    model.facts[uncertainty::went_on] = std::to_string(extras.start->blocks());
  if (extras.observer != nullptr)
    for (const std::string& warning : model.warnings) extras.observer->warning(warning);
  if (prepared.cut_short) {
    interrupt.proceed();  // the reason
    return supervision.reason();
  }
  if (!prepared.target_varies) return StopReason::constant_target;
  if (model.used_inputs() == 0) return StopReason::no_inputs;
  if (options.blocks == 0) return StopReason::all_blocks;
  model.facts["seconds_preparing"] = fmt::format("{:.6f}", supervision.elapsed());
  supervision.budget.begin_training();
  return std::nullopt;
}

void Run::conclude(StopReason reason, std::string text) {
  if (model.members.empty()) model.members.resize(1);
  // The file of a model without blocks says what it predicts: its scale is that of all its rows.
  if (model.blocks() == 0)
    for (std::size_t o = 0; o < model.outputs(); ++o) model.scaler.output_mean[o] = model.targets[o].mean;
  model.stop_reason = reason;
  model.stop_text = std::move(text);
  model.seconds = supervision.elapsed();
}

namespace {

/// The blocks trained so far and what is known about them.
NetworkStart start_of(const Model& start) {
  if (start.members.size() != 1)
    throw UsageError("The network to go on from has " + std::to_string(start.members.size()) + " members.",
                     "Preset paper trains one network: go on with preset auto.");
  NetworkStart made{start.members.front(), {}};
  for (const BlockRecord& record : start.history.blocks)
    if (is_kept(start, record)) made.records.push_back(record);
  return made;
}

/// Of the error on held-out rows, of the blocks kept.
void note_standard_error(rows::RowWork& work, rows::RowState held_out, const TrainedNetwork& trained, Model& model) {
  if (held_out.count() == 0 || !final_errors(model).validation) return;
  std::vector<double> scale;
  for (const double sd : model.scaler.output_sd) scale.push_back(sd * sd / static_cast<double>(model.outputs()));
  const std::vector<Block>& kept = model.members.front().blocks;
  if (kept.size() == trained.blocks.size()) {
    model.history.final_validation_se = standard_error(trained.left, scale);
    return;
  }
  Interrupt never;
  for (const Block& block : kept) work.advance(block, held_out, never);
  model.history.final_validation_se = standard_error(held_out_of(held_out), scale);
}

}  // namespace

Model fit_as_published(Run& run) {
  Model& model = run.model;
  NetworkPlan plan;
  if (run.extras.start != nullptr) plan.start = start_of(*run.extras.start);
  model.members.resize(1);
  if (plan.start) {
    model.members.front() = plan.start->network;
    model.history.blocks = plan.start->records;
  }
  std::optional<StopReason> stop = run.prepare_rows();
  ErrorControl control(run.options, model.history);
  // Of the blocks trained those worth keeping.
  const auto concluded = [&](StopReason reason) {
    model.members.front().blocks.resize(static_cast<std::size_t>(control.blocks_to_keep()));
    model.history.rate_slope = rate_slope(model.history.blocks);
    run.conclude(reason, control.words(reason, run.supervision.elapsed()));
    return model;
  };
  if (stop) {
    if (plan.start && !plan.start->records.empty())
      control.go_on(static_cast<std::int64_t>(plan.start->network.blocks.size()), plan.start->records.back().train_mse);
    return concluded(*stop);
  }

  NetworkRows rows;
  if (run.spread != nullptr)
    rows = {std::move(run.spread->train), std::move(run.spread->held_out)};
  else
    run.attend([&] { rows = {rows::RowState(run.prepared.train), rows::RowState(run.prepared.validation)}; });
  const auto rows_of = [&](std::int64_t block) { return rows_of_block(block, run.prepared, run.options, run.extras); };
  const bool draws = run.options.draws > 0;
  if (run.extras.rows_per_block.empty() && !draws) run.prepared.forget_lists();  // the rows have what they need
  plan.journal = run.journal;
  plan.tell = [&](std::int64_t block, std::string_view) {
    const bool two = block > 1 && run.options.state_branch == StateBranch::sampled;
    run.supervision.begin_block(block, two ? 2 : 1, model.history);
  };
  plan.joined = [&](const BlockRecord& record, const Network& so_far, bool last) {
    run.supervision.end_block();
    model.history.blocks.push_back(record);
    const bool go_on = run.extras.observer == nullptr || run.extras.observer->block_done(record);
    if (run.extras.checkpoint && go_on && !last) {
      model.members.front() = so_far;
      run.extras.checkpoint(concluded(StopReason::interrupted));
    }
    return go_on;
  };
  const auto own_work =
      run.spread != nullptr ? nullptr : rows::make_row_work(rows::Implementation::threads, threads_of(run.options));
  rows::RowWork& work = run.spread != nullptr ? run.spread->work : *own_work;
  ErrorBound bound(control);
  // As they are before any block; the numbers are shared.
  const rows::RowState held_out = rows.held_out;
  const NetworkRows before = draws ? rows : NetworkRows{};
  const TrainedNetwork trained = train_network(work, std::move(rows), plan, bound,
                                               {run.options, model, rows_of, &run.supervision.chain}, run.interrupt);
  model.members.front() = trained.network();
  model = concluded(trained.complete ? trained.reason : run.supervision.reason());
  note_standard_error(work, held_out, trained, model);
  if (draws) draw_from_chains(run, trained, before, rows_of, work);
  // The draws come last, and may be what was ended.
  if (draws && trained.complete && run.interrupt.stopped())
    run.conclude(run.supervision.reason(), control.words(run.supervision.reason(), run.supervision.elapsed()));
  return std::move(model);
}

}  // namespace training

namespace {

Model fit_to_targets(const DatasetView& data, const Options& options, const FitExtras& extras) {
  if (auto model = training::fit_within_memory(data, options, extras)) return std::move(*model);
  training::Run run(data, options, extras);
  return options.preset == Preset::automatic ? training::fit_automatically(run) : training::fit_as_published(run);
}

Model fit_to_targets_or_difference(const DatasetView& data, const Options& options, const FitExtras& extras) {
  if (!extras.base && (extras.start == nullptr || extras.start->base.empty()))
    return fit_to_targets(data, options, extras);
  return training::fit_difference(data, options, extras, fit_to_targets);
}

}  // namespace

Model fit(const DatasetView& data, const Options& options, const FitExtras& extras) {
  validate(options);
  if (options.memory > 0.0) keep_no_large_arrays();
  if (extras.ranks != nullptr) return training::fit_over_ranks(data, options, extras);
  const std::vector<std::string> doubts = training::doubts_about_judges(data, extras);
  // Before a run that may be long, for those who watch; the model tells all others.
  if (extras.observer != nullptr)
    for (const std::string& doubt : doubts) extras.observer->warning(doubt);
  Model model = fit_to_targets_or_difference(data, options, extras);
  model.warnings.insert(model.warnings.begin(), doubts.begin(), doubts.end());
  return model;
}

}  // namespace rfnn
