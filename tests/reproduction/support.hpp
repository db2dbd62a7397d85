#pragma once

// A study small enough to run in a test, and runs made up by hand.

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "rfnn/reproduction/run.hpp"
#include "rfnn/reproduction/runner.hpp"
#include "rfnn/reproduction/study.hpp"

namespace rfnn::reproduction::test {

/// The published study with chains of a few iterations on a few rows.
inline Study tiny_study() {
  Study study = published_study();
  for (Experiment& experiment : study.experiments) {
    experiment.rows = 60;
    experiment.test_rows = 80;
    for (Approach& method : experiment.methods) {
      if (auto* options = std::get_if<Options>(&method.options)) {
        options->iterations = 8;
        options->burn_in = 2;
      } else {
        std::get<baselines::AdamOptions>(method.options).epochs = 4;
      }
    }
  }
  return study;
}

/// A task of the published study.
inline Task published_task(Target target, const std::string& method, std::uint64_t seed) {
  for (const Task& task : tasks_of(published_study(), seed))
    if (task.target == target && task.method.id == method && task.seed == seed) return task;
  throw std::logic_error("there is no such task");
}

/// A run with these test errors after its blocks, and an empty network.
inline Run made_up_run(Target target, const std::string& method, std::uint64_t seed,
                       const std::vector<double>& errors) {
  Run run;
  run.task = published_task(target, method, seed);
  for (std::size_t i = 0; i < errors.size(); ++i)
    run.blocks.push_back({.block = static_cast<std::int64_t>(i + 1),
                          .train_mse = errors[i],
                          .test_mse = errors[i],
                          .max_error = 0.0,
                          .input_acceptance = {},
                          .state_acceptance = {},
                          .seconds = 0.0});
  run.model.members.resize(1);
  run.model.targets.push_back({.name = "y"});
  run.model.scaler = {{}, {}, {0.0}, {1.0}};
  for (std::size_t i = 0; i < target_inputs(target); ++i) {
    run.model.inputs.push_back({.name = "x"});
    run.model.scaler.input_mean.push_back(0.0);
    run.model.scaler.input_sd.push_back(1.0);
  }
  return run;
}

/// A fresh folder, removed with all that is in it.
class TempFolder {
 public:
  TempFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "rfnn-reproduction-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = pattern;
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

inline std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Counts what a study does, and may end it after so many finished runs.
class Counter final : public StudyObserver {
 public:
  std::size_t total = 0, resumed = 0, done = 0, stop_after = static_cast<std::size_t>(-1);
  void begin(std::size_t all, std::size_t there) override { total = all, resumed = there; }
  bool progress(const StudyProgress&) override { return done < stop_after; }
  void finished(const Run&, const StudyProgress&) override { ++done; }
};

}  // namespace rfnn::reproduction::test
