#include "rfnn/training/member.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "rfnn/sampling/growth.hpp"
#include "rfnn/sampling/screening.hpp"
#include "rfnn/training/proposals.hpp"
#include "rfnn/training/supervision.hpp"

namespace rfnn {
namespace {

/// Features that a block of so many multiply-adds may have: refining P = (2 + v·√m) F columns on N rows costs about
/// 15 N P² until F features are grown.
std::size_t affordable_features(double operations, std::size_t rows, std::size_t variables, std::size_t outputs) {
  const auto count = static_cast<double>(rows);
  // No more numbers to find than rows to find them from.
  const double columns = std::min(std::sqrt(operations / (15.0 * count)), count);
  const double per_feature = 2.0 + static_cast<double>(variables) * std::sqrt(static_cast<double>(outputs));
  return static_cast<std::size_t>(std::clamp(columns / per_feature, 4.0, 1024.0));
}

/// How much the network bends along each input, the largest 1; nothing before there is one.
std::vector<double> input_weights(const std::vector<ProposedBlock>& blocks, std::size_t inputs) {
  std::vector<double> weights(inputs, 0.0);
  for (const ProposedBlock& proposed : blocks)
    for (const Branch& branch : proposed.block.branches) {
      if (branch.kind == BranchKind::state) continue;
      for (std::size_t j = 0; j < branch.frequencies.rows(); ++j) {
        double energy = 0.0;
        for (std::size_t part = 0; part < 2; ++part)
          for (std::size_t o = 0; o < branch.amplitudes.cols(); ++o)
            energy += branch.amplitudes(2 * j + part, o) * branch.amplitudes(2 * j + part, o);
        for (std::size_t k = 0; k < inputs; ++k)
          weights[k] += energy * branch.frequencies(j, k) * branch.frequencies(j, k);
      }
    }
  const double largest = *std::max_element(weights.begin(), weights.end());
  if (!(largest > 0.0)) return {};
  for (double& weight : weights) weight = std::max(0.05, std::sqrt(weight / largest));
  return weights;
}

std::size_t width_of(const Block& block) {
  std::size_t width = 0;
  for (const Branch& branch : block.branches) width += branch.frequencies.rows();
  return width;
}

class MemberTraining {
 public:
  MemberTraining(GrowthPasses& passes, MemberRows rows, const MemberPlan& plan, Interrupt& interrupt)
      : passes_(passes),
        rows_(std::move(rows)),
        plan_(plan),
        options_(*plan.options),
        interrupt_(interrupt),
        resolution_(resolution_of(rows_.train)) {}

  TrainedMember train() {
    if (plan_.start) go_on_from(*plan_.start);
    const double energy = mean_squares(rows_.train).sum();
    constexpr double exact = 1e-26;  // what is left is rounding
    result_.train = energy;
    result_.held_out = mean_squares(judge(rows_)).sum();
    result_.reason = StopReason::all_blocks;
    while (result_.blocks.size() < static_cast<std::size_t>(options_.blocks) && result_.train > exact * energy) {
      if (options_.patience > 0 && without_gain_ >= options_.patience) {
        result_.reason = StopReason::stalled;
        break;
      }
      if (!add_block()) {
        result_.complete = false;
        break;
      }
      // A way to begin that leads nowhere is no network of this kind.
      if (attempt_ == 1 && plan_.first != Method::sequential && result_.blocks.empty()) {
        result_.reason = StopReason::stalled;
        break;
      }
      ++attempt_;
      if (options_.tolerance > 0.0 &&
          in_target_units(mean_squares(judge(rows_)), plan_.variance) <= options_.tolerance) {
        result_.reason = StopReason::tolerance;
        break;
      }
    }
    result_.held_out_left = {{}, judge(rows_).residual, judge(rows_).root};
    return std::move(result_);
  }

 private:
  void go_on_from(const MemberStart& start) {
    result_ = TrainedMember(start);
    Interrupt never;  // without its blocks the network is nothing to go on from
    for (const Block& block : start.network.blocks)
      for (GrowthRows* rows : {&rows_.train, &rows_.held_out}) advance(block, *rows, passes_.workers(), never);
    resolution_ = resolution_of(rows_.train);
    constexpr std::uint64_t other_draws = 1000;  // than those that led no further
    attempt_ = other_draws + start.network.blocks.size();
  }

  static const GrowthRows& judge(const MemberRows& rows) {
    return rows.held_out.count() > 0 ? rows.held_out : rows.train;
  }

