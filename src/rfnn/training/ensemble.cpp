// Preset auto: ways to begin a network race on held-out rows, the best or an average of them is fitted to all rows.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rfnn/core/error.hpp"
#include "rfnn/finders/lines/lines_finder.hpp"
#include "rfnn/model/fields.hpp"
#include "rfnn/training/error_bars.hpp"
#include "rfnn/training/folds.hpp"
#include "rfnn/training/logarithms.hpp"
#include "rfnn/training/members.hpp"
#include "rfnn/training/network_training.hpp"
#include "rfnn/training/networks.hpp"
#include "rfnn/training/race.hpp"
#include "rfnn/training/run.hpp"
#include "rfnn/training/tuning.hpp"
#include "rfnn/training/ways.hpp"

namespace rfnn::training {

template <class Archive>
void fields(Archive& archive, LogarithmChoice& choice) {
  archive(choice.scaler, choice.cut_short);
}

namespace {

class Ensemble {
 public:
  explicit Ensemble(Run& run)
      : run_(run),
        options_(run.options),
        model_(run.model),
        threads_(threads_of(run.options)),
        networks_(run, threads_, folds_, starts_) {}

  Model fit() {
    if (!run_.extras.rows_per_block.empty())
      throw UsageError("Rows were given per block.", "Preset auto chooses rows itself: use preset paper.");
    std::optional<StopReason> stop = run_.prepare_rows();
    const bool begun = !stop;
    if (begun) train();
    describe_all_rows(run_.data, run_.prepared, model_);
    run_.supervision.deliver();
    find_error_bars();
    if (begun) {  // the last thing that is done can be ended, too
      tell_unfinished();
      stop = reason();
    }
    if (model_.members.empty()) model_.members.resize(1);
    if (model_.blocks() == 0) judge_the_mean();
    run_.conclude(*stop, words(*stop));
    return std::move(model_);
  }

 private:
  void train() {
    operations_ = operations_for(options_, run_.prepared.rows.order.size(), threads_);
    networks_.may_take(operations_);
    run_.supervision.begin_networks(model_.history);
    for (const double sd : model_.scaler.output_sd) scale_.push_back(sd * sd / static_cast<double>(model_.outputs()));
    if (run_.extras.start != nullptr && run_.extras.start->blocks() > 0) return go_on_from(*run_.extras.start);
    take_logarithms();
    folds_ = make_folds(run_.data, options_, run_.extras, model_, run_.prepared);
    cross_fitted_ = cross_fitted() && !beyond(options_);
    race();
    if (!chosen_.empty()) {
      if (!run_.interrupt.stopped()) add_members();
      note_missing_members();
      drop_poor_members();
    }
    if (!cross_fitted()) note_judged(folds_[0], pointers(chosen_));
    keep_chosen();
    refit();
  }

  void race() {
    RaceResult won = training::race(options_, model_, run_.prepared.rows.order.size(), folds_, networks_);
    tried_ = won.tried;
    const bool logarithms = unfinished_.logarithms;
    unfinished_ = won.unfinished;
    unfinished_.logarithms = logarithms;
    judged_folds_ = won.folds;
    judged_ = std::move(won.judged);
    winners_ = won.ways.size();
    for (std::size_t fold = 0; fold < judged_folds_ && cross_fitted(); ++fold) {
      std::vector<const TrainedNetwork*> networks;
      for (const std::size_t way : won.ways) networks.push_back(&*won.networks[fold][way]);
      note_judged(folds_[fold], networks);
    }
    for (const std::size_t way : won.ways) chosen_.push_back(std::move(*won.networks[0][way]));
    // Networks that have seen the first rows alone are no company for one that has seen nearly all.
    if (winners_ == 1 && !beyond(options_))
      for (std::size_t fold = 1; fold < judged_folds_; ++fold)
        others_.push_back(std::move(*won.networks[fold][won.ways[0]]));
  }

  [[nodiscard]] bool cross_fitted() const { return folds_.size() > 1; }

  // Members.

