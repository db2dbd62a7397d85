#include "rfnn/assessment/tuning.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "rfnn/core/error.hpp"
#include "rfnn/core/random.hpp"
#include "rfnn/options/number_text.hpp"
#include "rfnn/options/table.hpp"
#include "rfnn/rows/predict.hpp"
#include "rfnn/training/fit.hpp"

namespace rfnn::assessment {
namespace {

/// Rows there must be for each feature of a width that is tried. Usual for least squares; not varied.
constexpr std::size_t rows_per_feature = 8;
/// Draws for each candidate of a round, near the best and in all: where few options are left to tune they may all be
/// known. Bounds for safety.
constexpr std::size_t tries_near_the_best = 5, tries_per_candidate = 20;

/// An option with the values that are tried, in order, so that neighbours are near each other.
struct Dimension {
  std::string name;
  std::vector<std::string> values;
};

/// Around the published values, each step about twice or half the last.
std::vector<Dimension> dimensions(const TuningPlan& plan) {
  std::vector<Dimension> all = {{"width", {"2", "4", "6", "8", "12", "16", "24", "32"}},
                                {"blocks", {"1", "2", "3", "5", "7", "10", "15", "20"}},
                                {"iterations", {"250", "500", "1000", "2000", "5000"}},
                                {"gamma", {"2.5", "5", "10", "20", "40"}},
                                {"delta", {"0.01", "0.1", "0.3", "1", "3", "10"}},
                                {"ridge", {"1e-8", "1e-7", "1e-6", "1e-5", "1e-4", "1e-3", "1e-2", "1e-1"}},
                                {"keep", {"last", "best"}}};
  std::erase_if(all, [&](const Dimension& dimension) {
    return std::find(plan.fixed.begin(), plan.fixed.end(), dimension.name) != plan.fixed.end();
  });
  for (Dimension& dimension : all) {
    if (dimension.name != "width" || plan.rows == 0) continue;
    std::erase_if(dimension.values, [&](const std::string& value) {
      return value != "2" && rows_per_feature * static_cast<std::size_t>(std::stoul(value)) > plan.rows;
    });
  }
  return all;
}

/// A value of each dimension; nothing: as in the base.
using Point = std::vector<std::optional<std::size_t>>;

/// A command is to be read.
double four_digits(double value) { return number_from<double>(fmt::format("{:.4g}", value)).value_or(value); }

/// Steps of proposals are tried as multiples of the published variances, and γ for both branches alike.
Options options_at(const TuningPlan& plan, const std::vector<Dimension>& all, const Point& point) {
  Options options = plan.base;
  const auto fixed = [&](const char* name) {
    return std::find(plan.fixed.begin(), plan.fixed.end(), name) != plan.fixed.end();
  };
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (!point[k]) continue;
    const std::string& value = all[k].values[*point[k]];
    if (all[k].name == "delta") {
      const double factor = std::stod(value);
      const auto step = [&](std::size_t variables) -> NumberOrAuto {
        if (factor == 1.0) return std::nullopt;
        return four_digits(factor * 2.4 * 2.4 / static_cast<double>(std::max<std::size_t>(1, variables)));
      };
      options.delta = step(plan.inputs);
      if (!fixed("delta_state")) options.delta_state = step(plan.outputs);
    } else {
      set_option(options, all[k].name, value);
      if (all[k].name == "gamma" && !fixed("gamma_state")) options.gamma_state = options.gamma;
    }
  }
  return options;
}

/// Numbers of one search, drawn one after the other.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : stream_({.seed = seed}, Purpose::tuning) {}
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(stream_.bits(next_++) % count); }

 private:
  Stream stream_;
  std::uint64_t next_ = 0;
};

Point anywhere(const std::vector<Dimension>& all, Dice& dice) {
  Point point;
  for (const Dimension& dimension : all) point.emplace_back(dice.below(dimension.values.size()));
  return point;
}