  [[nodiscard]] GrowthPlan growth_plan(bool joint) const {
    const bool first = result_.blocks.empty();
    GrowthPlan growth;
    growth.inputs = rows_.train.inputs();
    const std::size_t outputs = rows_.train.outputs();
    const auto used =
        static_cast<std::size_t>(screened_.empty() ? static_cast<std::ptrdiff_t>(growth.inputs)
                                                   : std::count_if(screened_.begin(), screened_.end(),
                                                                   [](double c) { return c > screened_out; }));
    const std::size_t variables = std::min<std::size_t>(used, 6) + (joint ? outputs : 0);
    growth.features = affordable_features(plan_.operations / 3.0, rows_.train.count(), variables, outputs);
    if (options_.width > 0)
      growth.features = std::min(growth.features, static_cast<std::size_t>(options_.width) * (first ? 1 : 2));
    growth.pool = std::clamp<std::size_t>(10 * rows_.train.count(), 300, 3000);
    growth.weight = input_weights(result_.blocks, growth.inputs);
    if (growth.weight.empty()) growth.weight = screened_;
    for (std::size_t k = 0; k < screened_.size(); ++k)
      if (screened_[k] <= screened_out) growth.weight[k] = std::min(growth.weight[k], screened_out);
    growth.seed = options_.seed;
    growth.member = static_cast<std::uint64_t>(plan_.member);
    growth.block = attempt_;
    growth.constant = first;
    growth.steps = options_.refine ? 3 : 0;
    if (outputs == 1) growth.enough = options_.tolerance / plan_.variance[0];
    if (!options_.ridge.empty()) growth.ridge = options_.ridge_of(static_cast<std::int64_t>(result_.blocks.size() + 1));
    if (!first)
      growth.kinds = joint ? std::vector{BranchKind::joint} : std::vector{BranchKind::input, BranchKind::state};
    return growth;
  }

  /// Branches to try for the next block.
  [[nodiscard]] std::vector<bool> joint_or_not() const {
    if (result_.blocks.empty()) return {false};
    if (options_.branches == Branches::joint) return {true};
    if (options_.branches == Branches::input_state) return {false};
    if (result_.blocks.size() == 1 && without_gain_ == 0) return {true, false};
    return {without_gain_ % 2 == 1 ? !joint_ : joint_};
  }

  /// Looks for a block and adds it where it helps. False when interrupted; what was found in time is used nevertheless.
  bool add_block() {
    began_ = Clock::now();
    std::optional<ProposedBlock> chosen;
    MemberRows after;
    bool complete = true;
    const auto better = [&](std::optional<ProposedBlock> proposed) {
      complete = complete && !interrupt_.stopped() && (!proposed || proposed->complete);
      if (!proposed) return false;
      Interrupt never;
      Interrupt& until = complete ? interrupt_ : never;
      MemberRows with = rows_;
      if (!advance(proposed->block, with.train, passes_.workers(), until) ||
          !advance(proposed->block, with.held_out, passes_.workers(), until)) {
        complete = false;
        return false;
      }
      if (chosen && !(mean_squares(judge(with)).sum() < mean_squares(judge(after)).sum())) return false;
      chosen = std::move(proposed);
      after = std::move(with);
      return true;
    };
    const std::size_t most = options_.width > 0 ? static_cast<std::size_t>(options_.width) : std::size_t{1} << 18;
    if (attempt_ == 1 && plan_.first == Method::random) {
      tell("a law for many frequencies");
      better(propose_random(passes_, rows_, most, plan_.operations, plan_.rival, options_.seed,
                            static_cast<std::uint64_t>(plan_.member), interrupt_));
    } else if (attempt_ == 1 && plan_.first == Method::lattice) {
      tell("lattice of frequencies");
      better(propose_lattice(passes_, rows_, most, interrupt_));
    } else {
      if (attempt_ == 1) {
        tell("which inputs matter");
        screened_ = screen_inputs(passes_, rows_.train, rows_.held_out, options_.seed,
                                  static_cast<std::uint64_t>(plan_.member), interrupt_);
      }
      for (const bool joint : joint_or_not()) {
        if (!complete) break;
        tell(joint ? "frequencies over inputs and state together" : "frequencies one by one");
        if (better(propose_sequential(passes_, rows_, resolution_, growth_plan(joint), interrupt_))) joint_ = joint;
      }
    }
    ++without_gain_;
    // A block is the best of many tried on these rows. Whether there is anything to be learnt at all is asked strictly.
    const double standard_errors = result_.blocks.empty() ? 3.0 : 2.0;
    if (!chosen || !surely_smaller(judge(after), judge(rows_), standard_errors, true)) return complete;
    const double now = mean_squares(judge(after)).sum();
    if (now < 0.998 * result_.held_out) without_gain_ = 0;
    result_.held_out = now;
    rows_ = std::move(after);
    resolution_ = resolution_of(rows_.train);  // the state has changed
    result_.train = mean_squares(rows_.train).sum();
    note(*chosen);
    result_.blocks.push_back(std::move(*chosen));
    return complete;
  }