  [[nodiscard]] MemberPlan member_plan() const {
    return {options_, model_.used_inputs(), run_.prepared.rows.order.size(), run_.supervision.budget};
  }

  void add_members() {
    if (winners_ != 1 && options_.members <= 0) return;
    const Method first = chosen_[0].blocks[0].record.method;
    const MemberPlan plan = member_plan();
    const std::size_t wanted = plan.wanted(chosen_[0]);
    // Those of the other folds go on from the law of the first: they are no others.
    for (TrainedNetwork& other : others_)
      if (first != Method::kernel && chosen_.size() < wanted && !other.blocks.empty())
        chosen_.push_back(std::move(other));
    others_.clear();
    double seconds = chosen_[0].seconds;  // that the last one took
    while (chosen_.size() < wanted && !run_.interrupt.stopped() && plan.time_for_another(seconds)) {
      std::vector<Task> tasks;
      const auto began = Clock::now();
      for (std::size_t e = chosen_.size(); e < wanted && tasks.size() < networks_.at_once(); ++e)
        tasks.push_back({{first, plan.share(chosen_[0])},
                         beyond(options_) ? 0 : e % folds_.size(),
                         static_cast<std::int64_t>(e),
                         tried_++,
                         hint_of(chosen_[0]),
                         true});
      std::vector<std::optional<TrainedNetwork>> more = networks_.train(tasks);
      seconds = seconds_between(began, Clock::now());
      bool any = false;
      for (std::optional<TrainedNetwork>& network : more) {
        if (!network) continue;
        any = true;
        unfinished_.cut_short += network->complete ? 0 : 1;
        // One that finds nothing is the mean: where one sees structure and another does not, half of it is believed.
        chosen_.push_back(std::move(*network));
      }
      if (!any) break;
    }
    if (chosen_.size() > 1 && (winners_ == 1 || !cross_fitted())) judge_members();
  }

  void note_missing_members() {
    const bool as_they_won = winners_ != 1 && options_.members <= 0;
    const std::size_t planned = as_they_won ? winners_ : member_plan().planned(chosen_.front());
    if (chosen_.size() < planned) unfinished_.members = {planned - chosen_.size(), planned};
  }

  /// Members were judged on rows of their own. Held out by all, some rows judge the average; else its error is that of
  /// the members on rows they did not see, less their spread.
  void judge_members() {
    if (!cross_fitted()) {
      std::vector<const HeldOut*> together;
      for (const TrainedNetwork& member : chosen_) together.push_back(&member.left);
      judged_ = average_of(together);
      return;
    }
    members_spread_ = true;
  }

  /// Networks that had less time, or worse luck, are no company for a much better one.
  void drop_poor_members() {
    if (options_.members > 0 || chosen_.size() < 2) return;
    std::vector<double> errors;
    for (const TrainedNetwork& member : chosen_) errors.push_back(member.judged);
    const std::vector<std::size_t> good = good_members(errors, tuning::poor_member);
    if (good.size() == chosen_.size() || winners_ > 1) return;
    model_.warnings.push_back(
        fmt::format("{} of {} networks had more than {:g} times the error of the best and were "
                    "left out of the average.",
                    chosen_.size() - good.size(), chosen_.size(), tuning::poor_member));
    std::vector<TrainedNetwork> kept;
    for (const std::size_t e : good) kept.push_back(std::move(chosen_[e]));
    chosen_ = std::move(kept);
    if (!cross_fitted()) judge_members();
  }

