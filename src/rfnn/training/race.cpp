#include "rfnn/training/race.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "rfnn/training/tuning.hpp"

namespace rfnn::training {
namespace {

class Race {
 public:
  Race(const Options& options, const Model& model, std::size_t rows, const std::vector<Fold>& folds, Networks& networks)
      : options_(options),
        model_(model),
        folds_(folds),
        networks_(networks),
        begin_(ways_to_begin(options, model.used_inputs(), rows)) {
    result_.networks.resize(folds.size());
  }

  RaceResult run() {
    first_fold();
    racing_ = still_racing();
    if (racing_.empty()) {
      result_.folds = 0;
      note_unfinished();
      return std::move(result_);
    }
    other_folds();
    note_unfinished();
    choose();
    if (beyond(options_) && result_.judged) judge_by_all();
    return std::move(result_);
  }

 private:
  [[nodiscard]] const TrainedNetwork& network_of(std::size_t way) const { return *result_.networks[0][way]; }

  void first_fold() {
    // Grown networks come last: they take long, and end early where they cannot win.
    std::vector<Task> tasks, grown;
    for (const Way& way : begin_)
      (way.first == Method::sequential ? grown : tasks).push_back({way, 0, 0, result_.tried++, nullptr});
    double rival = std::numeric_limits<double>::infinity(), reserved = 0.0;
    for (const Task& task : grown) reserved += task.way.share;
    const auto keep = [&](std::vector<std::optional<TrainedNetwork>> networks) {
      for (std::optional<TrainedNetwork>& network : networks) {
        if (network && !network->blocks.empty()) rival = std::min(rival, network->judged);
        result_.networks[0].push_back(std::move(network));
      }
    };
    keep(networks_.train(tasks, rival, reserved));
    keep(networks_.train(grown, rival));
    not_begun_ = networks_.not_begun();
  }

  void other_folds() {
    std::vector<Task> tasks;
    for (std::size_t fold = 1; fold < folds_.size(); ++fold)
      for (const std::size_t way : racing_)
        // What is known of later rows must not help to forecast them.
        tasks.push_back({begin_[way], fold, static_cast<std::int64_t>(fold), 0,
                         beyond(options_) ? nullptr : hint_of(network_of(way)), false, nullptr,
                         network_of(way).seconds});
    if (!tasks.empty()) {
      std::vector<std::optional<TrainedNetwork>> others = networks_.train(tasks);
      for (std::size_t fold = 1; fold < folds_.size(); ++fold) {
        result_.networks[fold].resize(begin_.size());
        for (std::size_t r = 0; r < racing_.size(); ++r)
          result_.networks[fold][racing_[r]] = std::move(others[(fold - 1) * racing_.size() + r]);
      }
    }
    leave_out_who_fell_behind();
    if (beyond(options_)) count_folds();
  }

  /// A way that time kept from a part of the rows leaves the race where another has been through more of them: rows say
  /// more about who is the better than one who is missing there takes away.
  void leave_out_who_fell_behind() {
    std::vector<std::size_t> through;
    for (const std::size_t way : racing_) {
      std::size_t count = 1;
      while (count < folds_.size() && result_.networks[count][way] && usable(*result_.networks[count][way])) ++count;
      through.push_back(count);
      result_.folds = std::max(result_.folds, count);
    }
    std::vector<std::size_t> there;
    for (std::size_t r = 0; r < racing_.size(); ++r)
      if (through[r] == result_.folds) there.push_back(racing_[r]);
    fell_behind_ = racing_.size() - there.size();
    racing_ = std::move(there);
  }

  void note_unfinished() {
    Unfinished& unfinished = result_.unfinished;
    unfinished.ways = {not_begun_, begin_.size()};
    unfinished.behind = fell_behind_;
    unfinished.folds = {folds_.size() - result_.folds, folds_.size()};
    for (const auto& of_fold : result_.networks)
      for (const std::optional<TrainedNetwork>& network : of_fold) {
        if (!network || network->complete) continue;
        if (!network->blocks.empty())
          ++unfinished.cut_short;
        else if (&of_fold == &result_.networks[0])
          ++unfinished.ways.missing;
      }
  }

  /// A network cut short before it had a block says nothing about its fold.
  [[nodiscard]] static bool usable(const TrainedNetwork& network) {
    return network.complete || !network.blocks.empty();
  }

  /// The ways that have begun and are not far behind the best.
  [[nodiscard]] std::vector<std::size_t> still_racing() const {
    const std::vector<std::optional<TrainedNetwork>>& trained = result_.networks[0];
    double best = std::numeric_limits<double>::infinity();
    for (const auto& network : trained)
      if (network && !network->blocks.empty()) best = std::min(best, network->judged);
    const double hopeless = beyond(options_) ? tuning::hopeless_beyond : tuning::hopeless_way;
    std::vector<std::size_t> racing;
    for (std::size_t way = 0; way < trained.size(); ++way)
      if (trained[way] && (!cross_fitted() || !(trained[way]->judged > hopeless * best))) racing.push_back(way);
    return racing;
  }