  void tell(std::string_view what) const {
    if (plan_.stage) plan_.stage(fmt::format("member {}, block {}: {}", plan_.member, result_.blocks.size() + 1, what));
  }

  void note(const ProposedBlock& proposed) {
    BlockRecord record;
    record.member = plan_.member;
    record.block = static_cast<std::int64_t>(result_.blocks.size() + 1);
    record.method = proposed.method;
    record.width = static_cast<std::int64_t>(width_of(proposed.block));
    record.rows = record.proposal_rows = rows_.train.count();
    record.complete = proposed.complete;
    record.ridge = proposed.ridge;
    record.train_mse = in_target_units(mean_squares(rows_.train), plan_.variance);
    if (rows_.held_out.count() > 0)
      record.validation_mse = in_target_units(mean_squares(rows_.held_out), plan_.variance);
    record.seconds = seconds_between(began_, Clock::now());
    for (const Branch& branch : proposed.block.branches) record.branches.push_back({branch.kind, 0, 0, {}});
    result_.records.push_back(std::move(record));
  }

  GrowthPasses& passes_;
  MemberRows rows_;
  MemberPlan plan_;
  const Options& options_;
  Interrupt& interrupt_;
  Resolution resolution_;
  TrainedMember result_;
  Clock::time_point began_;
  std::uint64_t attempt_ = 1;
  std::int64_t without_gain_ = 0;  ///< attempts
  std::vector<double> screened_;   ///< chances of the inputs; empty: not asked
  bool joint_ = false;             ///< the last block kept, or tried
};

}  // namespace

bool surely_smaller(const GrowthRows& after, const GrowthRows& before, double standard_errors, bool or_logarithms) {
  const auto count = static_cast<double>(before.count());
  const double total = mean_squares(before).sum() * count;
  const double least = 1e-12 * total / count;
  double sum[2] = {}, squares[2] = {};
  for (std::size_t i = 0; i < before.count(); ++i) {
    double was = 0.0, is = 0.0;
    for (std::size_t o = 0; o < before.outputs(); ++o) {
      was += before.residual(i, o) * before.residual(i, o);
      is += after.residual(i, o) * after.residual(i, o);
    }
    // A row that counts twice is no two witnesses: the weight is part of what is averaged.
    const double weight = before.weight(i);
    const double gain[2] = {weight * (was - is), weight * std::log((was + least) / (is + least))};
    for (int k = 0; k < 2; ++k) {
      sum[k] += gain[k];
      squares[k] += gain[k] * gain[k];
    }
  }
  const auto sure = [&](int k) {
    return sum[k] > 0.0 && sum[k] * sum[k] > standard_errors * standard_errors * (squares[k] - sum[k] * sum[k] / count);
  };
  constexpr double few = 4.0;  // rows with which nothing is sure but a fall to a quarter
  if (count < few) return sum[0] > 0.75 * total;
  return sum[0] > 0.0 && (sure(0) || (or_logarithms && sure(1)));
}

double in_target_units(const Eigen::VectorXd& squares, const std::vector<double>& variance) {
  double sum = 0.0;
  for (std::size_t o = 0; o < variance.size(); ++o) sum += variance[o] * squares(static_cast<Eigen::Index>(o));
  return sum;
}

TrainedMember::TrainedMember(const MemberStart& start) : records(start.records), earlier(start.records.size()) {
  for (const Block& block : start.network.blocks) {
    ProposedBlock as_it_is;
    as_it_is.block = block;
    as_it_is.refit = [block](const GrowthRows&, GrowthPasses&, Interrupt&) { return std::optional(block); };
    blocks.push_back(std::move(as_it_is));
  }
}

Network TrainedMember::network() const {
  Network network;
  for (const ProposedBlock& proposed : blocks) network.blocks.push_back(proposed.block);
  return network;
}

TrainedMember train_member(GrowthPasses& passes, MemberRows rows, const MemberPlan& plan, Interrupt& interrupt) {
  return MemberTraining(passes, std::move(rows), plan, interrupt).train();
}

std::optional<Network> refit_member(GrowthPasses& passes, const TrainedMember& member, GrowthRows& rows,
                                    Interrupt& interrupt) {
  Network network;
  for (const ProposedBlock& proposed : member.blocks) {
    std::optional<Block> block = proposed.refit(rows, passes, interrupt);
    if (!block || !advance(*block, rows, passes.workers(), interrupt)) return std::nullopt;
    network.blocks.push_back(std::move(*block));
  }
  return network;
}

}  // namespace rfnn