  /// Of inputs over several decades, where that is clearly better. Inputs that are to stay as they are, or are as an
  /// earlier run has left them, stay so, and so does time.
  void take_logarithms() {
    if (!options_.standardise_inputs || run_.extras.start != nullptr || beyond(options_)) return;
    run_.supervision.tell(0, 0, "logarithms of inputs");
    const auto work = rows::make_row_work(rows::Implementation::threads, threads_);
    Interrupt planned = until(run_, run_.supervision.budget.end_of(shares::logarithms_window));
    // Never more effort than without a limit: a judge that is cut short is no better for being larger.
    const double effort =
        shares::logarithms * std::min(operations_, operations_without_limit(run_.prepared.rows.order.size()));
    LogarithmChoice choice =
        (run_.journal / "logarithms")
            .piece(planned,
                   [&] {
                     return std::optional(choose_logarithms(run_.data, run_.prepared, model_, effort,
                                                            run_.supervision.budget.limited(), *work, planned));
                   })
            .value();
    unfinished_.logarithms = choice.cut_short;
    if (!choice.scaler) return;
    model_.scaler = std::move(*choice.scaler);
    scale_prepared(run_.data, run_.extras, model_, run_.prepared);
  }

  /// What was planned and did not come about.
  void tell_unfinished() {
    if (unfinished_.any() && run_.supervision.budget.limited())
      tell(fmt::format("Time ended before the plan: {}. A longer max-time may help.", unfinished_.text()));
  }

  void tell(const std::string& warning) {
    model_.warnings.push_back(warning);
    if (run_.extras.observer != nullptr) run_.extras.observer->warning(model_.warnings.back());
  }

  /// Adds blocks to the networks of an earlier run.
  void go_on_from(const Model& start) {
    folds_ = make_folds(run_.data, options_, run_.extras, model_, run_.prepared);
    folds_.resize(1);
    std::vector<Task> tasks;
    for (std::size_t e = 0; e < start.members.size(); ++e) {
      NetworkStart& member = starts_.emplace_back();
      member.network = start.members[e];
      for (const BlockRecord& record : start.history.blocks)
        if (record.member == static_cast<std::int64_t>(e) && is_kept(start, record)) member.records.push_back(record);
      tasks.push_back({{Method::sequential, shares::networks / static_cast<double>(start.members.size())},
                       0,
                       static_cast<std::int64_t>(e),
                       tried_++,
                       nullptr});
    }
    std::vector<std::optional<TrainedNetwork>> trained = networks_.train(tasks);
    for (std::size_t e = 0; e < tasks.size(); ++e) {
      if (!trained[e]) {  // not begun in time: it stays what it is
        trained[e].emplace();
        trained[e]->complete = false;
        trained[e]->records = starts_[e].records;
        for (const Block& block : starts_[e].network.blocks) trained[e]->blocks.push_back({block, {}, nullptr});
      }
      chosen_.push_back(std::move(*trained[e]));
    }
    // With several members their earlier blocks may have seen these rows: there is no error of the average on any.
    if (chosen_.size() == 1 && chosen_[0].left.rows() > 0) judged_ = chosen_[0].left;
    for (const TrainedNetwork& member : chosen_) unfinished_.cut_short += member.complete ? 0 : 1;
    keep_chosen();
    refit();
  }

  // The end.

  static std::vector<const TrainedNetwork*> pointers(const std::vector<TrainedNetwork>& networks) {
    std::vector<const TrainedNetwork*> list;
    for (const TrainedNetwork& network : networks) list.push_back(&network);
    return list;
  }

  /// What the chosen networks leave on rows of a fold that they have not seen, for the error bars.
  void note_judged(const Fold& fold, const std::vector<const TrainedNetwork*>& networks) {
    if (!fold.holds_out()) return;
    share_judged_ = static_cast<double>(fold.rows.train.count()) /
                    static_cast<double>(std::max<std::size_t>(run_.prepared.rows.order.size(), 1));
    const auto work = rows::make_row_work(rows::Implementation::threads, threads_);
    if (!reference_ && beyond(options_)) {
      reference_.emplace();
      reference_->law = uncertainty::law_beyond(fold.rows.train, lines::used_time_input(options_, model_));
    }
    if (!reference_) reference_ = reference_of(networks);
    if (!reference_)
      if (auto law = uncertainty::learn_row_law(fold.rows.train, options_.seed, *work, run_.interrupt)) {
        reference_.emplace();
        reference_->law = std::move(law);
      }
    uncertainty::append(judged_rows_, judged_rows(fold.rows, networks, reference_, *work, run_.interrupt));
  }