/// One or two values a step away; a value that was the base's is drawn anew.
Point near(const std::vector<Dimension>& all, Point point, Dice& dice) {
  const std::size_t changes = 1 + dice.below(2);
  for (std::size_t c = 0; c < changes; ++c) {
    const std::size_t k = dice.below(all.size());
    const std::size_t count = all[k].values.size();
    if (!point[k])
      point[k] = dice.below(count);
    else if (dice.below(2) == 0)
      point[k] = *point[k] + 1 < count ? *point[k] + 1 : *point[k] - std::min<std::size_t>(*point[k], 1);
    else
      point[k] = *point[k] > 0 ? *point[k] - 1 : std::min<std::size_t>(1, count - 1);
  }
  return point;
}

bool better(const Trial& a, const Trial& b) {
  if (a.errors.size() != b.errors.size()) return a.errors.size() > b.errors.size();
  return a.mean() < b.mean();
}

/// Measures `those` trials on folds from where each stands up to `folds`. False: ended.
bool measure_to(std::vector<Trial>& trials, const std::vector<std::size_t>& those, std::size_t folds,
                const Measure& measure) {
  std::vector<Task> tasks;
  std::vector<std::size_t> owner;
  for (const std::size_t i : those)
    for (std::size_t fold = trials[i].errors.size(); fold < folds; ++fold) {
      tasks.push_back({trials[i].options, fold});
      owner.push_back(i);
    }
  const std::vector<double> errors = measure(tasks);
  for (std::size_t t = 0; t < errors.size(); ++t)
    // What cannot be trained is no candidate, however it fares elsewhere.
    trials[owner[t]].errors.push_back(std::isfinite(errors[t]) ? errors[t] : std::numeric_limits<double>::max());
  return errors.size() == tasks.size();
}

}  // namespace

double Trial::mean() const {
  if (errors.empty()) return std::numeric_limits<double>::infinity();
  double sum = 0.0;
  for (const double error : errors) sum += error / static_cast<double>(errors.size());
  return sum;
}

std::optional<double> Trial::standard_error() const {
  if (errors.size() < 2) return std::nullopt;
  const double middle = mean();
  double sum = 0.0;
  for (const double error : errors) sum += (error - middle) * (error - middle);
  const auto n = static_cast<double>(errors.size());
  return std::sqrt(sum / (n - 1.0) / n);
}

void sort_trials(std::vector<Trial>& trials) { std::stable_sort(trials.begin(), trials.end(), better); }

std::vector<std::string> tuned_options() {
  std::vector<std::string> names;
  for (const Dimension& dimension : dimensions({})) names.push_back(dimension.name);
  return names;
}

std::vector<Trial> tune(const TuningPlan& plan, const Measure& measure,
                        const std::function<void(const TuningProgress&)>& see) {
  const std::vector<Dimension> all = dimensions(plan);
  Dice dice(plan.base.seed);
  std::vector<Trial> trials;
  std::vector<Point> points;
  const auto add = [&](const Point& point) {
    const Options options = options_at(plan, all, point);
    for (const Trial& known : trials)
      if (known.options == options) return false;
    trials.push_back({options, {}});
    points.push_back(point);
    return true;
  };
  bool going = true;
  for (std::size_t round = 1; round <= plan.rounds && going; ++round) {
    const std::size_t first = trials.size();
    if (round == 1) add(Point(all.size()));
    std::size_t best = 0;
    for (std::size_t i = 1; i < first; ++i)
      if (better(trials[i], trials[best])) best = i;
    // Where few options are left to tune all of them may have been tried.
    for (std::size_t tries = 0;
         trials.size() < first + plan.candidates && tries < tries_per_candidate * plan.candidates; ++tries) {
      if (all.empty()) break;
      // The neighbours of the best may all be known.
      const bool close =
          round > 1 && trials.size() < first + plan.candidates / 2 && tries < tries_near_the_best * plan.candidates;
      add(close ? near(all, points[best], dice) : anywhere(all, dice));
    }
    if (trials.size() == first) break;  // all there is was tried
    std::vector<std::size_t> left(trials.size() - first);
    std::iota(left.begin(), left.end(), first);
    for (std::size_t rung = 1, folds = 1; going && !left.empty(); ++rung, folds = std::min(2 * folds, plan.folds)) {
      if (left.size() <= 2) folds = plan.folds;
      going = measure_to(trials, left, folds, measure);
      if (see) see({round, rung, &trials});
      if (folds == plan.folds) break;
      std::stable_sort(left.begin(), left.end(),
                       [&](std::size_t a, std::size_t b) { return trials[a].mean() < trials[b].mean(); });
      left.resize(std::max<std::size_t>(1, left.size() / 2));
      // What all are compared with is measured to the end.
      if (round == 1 && std::find(left.begin(), left.end(), first) == left.end()) left.push_back(first);
    }
  }
  std::erase_if(trials, [](const Trial& trial) { return trial.errors.empty(); });
  sort_trials(trials);
  return trials;
}

