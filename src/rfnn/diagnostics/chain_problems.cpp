// What is wrong with chains: how often they move, and how far they have come.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "rfnn/diagnostics/chain_statistics.hpp"
#include "rfnn/diagnostics/problems.hpp"

namespace rfnn::diagnosis {
namespace {

/// A branch whose chain accepts too little or too much.
struct Odd {
  const BlockRecord* block = nullptr;
  const BranchRecord* branch = nullptr;
  double rate = 0.0;
};

constexpr double healthy_low = 0.02, healthy_high = 0.70, next_to_nothing = 0.001;

/// How far from what is healthy, as a factor.
double distance(double rate) {
  if (rate < healthy_low) return healthy_low / std::max(rate, 1e-6);
  return rate > healthy_high ? rate / healthy_high : 1.0;
}

/// The flag for a better step: the published one, or a smaller or larger one where that is what was used.
std::string better_step(const Evidence& evidence, BranchKind kind, bool smaller) {
  const bool state = kind == BranchKind::state;
  const std::string name = state ? "--delta-state " : "--delta ";
  if ((state ? evidence.options.delta_state : evidence.options.delta).has_value()) return name + "auto";
  const std::size_t variables = std::max<std::size_t>(1, state ? evidence.outputs : evidence.inputs);
  return name + round_number(2.4 * 2.4 / static_cast<double>(variables) * (smaller ? 0.1 : 10.0));
}

/// 0.05 %, 7.5 %, 98 %
std::string percentage(double share) {
  return share >= 0.095 ? fmt::format("{:.0f} %", 100.0 * share) : fmt::format("{:.2g} %", 100.0 * share);
}

/// The values of one quantity after burn-in.
std::vector<double> settled(const BlockRecord& record, const Options& options, double TracePoint::*quantity) {
  const std::int64_t begin = std::min(options.burn_in, record.iterations / 2);
  std::vector<double> values;
  for (const TracePoint& point : record.trace)
    if (point.iteration >= begin && std::isfinite(point.*quantity)) values.push_back(point.*quantity);
  return values;
}

constexpr double largest_r_hat = 1.1, fewest_samples = 10.0, noticeable_drift = 0.1, worth_a_word = 0.01;

struct Settling {
  double r_hat = 1.0, samples = 0.0;
};

std::optional<Settling> settling(const std::vector<double>& values) {
  const auto r_hat = split_r_hat({values}), samples = effective_samples({values});
  if (!r_hat || !samples) return std::nullopt;
  return Settling{*r_hat, *samples};
}

/// How the chain of a block has mixed.
struct Mixing {
  const BlockRecord* block = nullptr;
  Settling loss;
  std::optional<Settling> frequency, amplitude;
  double mean_loss = 0.0;
  double drift = 0.0;  ///< of the mean loss from the first half to the second, as a share of the first

