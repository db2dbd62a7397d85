#include "cli/fit_resume.hpp"

#include <filesystem>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/run_source.hpp"
#include "cli/terminal.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/io/resumption.hpp"
#include "rfnn/options/number_text.hpp"

namespace rfnn::cli {
namespace {

/// A path of the run, seen from here.
std::string from_here(const std::string& path, const io::RunRecord& run) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (path.empty() || path == "-" || fs::path(path).is_absolute() || run.folder.empty() ||
      fs::equivalent(run.folder, ".", error))
    return path;
  return (fs::path(run.folder) / path).string();
}

void refuse(bool given, std::string_view flag) {
  if (given)
    throw UsageError(fmt::format("{} has no use with --resume: the run goes on as it was begun.", flag),
                     fmt::format("Leave {} out, or begin a new run with another --run-dir.", flag));
}

}  // namespace

Resumed resumed_run(const FitArguments& given) {
  refuse(!given.targets.empty(), "--target");
  refuse(!given.ignored.empty(), "--ignore");
  refuse(given.weight.has_value(), "--weight");
  refuse(!given.base_columns.empty(), "--base-column");
  refuse(given.config.has_value(), "--config");
  refuse(given.run_directory.has_value(), "--run-dir");
  refuse(given.dry_run, "--dry-run");
  std::string folder = *given.resume;
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  Resumed resumed{io::read_run(folder), {}};
  const io::RunRecord& run = resumed.run;
  const std::vector<std::string>& line = run.facts.begun_by.empty() ? run.facts.command : run.facts.begun_by;
  if (line.size() < 3 || line[1] != "fit")
    throw InputError(fmt::format("The run in {} was not begun by `rfnn fit`.", printable(folder)),
                     "Go on with what it was begun by: a run of Python in Python, say.");
  FitArguments all = fit_arguments_of({line.begin() + 2, line.end()});
  for (std::string& file : all.files) file = from_here(file, run);
  for (std::optional<std::string>* file : {&all.validation, &all.config, &all.from, &all.base, &all.report})
    if (*file) *file = from_here(**file, run);
  all.out = from_here(run.facts.model, run);
  if (!given.files.empty()) all.files = given.files;
  const auto take = [](std::optional<std::string>& to, const std::optional<std::string>& from) {
    if (from) to = from;
  };
  take(all.out, given.out);
  take(all.validation, given.validation);
  take(all.from, given.from);
  take(all.base, given.base);
  take(all.report, given.report);
  take(all.checkpoint_every, given.checkpoint_every);
  all.given.insert(all.given.end(), given.given.begin(), given.given.end());
  all.json = given.json;
  all.quiet = given.quiet;
  all.no_origin = all.no_origin || given.no_origin;
  all.run_directory = all.resume = folder;
  for (const std::string& file : all.files)
    if (file == "-" && given.files.empty())
      throw UsageError(fmt::format("The run in {} read its rows from standard input.", printable(folder)),
                       "Give them again: rfnn fit --resume DIR DATA.");
  resumed.arguments = std::move(all);
  return resumed;
}

void go_on_with(FitPlan& plan, const io::RunRecord& run, const std::string& folder) {
  if (const auto warning = io::check_same_run(plan.facts, run, folder)) plan.warnings.push_back(*warning);
  plan.facts.begun_by = run.facts.begun_by.empty() ? run.facts.command : run.facts.begun_by;
}

double seconds_between_checkpoints(const FitArguments& arguments) {
  constexpr double usual = 30.0, most = 1e6;
  if (!arguments.checkpoint_every) return usual;
  const auto seconds = number_from<double>(*arguments.checkpoint_every);
  if (!seconds || !(*seconds >= 0.0) || !(*seconds <= most))
    throw UsageError(fmt::format("--checkpoint-every cannot be \"{}\".", printable(*arguments.checkpoint_every)),
                     "Give seconds, from 0 on: 30, say.");
  return *seconds;
}

}  // namespace rfnn::cli