FoldErrors::FoldErrors(CrossTable table, std::size_t folds, std::uint64_t seed) : table_(std::move(table)) {
  const DatasetView& data = table_.data;
  if (data.rows() < 2 * folds)
    throw UsageError(std::to_string(data.rows()) + " rows are too few for " + std::to_string(folds) + " folds.",
                     "Give more rows or fewer --folds: two rows a fold at the least.");
  const Stream stream({.seed = seed, .part = 1}, Purpose::tuning);
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  for (std::size_t i = 0; i < data.rows(); ++i) order.emplace_back(stream.bits(i), i);
  std::sort(order.begin(), order.end());
  std::vector<std::size_t> fold_of(data.rows());
  for (std::size_t p = 0; p < order.size(); ++p) fold_of[order[p].second] = p % folds;
  folds_.resize(folds);
  for (std::size_t i = 0; i < data.rows(); ++i)
    for (std::size_t fold = 0; fold < folds; ++fold)
      (fold_of[i] == fold ? folds_[fold].test : folds_[fold].train).push_back(i);
}

std::optional<double> FoldErrors::measure(const Options& options, std::size_t fold,
                                          const std::function<bool()>& proceed) const {
  struct Watch final : Observer {
    explicit Watch(const std::function<bool()>& asked) : proceed(asked) {}
    bool progress(const Progress&) override { return proceed(); }
    bool block_done(const BlockRecord&) override { return proceed(); }
    const std::function<bool()>& proceed;
  } watch(proceed);
  FitExtras extras;
  extras.observer = &watch;
  const std::vector<std::size_t>& judge = folds_[fold].test;
  const FoldTable train = training_rows(table_, folds_[fold]);
  Model model;
  try {
    model = fit(train.rows, options_of_fold(options, table_, train.code), extras);
  } catch (const NumericalError&) {
    return std::numeric_limits<double>::infinity();
  }
  if (cut_short(model) || !proceed()) return std::nullopt;
  const TableCode code = is_plain(train.code) ? columns_of_table(model) : train.code;
  const Matrix predicted = predict(model, asked_rows(table_, folds_[fold], code).inputs.view());
  const DatasetView& data = table_.data;
  double sum = 0.0, weight = 0.0;
  for (std::size_t i = 0; i < predicted.rows(); ++i) {
    const double counts = data.weights ? (*data.weights)[judge[i]] : 1.0;
    weight += counts;
    for (std::size_t o = 0; o < predicted.cols(); ++o)
      sum +=
          counts * std::pow(data.targets[o][judge[i]] - predicted(i, o), 2.0) / static_cast<double>(predicted.cols());
  }
  return weight > 0.0 ? sum / weight : 0.0;
}

}  // namespace rfnn::assessment
