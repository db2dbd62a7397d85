#include "rfnn/training/network_training.hpp"

#include <string>
#include <utility>

#include "rfnn/core/timer.hpp"
#include "rfnn/finders/sampled/sampled_finder.hpp"
#include "rfnn/model/fields.hpp"
#include "rfnn/rows/fields.hpp"

namespace rfnn::training {
namespace {

class NetworkTraining {
 public:
  NetworkTraining(rows::RowWork& work, NetworkRows rows, const NetworkPlan& plan, Control& control,
                  const Finders& finders, const std::vector<double>& output_sd, Interrupt& interrupt)
      : work_(work),
        rows_(std::move(rows)),
        plan_(plan),
        control_(control),
        output_sd_(output_sd),
        interrupt_(interrupt),
        first_(finders.first),
        later_(finders.later) {}

  TrainedNetwork train() {
    if (plan_.start) go_on_from(*plan_.start);
    if (plan_.given && !stand_on(*plan_.given)) {
      result_.complete = false;
      result_.reason = StopReason::interrupted;
      return std::move(result_);
    }
    standing_.at_first = work_.mean_squares(rows_.train).sum();
    take_stock();
    std::optional<StopReason> stop = control_.begin(standing_);
    while (!stop) stop = attempt();
    result_.reason = *stop;
    // What the paper's network leaves on the rows it is trained on nobody asks for: as many numbers as rows, and a
    // pass.
    if (rows_.held_out.count() > 0 || !control_.takes_all()) result_.left = held_out_of(rows_.judge());
    for (std::size_t i = 0; i < flattery_.rows(); ++i)
      for (std::size_t o = 0; o < flattery_.columns(); ++o) result_.left.left(i, o) += flattery_(i, o);
    result_.judged = standing_.judged;
    if (state_known_ && !control_.takes_all()) result_.fitted = mean_size(fitted_ ? *fitted_ : rows_.train);
    result_.first = first_;
    result_.later = later_;
    return std::move(result_);
  }

 private:
  /// One turn of the loop.
  std::optional<StopReason> attempt() {
    const auto began = Clock::now();
    std::optional<finders::FoundBlock> found = find();
    const bool complete = !interrupt_.stopped() && (!found || found->record.complete);
    const bool joined = found && join(*found, complete), last = joined && found->last;
    ++standing_.attempts;
    if (joined) {
      record(std::move(*found), began);
      // Without the pass over the rows the errors are unknown: they stay what they were.
      if (state_known_) take_stock();
    }
    const BlockRecord* const newest = joined ? &result_.records.back() : nullptr;
    std::optional<StopReason> stop = control_.after(newest, standing_);
    if (!stop && (last || plan_.given)) stop = StopReason::stalled;
    const bool done = stop == StopReason::tolerance || (stop == StopReason::all_blocks && joined && newest->complete);
    if (!complete && !done) {
      result_.complete = false;
      stop = StopReason::interrupted;
    }
    if (joined && !plan_.joined(*newest, network_, stop.has_value()) && !stop) stop = StopReason::interrupted;
    return stop;
  }

  /// The first block joins as it is, and the training rows get the state that each has when it is left out.
  bool stand_on(const finders::FoundBlock& first) {
    const auto began = Clock::now();
    plan_.tell(1, "rows left out");
    std::optional<rows::TiledColumns> left = (plan_.journal / "left-out").piece(interrupt_, [&] {
      return first_->left_out(first, work_, rows_.train, interrupt_);
    });
    if (!left || !advance(first, rows_, interrupt_)) return false;
    fitted_ = rows_.train;
    record(first, began);
    rows_.train = rows_.train.leaving(std::move(*left));
    note_flattery(first, rows_.held_out);
    result_.by_rows_left_out = true;
    standing_.attempts = 1;
    return true;
  }