  [[nodiscard]] bool settled() const { return loss.r_hat <= largest_r_hat && loss.samples >= fewest_samples; }
  [[nodiscard]] bool drifts() const { return !settled() && std::abs(drift) > noticeable_drift; }
  /// How far beyond the thresholds; one that drifts counts most.
  [[nodiscard]] double badness() const {
    return std::max((loss.r_hat - 1.0) / (largest_r_hat - 1.0), fewest_samples / loss.samples) +
           (drifts() ? 1000.0 * std::abs(drift) : 0.0);
  }
};

std::optional<Mixing> mixing_of(const BlockRecord& record, const Options& options) {
  if (!record.has_chain()) return std::nullopt;
  const std::vector<double> losses = settled(record, options, &TracePoint::loss);
  const auto loss = settling(losses);
  if (!loss) return std::nullopt;
  Mixing mixing{.block = &record,
                .loss = *loss,
                .frequency = settling(settled(record, options, &TracePoint::frequency)),
                .amplitude = settling(settled(record, options, &TracePoint::amplitude))};
  const std::size_t half = losses.size() / 2;
  double first = 0.0, second = 0.0;
  for (std::size_t i = 0; i < half; ++i) first += losses[i], second += losses[losses.size() - 1 - i];
  mixing.mean_loss = 0.5 * (first + second) / static_cast<double>(half);
  mixing.drift = first > 0.0 ? second / first - 1.0 : 0.0;
  // Where the best state is kept, a chain that went on to worse ones has lost nothing.
  if (options.keep == Keep::best) mixing.drift = std::min(mixing.drift, 0.0);
  return mixing;
}

}  // namespace

std::optional<Problem> acceptance(const Evidence& evidence) {
  Odd worst;
  std::size_t count = 0, chains = 0;
  for (const BlockRecord& record : evidence.blocks) {
    bool odd = false;
    for (const BranchRecord& branch : record.branches) {
      if (branch.proposed == 0) continue;
      const double rate = branch.acceptance();
      odd = odd || distance(rate) > 1.0;
      if (distance(rate) > 1.0 && (worst.block == nullptr || distance(rate) > distance(worst.rate)))
        worst = {&record, &branch, rate};
    }
    chains += record.has_chain() ? 1 : 0;
    count += odd ? 1 : 0;
  }
  if (worst.block == nullptr) return std::nullopt;
  const bool stuck = worst.rate < next_to_nothing, low = worst.rate < healthy_low;
  const std::string place = where(count, chains, *worst.block);
  const std::string text = fmt::format(
      "{}: {} of the proposals are accepted {}, {} branch ({:.0f} % to {:.0f} % is healthy)",
      stuck ? "chains are stuck"
      : low ? "chains hardly move"
            : "chains accept nearly everything",
      percentage(worst.rate), place, name_of(worst.branch->kind), 100.0 * healthy_low, 100.0 * healthy_high);
  const bool state = worst.branch->kind == BranchKind::state;
  const double gamma = state ? evidence.options.gamma_state : evidence.options.gamma;
  const double usual = preset_options(Preset::paper).gamma;
  const std::string gamma_flag = fmt::format("--gamma{} {}", state ? "-state" : "", usual);
  const std::string flag = low && gamma > usual ? gamma_flag : better_step(evidence, worst.branch->kind, low);
  return Problem{stuck ? ProblemKind::stuck : ProblemKind::acceptance, text, flag};
}

std::optional<Problem> mixing(const Evidence& evidence) {
  const Mixing* worst = nullptr;
  std::vector<Mixing> chains;
  // A chain that leaves next to nothing may wander as it likes.
  const double least = evidence.model == nullptr ? 0.0 : worth_a_word * evidence.model->history.empty_train_mse;
  std::size_t sampled = 0;
  for (const BlockRecord& record : evidence.blocks) {
    sampled += record.has_chain() ? 1 : 0;
    if (auto chain = mixing_of(record, evidence.options); chain && chain->mean_loss >= least)
      chains.push_back(std::move(*chain));
  }
  std::size_t unsettled = 0;
  bool drifting = false;
  for (const Mixing& chain : chains) {
    unsettled += chain.settled() ? 0 : 1;
    drifting = drifting || chain.drifts();
    if (worst == nullptr || chain.badness() > worst->badness()) worst = &chain;
  }
  if (unsettled == 0 || (2 * unsettled < chains.size() && !drifting)) return std::nullopt;
  // A chain whose loss rises is no better for going on: its best state is.
  const bool rises = worst->drift > noticeable_drift;
  const std::string further =
      worst->frequency && worst->amplitude
          ? fmt::format(
                "; of the frequencies' spread {:.2f} and {:.0f}, of the amplitudes' "
                "size {:.2f} and {:.0f}",
                worst->frequency->r_hat, worst->frequency->samples, worst->amplitude->r_hat, worst->amplitude->samples)
          : "";
  return Problem{
      ProblemKind::mixing,
      fmt::format(
          "the loss of chains has not settled {}: split R-hat {:.2f} (at most {}), {:.0f} effective samples (at "
          "least {:.0f}){}{}",
          where(unsettled, sampled, *worst->block), std::ceil(100.0 * worst->loss.r_hat) / 100.0, largest_r_hat,
          worst->loss.samples, fewest_samples,
          worst->drifts() ? fmt::format(", and its mean {} by {:.0f} %", worst->drift > 0.0 ? "rises" : "falls",
                                        100.0 * std::abs(worst->drift))
                          : "",
          further),
      rises ? "--keep best"
            : fmt::format("--iterations {}", std::max<std::int64_t>(1000, 4 * evidence.options.iterations))};
}

}  // namespace rfnn::diagnosis
