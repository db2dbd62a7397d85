#pragma once

// Private header. Rows that somebody gives to see a model on: whether they are those it was trained on is found out.

#include <optional>
#include <string>
#include <vector>

#include "rfnn/core/matrix.hpp"
#include "rfnn/data/dataset.hpp"
#include "rfnn/report/run_rows.hpp"
#include "rfnn/report/run_story.hpp"

namespace rfnn::report {

/// Rows at hand: those of training as such (rows_of_training), others as test rows. `fingerprint` is that of the
/// training rows.
std::vector<ShownRows> given_rows(const Model& model, const std::string& fingerprint, const DatasetView& data,
                                  const std::string& training_origin, const std::string& other_origin);

/// The same of rows that come in batches. Only as many are held as training may have had: of a longer table memory does
/// not grow with its length.
class GivenRows {
 public:
  /// Of a story with a model, which must outlive this.
  GivenRows(const RunStory& story, std::string origin);
  void add(ConstMatrixView inputs, ConstMatrixView targets);
  /// Ends the collection.
  std::vector<ShownRows> take();

 private:
  [[nodiscard]] DatasetView held() const;

  const Model& model_;
  std::string fingerprint_, origin_;
  std::size_t most_;                      ///< numbers that are held
  std::vector<double> inputs_, targets_;  ///< row by row
  std::optional<RowCollector> others_;    ///< there are more rows: they are not those of training
};

}  // namespace rfnn::report
