#include "rfnn/io/joined_table.hpp"

#include <algorithm>
#include <utility>

#include "rfnn/core/error.hpp"
#include "rfnn/io/table.hpp"
#include "rfnn/io/table_survey.hpp"
#include "rfnn/io/text.hpp"

namespace rfnn::io {
namespace {

/// Files one below the other. Each is looked at when all are opened, and opened again when its turn comes.
class JoinedReader : public TableReader {
 public:
  JoinedReader(std::vector<std::string> paths, std::size_t threads, TableFormat format)
      : paths_(std::move(paths)), threads_(threads), format_(std::move(format)) {
    current_ = open_table(paths_[0], threads_, format_);
    names_ = current_->names();
    has_header_ = current_->has_header();
    is_text_ = current_->is_text();
    selected_ = current_->selected();
    units_ = current_->units();
    unit_rows_ = current_->unit_rows();
    units_from_ = current_->origin();
    origin_ = current_->origin() + " and " + std::to_string(paths_.size() - 1) + " more";
    places_.push_back(selected_);
    for (std::size_t f = 1; f < paths_.size(); ++f) {
      if (paths_[f] == "-")
        throw UsageError("Standard input can be the first of several files only.", "Give it first.");
      const auto other = open_table(paths_[f], threads_, format_);
      places_.push_back(places_in(*other));
      take_units(*other, places_.back());
    }
  }

  std::size_t read(Matrix& batch, std::size_t rows) override {
    while (true) {
      current_->read_like(*this);
      current_->survey(survey_);
      std::vector<std::size_t> places;
      for (const std::size_t k : selected_) places.push_back(places_[file_].at(k));
      current_->select(std::move(places));
      std::vector<std::size_t> kept;
      for (const std::size_t k : kept_columns_) kept.push_back(places_[file_].at(k));
      current_->keep(std::move(kept));
      std::vector<std::size_t> no_inputs;
      for (const std::size_t k : no_inputs_) no_inputs.push_back(places_[file_].at(k));
      current_->no_inputs(std::move(no_inputs));
      const std::size_t got = current_->read(batch, rows);
      for (std::string& text : current_->take_kept()) kept_.push_back(std::move(text));
      if (got > 0 || file_ + 1 == paths_.size()) return got;
      current_ = open_table(paths_[++file_], threads_, format_);
      if (survey_) survey_->begin_file(current_->origin());
    }
  }

 protected:
  std::vector<ColumnCode> first_kinds(const std::vector<bool>& categorical) override {
    std::vector<std::size_t> listed;
    for (std::size_t j = 0; j < selected_.size(); ++j)
      if (categorical[j]) listed.push_back(selected_[j]);
    current_->select(selected_);
    current_->find_kinds(listed);
    std::vector<ColumnCode> kinds = current_->kinds();
    for (ColumnCode& kind : kinds)
      if (!units_.empty()) kind.unit = units_[kind.position];
    return kinds;
  }

 private:
  /// Where the columns of the first file stand in another.
  [[nodiscard]] std::vector<std::size_t> places_in(const TableReader& other) const {
    const std::string first = shown(paths_[0], 200);
    if (other.has_header() != has_header_)
      throw InputError(other.origin() + (has_header_ ? " has no header, " + first + " has one."
                                                     : " has a header, " + first + " has none."),
                       "Give all files of a table with one, or all without; --header says what a first line is.");
    std::vector<std::size_t> places;
    if (!has_header_) {
      if (other.names().size() != names_.size())
        throw InputError(other.origin() + " has " + std::to_string(other.names().size()) + " columns, " + first +
                             " has " + std::to_string(names_.size()) + ".",
                         "Give files with the same columns.");
      return places_[0];
    }
    for (const std::string& name : names_) {
      const auto found = std::find(other.names().begin(), other.names().end(), name);
      if (found == other.names().end())
        throw InputError(other.origin() + " has no column " + shown(name) + ", which " + first + " has.",
                         "Give files with the same columns; their order does not matter.");
      places.push_back(static_cast<std::size_t>(found - other.names().begin()));
    }
    return places;
  }

  /// Files that say which units they have agree on them.
  void take_units(const TableReader& other, const std::vector<std::size_t>& places) {
    if (other.units().empty()) return;
    for (std::size_t k = 0; k < units_.size(); ++k) {
      const std::string &here = units_[k], &there = other.units()[places[k]];
      if (here.empty() || there.empty() || here == there) continue;
      throw InputError(shown_column(k, names_[k]) + " is in " + shown(here) + " in " + units_from_ + " and in " +
                           shown(there) + " in " + other.origin() + ".",
                       "Convert one of them: a column has one unit in all files of a table.");
    }
    if (units_.empty()) {
      units_from_ = other.origin();
      for (const std::size_t place : places) units_.push_back(other.units()[place]);
    }
    unit_rows_.insert(unit_rows_.end(), other.unit_rows().begin(), other.unit_rows().end());
  }

  std::vector<std::string> paths_;
  std::size_t threads_;
  TableFormat format_;
  std::string units_from_;  ///< the first file with units
  std::unique_ptr<TableReader> current_;
  std::size_t file_ = 0;
  std::vector<std::vector<std::size_t>> places_;  ///< per file: of each column of the first
};

}  // namespace

std::unique_ptr<TableReader> open_joined(const std::vector<std::string>& paths, std::size_t threads,
                                         const TableFormat& format) {
  return std::make_unique<JoinedReader>(paths, threads, format);
}

}  // namespace rfnn::io
