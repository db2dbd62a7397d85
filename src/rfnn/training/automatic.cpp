#include "rfnn/training/automatic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rfnn/core/error.hpp"
#include "rfnn/data/split.hpp"
#include "rfnn/training/facts.hpp"
#include "rfnn/training/member.hpp"
#include "rfnn/training/prepare.hpp"
#include "rfnn/training/supervision.hpp"
#include "rfnn/training/transforms.hpp"

namespace rfnn {
namespace {

/// What a run may cost, in multiply-adds. Without a time budget it follows from the data alone: about a minute for
/// 10⁵ rows on two cores, and no more for more rows than their passes take.
double operations_for(const Options& options, std::size_t rows, std::size_t threads) {
  constexpr double per_second = 4e10;  // of one thread
  if (options.max_time > 0.0) return options.max_time * static_cast<double>(threads) * per_second;
  const double n = std::clamp(static_cast<double>(rows), 100.0, 1e5);
  return 5.6e11 * std::pow(n / 1e4, n < 1e4 ? 0.85 : 0.4);
}

/// Up to so many rows a thread per member is better than a team per pass.
constexpr std::size_t few_rows = 4000;

/// Shares of a time budget: from when on no member is begun or trained; the rest is for the fit to all rows.
constexpr double latest_member = 0.8;

class AutomaticTraining {
 public:
  AutomaticTraining(const DatasetView& data, const Options& options, const FitExtras& extras)
      : data_(data),
        options_(options),
        extras_(extras),
        supervision_(options, extras),
        interrupt_([this] { return supervision_.poll(); }),
        threads_(options.threads > 0 ? static_cast<std::size_t>(options.threads) : available_threads()) {}

  Model fit() {
    if (!extras_.rows_per_block.empty())
      throw UsageError("Rows were given per block.", "Preset auto chooses rows itself: use preset paper.");
    model_.options = options_;
    supervision_.stage = "reading the rows";
    attend([&] { prepared_ = prepare(data_, options_, extras_, model_); });
    model_.facts = facts_of_this_run(options_);
    if (extras_.observer != nullptr)
      for (const std::string& warning : model_.warnings) extras_.observer->warning(warning);
    std::optional<StopReason> stop;
    if (!prepared_.target_varies)
      stop = StopReason::constant_target;
    else if (model_.used_inputs() == 0)
      stop = StopReason::no_inputs;
    else if (options_.blocks == 0)
      stop = StopReason::all_blocks;
    if (!stop) stop = train();
    conclude(*stop);
    return std::move(model_);
  }

 private:
  /// A way to begin a network, and its share of the effort.
  struct Way {
    Method first;
    double share;
  };

  /// What goes over all rows without looking at the interrupt goes to another thread where it takes long.
  void attend(const std::function<void()>& work) {
    constexpr std::size_t many_numbers = 1000000;
    const bool large = data_.rows() * (data_.inputs.size() + data_.targets.size()) > many_numbers;
    large ? watch(work, interrupt_) : work();
  }

  StopReason train() {
    operations_ = operations_for(options_, prepared_.rows.order.size(), threads_);
    for (const double sd : model_.scaler.output_sd)
      variance_.push_back(sd * sd / static_cast<double>(model_.outputs()));
    model_.facts["seconds_preparing"] = fmt::format("{:.6f}", supervision_.elapsed());

    if (extras_.start != nullptr && extras_.start->blocks() > 0) return go_on_from(*extras_.start);
    take_logarithms();

    // Each way of beginning, judged on the same held-out rows.
    std::vector<MemberPlan> plans;
    for (const Way& way : ways()) plans.push_back(plan_for(0, way));
    std::vector<TrainedMember> tried = train_members(plans);
    for (const std::size_t chosen : best_average(tried)) keep(std::move(tried[chosen]));

    // Another draw of a wide block's frequencies is no other network; other features refined on other rows are.
    const Method first = members_[0].blocks.empty() ? Method::sequential : members_[0].blocks[0].method;
    const bool refined = members_.size() == 1 && !members_[0].blocks.empty() && first == Method::sequential &&
                         members_[0].reason != StopReason::tolerance;
    const auto wanted = static_cast<std::size_t>(options_.members > 0 ? options_.members : refined ? 4 : 1);
    while (members_.size() < wanted && model_.blocks() > 0 && !interrupt_.stopped() && time_for_members()) {
      plans.clear();
      for (std::size_t e = members_.size(); e < wanted && plans.size() < at_once(); ++e)
        plans.push_back(plan_for(static_cast<std::int64_t>(e), {first, member_share()}));
      std::vector<TrainedMember> more = train_members(plans);
      if (more.empty()) break;
      // One that finds nothing is the mean: where one sees structure and another does not, half of it is believed.
      for (TrainedMember& member : more) keep(std::move(member));
    }
    drop_poor_members();
    refit();
    return interrupt_.stopped() ? supervision_.reason() : members_.front().reason;
  }

