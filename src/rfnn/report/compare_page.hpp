#pragma once

// Private header. The page about models compared on the same rows.

#include <cstddef>
#include <string>
#include <vector>

#include "rfnn/assessment/comparison.hpp"
#include "rfnn/core/matrix.hpp"
#include "rfnn/model/model.hpp"
#include "rfnn/report/page.hpp"

namespace rfnn::report {

/// One of the models.
struct ComparedRun {
  std::string label;
  Model model;
  Matrix predictions;  ///< rows × outputs
  assessment::ComparedModel errors;
};

struct ComparedStory {
  std::string origin;  ///< the file of the rows
  Matrix targets;      ///< rows × outputs
  std::vector<std::string> target_names;
  std::string input;           ///< the one input that all models have; empty: they have others
  std::vector<double> places;  ///< its values
  std::vector<ComparedRun> runs;
  std::string command;
};

/// Errors with their differences and confidence intervals; predictions, errors after every block and spectra of all
/// models over each other. At most six models are drawn; all are in the tables.
Page compare_page(const ComparedStory& story);

/// How intervals are made, in a sentence or two.
std::string interval_method(std::size_t rows);

}  // namespace rfnn::report
