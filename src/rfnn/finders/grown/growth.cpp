#include "rfnn/finders/grown/growth.hpp"

#include <algorithm>
#include <utility>

#include "rfnn/finders/grown/refinement.hpp"
#include "rfnn/finders/grown/tuning.hpp"
#include "rfnn/finders/halves.hpp"
#include "rfnn/least_squares/shifted_cholesky.hpp"

namespace rfnn::grown {
namespace {

/// One block on its way. Every step returns false when interrupted.
class Growth {
 public:
  Growth(rows::RowWork& work, const rows::RowState& train, const rows::RowState& judge, const Resolution& resolution,
         const GrowthPlan& plan, Interrupt& interrupt)
      : work_(work),
        train_(train),
        judge_(judge),
        resolution_(resolution),
        plan_(plan),
        interrupt_(interrupt),
        pool_stream_(plan.address, plan.pool_purpose),
        choice_stream_(plan.address, plan.choice_purpose),
        ridge_(plan.least_ridge),
        halves_(judge) {}

  GrownBlock grow() {
    best_.complete = plan_.journal.restore(*this) || begin();
    if (!best_.complete || best_.train == 0.0) return std::move(best_);
    best_.complete = take_turns() && finish();
    if (&judge_ != &train_) best_.honest = halves_.left();
    return std::move(best_);
  }

  /// All that the next turn depends on.
  template <class Archive>
  friend void fields(Archive& archive, Growth& growth) {
    archive(growth.block_, growth.ridge_, growth.misfit_.objective, growth.misfit_.mean_square, growth.best_,
            growth.energy_, growth.at_first_, growth.without_gain_, growth.turn_, growth.batch_, growth.halves_);
  }

 private:
  bool begin() {
    best_.block.amplitudes.resize(0, static_cast<Eigen::Index>(train_.outputs()));
    if (!mean_square_left(judge_, best_.block, best_.held_out) || !mean_square_left(train_, best_.block, best_.train))
      return false;
    halves_.consider(judge_.residual);
    energy_ = best_.train;
    at_first_ = best_.held_out;
    misfit_ = {best_.train, best_.train};
    block_ = best_.block;
    if (plan_.constant && plan_.features > 1) {
      block_.features.push_back({std::vector<double>(train_.variables(), 0.0), {}});
      block_.amplitudes.setZero(2, static_cast<Eigen::Index>(train_.outputs()));
    }
    return true;
  }

  bool take_turns() {
    while (block_.size() < plan_.features && without_gain_ < plan_.patience) {
      if (plan_.journal.due()) plan_.journal.note(*this);
      const double before = best_.held_out;
      const std::size_t few = std::min(std::max({std::size_t{1}, block_.size() / tuning::features_a_turn, batch_}),
                                       plan_.features - block_.size());
      if (!propose(turn_++, few) || !refine_and_settle(1) || !judge()) return false;
      if (misfit_.mean_square < tuning::exact * energy_ || best_.held_out <= plan_.enough) break;
      if (telling() && !prune()) return false;
      // Where single features gain little, more of them are added at a time.
      const double gain = 1.0 - best_.held_out / before;
      if (gain < tuning::little_gain)
        batch_ = std::min(2 * few, std::max<std::size_t>(plan_.features / tuning::turns_at_least, 1));
      else if (gain > tuning::much_gain)
        batch_ = 1;
    }
    return true;
  }

  /// The best block of all turns, refined to the end.
  bool finish() {
    block_ = best_.block;
    ridge_ = best_.ridge;
    if (block_.size() == 0 || !(best_.held_out > plan_.enough)) return true;
    return refine_and_settle(plan_.final_rounds) && judge();
  }

  /// `few` features from the spectrum of what the block leaves, and amplitudes for all.
  bool propose(std::uint64_t turn, std::size_t few) {
    const BranchKind kind = plan_.kinds[turn % plan_.kinds.size()];
    rows::TiledColumns left;
    if (!work_.left_by(train_, block_, left, interrupt_)) return false;
    std::vector<rows::Feature> pool;
    std::vector<double> power;
    if (kind == BranchKind::input && plan_.inputs == 1) {
      if (!lines_) lines_.emplace(work_, train_, resolution_);
      if (!lines_->strongest(train_, left, pool, power, interrupt_)) return false;
    } else {
      pool = draw_pool(kind, plan_.inputs, resolution_, weights(), plan_.pool, pool_stream_, turn);
      const std::size_t stride = std::max<std::size_t>(
          1, train_.tiles() * features::tile_rows / std::max<std::size_t>(plan_.spectrum_rows, 1));
      if (!work_.spectrum(train_, left, pool, stride, power, interrupt_)) return false;
    }
    const std::vector<rows::Feature> chosen = draw_strongest(pool, power, resolution_, few, choice_stream_, turn);
    if (chosen.empty()) {  // the spectrum is zero
      without_gain_ = plan_.patience;
      return true;
    }
    block_.features.insert(block_.features.end(), chosen.begin(), chosen.end());
    return settle(block_, ridge_, misfit_);
  }

  /// λ and amplitudes anew for a block's frequencies.
  bool settle(rows::FeatureBlock& block, double& ridge, Misfit& misfit) {
    rows::FeatureSums sums;
    if (!work_.features(train_, block.features, sums, interrupt_)) return false;
    const auto count = static_cast<double>(train_.count());
    const double columns = 2.0 * static_cast<double>(block.size());
    const double cost = 1.0 + static_cast<double>(block.movable()) / columns;
    ridge = plan_.ridge
                ? *plan_.ridge
                : least_squares::choose_ridge(sums.gram, sums.rhs, sums.energy.sum(), count, cost, plan_.least_ridge)
                      .lambda;
    misfit = solve_amplitudes(sums, count, ridge, block);
    return true;
  }

