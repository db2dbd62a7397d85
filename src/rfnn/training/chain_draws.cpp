#include "rfnn/training/chain_draws.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "rfnn/finders/sampled/drawn_block.hpp"
#include "rfnn/finders/sampled/sampled_finder.hpp"
#include "rfnn/training/error_bars.hpp"
#include "rfnn/training/tuning.hpp"
#include "rfnn/training/ways.hpp"

namespace rfnn::training {
namespace {

/// The states of a block's chain; null: of an earlier run, or none were kept.
const sampled::KeptStates* states_of(const finders::FoundBlock& found) {
  return dynamic_cast<const sampled::KeptStates*>(found.recipe.get());
}

class ChainDrawing {
 public:
  ChainDrawing(Run& run, const TrainedNetwork& trained, const NetworkRows& rows,
               const std::function<std::vector<std::size_t>(std::int64_t)>& rows_of, rows::RowWork& work)
      : run_(run),
        model_(run.model),
        blocks_(trained.blocks),
        rows_(rows),
        rows_of_(rows_of),
        work_(work),
        depth_(model_.members.front().blocks.size()),
        earlier_(run.extras.start == nullptr ? 0 : std::min(depth_, run.extras.start->members.front().blocks.size())) {
    const rows::RowState& judging = rows.judge();
    if (judging.distant) return;  // rows that are nowhere together judge nobody
    const std::size_t count = std::min(judging.count(), tuning::rows_for_error_bars);
    std::vector<std::size_t> places(count);
    for (std::size_t k = 0; k < count; ++k) places[k] = k * judging.count() / count;
    judges_ = judging.at(places);
  }

  /// As many as there are states of every chain.
  [[nodiscard]] std::size_t count() const {
    std::size_t least = depth_ > 0 ? static_cast<std::size_t>(run_.options.draws) : 0;
    if (earlier_ > 0 && !run_.extras.start->draws.empty()) least = std::min(least, run_.extras.start->draws.count());
    for (std::size_t l = earlier_; l < depth_; ++l) {
      const sampled::KeptStates* const states = states_of(blocks_[l]);
      least = std::min(least, states == nullptr ? 0 : states->frequencies.size());
    }
    return least;
  }

  /// False when interrupted.
  bool draw() {
    ChainDraws draws;
    draws.loss = Matrix(count(), depth_);
    if (judges_) sum_ = squares_ = Matrix(judges_->count(), model_.outputs());
    for (std::size_t k = 0; k < draws.loss.rows(); ++k) {
      std::optional<Network> network = draw(k, draws.loss);
      if (!network) return false;
      draws.networks.push_back(std::move(*network));
    }
    model_.draws = std::move(draws);
    return true;
  }

  void learn_errors() {
    if (!judges_ || judges_->count() == 0) return;
    rows::RowState seen = *judges_;
    for (const Block& block : model_.members.front().blocks)
      if (!work_.advance(block, seen, run_.interrupt)) return;
    uncertainty::Judged judged;
    judged.inputs = rows::theta_of(seen);
    judged.weights = seen.weights();
    judged.predicted = judged.left = judged.spread = Matrix(seen.count(), seen.outputs());
    const bool apart = rows_.held_out.count() > 0;
    const double larger = apart ? 1.0 : flattery(), share = 1.0 / static_cast<double>(model_.draws.count());
    for (std::size_t i = 0; i < seen.count(); ++i)
      for (std::size_t o = 0; o < seen.outputs(); ++o) {
        const double mean = share * sum_(i, o);
        judged.left(i, o) = larger * seen.residual(i, o);
        judged.predicted(i, o) = seen.state(i, o);
        judged.spread(i, o) = std::max(0.0, share * squares_(i, o) - mean * mean);
      }
    learn_error_bars(run_, std::move(judged), std::nullopt, apart ? Judge::held_out : Judge::training,
                     apart && beyond(run_.options) ? 1 : 0, work_);
  }

 private:
  /// What an earlier run has of its own draws stays as it is; without any its blocks are the same in all.
  const Block& earlier_block(std::size_t draw, std::size_t block) const {
    const ChainDraws& draws = run_.extras.start->draws;
    return draws.empty() ? model_.members.front().blocks[block] : draws.networks[draw].blocks[block];
  }

