#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rfnn/core/export.hpp"
#include "rfnn/core/matrix.hpp"
#include "rfnn/data/column_code.hpp"
#include "rfnn/data/dataset.hpp"
#include "rfnn/options/options.hpp"

namespace rfnn {

/// How the text of a table is to be understood; the defaults find out what can be found out.
struct TableFormat {
  char delimiter = '\0';     ///< NUL: found out; a space: any white space
  char decimal = '.';        ///< '.' or ','
  std::string comment = {};  ///< begins a line that is passed over; empty: there are none
  Header header = Header::automatic;
  std::vector<std::string> missing_words = {};  ///< beside the usual ones
  /// Of the rows only the part of this number, from 0, of so many parts of about the same size in the file.
  std::size_t part = 0, parts = 1;
};
/// That of the options for reading. Throws UsageError where they contradict each other.
RFNN_API TableFormat table_format(const Options& options);

namespace io {
class CellReaders;
class TableSurvey;
}  // namespace io

/// All rows of some columns of a table, to be read where they are. Copies share them.
struct TableRows {
  Columns columns;
  /// The numbers lie in the file, which is mapped and must not be shortened while they are in use; else in memory.
  bool mapped = false;
  bool on_disk = false;                ///< what is not in use need not be in memory: hold_at_most()
  std::size_t bytes = 0;               ///< they take there
  bool cut_short = false;              ///< there were more rows when reading was to end
  std::shared_ptr<const void> memory;  ///< keeps them
};

/// A table of numbers read from front to back in batches, so that memory stays bounded whatever the file's length.
/// CSV (`,` `;` tab, header detected, quotes, BOM, CRLF, decimal points whatever the locale), the same gzipped, NPY
/// (1-d or 2-d, float or integer, either byte and storage order), or `-` for CSV on standard input. What a file is
/// is decided by its first bytes, not by its name. The first line of a CSV file is a header when a cell of it is text
/// and the one below is not: a line of numbers and missing cells (empty, nan, NA, inf, …) is the first row.
class RFNN_API TableReader {
 public:
  TableReader();
  virtual ~TableReader();
  TableReader(const TableReader&) = delete;
  TableReader& operator=(const TableReader&) = delete;

  /// Column names: the header's, or c1, c2, … without one.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] bool has_header() const { return has_header_; }
  /// A table of text, whose first line may be names that were taken for numbers.
  [[nodiscard]] bool is_text() const { return is_text_; }
  /// The path as given (`-` shown as "standard input").
  [[nodiscard]] const std::string& origin() const { return origin_; }

  /// Reads the next rows of the columns chosen with select() (all by default) into `batch` (row-major, resized to the
  /// rows read, at most `rows`). Returns the rows read; 0 at the end. A cell that is empty, not a number, nan or
  /// infinite throws InputError naming line, column and the text; so does a line with too few or too many cells, and a
  /// choice of columns two of which have the same name.
  virtual std::size_t read(Matrix& batch, std::size_t rows) = 0;

  /// All rows that are left of the columns chosen. An uncompressed NPY file of floats or doubles in the machine's byte
  /// order, nothing of which was read yet, is mapped: no number is copied. The rows of other tables are held once.
  /// Throws as read() does. Reading ends early when `go_on` says so (asked now and then). Those that take more than
  /// hold_at_most() says lie in a file without a name (TMPDIR), and who goes over rows in files lets them go again.
  virtual TableRows read_rows(const std::function<bool()>& go_on = {});

  /// Bytes of memory that the numbers of read_rows() may take.
  void hold_at_most(std::size_t bytes) { held_at_most_ = bytes; }

  /// The columns read() and read_rows() deliver, in this order, by place in the file. Cells of other columns are not
  /// looked at.
  void select(std::vector<std::size_t> columns) { selected_ = std::move(columns); }
  [[nodiscard]] const std::vector<std::size_t>& selected() const { return selected_; }

  /// Columns whose cells are kept as they are written besides, in this order, by place in the file. Cells of columns
  /// that are kept and not selected may hold anything.
  void keep(std::vector<std::size_t> columns) { kept_columns_ = std::move(columns); }
  [[nodiscard]] const std::vector<std::size_t>& kept_columns() const { return kept_columns_; }
  /// The texts of those cells, row by row, of all rows read since the last call. Of an NPY file: the shortest numbers
  /// that read back exactly.
  std::vector<std::string> take_kept() { return std::exchange(kept_, {}); }

  /// Columns that are targets or weights, by place in the file: what is wrong with their cells has another cure.
  void no_inputs(std::vector<std::size_t> columns) { no_inputs_ = std::move(columns); }

  /// Makes read() deliver missing cells (empty, nan, NA, …) as NaN instead of refusing them.
  void accept_missing() { accept_missing_ = true; }

  /// Of a part of a larger table: it may have no rows at all.
  void accept_no_rows() { accept_no_rows_ = true; }
  [[nodiscard]] bool accepts_no_rows() const { return accept_no_rows_; }

