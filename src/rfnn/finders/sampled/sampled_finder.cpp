#include "rfnn/finders/sampled/sampled_finder.hpp"

#include <chrono>
#include <cmath>
#include <utility>

#include "rfnn/core/timer.hpp"
#include "rfnn/data/split.hpp"
#include "rfnn/finders/sampled/drawn_block.hpp"

namespace rfnn::sampled {

std::optional<finders::FoundBlock> SampledFinder::find(const finders::Search& search) {
  const auto number = static_cast<std::int64_t>(search.network.blocks.size() + 1);
  const Options& options = setting_.options;
  const BlockPlan plan = plan_block(number, options, setting_.model);
  search.tell("");
  if (!engine_) engine_ = search.work.chain(search.train);
  const auto begin = [&](const std::vector<std::size_t>& rows) {
    constexpr std::size_t many_numbers = 1000000;
    const auto work = [&] { engine_->begin_block(plan.shapes(), rows); };
    if (search.train.count() * search.train.variables() > many_numbers)
      watch(work, search.interrupt);
    else
      work();
  };
  begin(proposal_rows(options.proposal_fraction, search.train.count(), setting_.rows_of_block(number), number,
                      options.seed));
  finders::ChainProgress unseen;
  std::optional<SampledBlock> sampled =
      sample_block(*engine_, plan, options, search.interrupt, setting_.chain != nullptr ? *setting_.chain : unseen,
                   search.journal / "chain");
  if (!sampled) return std::nullopt;  // nothing was solved for yet
  if (options.proposal_fraction < 1.0) {
    begin(setting_.rows_of_block(number));
    in_time_left(search.interrupt,
                 [&](Interrupt& left) { return solve_block(*engine_, plan, options, *sampled, left); });
  }
  std::shared_ptr<KeptStates> states;
  if (!sampled->states.empty()) {
    states = std::make_shared<KeptStates>();
    states->frequencies = std::move(sampled->states);
  }
  return finders::FoundBlock{std::move(sampled->block), std::move(sampled->record), std::move(states)};
}

std::shared_ptr<const finders::Recipe> SampledFinder::recipe_from(ArchiveReader& archive,
                                                                  const finders::Search&) const {
  return KeptStates::from(archive);
}

std::optional<Block> SampledFinder::refit(const finders::FoundBlock& found, rows::RowWork& work,
                                          const rows::RowState& rows, Interrupt& interrupt) const {
  const BlockPlan plan = plan_block(found.record.block, setting_.options, setting_.model);
  const std::unique_ptr<rows::Engine> engine = work.chain(rows);
  engine->begin_block(plan.shapes(), {});
  SampledBlock sampled{found.block, found.record};
  if (!solve_block(*engine, plan, setting_.options, sampled, interrupt)) return std::nullopt;
  return std::move(sampled.block);
}

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

bool in_time_left(Interrupt& interrupt, const std::function<bool(Interrupt&)>& work) {
  const auto limit = Clock::now() + std::chrono::milliseconds(500);
  Interrupt grace([limit] { return Clock::now() < limit; });
  return work(interrupt.stopped() ? grace : interrupt);
}

}  // namespace rfnn::sampled
