#include "rfnn/report/run_story.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "rfnn/io/text.hpp"
#include "rfnn/report/run_facts.hpp"
#include "rfnn/report/run_text.hpp"

namespace rfnn::report {
namespace {

std::vector<std::string> names_of(const std::vector<Column>& columns) {
  std::vector<std::string> names;
  for (const Column& column : columns) names.push_back(column.name);
  return names;
}

/// What a model tells about its run; the record of the run tells more where there is one.
void take_model(RunStory& story, Model model) {
  story.state = cut_short(model) ? RunState::cut_short : RunState::finished;
  story.ending = model.stop_text;
  story.blocks = model.history.blocks;
  RunFactsNoted facts = facts_noted(model);
  story.command = std::move(facts.command);
  story.folder = std::move(facts.folder);
  story.data = std::move(facts.data);
  story.validation = std::move(facts.validation);
  story.started = std::move(facts.started);
  story.options_given = std::move(facts.options_given);
  story.times.reading = facts.seconds_reading;
  story.times.preparing = facts.seconds_preparing;
  story.times.training = model.seconds;
  if (story.times.reading) story.times.total = *story.times.reading + model.seconds;
  story.fingerprint = model.data_fingerprint;
  story.train_rows = model.train_rows;
  story.validation_rows = model.validation_rows;
  story.rows = model.train_rows + (held_out_of_data(model) ? model.validation_rows : 0);
  story.inputs = names_of(model.inputs);
  story.targets = names_of(model.targets);
  story.options = model.options;
  story.warnings = model.warnings;
  story.facts = model.facts;
  story.model = std::move(model);
}

RunState state_of(const io::RunRecord& run) {
  if (run.state == "finished") return RunState::finished;
  if (run.state == "interrupted") return RunState::cut_short;
  if (run.state == "failed") return RunState::failed;
  switch (io::process_of(run)) {
    case io::ProcessState::running:
      return RunState::running;
    case io::ProcessState::gone:
      return RunState::killed;
    case io::ProcessState::elsewhere:
      break;
  }
  return RunState::unknown;
}

std::string ending_of(const io::RunRecord& run, RunState state) {
  switch (state) {
    case RunState::failed:
      return run.error.empty() ? "no reason was recorded" : run.error;
    case RunState::killed:
      return fmt::format("its process ({}) is gone and left no word: it was killed, or the machine went down",
                         run.process);
    case RunState::running:
      return fmt::format("its process ({}) is at work", run.process);
    case RunState::unknown:
      return fmt::format("its record says that it is running on {}, which cannot be asked from here", run.host);
    case RunState::finished:
    case RunState::cut_short:
      break;
  }
  return run.stop_text;
}

}  // namespace

const ShownRows* RunStory::rows_of(RowsRole role) const {
  const auto found = std::find_if(shown.begin(), shown.end(), [&](const ShownRows& some) { return some.role == role; });
  return found == shown.end() ? nullptr : &*found;
}

const ShownRows* RunStory::main_rows() const {
  const ShownRows* test = rows_of(RowsRole::test);
  return test != nullptr ? test : rows_of(RowsRole::training);
}

std::size_t RunStory::kept_blocks() const {
  std::size_t sum = 0;
  if (model)
    for (const Network& member : model->members) sum += member.blocks.size();
  return sum;
}

std::size_t RunStory::members() const {
  std::int64_t last = 0;
  for (const BlockRecord& record : blocks) last = std::max(last, record.member);
  return std::max(model ? model->members.size() : 0, static_cast<std::size_t>(last) + 1);
}

bool RunStory::has_chain() const {
  return std::any_of(blocks.begin(), blocks.end(), [](const BlockRecord& record) { return record.has_chain(); });
}

bool RunStory::given_up(const BlockRecord& record) const {
  return model && !is_kept(*model, record) &&
         std::any_of(model->history.blocks.begin(), model->history.blocks.end(), [&](const BlockRecord& known) {
           return known.member == record.member && known.block == record.block;
         });
}

std::optional<double> RunStory::final_error(RowsRole role) const {
  if (!model) return std::nullopt;
  if (role == RowsRole::test) {
    const ShownRows* test = rows_of(role);
    return test == nullptr || test->scores.empty() ? std::nullopt : std::optional(mean_mse(test->scores.back()));
  }
  const ModelErrors errors = final_errors(*model);
  return role == RowsRole::training ? errors.train : errors.validation;
}

std::optional<double> RunStory::explained(RowsRole role) const {
  const std::optional<double> error = final_error(role);
  if (!error) return std::nullopt;
  std::optional<double> empty;
  if (role == RowsRole::training) empty = model->history.empty_train_mse;
  if (role == RowsRole::validation)
    empty = judged_by_rows_apart() ? model->history.empty_validation_mse : model->history.empty_train_mse;
  if (role == RowsRole::test) {
    const std::vector<Scores>& scores = rows_of(role)->scores;
    if (model->outputs() == 1) return scores.back().r2[0];
    empty = mean_mse(scores.front());
  }
  if (!empty || !(*empty > 0.0)) return std::nullopt;
  return 1.0 - *error / *empty;
}

std::optional<double> RunStory::standard_error(RowsRole role) const {
  return model && role == RowsRole::validation ? final_errors(*model).validation_se : std::nullopt;
}

bool RunStory::judged_by_rows_apart() const { return !model || final_errors(*model).judge == Judge::held_out; }

std::size_t RunStory::error_rows(RowsRole role) const {
  if (role == RowsRole::test) return rows_of(role) == nullptr ? 0 : rows_of(role)->total;
  const bool all = role == RowsRole::training ? model && fitted_to_all_rows(*model) : !judged_by_rows_apart();
  if (all) return train_rows + validation_rows;
  return role == RowsRole::training ? train_rows : validation_rows;
}

std::string RunStory::error_place(RowsRole role) const {
  if (role == RowsRole::training && model && fitted_to_all_rows(*model)) return std::string(fitted_rows_name);
  if (role == RowsRole::validation && !judged_by_rows_apart())
    return fmt::format("rows of training, by {}", name_of(final_errors(*model).judge));
  if (role == RowsRole::validation && model && held_out_of_data(*model)) return "held-out rows";
  return std::string(name_of(role));
}

double mean_mse(const Scores& scores) {
  double sum = 0.0;
  for (const double value : scores.mse) sum += value;
  return sum / static_cast<double>(scores.mse.size());
}

bool belongs_to(const Model& model, const io::RunRecord& run) {
  const std::string began = facts_noted(model).started;
  // Both are UTC in the same form, so that they compare as text.
  return (began.empty() || began >= run.started) && model.data_fingerprint == run.facts.fingerprint &&
         model.options == run.facts.options;
}

RunStory story_of(Model model, std::string path) {
  RunStory story;
  take_model(story, std::move(model));
  story.model_place = path;
  story.source = std::move(path);
  return story;
}

RunStory story_of(io::RunRecord run, std::optional<Model> model, std::string path) {
  RunStory story;
  const std::size_t known = model ? model->history.blocks.size() : 0;
  if (model) take_model(story, std::move(*model));
  story.source = path;
  story.model_place = path + "/model.rfnn";
  story.state = state_of(run);
  story.ending = ending_of(run, story.state);
  // A run that was killed between the end of a block and the checkpoint knows one block more than its model.
  for (std::size_t i = known; i < run.blocks.size(); ++i) story.blocks.push_back(std::move(run.blocks[i]));
  story.traces = known > 0 || story.blocks.empty();
  story.command = shell_line(run.facts.command);
  story.folder = std::move(run.folder);
  story.data = std::move(run.facts.data);
  story.validation = std::move(run.facts.validation);
  story.fingerprint = std::move(run.facts.fingerprint);
  story.rows = run.facts.rows;
  if (!story.model) story.validation_rows = run.facts.validation_rows;
  story.inputs = std::move(run.facts.inputs);
  story.targets = std::move(run.facts.targets);
  story.ignored = std::move(run.facts.ignored);
  story.options = run.facts.options;
  story.options_given = std::move(run.facts.options_given);
  for (std::string& warning : run.warnings) {
    if (std::find(story.warnings.begin(), story.warnings.end(), warning) == story.warnings.end())
      story.warnings.push_back(std::move(warning));
  }
  story.facts["version"] = run.version;
  if (!run.facts.weight.empty()) story.facts["weight"] = run.facts.weight;
  if (!run.host.empty()) story.facts["host"] = run.host;
  story.started = std::move(run.started);
  story.ended = std::move(run.ended);
  if (run.elapsed) story.times.total = run.elapsed;
  if (!story.model) {
    story.model_missing = story.state == RunState::running
                              ? "The first block is not finished yet, so there is no model to show."
                              : "The run ended before its first block was finished, so there is no model to show.";
  }
  return story;
}

}  // namespace rfnn::report