  /// Of inputs over several decades, where that is clearly better; a twentieth of the effort. Inputs that are to stay
  /// as they are, or are as an earlier run has left them, stay so.
  void take_logarithms() {
    constexpr double share = 0.05;
    if (!options_.standardise_inputs || extras_.start != nullptr) return;
    supervision_.stage = "logarithms of inputs";
    GrowthPasses passes(threads_);
    Interrupt planned = limited(supervision_.elapsed() / std::max(options_.max_time, 1e-9) + 2.0 * share);
    std::optional<Scaler> chosen = choose_logarithms(data_, prepared_, model_, share * operations_, passes, planned);
    if (!chosen) return;
    model_.scaler = std::move(*chosen);
    scale_prepared(data_, extras_, model_, prepared_);
  }

  /// Adds blocks to the networks of an earlier run.
  StopReason go_on_from(const Model& start) {
    std::vector<MemberPlan> plans;
    for (std::size_t e = 0; e < start.members.size(); ++e) {
      const double share = latest_member / static_cast<double>(start.members.size());
      plans.push_back(plan_for(static_cast<std::int64_t>(e), {Method::sequential, share}));
      MemberStart& member = plans.back().start.emplace();
      member.network = start.members[e];
      for (const BlockRecord& record : start.history.blocks)
        if (record.member == static_cast<std::int64_t>(e) && is_kept(start, record)) member.records.push_back(record);
    }
    std::vector<TrainedMember> trained = train_members(plans);
    while (trained.size() < plans.size()) trained.emplace_back(*plans[trained.size()].start);
    for (TrainedMember& member : trained) keep(std::move(member));
    // Members hold out rows of their own, so that there is no error of the average on any.
    if (members_.size() == 1 && prepared_.validation.count() > 0)
      model_.history.final_validation_mse = in_target_units(mean_squares(members_[0].held_out_left), variance_);
    refit();
    return interrupt_.stopped() ? supervision_.reason() : members_.front().reason;
  }

  /// Wide blocks need room; their ridge is part of what they learn.
  [[nodiscard]] std::vector<Way> ways() const {
    constexpr std::int64_t wide = 256;
    if ((options_.width > 0 && options_.width < wide) || !options_.ridge.empty()) return {{Method::sequential, 0.4}};
    if (model_.used_inputs() <= 2) return {{Method::lattice, 0.4}, {Method::sequential, 0.3}};
    return {{Method::sequential, 0.2}, {Method::random, 0.5}};
  }

  [[nodiscard]] MemberPlan plan_for(std::int64_t member, const Way& way) const {
    MemberPlan plan;
    plan.options = &options_;
    plan.variance = variance_;
    plan.member = member;
    plan.first = way.first;
    plan.operations = operations_ * way.share;
    plan.share = way.share;
    return plan;
  }

  [[nodiscard]] std::size_t at_once() const { return prepared_.rows.order.size() <= few_rows ? threads_ : 1; }

  [[nodiscard]] bool time_for_members() const {
    return options_.max_time <= 0.0 ||
           supervision_.elapsed() + 0.7 * member_seconds_ < latest_member * options_.max_time;
  }

  /// Of the effort, for a further member: as much as the first had, or all time left where that was too short for it.
  [[nodiscard]] double member_share() const {
    if (options_.max_time <= 0.0 || members_[0].complete) return 0.25;
    return std::max(0.1, latest_member - supervision_.elapsed() / options_.max_time);
  }

