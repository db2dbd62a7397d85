#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/command_text.hpp"
#include "cli/run_source.hpp"
#include "cli/terminal.hpp"
#include "rfnn/diagnostics/problems.hpp"
#include "rfnn/io/json.hpp"
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

std::string json_text(const std::vector<Problem>& found) {
  io::Json list = io::Json::array();
  for (const Problem& problem : found)
    list.push_back({{"kind", name_of(problem.kind)}, {"text", problem.text}, {"flag", problem.flag}});
  return io::json_text(io::Json{{"problems", std::move(list)}}) + "\n";
}

std::string lines_text(const std::vector<Problem>& found, const report::RunStory& story) {
  if (found.empty()) {
    return fmt::format("no problem found in {} of {}\n", io::counted(story.blocks.size(), "block"),
                       printable(story.source));
  }
  std::string text;
  for (const Problem& problem : found) {
    const std::string line =
        fmt::format("{}: {}; try {}", name_of(problem.kind), printable(problem.text), problem.flag);
    text += (result_on_terminal() ? wrapped(line, result_width(), 2) : line) + "\n";
  }
  return text;
}

}  // namespace

ExitCode run_diagnose(const Invocation& call) {
  std::string source;
  std::optional<std::string> data;
  bool json = false, quiet = false;
  Arguments arguments("diagnose", "Say what is wrong with a training run: a line for each problem, most serious first.",
                      "MODEL|RUN_DIR [--data FILE] [--json]");
  arguments.positional(source, "MODEL|RUN_DIR",
                       "model file written by `rfnn fit`, or the folder of `rfnn fit --run-dir`");
  arguments.value(data, "--data", "FILE",
                  "table with inputs and targets to look for structure in the residuals of, and to count errors on "
                  "[the training rows of a RUN_DIR; none for a MODEL]");
  arguments.flag(json, "--json", "print one JSON object: {\"problems\": [{\"kind\", \"text\", \"flag\"}, ...]}");
  arguments.flag(quiet, "-q,--quiet", "print nothing but the result and errors");
  arguments.footer("\nThe exit code is 0 whether there are problems or not. docs/diagnose.md has the thresholds.");
  arguments.parse(call.words);

  const report::RunStory story = story_of_source(source, data);
  const std::vector<Problem> found = problems(evidence_of(story));
  if (!quiet && !story.model)
    say(told("note: " + printable(story.model_missing) + " Only the records of its blocks were looked at.", 2) + "\n");
  if (!quiet && story.model && story.main_rows() == nullptr)
    say(told("note: residuals were not looked at. " + printable(story.rows_missing) + " Give --data FILE.", 2) + "\n");
  print_result(json ? json_text(found) : for_locale(lines_text(found, story)));
  return ExitCode::done;
}

}  // namespace rfnn::cli