  /// Refinement with λ following what the frequencies have become.
  bool refine_and_settle(std::int64_t rounds) {
    for (std::int64_t round = 0; round < rounds && plan_.steps > 0; ++round) {
      const double before = misfit_.mean_square;
      if (!refine(work_, train_, ridge_, plan_.steps, tuning::refined_enough, block_, misfit_, interrupt_))
        return false;
      if (round > 0 && misfit_.mean_square > tuning::round_gain * before) break;
      if (!settle(block_, ridge_, misfit_)) return false;
    }
    return true;
  }

  bool judge() {
    double left = 0.0, on_train = 0.0;  // of the training rows anew, as sums lose it in rounding
    if (!mean_square_left(judge_, block_, left) || !mean_square_left(train_, block_, on_train)) return false;
    if (&judge_ != &train_) {
      rows::TiledColumns row_by_row;
      if (!work_.left_by(judge_, block_, row_by_row, interrupt_)) return false;
      halves_.consider(row_by_row);
    }
    misfit_.mean_square = on_train;
    without_gain_ = left < tuning::counts_as_gain * best_.held_out ? 0 : without_gain_ + 1;
    if (left < best_.held_out) best_ = {block_, ridge_, left, misfit_.mean_square, true, {}};
    return true;
  }

  /// Takes inputs that bend the block little out of all its features, as many as held-out rows do not miss: what they
  /// would do elsewhere is noise.
  bool prune() {
    if (plan_.inputs < tuning::many_inputs) return true;
    const std::vector<double> bends = bending(block_, plan_.inputs);
    double before = 0.0, after = 0.0;
    if (!mean_square_left(judge_, block_, before)) return false;
    for (const double least : tuning::prune_below) {
      rows::FeatureBlock pruned;
      if (!without_inputs(bends, least, pruned)) return true;
      double ridge = ridge_;
      Misfit misfit;
      if (!settle(pruned, ridge, misfit) || !mean_square_left(judge_, pruned, after)) return false;
      if (after > tuning::not_missed * before) continue;
      block_ = std::move(pruned);
      ridge_ = ridge;
      misfit_ = misfit;
      return true;
    }
    return true;
  }

  /// The block's features without inputs that bend it less than `least`; false where there are none.
  bool without_inputs(const std::vector<double>& bends, double least, rows::FeatureBlock& pruned) const {
    bool changed = false;
    for (const rows::Feature& feature : block_.features) {
      rows::Feature kept = feature;
      std::erase_if(kept.active, [&](std::uint32_t k) {
        if (k >= plan_.inputs || bends[k] >= least) return false;
        kept.frequency[k] = 0.0;
        changed = true;
        return true;
      });
      if (!kept.active.empty() || feature.active.empty()) pruned.features.push_back(std::move(kept));
    }
    return changed;
  }

  /// Where a block explains little, inputs it does without may still matter, many at a time.
  [[nodiscard]] bool telling() const {
    return block_.size() >= tuning::telling_features && best_.held_out < tuning::telling_share * at_first_;
  }

  /// Inputs that bend the block count more, once it is worth asking.
  [[nodiscard]] std::vector<double> weights() const {
    std::vector<double> weight = plan_.weight.empty() ? std::vector<double>(plan_.inputs, 1.0) : plan_.weight;
    if (!telling()) return weight;
    const std::vector<double> bends = bending(block_, plan_.inputs);
    for (std::size_t k = 0; k < weight.size(); ++k)
      weight[k] = std::max(weight[k] < 1.0 ? weight[k] : tuning::least_chance, bends[k]);
    return weight;
  }

  bool mean_square_left(const rows::RowState& rows, const rows::FeatureBlock& block, double& mean_square) {
    Eigen::VectorXd energy;
    if (!work_.misfit(rows, block, energy, interrupt_)) return false;
    mean_square = energy.sum() / static_cast<double>(std::max<std::size_t>(rows.count(), 1));
    return true;
  }

  rows::RowWork& work_;
  const rows::RowState &train_, &judge_;
  const Resolution& resolution_;
  const GrowthPlan& plan_;
  Interrupt& interrupt_;
  Stream pool_stream_, choice_stream_;
  std::optional<LineSpectrum> lines_;
  rows::FeatureBlock block_;
  double ridge_;
  Misfit misfit_;
  GrownBlock best_;
  double energy_ = 0.0, at_first_ = 0.0;
  std::int64_t without_gain_ = 0;  ///< turns
  std::uint64_t turn_ = 0;
  std::size_t batch_ = 1;  ///< features of the next turn, at least
  finders::Halves halves_;
};

}  // namespace

GrownBlock grow_block(rows::RowWork& work, const rows::RowState& train, const rows::RowState& held_out,
                      const Resolution& resolution, const GrowthPlan& plan, Interrupt& interrupt) {
  if (std::optional<GrownBlock> known = plan.journal.found<GrownBlock>()) return std::move(*known);
  GrownBlock grown = Growth(work, train, held_out.count() > 0 ? held_out : train, resolution, plan, interrupt).grow();
  if (grown.complete && !interrupt.stopped()) plan.journal.keep(grown);
  return grown;
}

}  // namespace rfnn::grown
