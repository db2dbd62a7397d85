#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/signals.hpp"
#include "cli/terminal.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/options/nearest.hpp"
#include "rfnn/reproduction/claims.hpp"
#include "rfnn/reproduction/folder.hpp"
#include "rfnn/reproduction/report.hpp"
#include "rfnn/reproduction/runner.hpp"
#include "rfnn/reproduction/study.hpp"

namespace rfnn::cli {
namespace {

using namespace reproduction;

struct ReproduceArguments {
  std::string example = "all";
  std::string folder;
  std::uint64_t seeds = 10;
  std::size_t threads = 0;
  bool quick = false;
};

ReproduceArguments reproduce_arguments(const Invocation& call) {
  ReproduceArguments given;
  std::optional<std::string> out, seeds, threads;
  Arguments arguments("reproduce", "Run the paper's experiments and write a report of every figure and claim.",
                      "[multiscale|stairstep|sine|all] --out DIR [--seeds K] [--quick] [--threads T]");
  arguments.positional(given.example, "multiscale|stairstep|sine|all", "which experiments [all]");
  arguments.value(out, "-o,--out", "DIR", "where report.html, results.json, the figures' numbers and the runs go");
  arguments.value(seeds, "--seeds", "K", "seeds 1 to K of every run [10; 3 with --quick]");
  arguments.flag(given.quick, "--quick", "chains and epochs a quarter as long: a minute or two, less to learn from");
  arguments.value(threads, "--threads", "T", "runs at a time; 0 is as many as there are processors [0]");
  arguments.footer(
      "A run that is finished is kept: the same command goes on where it was stopped, and a larger K only adds.\n");
  arguments.parse(call.words);

  std::vector<std::string_view> names(target_names().begin(), target_names().end());
  names.emplace_back("all");
  if (std::find(names.begin(), names.end(), given.example) == names.end()) {
    const std::string_view near = nearest(given.example, names);
    throw UsageError(
        fmt::format("There is no example \"{}\".", printable(given.example)),
        near.empty() ? fmt::format("There are {}.", fmt::join(names, ", ")) : fmt::format("Did you mean {}?", near));
  }
  if (!out || out->empty())
    throw UsageError("`rfnn reproduce` needs --out.", "Give the folder for the report, --out reproduction say.");
  given.folder = *out;
  given.seeds = seeds ? whole_number(*seeds, "--seeds", 1, most_seeds) : given.quick ? 3 : 10;
  given.threads = threads ? whole_number(*threads, "--threads", 0, 4096) : 0;
  return given;
}

/// The study asked for, and the whole of it: earlier runs of other examples stay in the report.
Study chosen_part(const Study& study, const std::string& example) {
  Study part{.quick = study.quick, .experiments = {}};
  for (const Experiment& experiment : study.experiments)
    if (example == "all" || example == target_names()[static_cast<std::size_t>(experiment.target)])
      part.experiments.push_back(experiment);
  return part;
}

/// Progress for people, on standard error: a live line on a terminal, one line per finished run everywhere.
class StudyLines final : public StudyObserver {
 public:
  ~StudyLines() override { clear(); }

  void begin(std::size_t total, std::size_t resumed) override {
    if (resumed == total)
      line(fmt::format("all {} are there already", io::counted(total, "run")));
    else if (resumed > 0)
      line(fmt::format("{} of {} are there already", resumed, io::counted(total, "run")));
    else
      line(fmt::format("{} to make", io::counted(total, "run")));
  }

  bool progress(const StudyProgress& now) override {
    const auto time = std::chrono::steady_clock::now();
    if (live_terminal() && time >= next_draw_) {
      next_draw_ = time + std::chrono::milliseconds(200);
      std::string text = fmt::format("{}/{} runs  {}", now.done, now.total, io::duration(now.elapsed));
      if (now.remaining) text += fmt::format("  about {} left", io::duration(*now.remaining));
      const std::size_t width = std::max<std::size_t>(terminal_width(), 2) - 1;
      say("\r" + styled(Style::faint, text.substr(0, width)) + "\x1b[K");
      drawn_ = true;
    }
    return StopSignals::received() == 0;
  }

  void finished(const Run& run, const StudyProgress& now) override {
    line(fmt::format("{:>{}}/{}  {:<10} {:<12} seed {:<3} test {:.2e}  {}", now.done, std::to_string(now.total).size(),
                     now.total, run.task.example(), run.task.method.id, run.task.seed, run.last().test_mse,
                     io::duration(run.seconds)));
  }

  void failed(const Task& task, const std::string& reason) override {
    line(styled(Style::warning, "warning: ") + fmt::format("{} failed: {}", task.name(), printable(reason)));
  }

  void line(const std::string& text) {
    clear();
    say(text + "\n");
  }

 private:
  void clear() {
    if (drawn_) say("\r\x1b[K");
    drawn_ = false;
    next_draw_ = {};
  }

  bool drawn_ = false;
  std::chrono::steady_clock::time_point next_draw_{};
};

/// What to type again; of the folder only its own name, for the page may travel.
std::string command_again(const ReproduceArguments& given) {
  std::string folder = given.folder;
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  return fmt::format("rfnn reproduce {} --seeds {}{} --out {}", given.example, given.seeds,
                     given.quick ? " --quick" : "", folder.substr(folder.rfind('/') + 1));
}

/// The claims and their verdicts, a line each.
std::string claims_text(const std::vector<Claim>& claims) {
  std::string text = "\nclaims, median [quartiles] over the seeds:";
  for (const Claim& claim : claims) {
    const Verdict verdict = claim.published.verdict();
    const std::string word = fmt::format("{:<13}", words_of(verdict));
    text += fmt::format("\n  {}  {:<15} {} ({}; true when {})",
                        verdict == Verdict::does_not_hold ? styled(Style::warning, word) : word, claim.id,
                        claim.statement, median_and_quartiles(claim.published, claim.percent), claim.condition);
  }
  return text + "\n";
}

}  // namespace

ExitCode run_reproduce(const Invocation& call) {
  const ReproduceArguments given = reproduce_arguments(call);
  const Study study = given.quick ? quick_study() : published_study();
  const ReproductionFolder folder(given.folder);
  folder.create();

  const StopSignals signals;
  StudyLines lines;
  StudyResult result =
      run_study(tasks_of(chosen_part(study, given.example), given.seeds), folder, given.threads, lines);
  add_earlier_runs(result, study, folder);
  const std::vector<Claim> claims = claims_of(result.runs);
  write_reproduction(folder, study, result, claims, command_again(given));

  if (!claims.empty()) lines.line(claims_text(claims));
  lines.line(fmt::format("report {}", styled(Style::strong, printable(folder.report()))));
  if (result.interrupted) {
    lines.line(fmt::format("stopped: {} unfinished, the finished ones are kept; the same command goes on from here",
                           io::counted(result.missing.size(), "run")));
    return ExitCode::cut_short;
  }
  return result.failures.empty() ? ExitCode::done : ExitCode::numerical;
}

}  // namespace rfnn::cli
