#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nanobind/ndarray.h>

#include "python/bindings/bindings.hpp"
#include "rfnn/core/matrix.hpp"
#include "rfnn/data/dataset.hpp"
#include "rfnn/io/array_table.hpp"
#include "rfnn/io/table_data.hpp"
#include "rfnn/model/model.hpp"

namespace rfnn::python {

/// An array in Python's memory, of any strides.
using Array = nb::ndarray<nb::ro, nb::device::cpu>;

/// Inputs, targets and weights of a training or another known table: as they lie in Python's arrays, which it keeps
/// alive, or as what columns of other kinds became.
class Rows {
 public:
  Rows(Array inputs, Array targets, std::optional<Array> weights, std::vector<std::string> input_names,
       std::vector<std::string> target_names);
  /// `arrays` keep what the data lie in.
  Rows(TableData data, std::vector<Array> arrays);

  [[nodiscard]] const DatasetView& view() const { return data_.table.view; }
  [[nodiscard]] const EncodedTable& table() const { return data_.table; }
  /// As they were read; nullptr where they are numbers.
  [[nodiscard]] const RawTable* raw() const { return data_.raw ? &*data_.raw : nullptr; }

 private:
  TableData data_;
  std::vector<Array> arrays_;
};

/// Columns of a table in Python's memory, of any kinds; nothing is copied.
class Table {
 public:
  /// `columns`: tuples of name, what it holds, cells, texts, the form of times, whether they are moments of UTC, unit
  /// (io/array_table.hpp: ArrayColumn).
  Table(std::string origin, std::size_t rows, const nb::list& columns);

  [[nodiscard]] std::unique_ptr<TableReader> reader(const Options& options) const;
  /// The columns are so many inputs, so many targets, and a weight where there is one more.
  [[nodiscard]] TablePlaces places(std::size_t inputs, std::size_t targets) const;
  /// With the columns among the options for reading that are categories by themselves.
  [[nodiscard]] Options reading(Options options) const;
  [[nodiscard]] const std::vector<Array>& arrays() const { return arrays_; }
  [[nodiscard]] std::size_t rows() const { return rows_; }

 private:
  std::string origin_;
  std::size_t rows_;
  std::vector<io::ArrayColumn> columns_;
  std::vector<Array> arrays_;
};

/// A two-dimensional array of doubles as a matrix.
ConstMatrixView matrix_of(const Array& array);
/// The same of floats.
BasicMatrixView<const float> singles_of(const Array& array);
/// The column of an array; a vector has one.
ColumnView column_of(const Array& array, std::size_t column);

/// The columns of an array; a vector is one.
Columns columns_of(const Array& array);

/// An array of Python that owns the matrix.
nb::ndarray<nb::numpy, double, nb::ndim<2>> array_of(Matrix values);

}  // namespace rfnn::python