  /// By the rows that judged the networks, or better by all, each left out.
  void find_error_bars() {
    if (judged_rows_.rows() == 0) return;
    run_.supervision.tell(0, 0, "error bars");
    const auto work = rows::make_row_work(rows::Implementation::threads, threads_);
    std::optional<uncertainty::Judged> all;
    if (!beyond(options_) && refitted_) all = left_out_rows(run_, chosen_, *work);
    for (std::size_t i = 0; i < judged_rows_.left.rows(); ++i)
      for (std::size_t o = 0; o < judged_rows_.left.cols(); ++o)
        judged_rows_.left(i, o) *= gain_of_members_ * (gain_of_refit_.empty() ? 1.0 : gain_of_refit_[o]);
    // The same network, at its place among the members.
    if (reference_ && !reference_->law) reference_ = reference_of(pointers(chosen_));
    learn_error_bars(run_, all ? std::move(*all) : std::move(judged_rows_), reference_,
                     all             ? Judge::leave_one_out
                     : cross_fitted_ ? Judge::cross_fitting
                                     : Judge::held_out,
                     beyond(options_) ? judged_folds_ : 0, *work);
    unfinished_.error_bars = run_.interrupt.stopped();
  }

  void keep_chosen() {
    for (std::size_t e = 0; e < chosen_.size(); ++e) {
      for (BlockRecord record : chosen_[e].records) {
        record.member = static_cast<std::int64_t>(e);
        model_.history.blocks.push_back(std::move(record));
      }
      model_.members.push_back(chosen_[e].network());
    }
    note_judgement();
    if (!run_.extras.checkpoint || model_.blocks() == 0) return;
    Model so_far = model_;
    so_far.stop_reason = StopReason::interrupted;
    so_far.stop_text = words(StopReason::interrupted);
    so_far.seconds = run_.supervision.elapsed();
    run_.extras.checkpoint(so_far);
  }

  void note_judgement() {
    if (!judged_ || !folds_[0].holds_out()) return;
    History& history = model_.history;
    history.final_validation_mse = mean_square(*judged_, scale_);
    history.final_validation_se = standard_error(*judged_, scale_);
    history.judge = judged_folds_ > 1 && !beyond(options_) ? Judge::cross_fitting : Judge::held_out;
    if (members_spread_) lessen_by_spread();
  }

  /// The members' average is better than they are by their spread, which is measured on all rows.
  void lessen_by_spread() {
    History& history = model_.history;
    const auto work = rows::make_row_work(rows::Implementation::threads, threads_);
    const rows::RowState all(scaled_rows(run_.data, model_, run_.prepared.rows.order, run_.prepared.rows.weights));
    std::vector<Matrix> states;
    Interrupt never;
    for (const Network& network : model_.members) {
      rows::RowState rows = all;
      for (const Block& block : network.blocks) work->advance(block, rows, never);
      states.push_back(rows::residual_of(rows));
    }
    const double spread = spread_of(states, all.weights(), scale_);
    const double mean = *history.final_validation_mse;
    // No average of m is better than 1/m of the members' mean error.
    const double average = std::max(mean - spread, mean / static_cast<double>(model_.members.size()));
    history.final_validation_se = *history.final_validation_se * average / mean;
    history.final_validation_mse = average;
    gain_of_members_ = mean > 0.0 ? std::sqrt(average / mean) : 1.0;
  }

  /// Leaving a row out of N changes the error of the mean there by N/(N − 1).
  void judge_the_mean() {
    History& history = model_.history;
    history.final_train_mse = history.final_validation_mse = history.final_validation_se = std::nullopt;
    if (run_.extras.validation || run_.prepared.held_out.empty()) return;
    const MeanError error = leave_one_out_of_mean(run_.data, run_.prepared, model_);
    history.final_train_mse = error.train;
    history.final_validation_mse = error.left_out;
    history.final_validation_se = error.standard_error;
    history.judge = Judge::leave_one_out;
  }

