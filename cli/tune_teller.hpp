#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "rfnn/assessment/tuning.hpp"

namespace rfnn::cli {

/// The mean error of a trial, with its standard error where there is one.
std::string with_spread(const assessment::Trial& trial);

/// The best so far, a line each, within 80 columns. `base`: what the search began with.
std::string leaderboard(std::vector<assessment::Trial> trials, std::size_t most, const Options& base);

/// Tells how the search stands: redraws the leaderboard on a terminal, else a line for each step.
class Teller {
 public:
  Teller(bool quiet, Options base, std::chrono::steady_clock::time_point started);
  ~Teller() { clear(); }
  Teller(const Teller&) = delete;
  Teller& operator=(const Teller&) = delete;

  void step(const assessment::TuningProgress& now);
  void look(std::size_t done, std::size_t of);
  void clear();

 private:
  [[nodiscard]] double elapsed() const;

  bool quiet_;
  Options base_;
  std::chrono::steady_clock::time_point started_, next_{};
  std::size_t round_ = 0, lines_ = 0;
  std::vector<assessment::Trial> trials_;
};

}  // namespace rfnn::cli