  /// Networks that had less time, or worse luck, are no company for a much better one.
  void drop_poor_members() {
    constexpr double poor = 1.5;
    if (options_.members > 0) return;
    double best = members_[0].held_out;
    for (const TrainedMember& member : members_) best = std::min(best, member.held_out);
    std::vector<BlockRecord> records;
    std::vector<Network> networks;
    std::vector<TrainedMember> kept;
    for (std::size_t e = 0; e < members_.size(); ++e) {
      if (members_[e].held_out > poor * best) continue;
      for (BlockRecord record : members_[e].records) {
        record.member = static_cast<std::int64_t>(kept.size());
        records.push_back(std::move(record));
      }
      networks.push_back(std::move(model_.members[e]));
      kept.push_back(std::move(members_[e]));
    }
    if (kept.size() != members_.size()) model_.history.final_validation_mse = std::nullopt;
    if (kept.size() == 1 && !kept[0].records.empty())
      model_.history.final_validation_mse = kept[0].records.back().validation_mse;
    model_.history.blocks = std::move(records);
    model_.members = std::move(networks);
    members_ = std::move(kept);
  }

  /// Trains members, side by side where rows are few; what comes out does not depend on it.
  std::vector<TrainedMember> train_members(std::vector<MemberPlan> plans) {
    const auto began = Clock::now();
    std::vector<TrainedMember> trained(plans.size());
    if (at_once() > 1 && plans.size() > 1) {
      supervision_.stage = fmt::format("{} networks side by side", plans.size());
      double share = 0.0;
      for (const MemberPlan& plan : plans) share += plan.share;
      Interrupt planned = limited(share);
      Workers workers(std::min(threads_, plans.size()));
      workers.run_watched(
          plans.size(),
          [&](std::size_t k, std::size_t) {
            GrowthPasses passes(1);
            trained[k] = train_member(passes, rows_of(plans[k].member), plans[k], planned);
          },
          planned);
    } else {
      GrowthPasses passes(threads_);
      double share = supervision_.elapsed() / std::max(options_.max_time, 1e-9);
      std::size_t done = 0;
      for (MemberPlan& plan : plans) {
        if (done > 0 && interrupt_.stopped()) break;
        plan.stage = [this](const std::string& stage) { supervision_.stage = stage; };
        for (std::size_t k = 0; k < done; ++k) plan.rival = std::min(plan.rival, trained[k].held_out);
        Interrupt planned = limited(share += plan.share);
        const auto start = Clock::now();
        trained[done++] = train_member(passes, rows_of(plan.member), plan, planned);
        if (plan.first == Method::sequential) member_seconds_ = seconds_between(start, Clock::now());
      }
      trained.resize(done);
    }
    if (at_once() > 1) member_seconds_ = seconds_between(began, Clock::now());
    return trained;
  }

  /// Ends with the run, and when so much of the time budget is used.
  Interrupt limited(double share) {
    return Interrupt([this, share] {
      return interrupt_.proceed() &&
             (options_.max_time <= 0.0 || supervision_.elapsed() < std::min(share, latest_member) * options_.max_time);
    });
  }

  /// The best of the members tried, and those whose company makes the average better still on held-out rows.
  [[nodiscard]] std::vector<std::size_t> best_average(const std::vector<TrainedMember>& tried) {
    std::vector<std::size_t> order(tried.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return tried[a].held_out < tried[b].held_out; });
    // A grown network was chosen turn by turn on these rows, a wide block was not: it yields to sure gain only.
    const auto wide = [&](std::size_t k) {
      return !tried[k].blocks.empty() && tried[k].blocks[0].method != Method::sequential;
    };
    for (std::size_t next = 1; next < order.size(); ++next)
      if (!wide(order[0]) && wide(order[next]) &&
          !surely_smaller(tried[order[0]].held_out_left, tried[order[next]].held_out_left, 2.0, false))
        std::swap(order[0], order[next]);
    std::vector<std::size_t> chosen = {order.front()};
    GrowthRows sum = tried[order.front()].held_out_left;
    double least = tried[order.front()].held_out;
    for (std::size_t next = 1; next < order.size() && options_.members != 1; ++next) {
      GrowthRows with = sum;
      const auto count = static_cast<double>(chosen.size() + 1);
      for (std::size_t i = 0; i < with.count(); ++i)
        for (std::size_t o = 0; o < with.outputs(); ++o)
          with.residual(i, o) += tried[order[next]].held_out_left.residual(i, o);
      const double now = mean_squares(with).sum() / (count * count);
      if (!(now < 0.97 * least) || tried[order[next]].blocks.empty()) continue;
      least = now;
      sum = std::move(with);
      chosen.push_back(order[next]);
    }
    if (prepared_.validation.count() > 0)
      model_.history.final_validation_mse =
          in_target_units(mean_squares(sum), variance_) / static_cast<double>(chosen.size() * chosen.size());
    return chosen;
  }

