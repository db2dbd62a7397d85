#include <fmt/format.h>

#include "rfnn/io/text.hpp"
#include "rfnn/options/table.hpp"
#include "rfnn/report/run_sections.hpp"
#include "rfnn/report/run_text.hpp"

namespace rfnn::report {
namespace {

/// The command that would train this model, for one that was not trained by a command.
std::string command_from_options(const RunStory& story) {
  std::string targets;
  for (const std::string& name : story.targets) targets += (targets.empty() ? "" : ",") + name;
  std::vector<std::string> words = {"rfnn", "fit", "DATA", "--target", targets};
  const Options defaults = preset_options(story.options.preset);
  for (const Field& field : option_table()) {
    const std::string value = field.print(story.options);
    const bool usual = value == field.print(field.name == "preset" ? Options{} : defaults);
    if (usual) continue;
    words.push_back("--" + flag_name(field));
    words.push_back(value);
  }
  return shell_line(words);
}

}  // namespace

std::string report_with_data(const RunStory& story) {
  if (story.source.empty() && !story.showing_rows.empty()) return story.showing_rows;
  return shell_line(
      {"rfnn", "report", io::to_utf8(story.source.empty() ? "model.rfnn" : story.source), "--data", "TEST.csv"});
}

Section run_commands(const RunStory& story) {
  Section section{.id = "rerun", .title = "How to rerun it", .items = {}};
  const std::string folder = story.folder.empty() ? "" : shell_line({"cd", io::to_utf8(story.folder)}) + "\n";
  if (story.command.empty()) {
    section.items.emplace_back(
        Paragraph{"The command was not recorded. These options train the same network on the same data:"});
    section.items.emplace_back(Code{io::to_utf8(command_from_options(story))});
  } else {
    section.items.emplace_back(
        Paragraph{"The same command on the same data gives the same model, whatever the number of threads:"});
    section.items.emplace_back(Code{folder + io::to_utf8(story.command)});
  }
  if (!story.fingerprint.empty()) {
    section.items.emplace_back(Paragraph{fmt::format(
        "The same data have the fingerprint {}, which rfnn inspect --json shows.", io::to_utf8(story.fingerprint))});
  }
  if (story.model) {
    const bool unsaved = story.model_place.empty();
    const std::string model = unsaved ? "model.rfnn" : io::to_utf8(story.model_place);
    if (unsaved && !story.saving.empty()) {
      section.items.emplace_back(Paragraph{"To keep the model in a file that the command rfnn reads:"});
      section.items.emplace_back(Code{story.saving});
    }
    section.items.emplace_back(Paragraph{"To use the model, with TEST.csv for a table of your own:"});
    section.items.emplace_back(Code{shell_line({"rfnn", "predict", model, "TEST.csv", "--out", "predictions.csv"}) +
                                    "\n" + shell_line({"rfnn", "evaluate", model, "TEST.csv"}) + "\n" +
                                    shell_line({"rfnn", "inspect", model}) + "\n" + report_with_data(story)});
  } else if (!story.source.empty()) {
    section.items.emplace_back(Paragraph{"To make this page again:"});
    section.items.emplace_back(Code{shell_line({"rfnn", "report", io::to_utf8(story.source)})});
  }
  return section;
}

}  // namespace rfnn::report
