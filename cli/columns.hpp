#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "rfnn/core/matrix.hpp"
#include "rfnn/data/dataset.hpp"
#include "rfnn/io/table.hpp"
#include "rfnn/io/table_data.hpp"
#include "rfnn/model/model.hpp"

namespace rfnn::cli {

/// The columns a network learns from, as places in the training table.
struct Choice {
  std::vector<std::size_t> inputs, targets, ignored;
  std::optional<std::size_t> weight;
};

/// `--target`, `--ignore` and `--weight` as given; everything else, or what --columns lists of it, is an input. Throws
/// for names that do not exist, are given twice, or leave no input.
Choice choose_columns(const TableReader& table, const std::vector<std::string>& targets,
                      const std::vector<std::string>& ignored, const std::optional<std::string>& weight,
                      const std::string& columns = "");

/// How the columns of the training table are known to later files.
struct Layout {
  std::vector<Column> inputs, targets;  ///< name and position matter; an input not `used` may be missing
  TableCode code;  ///< what they hold; its lists are as long, or empty as long as that is not known
  std::size_t table_columns = 0;
  bool named = true;
  std::optional<Column> weight;  ///< how much each row counts; known while training only
};
Layout layout_of(const Model& model);
Layout layout_of(const TableReader& table, const Choice& choice);

/// Places in a file of the columns wanted; nothing where an unused input is missing (its mean stands in).
using Matched = TablePlaces;

/// The model, or the reason why it cannot be read: arguments given in the wrong order are told apart. `flag` is what
/// stands before the table: "--data ", or nothing.
Model load_model_argument(const std::string& command, const std::string& model, const std::string& data,
                          const std::string& flag = "");

/// Those of the training table itself: by their places, so that columns left out may be named as they like.
Matched matched_of(const Choice& choice);

/// By name; by position when the file or the training table has no header: the file then has the columns of the
/// training table, the same without the ignored ones, or (without targets) just the inputs. Extra named columns do not
/// matter. Throws InputError with what is missing and what there is.
Matched match_columns(const TableReader& file, const Layout& layout, bool with_targets);

/// The rows of a file as a model wants them, its columns matched by `matched`.
TableBatches batches_of(TableReader& file, const Matched& matched, const Model& model, const Options& reading,
                        bool keep_rows);

/// The options for reading another table than the training one: those of the model, but for what was given.
Options reading_options(const Model& model, const GivenOptions& given);

/// Is a table with missing cells to be refused, where it would have empty predictions for them else?
bool asked_to_refuse_missing(const GivenOptions& given);

/// Sentences about what was filled in, not seen before or left out; empty: nothing was.
std::vector<std::string> reading_notes(const TableBatches& batches);

/// a, b, c — at most a dozen of them.
std::string listed(const std::vector<std::string>& names);

/// Two paths that lead to one file.
bool same_file(const std::string& a, const std::string& b);

/// Throws UsageError when `place`, where `what` goes ("report"), is one of the files that are read.
void refuse_overwriting(const std::string& what, const std::string& place, const std::vector<std::string>& read);

}  // namespace rfnn::cli