  /// Each member holds out rows of its own; given validation rows serve all.
  [[nodiscard]] MemberRows rows_of(std::int64_t member) const {
    if (member == 0 || extras_.validation || options_.validation_fraction <= 0.0)
      return {make_growth_rows(prepared_.train), make_growth_rows(prepared_.validation)};
    const std::vector<std::size_t>& order = prepared_.rows.order;
    const Split split = holdout_split(data_.inputs, order, held_out_share(options_, order.size()),
                                      options_.seed + static_cast<std::uint64_t>(member) * 0x9e3779b97f4a7c15ULL);
    return {make_growth_rows(scaled_rows(data_, model_, split.train, prepared_.rows.weights)),
            make_growth_rows(scaled_rows(data_, model_, split.validation, prepared_.rows.weights))};
  }

  void keep(TrainedMember member) {
    for (std::size_t i = 0; i < member.records.size(); ++i) {
      BlockRecord record = member.records[i];
      record.member = static_cast<std::int64_t>(members_.size());
      if (i >= member.earlier && extras_.observer != nullptr && !extras_.observer->block_done(record))
        interrupt_.stop();
      model_.history.blocks.push_back(std::move(record));
    }
    model_.members.push_back(member.network());
    members_.push_back(std::move(member));
    if (!extras_.checkpoint) return;
    Model so_far = model_;
    so_far.stop_reason = StopReason::interrupted;
    so_far.stop_text = words(StopReason::interrupted);
    so_far.seconds = supervision_.elapsed();
    extras_.checkpoint(so_far);
  }

  /// Frequencies and ridge stay, amplitudes and what little the frequencies still move are for all rows.
  void refit() {
    if (prepared_.held_out.empty() || interrupt_.stopped()) return;
    supervision_.stage = "fit to all rows";
    GrowthPasses passes(threads_);
    const GrowthRows all = make_growth_rows(scaled_rows(data_, model_, prepared_.rows.order, prepared_.rows.weights));
    GrowthRows sum{{}, TiledColumns(all.count(), all.outputs()), all.root};
    for (std::size_t e = 0; e < members_.size(); ++e) {
      GrowthRows rows = all;
      std::optional<Network> network = refit_member(passes, members_[e], rows, interrupt_);
      if (!network) return;
      model_.members[e] = std::move(*network);
      for (std::size_t i = 0; i < rows.count(); ++i)
        for (std::size_t o = 0; o < rows.outputs(); ++o) sum.residual(i, o) += rows.residual(i, o);
    }
    const auto count = static_cast<double>(members_.size());
    model_.history.final_train_mse = in_target_units(mean_squares(sum), variance_) / (count * count);
  }

  void conclude(StopReason reason) {
    if (model_.members.empty()) model_.members.resize(1);
    if (model_.blocks() == 0) model_.history.final_train_mse = model_.history.final_validation_mse = std::nullopt;
    model_.stop_reason = reason;
    model_.stop_text = words(reason);
    model_.seconds = supervision_.elapsed();
  }

  [[nodiscard]] std::string words(StopReason reason) const {
    switch (reason) {
      case StopReason::constant_target:
        return "the target is constant: its value is the model";
      case StopReason::no_inputs:
        return "no input varies: the mean is the model";
      case StopReason::interrupted:
        return "interrupted; what was learnt by then is kept";
      case StopReason::out_of_time:
        return fmt::format("the time budget of {:g} s is used up", options_.max_time);
      case StopReason::tolerance:
        return fmt::format("the wanted error of {:g} is reached", options_.tolerance);
      case StopReason::all_blocks:
        return members_.empty() || members_.front().complete ? "all blocks are trained"
                                                             : "the time planned for training is used";
      case StopReason::stalled:
        break;
    }
    return model_.blocks() == 0 ? "held-out rows see nothing to be learnt: the mean is the model"
                                : "held-out rows see no more gain";
  }

  const DatasetView& data_;
  const Options& options_;
  const FitExtras& extras_;
  Supervision supervision_;
  Interrupt interrupt_;
  std::size_t threads_;
  double operations_ = 0.0;
  double member_seconds_ = 0.0;   ///< that the last sequential network took
  std::vector<double> variance_;  ///< per output
  PreparedRows prepared_;
  Model model_;
  std::vector<TrainedMember> members_;
};

}  // namespace

Model fit_automatically(const DatasetView& data, const Options& options, const FitExtras& extras) {
  return AutomaticTraining(data, options, extras).fit();
}

}  // namespace rfnn
