#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "rfnn/assessment/cross_validation.hpp"

namespace rfnn::cli {

/// What a cross-validation came to, for people and programs.
struct CrossResult {
  std::string data, folds_of;  ///< the table; "5 folds (KFold)"
  std::size_t table_rows = 0, inputs = 0;
  std::vector<std::string> targets;
  std::size_t folds_each = 0;  ///< folds of a repeat
  std::size_t repeats = 1;
  std::vector<assessment::FoldRows> folds;
  std::vector<bool> done;       ///< per fold
  std::vector<double> seconds;  ///< per fold
  assessment::CrossErrors network;
  /// By name: mean, last, linear, neighbours.
  std::vector<std::pair<std::string, assessment::CrossErrors>> baselines;
  double elapsed = 0.0;

  [[nodiscard]] bool complete() const;
};

std::string cross_text(const CrossResult& result);
std::string cross_json(const CrossResult& result);

}  // namespace rfnn::cli
