#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/arguments.hpp"
#include "cli/columns.hpp"
#include "cli/command.hpp"
#include "cli/command_text.hpp"
#include "cli/report_file.hpp"
#include "cli/run_source.hpp"
#include "cli/terminal.hpp"
#include "rfnn/io/atomic_file.hpp"
#include "rfnn/report/run_story.hpp"

namespace rfnn::cli {
ExitCode run_report(const Invocation& call) {
  std::string source;
  std::optional<std::string> data, out;
  bool quiet = false;
  GivenOptions given;
  Arguments arguments(
      "report", "Write a page about a training run, finished or not: errors, frequencies, predictions, residuals.",
      "MODEL|RUN_DIR [--data TEST] [--out report.html]");
  arguments.positional(source, "MODEL|RUN_DIR",
                       "model file written by `rfnn fit`, or the folder of `rfnn fit --run-dir`");
  arguments.value(
      data, "--data", "TEST",
      "table with inputs and targets to show predictions on [the training rows of a RUN_DIR; none for a MODEL]");
  arguments.value(out, "-o,--out", "FILE", "where the page goes: one HTML file that needs no other [report.html]");
  arguments.flag(quiet, "-q,--quiet", "print nothing but errors");
  arguments.reading_flags(given);
  arguments.parse(call.words);

  const std::string place = out.value_or("report.html");
  const bool folder = is_folder(source);
  std::vector<std::string> read = {source};
  if (data) read.push_back(*data);
  if (folder) {
    for (const char* name : {"/run.json", "/progress.jsonl", "/model.rfnn"}) read.push_back(source + name);
  }
  refuse_overwriting("report", place, read);
  io::check_writable(place);

  std::vector<std::string> notes;
  const report::RunStory story = story_of_source(source, data, {"report", given, &notes});
  if (data && story.rows_of(report::RowsRole::training) != nullptr)
    notes.push_back(
        fmt::format("{} has the rows that the model was trained on: they do not say how far off it is on "
                    "others",
                    printable(*data)));
  for (const std::string& note : notes)
    if (!quiet) say(told(note, 2) + "\n");
  if (!story.data.empty()) refuse_overwriting("report", place, training_files(story).value_or(std::vector{story.data}));
  const std::size_t bytes = write_report(story, place);
  if (!quiet && place != "-") {
    say(fmt::format("report {} ({} kB): open it in a browser\n", styled(Style::strong, printable(place)),
                    (bytes + 999) / 1000));
  }
  return ExitCode::done;
}

}  // namespace rfnn::cli
