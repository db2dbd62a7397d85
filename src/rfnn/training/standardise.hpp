#pragma once

// Private header. What a model knows of its columns.

#include <cstddef>
#include <string>
#include <vector>

#include "rfnn/data/statistics.hpp"
#include "rfnn/model/model.hpp"
#include "rfnn/options/options.hpp"

namespace rfnn::training {

/// The names given, or x1, x2, … and y or y1, y2, … by the stem.
std::vector<std::string> names_or_default(const std::vector<std::string>& names, std::size_t count,
                                          const std::string& stem);

/// From here on whole numbers that differ may be the same double, ids say.
inline constexpr double every_integer = 0x1p53;

/// Squares of the values, added up over the rows, must be numbers too. Throws NumericalError.
void check_magnitude(double largest, std::size_t rows, const std::string& name);

struct ColumnsToDescribe {
  std::vector<ColumnStatistics> statistics;
  const std::vector<std::string>& names;
};

/// Columns and scalers of a new network, by statistics of its training rows, and what is to be said about them. Whether
/// any target varies.
bool standardise(const ColumnsToDescribe& inputs, const ColumnsToDescribe& targets, std::size_t rows,
                 const Options& options, Model& model);

}  // namespace rfnn::training