  std::optional<Network> draw(std::size_t k, Matrix& loss) {
    Interrupt& interrupt = run_.interrupt;
    rows::RowState train = rows_.train;
    std::optional<rows::RowState> judges = judges_;
    const std::unique_ptr<rows::Engine> engine = work_.chain(train);
    Network network;
    for (std::size_t l = 0; l < depth_; ++l) {
      const auto number = static_cast<std::int64_t>(l + 1);
      std::optional<Block> block;
      if (l < earlier_) {
        block = earlier_block(k, l);
      } else {
        const sampled::BlockPlan plan = sampled::plan_block(number, run_.options, model_);
        engine->begin_block(plan.shapes(), rows_of_(number));
        block =
            sampled::draw_block(*engine, plan, states_of(blocks_[l])->frequencies[k], run_.options.seed, k, interrupt);
      }
      if (!block || !work_.advance(*block, train, interrupt)) return std::nullopt;
      if (judges && !work_.advance(*block, *judges, interrupt)) return std::nullopt;
      loss(k, l) = in_target_units(work_.mean_squares(train), model_.scaler.output_sd);
      network.blocks.push_back(std::move(*block));
    }
    for (std::size_t i = 0; i < sum_.rows(); ++i)
      for (std::size_t o = 0; o < sum_.cols(); ++o) {
        const double value = judges->state(i, o);
        sum_(i, o) += value;
        squares_(i, o) += value * value;
      }
    return network;
  }

  /// By how much errors on training rows are too small: √(N/(N − p)), p the numbers the network has per output, of
  /// which half of the rows are the most that counts.
  [[nodiscard]] double flattery() const {
    double numbers = 0.0;
    for (const Block& block : model_.members.front().blocks)
      for (const Branch& branch : block.branches)
        numbers += 2.0 * static_cast<double>(branch.width()) +
                   static_cast<double>(branch.frequencies.size()) / static_cast<double>(model_.outputs());
    const auto rows = static_cast<double>(rows_.train.count());
    return std::sqrt(rows / std::max(rows - numbers, 0.5 * rows));
  }

  Run& run_;
  Model& model_;
  const std::vector<finders::FoundBlock>& blocks_;
  const NetworkRows& rows_;
  const std::function<std::vector<std::size_t>(std::int64_t)>& rows_of_;
  rows::RowWork& work_;
  std::size_t depth_, earlier_;
  std::optional<rows::RowState> judges_;  ///< some of the rows that judge
  Matrix sum_, squares_;                  ///< of the draws' states on them
};

}  // namespace

void draw_from_chains(Run& run, const TrainedNetwork& trained, const NetworkRows& rows,
                      const std::function<std::vector<std::size_t>(std::int64_t)>& rows_of, rows::RowWork& work) {
  const auto warn = [&](const std::string& text) {
    run.model.warnings.push_back(text);
    if (run.extras.observer != nullptr) run.extras.observer->warning(text);
  };
  ChainDrawing drawing(run, trained, rows, rows_of, work);
  const std::size_t count = drawing.count();
  const std::string asked = std::to_string(run.options.draws);
  if (count == 0 || run.interrupt.stopped())
    return warn("No draws were kept: training ended before every block had its states after burn-in.");
  run.supervision.tell(0, static_cast<std::int64_t>(run.model.blocks()), "drawing networks from the chains");
  if (!drawing.draw()) return warn("No draws were kept: training ended before they were made.");
  if (count < static_cast<std::size_t>(run.options.draws))
    warn("Of " + asked + " draws asked for " + std::to_string(count) +
         " were kept: a chain has no more iterations after burn-in (options iterations, burn-in).");
  drawing.learn_errors();
  if (!run.model.uncertainty)
    return warn("The draws were kept, but how far off predictions are could not be learnt from them.");
  if (run.model.uncertainty->judge == Judge::training)
    warn(
        "Error bars are from the training rows: they may be too narrow. Hold rows out (validation-fraction 0.1) to "
        "have them calibrated.");
}

}  // namespace rfnn::training