  /// Makes read() go on where it would throw for a cell or a line: what is wrong goes to `survey`, such cells are
  /// missing, such lines no rows.
  void survey(std::shared_ptr<io::TableSurvey> survey) { survey_ = std::move(survey); }

  /// Per column of the table its unit, where there was a row of units below the header; else empty.
  [[nodiscard]] const std::vector<std::string>& units() const { return units_; }
  /// Where such rows stand: "a.csv, line 2"; of several files one for each that has one.
  [[nodiscard]] const std::vector<std::string>& unit_rows() const { return unit_rows_; }

  /// Finds out, from the first rows, what the columns chosen hold, those at the places `categorical` being categories
  /// whatever they look like. From then on read() delivers cells as data/encoding.hpp has them before training: times
  /// as counts, levels as places in a list that grows. Nothing of the table may have been read. Are they all numbers?
  bool find_kinds(const std::vector<std::size_t>& categorical);
  /// What the columns chosen hold, after find_kinds(); levels are those of the rows read so far.
  [[nodiscard]] std::vector<ColumnCode> kinds() const;

  /// The columns chosen hold what `columns` say, in their order: read() delivers cells as data/encoding.hpp has them
  /// for prediction. A level that is not among those known is refused or becomes unseen_level.
  void expect(const std::vector<ColumnCode>& columns, Unseen unseen);

  /// Reads cells as `other`, which chose the same columns, does: a level new to one of them is known to both.
  void read_like(const TableReader& other);

 protected:
  /// The kind of each column chosen by its first rows; the default knows numbers only.
  virtual std::vector<ColumnCode> first_kinds(const std::vector<bool>& categorical);

  /// A number of a table without text as its column has it: NaN where it stands for a missing cell, the place of its
  /// level where it is a code. `j`: the column's place among those chosen.
  double number_cell(double value, std::size_t j);
  /// NaN for a number of row `row`, counted from 1, that cannot be taken as it is, noted in the survey.
  double surveyed_cell(double value, std::size_t j, std::size_t row) const;

  std::vector<std::string> names_;
  bool has_header_ = false;
  bool is_text_ = false;
  bool accept_missing_ = false;
  bool accept_no_rows_ = false;
  std::size_t held_at_most_ = std::numeric_limits<std::size_t>::max();
  std::string origin_;
  std::vector<std::size_t> selected_;  ///< set to all columns when opened
  std::vector<std::size_t> kept_columns_, no_inputs_;
  std::vector<std::string> kept_;
  std::vector<std::string> units_, unit_rows_;
  std::vector<double> missing_numbers_;  ///< for number_cell
  std::shared_ptr<io::TableSurvey> survey_;
  std::shared_ptr<io::CellReaders> cells_;  ///< per column chosen; none: all are numbers
};

/// Opens a table; InputError when it is missing, unreadable, empty or malformed. `threads` parse large CSV files.
RFNN_API std::unique_ptr<TableReader> open_table(const std::string& path, std::size_t threads = 1,
                                                 const TableFormat& format = {});
/// Several files as one table, one below the other: they have the columns of the first, by name (in any order, and
/// others beside them) or, without headers, as many. InputError where they differ, or the units of a column do.
RFNN_API std::unique_ptr<TableReader> open_tables(const std::vector<std::string>& paths, std::size_t threads = 1,
                                                  const TableFormat& format = {});

/// Reads all that is left of a table.
RFNN_API Matrix read_all(TableReader& reader);

/// The place of a column given by name or by number counted from 1; a name wins over a number. Throws InputError with
/// the nearest name, or the list of names, when there is none.
RFNN_API std::size_t find_column(const std::vector<std::string>& names, std::string_view wanted,
                                 std::string_view origin);

/// Splits NAME[,NAME...] at commas; a name in double quotes may hold commas. A list that is as a whole one of the names
/// `known` is that name, commas or not.
RFNN_API std::vector<std::string> split_names(std::string_view list, const std::vector<std::string>& known = {});

/// Refuses the names of files that no table is written to, by their ending: UsageError.
RFNN_API void check_table_place(const std::string& path);

/// Writes a table row by row: NPY when the path ends in .npy, gzipped CSV when in .csv.gz, CSV else; `-` is standard
/// output. Files are written through AtomicFile. CSV: comma, unquoted header (only a name with a delimiter, quote or
/// line end in it is quoted, for it could not be read back else), shortest numbers that read back exactly; what is not
/// finite is an empty cell. Without names there is no header.
class RFNN_API TableWriter {
 public:
  virtual ~TableWriter() = default;
  virtual void write(ConstMatrixView rows) = 0;
  /// The same with texts in front, row by row, as many for each row: a cell is quoted where it has to be. To an NPY
  /// file the numbers that they are, NaN where they are empty; InputError where one is neither.
  virtual void write(std::span<const std::string> texts, ConstMatrixView rows) = 0;
  /// Without it nothing is left behind.
  virtual void commit() = 0;
};
RFNN_API std::unique_ptr<TableWriter> create_table(const std::string& path, const std::vector<std::string>& names);

}  // namespace rfnn
