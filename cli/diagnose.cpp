#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/command_text.hpp"
#include "cli/diagnosis.hpp"
#include "cli/run_source.hpp"
#include "cli/terminal.hpp"

namespace rfnn::cli {
namespace {

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
  GivenOptions given;
  Arguments arguments("diagnose", "Say what is wrong with a training run: a line for each problem, most serious first.",
                      "MODEL|RUN_DIR [--data FILE] [--json]");
  arguments.positional(source, "MODEL|RUN_DIR",
                       "model file written by `rfnn fit`, or the folder of `rfnn fit --run-dir`");
  arguments.value(data, "--data", "FILE",
                  "table with inputs and targets to look for structure in the residuals of, and to count errors on "
                  "[the training rows of a RUN_DIR; none for a MODEL]");
  arguments.flag(json, "--json", "print one JSON object: {\"problems\": [{\"kind\", \"text\", \"flag\"}, ...]}");
  arguments.flag(quiet, "-q,--quiet", "print nothing but the result and errors");
  arguments.reading_flags(given);
  arguments.footer("\nThe exit code is 0 whether there are problems or not. docs/diagnose.md has the thresholds.");
  arguments.parse(call.words);

  std::vector<std::string> notes;
  const report::RunStory story = story_of_source(source, data, {"diagnose", given, &notes});
  for (const std::string& note : notes)
    if (!quiet) say(told(note, 2) + "\n");
  const std::vector<Problem> found = problems_of(story);
  if (!quiet && !story.model)
    say(told("note: " + printable(story.model_missing) + " Only the records of its blocks were looked at.", 2) + "\n");
  if (!quiet && story.model && story.main_rows() == nullptr)
    say(told("note: residuals were not looked at. " + printable(story.rows_missing) + " Give --data FILE.", 2) + "\n");
  print_result(json ? problems_json(found) : for_locale(lines_text(found, story)));
  return ExitCode::done;
}

}  // namespace rfnn::cli
