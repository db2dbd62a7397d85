#pragma once

// Models with random numbers, one for everything that a model may be made of.

#include <string>
#include <vector>

#include "rfnn/core/matrix.hpp"
#include "rfnn/model/model.hpp"

namespace rfnn::testing {

struct NamedModel {
  std::string name;
  Model model;
  bool smooth = true;  ///< its gradient can be compared with differences anywhere
};

std::vector<NamedModel> random_models();

/// Models that know their errors, one for everything that widths may be made of.
std::vector<NamedModel> models_with_bars();

/// Rows for it: samples of the training range, some of them with missing cells and unknown levels, some far away.
Matrix sample_rows_of(const Model& model);

}  // namespace rfnn::testing
