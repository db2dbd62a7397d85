// Rows as the inputs of a model whose code was made from others.

#include <algorithm>
#include <limits>
#include <map>

#include "rfnn/data/raw_cells.hpp"

namespace rfnn {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

/// Per level of the raw column, the place it has in the code.
std::vector<double> places_of_levels(const ColumnCode& raw, const ColumnCode& known) {
  std::map<std::string, double> place;
  for (std::size_t k = 0; k < known.levels.size(); ++k) place[known.levels[k]] = static_cast<double>(k);
  std::vector<double> places;
  for (const std::string& level : raw.levels) {
    const auto found = place.find(level);
    places.push_back(found == place.end() ? unseen_level : found->second);
  }
  return places;
}

}  // namespace

EncodedRows encode_rows(const RawTable& table, std::span<const std::size_t> rows, const TableCode& code) {
  std::vector<std::vector<double>> places;
  for (std::size_t k = 0; k < table.inputs.size(); ++k)
    places.push_back(places_of_levels(table.inputs[k].code, code.inputs[k]));
  RowEncoder encoder(code, std::vector<bool>(code.inputs.size(), true), Missing::mean);
  EncodedRows encoded{Matrix(rows.size(), inputs_of(code))};
  std::vector<double> cells(table.inputs.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t k = 0; k < cells.size(); ++k) {
      const RawColumn& column = table.inputs[k];
      if (is_missing(column, rows[i]))
        cells[k] = missing;
      else if (column.code.kind == ColumnKind::time)
        cells[k] = days_since(code.inputs[k].time.origin, column, rows[i]);
      else if (column.code.kind == ColumnKind::category)
        cells[k] = places[k][static_cast<std::size_t>(column.cells[rows[i]])];
      else
        cells[k] = column.cells[rows[i]];
    }
    encoder.encode(cells.data(), encoded.inputs.data() + i * encoded.inputs.cols());
  }
  encoded.unseen = encoder.unseen();
  return encoded;
}

bool is_plain(const TableCode& code) {
  const auto plain = [](const ColumnCode& column) {
    return column.kind == ColumnKind::number && column.missing == 0 && column.unit.empty();
  };
  return std::all_of(code.inputs.begin(), code.inputs.end(), plain) &&
         std::all_of(code.targets.begin(), code.targets.end(), plain);
}

}  // namespace rfnn
