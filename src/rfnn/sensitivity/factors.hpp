#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "rfnn/core/export.hpp"
#include "rfnn/data/column_code.hpp"
#include "rfnn/model/model.hpp"

namespace rfnn {

/// How a column's values are spread where they are drawn.
enum class Spread : std::uint8_t { uniform, normal, sampled };

/// A column of the table as something that varies: over a range or with a law, independently of the others. A value is
/// a number (of times days since the origin of the column), or the place of a level: 0 and 1 of a boolean.
struct Factor {
  std::string name;
  ColumnKind kind = ColumnKind::number;
  TimeScale time = {};
  std::vector<std::string> levels = {};  ///< of a category
  std::size_t first = 0, inputs = 1;     ///< the model's inputs that it makes
  bool indicator = false;                ///< the last of them marks missing cells
  bool used = true;                      ///< false: the model does not look at it
  double low = 0.0, high = 0.0;          ///< the range of numbers and times
  double mean = 0.0, sd = 0.0;           ///< of a normal law
  std::vector<double> shares = {};       ///< of levels: how often each is drawn; 0 leaves it out
  std::vector<double> values = {};       ///< of Spread::sampled, ascending
  Spread spread = Spread::uniform;

  /// Numbers and times; the others have levels.
  [[nodiscard]] bool continuous() const { return kind == ColumnKind::number || kind == ColumnKind::time; }
  /// More than one value is possible.
  [[nodiscard]] RFNN_API bool varies() const;
  /// The value with the share u of all values below it, 0 < u < 1.
  [[nodiscard]] RFNN_API double at(double u) const;
  /// Writes a value to its inputs in a row of the model's inputs. It counts as not missing.
  RFNN_API void put(double value, double* row) const;
};

/// The columns of the model's table, over the range of the training rows, levels as often as there.
RFNN_API std::vector<Factor> factors_of(const Model& model);

}  // namespace rfnn
