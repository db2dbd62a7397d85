#pragma once

// Private header. One run of a study, and what is kept of it.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rfnn/baselines/adam.hpp"
#include "rfnn/io/json.hpp"
#include "rfnn/model/model.hpp"
#include "rfnn/reproduction/study.hpp"

namespace rfnn::reproduction {

using io::Json;

/// The network after one of its blocks. Adam trains all blocks at once: there is only the last.
struct RunBlock {
  std::int64_t block = 0;  ///< from 1
  double train_mse = 0.0;
  double test_mse = 0.0;
  double max_error = 0.0;                                    ///< on the test rows
  std::optional<double> input_acceptance, state_acceptance;  ///< of branches whose frequencies move
  double seconds = 0.0;
};

struct Run {
  Task task;
  std::vector<RunBlock> blocks;
  std::vector<baselines::AdamPoint> curve;  ///< Adam only
  std::string version;                      ///< of the program that made it
  double seconds = 0.0;                     ///< training only
  Model model;

  [[nodiscard]] const RunBlock& last() const { return blocks.back(); }
};

/// Runs of one method on one function, by seed.
std::vector<const Run*> runs_of(std::span<const Run> runs, Target target, std::string_view method);

/// Trains and tests. `proceed` gets the share of the work done, now and then on the calling thread; when it returns
/// false the run ends and nothing is returned.
std::optional<Run> run_task(const Task& task, const std::function<bool(double share)>& proceed);

/// All that decides a run's numbers, besides what preset `paper` fixes: two runs with the same settings are the same.
Json settings_json(const Task& task);

/// The number, or null when it is not finite.
Json json_number(double value);
Json json_number(const std::optional<double>& value);

/// The record of a run, without its model.
Json to_json(const Run& run);

/// Reads a record back. Throws InputError when it is none, or of other settings than the task's.
Run run_from_json(const Json& json, const Task& task, const std::string& origin);

}  // namespace rfnn::reproduction