  std::optional<finders::FoundBlock> find() {
    const auto block = static_cast<std::int64_t>(network_.blocks.size() + 1);
    // Other draws than those that led no further in an earlier run.
    constexpr std::uint64_t other_draws = 1000;
    const std::uint64_t attempts =
        standing_.attempts + (plan_.start && plan_.later != Method::sampled ? other_draws + earlier_blocks_ : 1);
    const finders::Search search{work_,
                                 rows_.train,
                                 rows_.held_out,
                                 network_,
                                 static_cast<std::uint64_t>(plan_.member),
                                 attempts,
                                 plan_.operations,
                                 plan_.seconds_left,
                                 plan_.rival,
                                 interrupt_,
                                 [&](std::string_view stage) { plan_.tell(block, stage); },
                                 standing_.attempts == 0 ? plan_.hint.get() : nullptr,
                                 plan_.to_stand_on,
                                 plan_.seconds_with_fit,
                                 plan_.afresh,
                                 plan_.journal / ("attempt" + std::to_string(attempts))};
    return (standing_.attempts == 0 && !plan_.start ? *first_ : *later_).find_or_recall(search);
  }

  /// Adds the block to the state of the rows, if it joins. What was found when interrupted is judged nevertheless.
  bool join(const finders::FoundBlock& found, bool complete) {
    if (control_.takes_all()) {
      state_known_ = sampled::in_time_left(interrupt_, [&](Interrupt& left) { return advance(found, rows_, left); });
      return true;
    }
    Interrupt never;
    NetworkRows after = rows_;
    if (!advance(found, after, complete ? interrupt_ : never)) {
      after = rows_;
      advance(found, after, never);
    }
    if (!control_.joins(held_out_of(after.judge()), held_out_of(rows_.judge()), standing_)) return false;
    lessen_flattery(rows_.held_out, after.held_out);
    note_flattery(found, after.held_out);
    rows_ = std::move(after);
    if (fitted_ && !work_.advance(found.block, *fitted_, never)) fitted_.reset();
    return true;
  }

  bool advance(const finders::FoundBlock& found, NetworkRows& rows, Interrupt& interrupt) {
    return work_.advance(found.block, rows.train, interrupt) &&
           (rows.held_out.count() == 0 || work_.advance(found.block, rows.held_out, interrupt));
  }

  /// Of a difference that earlier blocks have made as large a share is left as of all there was: what the new block was
  /// fitted to would have been that too.
  void lessen_flattery(const rows::RowState& before, const rows::RowState& after) {
    if (flattery_.rows() == 0) return;
    const std::vector<double> was = mean_size(before), is = mean_size(after);
    for (std::size_t o = 0; o < is.size(); ++o) {
      if (!(is[o] < was[o])) continue;
      for (std::size_t i = 0; i < flattery_.rows(); ++i) flattery_(i, o) *= is[o] / was[o];
    }
  }

  /// By how much what is left on held-out rows differs from what an honest judge sees, all blocks together.
  void note_flattery(const finders::FoundBlock& found, const rows::RowState& after) {
    if (found.honest.rows() != after.count() || after.count() == 0) return;
    if (flattery_.rows() == 0) flattery_ = rows::TiledColumns(after.count(), after.outputs());
    for (std::size_t i = 0; i < after.count(); ++i)
      for (std::size_t o = 0; o < after.outputs(); ++o) flattery_(i, o) += found.honest(i, o) - after.residual(i, o);
  }

  void record(finders::FoundBlock found, Clock::time_point began) {
    BlockRecord& record = found.record;
    record.member = plan_.member;
    record.block = static_cast<std::int64_t>(network_.blocks.size() + 1);
    if (state_known_) {
      record.train_mse = in_target_units(work_.mean_squares(fitted_ ? *fitted_ : rows_.train), output_sd_);
      if (rows_.held_out.count() > 0)
        record.validation_mse = in_target_units(work_.mean_squares(rows_.held_out), output_sd_);
    }
    record.seconds = seconds_between(began, Clock::now());
    network_.blocks.push_back(found.block);
    result_.records.push_back(record);
    result_.blocks.push_back(std::move(found));
  }

  void go_on_from(const NetworkStart& start) {
    result_.records = start.records;
    result_.earlier = start.records.size();
    earlier_blocks_ = start.network.blocks.size();
    Interrupt never;  // without its blocks the network is nothing to go on from
    for (const Block& block : start.network.blocks) {
      finders::FoundBlock as_it_is;
      as_it_is.block = block;
      advance(as_it_is, rows_, never);
      network_.blocks.push_back(block);
      result_.blocks.push_back(std::move(as_it_is));
    }
  }

