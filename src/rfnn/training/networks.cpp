#include "rfnn/training/networks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "rfnn/training/budget.hpp"
#include "rfnn/training/tuning.hpp"

namespace rfnn::training {
namespace {

/// Its one block leaves nothing that later ones could learn from.
bool stands_alone(const std::optional<TrainedNetwork>& network) {
  return network && !network->blocks.empty() && network->blocks.front().last;
}

/// The fit to all rows was made along with it.
bool fitted_to_all(const TrainedNetwork& network) {
  return network.blocks.size() == 1 && network.blocks.front().fitted_to_all;
}

}  // namespace

namespace {

/// The first block of the best network so far; null where there is none.
const TrainedNetwork* best_of(const std::vector<std::optional<TrainedNetwork>>& trained) {
  const TrainedNetwork* best = nullptr;
  for (const std::optional<TrainedNetwork>& network : trained)
    if (network && !network->blocks.empty() && network->blocks.front().recipe &&
        (best == nullptr || network->judged < best->judged))
      best = &*network;
  return best;
}

}  // namespace

std::shared_ptr<const finders::Recipe> hint_of(const TrainedNetwork& network) {
  return network.blocks.empty() ? nullptr : network.blocks.front().recipe;
}

double end_of_window(double end, double share, double later, double used) {
  const double left = std::max(0.0, end - used);
  if (share + later <= left) return end - later;
  return used + left * (share > 0.0 ? share / (share + later) : 0.0);
}

Interrupt until(Run& run, Clock::time_point end) {
  return Interrupt([&run, end] { return run.interrupt.proceed() && Clock::now() < end; });
}

std::size_t Networks::at_once() const {
  return run_.prepared.rows.order.size() <= tuning::side_by_side_rows ? threads_ : 1;
}

std::vector<std::optional<TrainedNetwork>> Networks::train(const std::vector<Task>& tasks, double rival,
                                                           double reserved) {
  std::vector<std::optional<TrainedNetwork>> trained(tasks.size());
  if (at_once() > 1 && tasks.size() > 1) {
    Interrupt planned = until(run_, run_.supervision.budget.end_of(shares::networks));
    Workers workers(std::min(threads_, tasks.size()));
    workers.run_watched(
        tasks.size(),
        [&](std::size_t k, std::size_t) {
          if (k > 0 && planned.stopped()) return;
          const auto work = rows::make_row_work(rows::Implementation::threads, 1);
          const auto end = run_.supervision.budget.end_of(shares::networks);
          trained[k] = train_one(*work, tasks[k], planned, {end, end}, rival);
        },
        planned);
    for (const auto& network : trained) not_begun_ += network ? 0 : 1;
    return trained;
  }
  // What goes side by side on several threads knows of no rivals: one thread must not know more.
  const bool in_turn = run_.prepared.rows.order.size() > tuning::side_by_side_rows;
  const auto work = rows::make_row_work(rows::Implementation::threads, threads_);
  const Budget& budget = run_.supervision.budget;
  double later = reserved;
  for (const Task& task : tasks) later += share_of_time(task);
  for (std::size_t k = 0; k < tasks.size(); ++k) {
    if (k > 0 && run_.interrupt.stopped()) {
      not_begun_ += tasks.size() - k;
      break;
    }
    if (tasks[k].way.to_stand_on && !stands_alone(trained[k - 1])) continue;
    Task task = tasks[k];
    const double share = share_of_time(task);
    later -= share;
    const auto end = budget.end_of(end_of_window(networks_end_, share, later, budget.training_used())),
               end_with_fit =
                   budget.end_of(end_of_window(shares::networks_with_fit, share, later, budget.training_used()));
    Interrupt planned = until(run_, task.way.first == Method::kernel ? end_with_fit : end);
    if (task.way.to_stand_on) task.hint = hint_of(*trained[k - 1]);
    if (task.way.on_top) {
      const TrainedNetwork* const best = best_of(trained);
      if (best == nullptr || !(best->judged > tuning::sharp_enough * mean_square(folds_[task.fold].without_network())))
        continue;
      task.given = std::make_shared<finders::FoundBlock>(best->blocks.front());
    }
    TrainedNetwork network = train_one(*work, task, planned, {end, end_with_fit}, rival);
    if (task.given && network.blocks.size() < 2) {  // then it is the network that is there already
      not_begun_ += network.complete ? 0 : 1;
      continue;
    }
    trained[k] = std::move(network);
    if (fitted_to_all(*trained[k])) networks_end_ = shares::networks_with_fit;
    if (in_turn) rival = std::min(rival, trained[k]->judged);
  }
  return trained;
}

/// Of the time for training; what one like it has taken says more than the share of its way.
double Networks::share_of_time(const Task& task) const {
  return task.seconds > 0.0 ? tuning::room_for_another * run_.supervision.budget.share_of(task.seconds)
                            : task.way.share;
}

/// What tells a network from the others of its run.
std::string Networks::address_of(const Task& task) {
  return fmt::format("network{}-{}{}{}-fold{}-member{}", task.number, name_of(task.way.first),
                     task.way.to_stand_on ? "-to-stand-on" : "", task.way.on_top ? "-on-top" : "", task.fold,
                     task.member);
}

TrainedNetwork Networks::train_one(rows::RowWork& work, const Task& task, Interrupt& interrupt, const Ends& ends,
                                   double rival) {
  NetworkPlan plan;
  plan.first = task.given ? task.given->record.method : task.way.first;
  plan.later = task.given ? task.way.first : Method::sequential;
  plan.given = task.given;
  plan.member = task.member;
  plan.operations = operations_ * task.way.share;
  plan.rival = rival;
  plan.hint = task.hint;
  plan.to_stand_on = task.way.to_stand_on;
  plan.afresh = task.afresh;
  plan.journal = run_.journal / address_of(task);
  if (task.member < static_cast<std::int64_t>(starts_.size()))
    plan.start = starts_[static_cast<std::size_t>(task.member)];
  if (run_.supervision.budget.limited()) {
    plan.seconds_left = [end = ends.planned] { return seconds_between(Clock::now(), end); };
    plan.seconds_with_fit = [end = ends.with_fit] { return seconds_between(Clock::now(), end); };
  }
  // Folds but the first are there to judge: they are not shown.
  const bool shown = !cross_fitted() || task.fold == 0;
  const std::int64_t number = task.number;
  plan.tell = [this, number, shown](std::int64_t block, std::string_view stage) {
    if (shown) run_.supervision.tell(number, block, fmt::format("member {}, block {}: {}", number, block, stage));
  };
  plan.joined = [this, number, shown](BlockRecord record, const Network&, bool) {
    record.member = number;
    if (shown) run_.supervision.tell(record);
    return true;
  };
  const bool begins_once = plan.first != Method::sequential && !plan.start;
  HeldOutGain control(run_.options, cross_fitted() ? -1.0 : tuning::sure_first, begins_once, rival);
  const auto began = Clock::now();
  TrainedNetwork trained =
      train_network(work, folds_[task.fold].rows, plan, control, {run_.options, run_.model, {}, nullptr}, interrupt);
  trained.seconds = seconds_between(began, Clock::now());
  return trained;
}

}  // namespace rfnn::training
