#include "rfnn/reproduction/study.hpp"

namespace rfnn::reproduction {
namespace {

constexpr double optimal_variance = 2.4 * 2.4;  // of a random walk in one dimension

/// What all runs of the paper share.
Options published_options() {
  Options options = preset_options(Preset::paper);
  options.width = 6;
  options.blocks = 10;
  options.iterations = 5000;
  options.gamma = 10.0;
  options.gamma_state = 10.0;
  options.delta = optimal_variance;
  options.delta_state = optimal_variance;
  options.keep = Keep::last;
  options.burn_in = 2000;
  options.threads = 1;  // runs are parallel, not parts of them
  return options;
}

/// The method with the chain's last state, as published, and with its best.
void add(std::vector<Approach>& methods, const std::string& id, const std::string& name, Options options) {
  methods.push_back({id, name, options});
  options.keep = Keep::best;
  methods.push_back({id + "-best", name + ", best state", options});
}

Experiment multiscale() {
  Experiment experiment{.target = Target::multiscale, .rows = 2000, .test_rows = 10000, .methods = {}};
  Options options = published_options();
  options.iterations = 20000;
  options.ridge = {1e-4};
  add(experiment.methods, "method1", "Method 1", options);
  // The paper's text and its table disagree about Adam.
  baselines::AdamOptions adam;
  adam.width = 6;
  adam.batch = 256;
  adam.learning_rate = 1e-3;
  adam.ridge = 1e-4;
  adam.blocks = 3;
  adam.epochs = 30000;
  experiment.methods.push_back({"adam-text", "Adam, settings of the text", adam});
  adam.blocks = 10;
  adam.epochs = 15000;
  experiment.methods.push_back({"adam-table", "Adam, settings of the table", adam});
  return experiment;
}

Experiment stairstep() {
  Experiment experiment{.target = Target::stairstep, .rows = 1000, .test_rows = 10000, .methods = {}};
  Options options = published_options();
  options.ridge = {1e-6};
  add(experiment.methods, "method1", "Method 1", options);
  Options frozen = options;
  frozen.state_branch = StateBranch::frozen;
  add(experiment.methods, "method2", "Method 2", frozen);
  // What the paper says of γ and δ, by runs with other values.
  Options other = options;
  other.gamma = other.gamma_state = 1.0;
  experiment.methods.push_back({"gamma-1", "Method 1, γ = γ′ = 1", other});
  other = options;
  other.delta = other.delta_state = optimal_variance / 100.0;
  experiment.methods.push_back({"delta-small", "Method 1, δ and δ′ a hundredth", other});
  other.delta = other.delta_state = optimal_variance * 100.0;
  experiment.methods.push_back({"delta-large", "Method 1, δ and δ′ a hundred times", other});
  return experiment;
}

Experiment sine() {
  Experiment experiment{.target = Target::sine, .rows = 20 * 20 * 20, .test_rows = 25 * 25 * 25, .methods = {}};
  Options options = published_options();
  options.width = 4;
  options.gamma = 20.0;
  options.gamma_state = 20.0;
  options.delta = optimal_variance / 3.0;
  options.ridge = {1e-4};
  add(experiment.methods, "method1", "Method 1", options);
  // "Negative frequencies are rejected" has two readings for frequencies that are vectors: this is the literal one.
  options.negative = Negative::component;
  add(experiment.methods, "component", "Method 1, no negative component", options);
  return experiment;
}

void shorten(Options& options, std::int64_t by) {
  options.iterations /= by;
  options.burn_in /= by;
}
void shorten(baselines::AdamOptions& options, std::int64_t by) { options.epochs /= by; }

}  // namespace

Study published_study() { return {.quick = false, .experiments = {multiscale(), stairstep(), sine()}}; }

Study quick_study() {
  Study study = published_study();
  study.quick = true;
  for (Experiment& experiment : study.experiments)
    for (Approach& method : experiment.methods) std::visit([](auto& options) { shorten(options, 4); }, method.options);
  return study;
}

std::string Task::name() const { return std::string(example()) + "-" + method.id + "-seed" + std::to_string(seed); }

double Task::cost() const {
  const auto visited = static_cast<double>(rows) * static_cast<double>(method.blocks());
  const auto width = static_cast<double>(method.width());
  if (const auto* adam = std::get_if<baselines::AdamOptions>(&method.options))
    return 5e-9 * visited * width * static_cast<double>(adam->epochs);
  const auto& options = std::get<Options>(method.options);
  const double moving = options.state_branch == StateBranch::frozen ? 0.5 : 1.0;
  return 1.9e-9 * visited * width * width * moving * static_cast<double>(options.iterations);
}

std::vector<Task> tasks_of(const Study& study, std::uint64_t seeds) {
  std::vector<Task> tasks;
  for (const Experiment& experiment : study.experiments)
    for (const Approach& method : experiment.methods)
      for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        Task task{.target = experiment.target,
                  .rows = experiment.rows,
                  .test_rows = experiment.test_rows,
                  .method = method,
                  .seed = seed,
                  .quick = study.quick};
        std::visit([seed](auto& options) { options.seed = seed; }, task.method.options);
        tasks.push_back(std::move(task));
      }
  return tasks;
}

Dataset training_rows_of(const Task& task) { return generate(task.target, task.rows, task.seed); }
Dataset test_rows_of(const Task& task) { return generate(task.target, task.test_rows, task.seed + most_seeds); }

}  // namespace rfnn::reproduction
