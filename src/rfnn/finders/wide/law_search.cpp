#include "rfnn/finders/wide/law_search.hpp"

#include <LBFGS.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "rfnn/core/random.hpp"
#include "rfnn/core/timer.hpp"
#include "rfnn/finders/wide/law_likelihood.hpp"
#include "rfnn/finders/wide/tuning.hpp"

namespace rfnn::wide {
namespace {

/// Keeps the best of what the minimiser has seen: it may end in the middle of a line.
class Watched {
 public:
  explicit Watched(LawLikelihood& likelihood) : likelihood_(likelihood) {}

  double operator()(const Eigen::VectorXd& x, Eigen::VectorXd& gradient) {
    const double cost = likelihood_(x, gradient);
    ++evaluations;
    if (cost < best) {
      best = cost;
      at = x;
      left_out = likelihood_.left_out();
    }
    return cost;
  }

  double best = std::numeric_limits<double>::infinity(), left_out = 0.0;
  Eigen::VectorXd at;
  int evaluations = 0;

 private:
  LawLikelihood& likelihood_;
};

}  // namespace

double entry_cost(std::size_t variables, const LawShape& shape) {
  const auto d = static_cast<double>(variables), parts = static_cast<double>(shape.parts);
  return d * (2.0 + 2.0 * parts) + (shape.mapped ? d * (2.0 + parts) : 0.0) + 25.0 * parts;
}

double LawSearch::cost_of(const LawShape& shape, std::size_t count) const {
  const auto n = static_cast<double>(std::min(count, rows_.count())), d = static_cast<double>(variables_);
  // Factor and inverse; the entries, and once more with their slopes.
  const double slopes =
      entry_cost(variables_, shape) + 4.0 * d * static_cast<double>(shape.parts) + (shape.mapped ? 2.0 * d * d : 0.0);
  return n * n * n / 2.0 + n * n / 2.0 * (entry_cost(variables_, shape) + slopes);
}

rows::RowState LawSearch::sample(std::size_t count) const {
  return rows_.some(count, Stream(seed_, Purpose::law_rows));
}

rows::RowState LawSearch::others(std::size_t count, std::size_t wanted) const {
  const std::vector<std::size_t> drawn = rows_.draw(count + wanted, Stream(seed_, Purpose::law_rows));
  return rows_.at(std::span(drawn).subspan(std::min(count, drawn.size())));
}

std::optional<LearntLaw> LawSearch::begin(LawShape shape, std::size_t count) {
  const rows::RowState rows = sample(count);
  const LawParameters parameters(variables_, shape);
  std::optional<LearntLaw> best;
  for (const double noise : tuning::starts_of_noise) {
    std::optional<LearntLaw> found = minimise(rows, parameters, parameters.start(noise), tuning::steps_at_first);
    if (interrupt_.stopped()) return std::nullopt;
    if (found && (!best || found->cost < best->cost)) best = std::move(found);
  }
  return best;
}

std::optional<LearntLaw> LawSearch::go_on(const LearntLaw& known, LawShape shape, std::size_t count) {
  const rows::RowState rows = sample(count);
  const LawParameters before(variables_, known.shape), parameters(variables_, shape);
  return minimise(rows, parameters, parameters.from(before, known.x), tuning::steps_later);
}

/// What is learnt depends on rows, shape and where it begins, which are the address in the journal.
std::optional<LearntLaw> LawSearch::minimise(const rows::RowState& rows, const LawParameters& parameters,
                                             const Eigen::VectorXd& start, int steps) {
  const std::string_view bytes(reinterpret_cast<const char*>(start.data()),
                               static_cast<std::size_t>(start.size()) * sizeof(double));
  const std::string address =
      fmt::format("{}{}-{}-{}-{:016x}", parameters.shape().parts, parameters.shape().mapped ? "m" : "", rows.count(),
                  steps, std::hash<std::string_view>()(bytes));
  return (journal_ / address).piece(interrupt_, [&] { return learn(rows, parameters, start, steps); });
}

std::optional<LearntLaw> LawSearch::learn(const rows::RowState& rows, const LawParameters& parameters,
                                          Eigen::VectorXd x, int steps) {
  LBFGSpp::LBFGSParam<double> settings;
  settings.m = tuning::remembered_steps;
  settings.max_iterations = steps;
  settings.past = 1;
  settings.delta = tuning::least_gain;
  settings.epsilon = 1e-3;
  settings.epsilon_rel = 0.0;
  settings.linesearch = LBFGSpp::LBFGS_LINESEARCH_BACKTRACKING_WOLFE;
  settings.max_linesearch = tuning::most_along_a_line;
  LBFGSpp::LBFGSSolver<double> solver(settings);
  LawLikelihood likelihood(work_, rows, parameters, interrupt_);
  Watched watched(likelihood);
  double cost = 0.0;
  const auto began = Clock::now();
  try {
    solver.minimize(watched, x, cost);
  } catch (const std::runtime_error&) {  // no better point along a line: the best so far it is
  } catch (const std::logic_error&) {
  }
  rate_ = watched.evaluations * cost_of(parameters.shape(), rows.count()) /
          std::max(seconds_between(began, Clock::now()), 1e-6);
  if (interrupt_.stopped() || !std::isfinite(watched.best)) return std::nullopt;
  LearntLaw learnt;
  learnt.shape = parameters.shape();
  learnt.x = watched.at;
  learnt.law = parameters.law(watched.at);
  learnt.noise = parameters.noise_of(watched.at);
  learnt.cost = watched.best;
  learnt.left_out = watched.left_out;
  learnt.rows = rows.count();
  learnt.evidence = -watched.best / static_cast<double>(rows.count() * rows.outputs());
  return learnt;
}

}  // namespace rfnn::wide
