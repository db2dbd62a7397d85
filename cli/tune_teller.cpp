#include "cli/tune_teller.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "cli/command_text.hpp"
#include "cli/terminal.hpp"
#include "rfnn/io/json.hpp"
#include "rfnn/options/number_text.hpp"
#include "rfnn/options/table.hpp"
#include "rfnn/report/run_text.hpp"

namespace rfnn::cli {

using assessment::Trial;

std::string with_spread(const Trial& trial) {
  const auto spread = trial.standard_error();
  return spread ? fmt::format("{:.4g} ± {:.2g}", trial.mean(), *spread) : fmt::format("{:.4g}", trial.mean());
}

std::string leaderboard(std::vector<Trial> trials, std::size_t most, const Options& base) {
  assessment::sort_trials(trials);
  const std::vector<std::string> tuned = assessment::tuned_options();
  const auto width_of = [](const std::string& name) { return std::max<std::size_t>(6, name.size() + 1); };
  std::string text = fmt::format("{:>3}  {:<19} {}", "", "mean squared error", "folds");
  for (const std::string& name : tuned) text += fmt::format("{:>{}}", name, width_of(name));
  text += "\n";
  bool noted = false;
  for (std::size_t i = 0; i < std::min(most, trials.size()); ++i) {
    const bool begun_with = trials[i].options == base;
    noted = noted || begun_with;
    text += fmt::format("{:>3}{} {:<19} {:>5}", i + 1, begun_with ? "*" : " ", with_spread(trials[i]),
                        trials[i].errors.size());
    for (const std::string& name : tuned) {
      std::string value = find_field(name)->print(trials[i].options);
      if (const auto number = number_from<double>(value); number && value.size() > 5)
        value = fmt::format("{:.2g}", *number);
      text += fmt::format("{:>{}}", value, width_of(name));
    }
    text += "\n";
  }
  return text + (noted ? "  * the options that the search began with\n" : "");
}

Teller::Teller(bool quiet, Options base, std::chrono::steady_clock::time_point started)
    : quiet_(quiet), base_(std::move(base)), started_(started) {}

void Teller::step(const assessment::TuningProgress& now) {
  if (quiet_) return;
  round_ = now.round;
  trials_ = *now.trials;
  std::erase_if(trials_, [](const Trial& trial) { return trial.errors.empty(); });
  if (live_terminal() || trials_.empty()) return;
  std::vector<Trial> sorted = trials_;
  assessment::sort_trials(sorted);
  const auto at_work = static_cast<std::size_t>(
      std::count_if(trials_.begin(), trials_.end(), [](const Trial& trial) { return !trial.errors.empty(); }));
  say(fmt::format("round {}, step {}: {} tried, best {} on {}; {}\n", now.round, now.rung,
                  io::counted(at_work, "candidate"), with_spread(sorted.front()),
                  io::counted(sorted.front().errors.size(), "fold"), io::duration(elapsed())));
}

void Teller::look(std::size_t done, std::size_t of) {
  const auto now = std::chrono::steady_clock::now();
  if (quiet_ || !live_terminal() || now < next_) return;
  next_ = now + std::chrono::milliseconds(200);
  clear();
  // A line that the terminal breaks could not be taken away again.
  std::string text = trials_.empty() || terminal_width() < 80 ? "" : leaderboard(trials_, 5, base_);
  if (base_.preset == Preset::paper) text += fmt::format("round {}: ", std::max<std::size_t>(1, round_));
  text += fmt::format("{} of {} networks trained; {}\n", done, of, io::duration(elapsed()));
  lines_ = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  say(text);
}

void Teller::clear() {
  if (lines_ > 0) say(fmt::format("\x1b[{}A\r\x1b[J", lines_));
  lines_ = 0;
}

double Teller::elapsed() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
}

}  // namespace rfnn::cli
