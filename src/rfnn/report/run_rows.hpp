#pragma once

// Private header. Rows with known targets beside a model: what a report shows of them, in bounded memory.

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "rfnn/core/matrix.hpp"
#include "rfnn/data/dataset.hpp"
#include "rfnn/diagnostics/scores.hpp"
#include "rfnn/model/model.hpp"
#include "rfnn/report/figure.hpp"

namespace rfnn::report {

enum class RowsRole { training, validation, test };

constexpr std::string_view name_of(RowsRole role) {
  return role == RowsRole::training ? "training rows" : role == RowsRole::validation ? "validation rows" : "test rows";
}

/// Were the validation rows held out of the data, and not given apart?
bool held_out_of_data(const Model& model);

/// Was the network fitted once more in the end, to all rows, those held out before among them? Then no row is left that
/// it has not seen.
bool fitted_to_all_rows(const Model& model);

/// What the rows of such a model are called.
inline constexpr std::string_view fitted_rows_name = "rows of training (fitted)";

/// Rows of one kind, thinned for figures.
struct ShownRows {
  RowsRole role = RowsRole::test;
  std::string name = std::string(name_of(role));  ///< what figures and texts call them
  std::string origin;                             ///< the file they are from
  std::size_t total = 0;                          ///< rows there are
  Matrix inputs, targets;                         ///< those kept: all, or some spread over all; columns as in training
  std::vector<Scores> scores;  ///< over all rows, with 0, 1, … all blocks used; empty: not asked for
  std::size_t outside = 0;     ///< of all rows, those outside the range seen in training; with scores
};

/// Takes rows in batches, keeps some of them and, if asked, scores the model on all of them after every block.
class RowCollector {
 public:
  RowCollector(const Model& model, RowsRole role, std::string origin, bool with_scores);
  void add(ConstMatrixView inputs, ConstMatrixView targets);
  /// Ends the collection.
  ShownRows take();

  /// Rows kept at most for a model, an even number: fewer the more columns it has.
  static std::size_t limit_for(const Model& model);

 private:
  /// Every group has its row and there is no room for more: neighbours join, and one of their two rows goes.
  void join_groups();
  [[nodiscard]] std::size_t chosen(std::size_t group) const;

  const Model& model_;
  ShownRows shown_;
  std::vector<ScoreSum> sums_;
  // One row is kept of every group of `group_rows_` rows, at a place that is drawn: rows in the order of an input would
  // otherwise be sampled at equal steps, and frequencies beyond those steps look like lower ones.
  std::size_t limit_, width_, group_rows_ = 1;
  std::vector<double> kept_;
};

/// The same from rows at hand; `which`: their numbers, empty for all.
ShownRows shown_rows(const Model& model, RowsRole role, std::string origin, const DatasetView& data,
                     const std::vector<std::size_t>& which = {});

/// What the rows of a training run were for: training rows, and validation rows where there were any that the network
/// was not fitted to: given (`validation`), or held out of the data to the end. Where the last fit was one to all rows,
/// all of them are training rows.
std::vector<ShownRows> rows_of_training(const Model& model, const DatasetView& data, const std::string& origin,
                                        const DatasetView* validation = nullptr,
                                        const std::string& validation_origin = "");

/// Calls `see(blocks used, predictions)` with 0, 1, … all blocks of the model used: to the bit what predict() gives
/// with so many blocks.
void predict_by_depth(const Model& model, ConstMatrixView inputs,
                      const std::function<void(std::size_t, ConstMatrixView)>& see);

/// The same kept, for some numbers of blocks.
std::vector<Matrix> predictions_at(const Model& model, ConstMatrixView inputs, const std::vector<std::size_t>& depths);

/// An input on an axis: its name, with the unit where that is known; times as dates.
Axis axis_of(const Model& model, std::size_t input);

/// The number of inputs used, for those who draw a prediction over all of them: more than two where one of them is
/// nothing to go along.
std::size_t inputs_drawn(const Model& model);

/// Does the input hold times, in days?
bool is_time(const Model& model, std::size_t input);

/// A value of an input in words: of times the moment, else a short number.
std::string value_text(const Model& model, std::size_t input, double value);

/// Does the input have values of its own to go along: no level of a category, nothing that says where cells are
/// missing?
bool has_values(const Model& model, std::size_t input);

/// Does the network see the logarithm of the input column?
bool seen_as_logarithm(const Model& model, std::size_t input);

/// `count` values of an input from `low` to `high`, at equal steps or, where the network sees its logarithm and both
/// are positive, equal ratios.
std::vector<double> grid_along(const Model& model, std::size_t input, double low, double high, std::size_t count);

/// Numbers of blocks that a slider offers: 0 to all of them, or the first few and then some up to all.
std::vector<std::size_t> depths_shown(std::size_t blocks);

}  // namespace rfnn::report
