#pragma once

// Private header: cells of text that are no numbers, as the numbers that data/encoding.hpp has for them.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rfnn/data/column_code.hpp"
#include "rfnn/io/csv_cells.hpp"
#include "rfnn/options/options.hpp"

namespace rfnn::io {

/// The places of texts in a list, found by their bytes.
class TextPlaces {
 public:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  [[nodiscard]] std::size_t find(std::string_view text) const;
  void add(std::string_view text, std::size_t place);

 private:
  struct Entry {
    std::string text;
    std::uint64_t hash = 0;
    std::size_t place = none;
  };
  void grow();
  std::vector<Entry> table_;  ///< open addressing; its size is a power of 2
  std::size_t count_ = 0;
};

/// Why a cell was refused: the cause, which follows the place, and the cure.
struct CellReason {
  std::string cause, cure;
};

/// Reads the cells of one column. Threads may share one; only add_level changes it.
class CellReader {
 public:
  /// `counts`: times are delivered as counts and levels may be added, before training; else as the code says.
  CellReader(ColumnCode code, bool counts, Unseen unseen);

  [[nodiscard]] const ColumnCode& code() const { return code_; }
  [[nodiscard]] ColumnKind kind() const { return code_.kind; }

  enum class Found { value, missing, refused, new_level };
  /// The number of a cell (without spaces and quotes around it) that is no plain number's.
  Found read(std::string_view text, const CellRules& rules, double& value) const;
  /// A number of a table that has no text, as what the column holds.
  Found read_number(double number, double& value) const;
  /// What stands for a missing cell.
  [[nodiscard]] double missing() const;

  /// Adds the level of a cell for which a read said new_level; false where there are far too many.
  bool add_level(std::string_view text);
  bool add_level(double number);

  [[nodiscard]] CellReason reason(std::string_view text) const;

 private:
  Found read_time(std::string_view text, double& value) const;
  [[nodiscard]] std::size_t place_of(std::string_view text) const;

  ColumnCode code_;
  bool counts_;
  Unseen unseen_;
  TextPlaces places_;
};

/// Those of the columns chosen, in their order.
class CellReaders {
 public:
  std::vector<CellReader> columns;
  bool counts = false;  ///< before training
};

/// The text by which a level is known: numbers that are equal are one level, "1" and "1.0".
std::string level_text(std::string_view cell);

/// true, false, yes or no, in any case; 0, 1, or −1 for anything else.
int boolean_of(std::string_view text);

/// 5%, <0.5, $3: a number with something about it, which is meant as one.
bool is_decorated_number(std::string_view text);

/// What the cells seen of a column make it.
class KindFinder {
 public:
  void see(std::string_view text, const CellRules& rules);
  /// `name` and `position` are the column's.
  [[nodiscard]] ColumnCode kind(bool categorical) const;
  /// A cell that is a number, a time or a boolean was seen, and none that is text.
  [[nodiscard]] bool valued() const { return texts_ == 0 && numbers_ + times_ + booleans_ > 0; }

 private:
  std::size_t numbers_ = 0, odd_numbers_ = 0, times_ = 0, booleans_ = 0, texts_ = 0;
  std::size_t moments_ = 0, clocks_ = 0, zoned_ = 0;  ///< of the times
};

}  // namespace rfnn::io
