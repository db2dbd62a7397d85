#include "rfnn/report/given_rows.hpp"

#include <algorithm>
#include <utility>

#include "rfnn/rows/stand_ins.hpp"

namespace rfnn::report {
namespace {

void append(std::vector<double>& numbers, ConstMatrixView rows) {
  for (std::size_t i = 0; i < rows.rows(); ++i)
    for (std::size_t k = 0; k < rows.cols(); ++k) numbers.push_back(rows(i, k));
}

/// Rows of weight 0, which a model does not count, may be as many again as those that it does.
std::size_t most_rows(const RunStory& story) {
  return 2 * std::max(story.rows, story.model->train_rows + story.model->validation_rows);
}

}  // namespace

std::vector<ShownRows> given_rows(const Model& model, const std::string& fingerprint_of_training,
                                  const DatasetView& data, const std::string& training_origin,
                                  const std::string& other_origin) {
  if (fingerprint(data.inputs, data.targets) == fingerprint_of_training)
    return rows_of_training(model, data, training_origin);
  return {shown_rows(model, RowsRole::test, other_origin, data)};
}

GivenRows::GivenRows(const RunStory& story, std::string origin)
    : model_(*story.model),
      fingerprint_(story.fingerprint),
      origin_(std::move(origin)),
      most_(most_rows(story) * (model_.input_count() + model_.outputs())) {}

DatasetView GivenRows::held() const {
  const std::size_t rows = targets_.size() / model_.outputs();
  return {ConstMatrixView(inputs_.data(), rows, model_.input_count()),
          ConstMatrixView(targets_.data(), rows, model_.outputs())};
}

void GivenRows::add(ConstMatrixView inputs, ConstMatrixView targets) {
  if (others_) {
    others_->add(inputs, targets);
    return;
  }
  append(inputs_, inputs);
  append(targets_, targets);
  if (inputs_.size() + targets_.size() <= most_) return;
  others_.emplace(model_, RowsRole::test, origin_, true);
  const std::size_t rows = targets_.size() / model_.outputs();
  others_->add(ConstMatrixView(inputs_.data(), rows, model_.input_count()),
               ConstMatrixView(targets_.data(), rows, model_.outputs()));
  inputs_ = targets_ = {};
}

std::vector<ShownRows> GivenRows::take() {
  if (others_) return {others_->take()};
  const DatasetView data = held();
  // Training saw the numbers that stand in for missing cells as they are.
  const Matrix plain = rows::without_marks(model_, ConstMatrixView(inputs_.data(), data.rows(), model_.input_count()));
  const DatasetView as_trained{plain.view(), ConstMatrixView(targets_.data(), data.rows(), model_.outputs())};
  if (fingerprint(as_trained.inputs, as_trained.targets) == fingerprint_)
    return rows_of_training(model_, as_trained, origin_);
  return {shown_rows(model_, RowsRole::test, origin_, data)};
}

}  // namespace rfnn::report
