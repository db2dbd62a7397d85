#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rfnn/core/matrix.hpp"
#include "rfnn/data/dataset.hpp"
#include "rfnn/io/table.hpp"
#include "rfnn/model/model.hpp"

namespace rfnn::cli {

/// The columns a network learns from, as places in the training table.
struct Choice {
  std::vector<std::size_t> inputs, targets, ignored;
  std::optional<std::size_t> weight;
};

/// `--target`, `--ignore` and `--weight` as given; everything else is an input. Throws for names that do not exist, are
/// given twice, or leave no input.
Choice choose_columns(const TableReader& table, const std::vector<std::string>& targets,
                      const std::vector<std::string>& ignored, const std::optional<std::string>& weight);

/// How the columns of the training table are known to later files.
struct Layout {
  std::vector<Column> inputs, targets;  ///< name and position matter; an input not `used` may be missing
  std::size_t table_columns = 0;
  bool named = true;
  std::optional<Column> weight;  ///< how much each row counts; known while training only
};
Layout layout_of(const Model& model);
Layout layout_of(const TableReader& table, const Choice& choice);

/// Places in a file of the columns wanted; nothing where an unused input is missing (its mean stands in).
struct Matched {
  std::vector<std::optional<std::size_t>> inputs;
  std::vector<std::size_t> targets;   ///< empty unless asked for
  std::optional<std::size_t> weight;  ///< nothing: there is none, all rows count alike
};

/// The model, or the reason why it cannot be read: arguments given in the wrong order are told apart.
Model load_model_argument(const std::string& command, const std::string& model, const std::string& data);

/// Those of the training table itself: by their places, so that columns left out may be named as they like.
Matched matched_of(const Choice& choice);

/// By name; by position when the file or the training table has no header: the file then has the columns of the
/// training table, the same without the ignored ones, or (without targets) just the inputs. Extra named columns do not
/// matter. Throws InputError with what is missing and what there is.
Matched match_columns(const TableReader& file, const Layout& layout, bool with_targets);

/// Reads a file in batches in the shape a model wants them.
class MatchedRows {
 public:
  MatchedRows(TableReader& file, Matched matched, const std::vector<Column>& inputs);

  /// Rows with missing inputs are read instead of refused, with means in the place of what is missing; incomplete()
  /// then has their places in the batch. Missing cells of inputs that the model does not use do not matter.
  void accept_missing();
  [[nodiscard]] const std::vector<std::size_t>& incomplete() const { return incomplete_; }

  /// The next rows; false at the end.
  bool next();
  [[nodiscard]] ConstMatrixView inputs() const { return inputs_.view(); }
  [[nodiscard]] ConstMatrixView targets() const { return targets_.view(); }
  /// One column, where there is a weight.
  [[nodiscard]] ConstMatrixView weights() const { return weights_.view(); }
  [[nodiscard]] std::size_t rows() const { return inputs_.rows(); }

 private:
  TableReader& file_;
  Matched matched_;
  std::vector<double> fill_;  ///< per input, where the file has none
  std::vector<bool> used_;    ///< per input, by the model
  std::vector<std::size_t> incomplete_;
  std::size_t batch_rows_;
  Matrix batch_, inputs_, targets_, weights_;
};

/// All rows of a file as inputs and targets, held or mapped by `rows`; copies share them.
struct MatchedData {
  TableRows rows;
  std::shared_ptr<const std::vector<double>> fill;  ///< per input, where the file has none
  DatasetView view;
};

/// Reads them. It ends early when `go_on` says so (asked now and then).
MatchedData read_dataset(TableReader& file, const Matched& matched, const Layout& layout,
                         const std::function<bool()>& go_on = {});

/// a, b, c — at most a dozen of them.
std::string listed(const std::vector<std::string>& names);

/// Two paths that lead to one file.
bool same_file(const std::string& a, const std::string& b);

}  // namespace rfnn::cli
