#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "rfnn/core/matrix.hpp"
#include "rfnn/model/model.hpp"
#include "rfnn/rows/predict.hpp"

namespace rfnn::cli {

/// How far off a model is on rows with targets, added up batch by batch: for people and programs.
class Evaluation {
 public:
  /// Refers to the model. Error bars are looked at where it has them and all of its blocks predict.
  Evaluation(const Model& model, const PredictOptions& options, bool by_group);
  Evaluation(const Evaluation&) = delete;
  Evaluation& operator=(const Evaluation&) = delete;
  ~Evaluation();

  /// `weights`: one column; empty: all alike. `groups`: a text per row where they were asked for.
  void add(ConstMatrixView inputs, ConstMatrixView targets, ConstMatrixView weights,
           const std::vector<std::string>& groups);
  /// All rows have been added.
  void end();

  [[nodiscard]] std::size_t rows() const;
  [[nodiscard]] std::size_t rows_outside() const;  ///< the range of the training rows
  [[nodiscard]] std::string json() const;
  [[nodiscard]] std::string text() const;

 private:
  struct Sums;
  std::unique_ptr<Sums> sums_;
};

}  // namespace rfnn::cli