  void take_stock() {
    const Eigen::VectorXd squares = work_.mean_squares(rows_.judge());
    standing_.blocks = network_.blocks.size();
    standing_.train = work_.mean_squares(rows_.train).sum();
    standing_.judged = squares.sum();
    standing_.judged_mse = in_target_units(squares, output_sd_);
  }

  rows::RowWork& work_;
  NetworkRows rows_;
  const NetworkPlan& plan_;
  Control& control_;
  const std::vector<double>& output_sd_;
  Interrupt& interrupt_;
  std::shared_ptr<finders::BlockFinder> first_, later_;
  Network network_;
  Standing standing_;
  bool state_known_ = true;
  std::optional<rows::RowState> fitted_;  ///< the training rows as they are, where later blocks see them left out
  rows::TiledColumns flattery_;           ///< per held-out row and output; empty: none
  std::size_t earlier_blocks_ = 0;
  TrainedNetwork result_;
};

}  // namespace

Network TrainedNetwork::network() const {
  Network network;
  for (const finders::FoundBlock& found : blocks) network.blocks.push_back(found.block);
  return network;
}

TrainedNetwork train_network(rows::RowWork& work, NetworkRows rows, const NetworkPlan& plan, Control& control,
                             const finders::Setting& setting, Interrupt& interrupt) {
  Finders finders{finders::make_finder(plan.first, setting), nullptr};
  finders.later = plan.later == plan.first ? finders.first : finders::make_finder(plan.later, setting);
  return train_network(work, std::move(rows), plan, control, finders, setting.model.scaler.output_sd, interrupt);
}

TrainedNetwork train_network(rows::RowWork& work, NetworkRows rows, const NetworkPlan& plan, Control& control,
                             const Finders& finders, const std::vector<double>& output_sd, Interrupt& interrupt) {
  return NetworkTraining(work, std::move(rows), plan, control, finders, output_sd, interrupt).train();
}

std::optional<Network> refit_network(rows::RowWork& work, const TrainedNetwork& network, rows::RowState& rows,
                                     Interrupt& interrupt, const JournalPlace& journal) {
  Network refitted;
  std::optional<rows::RowState> left_out;  // what later blocks are fitted to, where that is not the rows as they are
  for (std::size_t l = 0; l < network.blocks.size(); ++l) {
    const finders::FoundBlock& found = network.blocks[l];
    const finders::BlockFinder& finder = l == 0 ? *network.first : *network.later;
    std::optional<Block> block = found.block;
    if (found.recipe)
      block = (journal / ("block" + std::to_string(l + 1))).piece(interrupt, [&] {
        return finder.refit(found, work, left_out ? *left_out : rows, interrupt);
      });
    if (block && l == 0 && network.by_rows_left_out && network.blocks.size() > 1) {
      std::optional<rows::TiledColumns> left =
          (journal / "left-out").piece(interrupt, [&] { return finder.left_out(found, work, rows, interrupt); });
      if (!left) return std::nullopt;
      left_out = rows.leaving(std::move(*left));
    }
    if (!block || !work.advance(*block, rows, interrupt)) return std::nullopt;
    refitted.blocks.push_back(std::move(*block));
  }
  return refitted;
}

std::vector<double> gains_of_refit(const TrainedNetwork& network, const rows::RowState& refitted, double share) {
  const std::vector<double> judged = mean_size(network.left), now = mean_size(refitted);
  std::vector<double> gains;
  if (network.fitted.size() != judged.size() || now.size() != judged.size()) return gains;
  for (std::size_t o = 0; o < judged.size(); ++o)
    gains.push_back(gain_of_refit(network.fitted[o], judged[o], now[o], share));
  return gains;
}

double in_target_units(const Eigen::VectorXd& squares, const std::vector<double>& output_sd) {
  double sum = 0.0;
  for (std::size_t o = 0; o < output_sd.size(); ++o)
    sum += output_sd[o] * output_sd[o] * squares(static_cast<Eigen::Index>(o));
  return sum / static_cast<double>(output_sd.size());
}

}  // namespace rfnn::training
