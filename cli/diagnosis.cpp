#include "cli/diagnosis.hpp"

#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "rfnn/io/json.hpp"
#include "rfnn/io/text.hpp"
#include "rfnn/rows/predict.hpp"

namespace rfnn::cli {
namespace {

/// The rows that are shown of a run, with what the model leaves of them.
std::optional<RowsSeen> rows_seen(const report::RunStory& story) {
  const report::ShownRows* rows = story.main_rows();
  if (!story.model || rows == nullptr || rows->inputs.rows() == 0) return std::nullopt;
  RowsSeen seen{.inputs = rows->inputs, .targets = rows->targets, .residuals = rows->targets};
  seen.known = rows->role == report::RowsRole::training;
  const Matrix predicted = predict(*story.model, rows->inputs.view());
  for (std::size_t i = 0; i < predicted.rows(); ++i)
    for (std::size_t o = 0; o < predicted.cols(); ++o) seen.residuals(i, o) -= predicted(i, o);
  for (const Scores& scores : rows->scores) seen.error_by_blocks.push_back(report::mean_mse(scores));
  return seen;
}

std::string unfinished_text(const report::RunStory& story) {
  switch (story.state) {
    case report::RunState::finished:
    case report::RunState::running:
      return "";
    case report::RunState::cut_short:
      return fmt::format("the run was cut short after {}: {}", io::counted(story.blocks.size(), "block"), story.ending);
    case report::RunState::failed:
      return fmt::format("the run failed: {}", story.ending);
    case report::RunState::killed:
    case report::RunState::unknown:
      return fmt::format("the run did not come to its end: {}", story.ending);
  }
  return "";
}

Evidence evidence_of(const report::RunStory& story) {
  Evidence evidence;
  evidence.options = story.options;
  evidence.blocks = story.blocks;
  evidence.model = story.model ? &*story.model : nullptr;
  evidence.rows = story.model ? story.train_rows : story.rows;
  evidence.inputs = story.model ? story.model->used_inputs() : story.inputs.size();
  evidence.outputs = story.targets.size();
  evidence.unfinished = unfinished_text(story);
  evidence.seen = rows_seen(story);
  return evidence;
}

}  // namespace

std::vector<Problem> problems_of(const report::RunStory& story) { return problems(evidence_of(story)); }

std::string problems_json(const std::vector<Problem>& found) {
  io::Json list = io::Json::array();
  for (const Problem& problem : found)
    list.push_back({{"kind", name_of(problem.kind)}, {"text", problem.text}, {"flag", problem.flag}});
  return io::json_text(io::Json{{"problems", std::move(list)}}) + "\n";
}

}  // namespace rfnn::cli