  /// How much a fold's rows count in the choice. Stretches of time differ in how hard they are to foresee: each counts
  /// by what the best way leaves of it, so that the hardest does not decide alone.
  void count_folds() {
    for (std::size_t fold = 0; fold < result_.folds; ++fold) {
      double least = mean_square(folds_[fold].without_network());
      for (const std::size_t way : racing_) least = std::min(least, mean_square(result_.networks[fold][way]->left));
      fold_counts_.push_back(least > 0.0 ? 1.0 / least : 1.0);
    }
  }
  [[nodiscard]] double count_of(std::size_t fold) const { return fold_counts_.empty() ? 1.0 : fold_counts_[fold]; }

  void choose() {
    std::vector<HeldOut> left(begin_.size());
    std::vector<Candidate> candidates;
    for (const std::size_t way : racing_) {
      for (std::size_t fold = 0; fold < result_.folds; ++fold)
        append(left[way], counting(result_.networks[fold][way]->left, count_of(fold)));
      // Later blocks are grown ones, chosen turn by turn on the rows that judge here.
      const TrainedNetwork& network = network_of(way);
      const bool grown = begin_[way].first == Method::sequential,
                 chosen_by_rows = grown || (network.blocks.size() > 1 && !network.by_rows_left_out);
      candidates.push_back(
          {&left[way], network.blocks.empty() || nothing_learnt(left[way], grown), chosen_by_rows, is_small(network)});
    }
    const HeldOut mean = mean_alone();
    for (Candidate& candidate : candidates)
      if (candidate.empty) candidate.held_out = &mean;
    const std::size_t most = options_.members == 1 ? 1 : candidates.size();
    const std::vector<std::size_t> best = best_average(candidates, most);
    if (candidates[best.front()].empty) return;
    std::vector<const HeldOut*> together;
    for (const std::size_t c : best) {
      result_.ways.push_back(racing_[c]);
      together.push_back(candidates[c].held_out);
    }
    result_.judged = average_of(together);
  }

  /// Has it few numbers beside those of the rows: amplitudes and frequencies?
  [[nodiscard]] bool is_small(const TrainedNetwork& network) const {
    std::size_t numbers = 0;
    for (const finders::FoundBlock& found : network.blocks)
      for (const Branch& branch : found.block.branches)
        numbers += branch.closed_form ? branch.closed_form->coefficients.size()
                                      : branch.frequencies.size() + branch.amplitudes.size();
    const auto rows = static_cast<double>(folds_[0].rows.train.count() * model_.outputs());
    return static_cast<double>(numbers) <= tuning::small_part * rows;
  }

  /// Of few rows every first block has joined its network; whether there is anything in it, all rows decide.
  [[nodiscard]] bool nothing_learnt(const HeldOut& left, bool grown) const {
    if (!cross_fitted()) return false;
    return !surely_smaller(left, mean_alone(), grown ? tuning::sure_of_all_grown : tuning::sure_of_all, true);
  }

  /// What the mean of the training rows leaves on the rows judged.
  [[nodiscard]] HeldOut mean_alone() const {
    HeldOut mean;
    for (std::size_t fold = 0; fold < result_.folds; ++fold)
      append(mean, counting(folds_[fold].without_network(), count_of(fold)));
    return mean;
  }

  /// The error to be reported is that of all rows judged, each as much as the others.
  void judge_by_all() {
    std::vector<HeldOut> left(result_.ways.size());
    std::vector<const HeldOut*> together;
    for (std::size_t k = 0; k < left.size(); ++k) {
      for (std::size_t fold = 0; fold < result_.folds; ++fold)
        append(left[k], result_.networks[fold][result_.ways[k]]->left);
      together.push_back(&left[k]);
    }
    result_.judged = average_of(together);
  }

  [[nodiscard]] bool cross_fitted() const { return folds_.size() > 1; }

  const Options& options_;
  const Model& model_;
  const std::vector<Fold>& folds_;
  Networks& networks_;
  const std::vector<Way> begin_;
  std::size_t not_begun_ = 0;        ///< ways
  std::size_t fell_behind_ = 0;      ///< ways that left the race for lack of time
  std::vector<std::size_t> racing_;  ///< not far behind after the first fold
  std::vector<double> fold_counts_;  ///< how much the rows of a fold count; empty: all alike
  RaceResult result_;
};

}  // namespace

RaceResult race(const Options& options, const Model& model, std::size_t rows, const std::vector<Fold>& folds,
                Networks& networks) {
  return Race(options, model, rows, folds, networks).run();
}

}  // namespace rfnn::training