  /// Frequencies and ridge stay, amplitudes and what little the frequencies still move are for all rows.
  void refit() {
    if (run_.prepared.held_out.empty() || model_.blocks() == 0) return;
    fit_to_all_rows();
    unfinished_.refit = !refitted_;
    if (!refitted_) note_error_of_parts();
  }

  /// Of networks that were not fitted to all rows: what they leave on their own, of several in the mean, which their
  /// average is not above.
  void note_error_of_parts() {
    double sum = 0.0;
    for (const TrainedNetwork& member : chosen_)
      sum += member.records.empty() ? model_.history.empty_train_mse : member.records.back().train_mse;
    model_.history.final_train_mse = sum / static_cast<double>(chosen_.size());
  }

  void fit_to_all_rows() {
    if (run_.interrupt.stopped()) return;
    run_.supervision.tell(0, 0, "fit to all rows");
    const auto work = rows::make_row_work(rows::Implementation::threads, threads_);
    folds_.clear();
    const rows::RowState all(scaled_rows(run_.data, model_, run_.prepared.rows.order, run_.prepared.rows.weights));
    HeldOut sum;
    std::vector<Network> refitted;
    for (const TrainedNetwork& member : chosen_) {
      rows::RowState rows = all;
      std::optional<Network> network = refit_network(*work, member, rows, run_.interrupt,
                                                     run_.journal / fmt::format("all-rows-member{}", refitted.size()));
      if (!network) return;
      refitted.push_back(std::move(*network));
      // The network that was judged and the one of all rows are not equally good.
      if (chosen_.size() == 1 && !cross_fitted_ && !beyond(options_))
        gain_of_refit_ = gains_of_refit(member, rows, share_judged_);
      const HeldOut left = held_out_of(rows);
      if (sum.rows() == 0)
        sum = left;
      else
        for (std::size_t i = 0; i < sum.rows(); ++i)
          for (std::size_t o = 0; o < sum.left.cols(); ++o) sum.left(i, o) += left.left(i, o);
    }
    const auto count = static_cast<double>(chosen_.size());
    model_.members = std::move(refitted);
    refitted_ = true;
    model_.history.final_train_mse = mean_square(sum, scale_) / (count * count);
  }

  /// Time that ends when all is done has kept nothing from being done.
  [[nodiscard]] StopReason reason() const {
    const bool complete = !unfinished_.any();
    if (run_.interrupt.stopped() && (!complete || run_.supervision.reason() == StopReason::interrupted))
      return run_.supervision.reason();
    if (!complete && run_.supervision.budget.limited()) return StopReason::out_of_time;
    return chosen_.empty() ? StopReason::stalled : chosen_.front().reason;
  }

  [[nodiscard]] std::string words(StopReason reason) const {
    return words_of_end(reason, options_, model_.blocks() == 0);
  }

  Run& run_;
  const Options& options_;
  Model& model_;
  std::size_t threads_;
  double operations_ = 0.0;
  std::vector<double> scale_;  ///< per output: standardised squares to the target's units, mean over outputs
  std::vector<Fold> folds_;
  std::vector<NetworkStart> starts_;
  Networks networks_;
  std::size_t judged_folds_ = 1;
  std::int64_t tried_ = 0;   ///< networks shown to those who watch
  std::size_t winners_ = 0;  ///< ways that won the race
  std::vector<TrainedNetwork> chosen_, others_;
  std::optional<HeldOut> judged_;
  bool members_spread_ = false, refitted_ = false;
  Unfinished unfinished_;
  uncertainty::Judged judged_rows_;  ///< by networks that have not seen them
  std::optional<Reference> reference_;
  bool cross_fitted_ = false;
  double share_judged_ = 1.0;          ///< of the rows that the judged network was fitted to
  std::vector<double> gain_of_refit_;  ///< per output; empty: none
  double gain_of_members_ = 1.0;       ///< what the average leaves, as a share of what a member does
};

}  // namespace

Model fit_automatically(Run& run) { return Ensemble(run).fit(); }

}  // namespace rfnn::training
