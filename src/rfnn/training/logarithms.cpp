#include "rfnn/training/logarithms.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "rfnn/data/statistics.hpp"
#include "rfnn/data/split.hpp"
#include "rfnn/finders/wide/closed_fit.hpp"
#include "rfnn/finders/wide/closed_parts.hpp"
#include "rfnn/finders/wide/law_search.hpp"

namespace rfnn::training {
namespace {

// The numbers of this choice. Set with the tables of docs/decisions/0018-logarithms.md, some of which gain and some of
// which must not change; where it does not say more, none was varied alone.

/// A column spread evenly over the logarithms of a factor of 30 has a skewness of 1.1.
constexpr double widest_without = 30.0, skewed = 1.0;
/// Gains of evidence for each row and in all that are clear. 0.2 for each row is that of squared errors falling by a
/// third, e^(−2 · 0.2): less is lost in the chance of a fit. Few rows must be as sure of it.
constexpr double clear_gain = 0.2, clear_gain_in_all = 10.0;
/// The least λ of the fit that held-out rows look at: against rounding.
constexpr double least_noise = 1e-8;
/// Rows of the small judge and of the largest, and multiply-adds of a judge of n rows over n³: about a hundred
/// likelihoods.
constexpr double fewest_judges = 100.0, most_judges = 500.0, cost_of_judge = 300.0;

/// The third central moment in units of the standard deviation; 0 where nothing varies.
double skewness(const std::vector<double>& values, const std::vector<double>& weights, const ColumnStatistics& of) {
  if (of.constant) return 0.0;
  double sum = 0.0, all = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double weight = weights.empty() ? 1.0 : weights[i], z = (values[i] - of.mean) / of.sd;
    sum += weight * (z * z * z);
    all += weight;
  }
  return sum / all;
}

ColumnStatistics statistics_of(const std::vector<double>& values, const std::vector<double>& weights) {
  return column_statistics(Columns(values.size(), {ColumnView(values.data())}), {}, weights).front();
}

Scaler with_logarithms(Scaler scaler, const std::vector<InputLogarithm>& taken) {
  scaler.input_log_from.assign(scaler.input_mean.size(), 0.0);
  for (const InputLogarithm& logarithm : taken) {
    scaler.input_mean[logarithm.input] = logarithm.mean;
    scaler.input_sd[logarithm.input] = logarithm.sd;
    scaler.input_log_from[logarithm.input] = logarithm.from;
  }
  return scaler;
}

/// A scaler, and what some rows say about it.
struct Look {
  Scaler scaler;
  double evidence = 0.0;  ///< of the law, per row and output
  double held_out = 0.0;  ///< mean square that features of the law leave on held-out rows; 0 without any
};

class LogarithmJudge {
 public:
  LogarithmJudge(const DatasetView& data, const PreparedRows& rows, const Model& model, std::size_t count,
                 rows::RowWork& work, Interrupt& interrupt)
      : data_(data),
        prepared_(rows),
        trial_(model),
        work_(work),
        interrupt_(interrupt),
        rows_(drawn(rows.trained_on(), count)),
        held_out_(drawn(rows.held_out, count)) {}

  /// Nothing when interrupted.
  std::optional<Look> look(Scaler scaler) {
    trial_.scaler = std::move(scaler);
    const rows::RowState rows = scaled(rows_);
    wide::LawSearch laws(work_, rows, rows.inputs(), trial_.options.seed, interrupt_);
    const std::optional<wide::LearntLaw> law = laws.begin({2, false}, rows.count());
    if (!law) return std::nullopt;
    Look look{trial_.scaler, law->evidence, 0.0};
    if (held_out_.empty()) return look;
    const rows::RowState left = scaled(held_out_);
    const auto fit = wide::fit_exactly(work_, rows, law->law, {std::max(law->noise, least_noise)}, {}, interrupt_);
    if (!fit) return std::nullopt;
    const auto error = wide::error_of(work_, law->law, fit->centres, fit->coefficients, left, interrupt_);
    if (!error) return std::nullopt;
    look.held_out = *error;
    return look;
  }

  /// Rows that the law has not seen must not object.
  [[nodiscard]] bool clearly_better(const Look& with, const Look& without) const {
    const double gain = with.evidence - without.evidence;
    return gain > clear_gain && gain * static_cast<double>(rows_.size()) > clear_gain_in_all &&
           with.held_out <= without.held_out;
  }

