#pragma once

// Private header. The paper's experiments, with the settings they were published with: the one place that knows them.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rfnn/baselines/adam.hpp"
#include "rfnn/data/dataset.hpp"
#include "rfnn/data/targets.hpp"
#include "rfnn/options/options.hpp"

namespace rfnn::reproduction {

/// A way to train: block by block, or all at once by Adam. The seed in the options is the task's.
struct Approach {
  std::string id;    ///< in file names and results: "method1-best"
  std::string name;  ///< for people: "Method 1, best state"
  std::variant<Options, baselines::AdamOptions> options;

  [[nodiscard]] bool by_adam() const { return std::holds_alternative<baselines::AdamOptions>(options); }
  [[nodiscard]] std::int64_t blocks() const {
    return std::visit([](const auto& chosen) { return chosen.blocks; }, options);
  }
  [[nodiscard]] std::int64_t width() const {
    return std::visit([](const auto& chosen) { return chosen.width; }, options);
  }
};

/// One of the paper's functions and everything that is trained on it.
struct Experiment {
  Target target = Target::multiscale;
  std::size_t rows = 0;
  std::size_t test_rows = 0;
  std::vector<Approach> methods;
};

struct Study {
  bool quick = false;  ///< shortened: the page says so
  std::vector<Experiment> experiments;
};

/// The published settings. Where the paper leaves the state kept at the end of a chain open it is the last one, as in
/// its listing; each method also runs with the best one ("-best").
Study published_study();

/// The same with chains and epochs a quarter as long.
Study quick_study();

/// One run: an experiment, a method, a seed.
struct Task {
  Target target = Target::multiscale;
  std::size_t rows = 0;
  std::size_t test_rows = 0;
  Approach method;
  std::uint64_t seed = 1;
  bool quick = false;

  [[nodiscard]] std::string_view example() const { return target_names()[static_cast<std::size_t>(target)]; }
  /// "multiscale-method1-seed3", the stem of its files.
  [[nodiscard]] std::string name() const;
  /// About the seconds it takes: to begin with the longest, and to foretell the end.
  [[nodiscard]] double cost() const;
};

/// Seeds 1 to `seeds` of every method of every experiment.
std::vector<Task> tasks_of(const Study& study, std::uint64_t seeds);

/// Most seeds there may be: training rows have the seed's number, test rows that number plus this one.
inline constexpr std::uint64_t most_seeds = 1000;

/// Rows drawn uniformly at random ("sampled from a random uniform distribution over the domain"), also where the paper
/// writes their number as 20³ and 25³, which could mean a grid. Training and test rows are different draws; all methods
/// of a seed see the same ones.
Dataset training_rows_of(const Task& task);
Dataset test_rows_of(const Task& task);

}  // namespace rfnn::reproduction