 private:
  [[nodiscard]] std::vector<std::size_t> drawn(const std::vector<std::size_t>& rows, std::size_t count) const {
    if (rows.size() <= count) return rows;
    std::vector<std::size_t> some = some_of(rows.size(), count, {.seed = trial_.options.seed}, Purpose::logarithm_rows);
    for (std::size_t& row : some) row = rows[row];
    return some;
  }
  [[nodiscard]] rows::RowState scaled(const std::vector<std::size_t>& rows) const {
    return rows::RowState(scaled_rows(data_, trial_, rows, prepared_.rows.weights));
  }

  const DatasetView& data_;
  const PreparedRows& prepared_;
  Model trial_;
  rows::RowWork& work_;
  Interrupt& interrupt_;
  std::vector<std::size_t> rows_, held_out_;
};

}  // namespace

std::vector<InputLogarithm> logarithms_to_try(const DatasetView& data, const PreparedRows& rows, const Model& model) {
  const std::vector<std::size_t>& trained_on = rows.trained_on();
  std::vector<double> weights;
  std::vector<InputLogarithm> found;
  std::size_t used = 0;
  for (std::size_t k = 0; k < model.inputs.size(); ++k) {
    const Column& column = model.inputs[k];
    if (!column.used) continue;
    const std::size_t input = used++;
    if (!(column.min > 0.0 && column.max / column.min >= widest_without)) continue;
    if (weights.empty() && !rows.rows.weights.empty())
      for (const std::size_t row : trained_on) weights.push_back(rows.rows.weights[row]);
    std::vector<double> values(trained_on.size());
    data.inputs[k].read(trained_on, values.data());
    const double before = skewness(values, weights, statistics_of(values, weights));
    for (double& value : values) value = std::log(value);
    const ColumnStatistics logarithm = statistics_of(values, weights);
    if (logarithm.constant || !(before > skewed && std::abs(skewness(values, weights, logarithm)) < before)) continue;
    found.push_back({input, logarithm.mean, logarithm.sd, column.min});
  }
  return found;
}

namespace {

/// What the rows of one judge say; nothing when interrupted.
std::optional<LogarithmChoice> judged(LogarithmJudge& judge, const Scaler& scaler,
                                      const std::vector<InputLogarithm>& candidates, std::size_t singles) {
  const std::optional<Look> without = judge.look(scaler);
  if (!without) return std::nullopt;
  const std::optional<Look> all = judge.look(with_logarithms(scaler, candidates));
  if (!all) return std::nullopt;
  if (judge.clearly_better(*all, *without)) return LogarithmChoice{all->scaler, false};
  std::optional<Look> best;
  for (std::size_t c = 0; c < singles; ++c) {
    std::optional<Look> alone = judge.look(with_logarithms(scaler, {candidates[c]}));
    if (!alone) return std::nullopt;
    if (judge.clearly_better(*alone, *without) && (!best || alone->evidence > best->evidence)) best = std::move(alone);
  }
  if (!best) return LogarithmChoice{};
  return LogarithmChoice{best->scaler, false};
}

}  // namespace

LogarithmChoice choose_logarithms(const DatasetView& data, const PreparedRows& rows, const Model& model,
                                  double operations, bool small_first, rows::RowWork& work, Interrupt& interrupt) {
  std::vector<InputLogarithm> candidates = logarithms_to_try(data, rows, model);
  if (candidates.empty()) return {};
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const InputLogarithm& a, const InputLogarithm& b) { return a.sd > b.sd; });
  // One judge is without logarithms, one with all of them, and as many as then can be had from some rows are with one
  // alone, the widest first.
  constexpr double least = fewest_judges;
  const double affordable = operations / (cost_of_judge * least * least * least);
  const auto singles =
      candidates.size() == 1
          ? std::size_t{0}
          : static_cast<std::size_t>(std::clamp(affordable - 2.0, 0.0, static_cast<double>(candidates.size())));
  const double each = operations / static_cast<double>(singles + 2);
  const double count = std::clamp(std::cbrt(each / cost_of_judge), least, most_judges);
  std::optional<LogarithmChoice> choice;
  for (const double judges : {least, count}) {
    if (judges < count ? !small_first : choice && judges == least) continue;
    LogarithmJudge judge(data, rows, model, static_cast<std::size_t>(judges), work, interrupt);
    std::optional<LogarithmChoice> now = judged(judge, model.scaler, candidates, singles);
    if (now) choice = std::move(now);
    if (interrupt.stopped()) break;
  }
  if (!choice) return {std::nullopt, true};
  return *choice;
}

}  // namespace rfnn::training
