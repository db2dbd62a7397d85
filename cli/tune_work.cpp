#include "cli/tune_work.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <fstream>
#include <mutex>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/signals.hpp"
#include "cli/terminal.hpp"
#include "cli/tune_ranks.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/io/json.hpp"
#include "rfnn/options/table.hpp"

namespace rfnn::cli {
namespace {

std::string key_of(const Options& options, std::size_t fold) {
  return fmt::format("{} {}", fold, options_to_json(options));
}

[[noreturn]] void refuse(const std::string& path) {
  throw InputError(fmt::format("{} is the record of another search: of other data, options or folds.", printable(path)),
                   "Give --state another name, or remove the file to begin anew.");
}

}  // namespace

TuneRecord::TuneRecord(std::string path, const std::string& about) : path_(std::move(path)) {
  bool fresh = true;
  std::ifstream earlier(path_, std::ios::binary);
  std::string line;
  if (earlier && std::getline(earlier, line) && !line.empty()) {
    fresh = false;
    if (line != about) refuse(path_);
    while (std::getline(earlier, line)) {
      try {
        const io::Json entry = io::read_json(line);
        Options options = preset_options(Preset::paper);
        options_from_json(options, io::json_text(entry.at("options")), path_);
        errors_[key_of(options, entry.at("fold").get<std::size_t>())] =
            entry.at("mse").is_null() ? HUGE_VAL : entry.at("mse").get<double>();
      } catch (const std::exception&) {
        // the last line may be half written: its network is trained again
      }
    }
  }
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file_ < 0)
    throw InputError(fmt::format("Cannot write {}: {}.", printable(path_), io::system_message(errno)),
                     "Give --state a place that can be written.");
  if (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
    ::close(file_);
    throw InputError(fmt::format("Another search writes to {}.", printable(path_)),
                     "Wait for it, or give another --state.");
  }
  const std::string first = fresh ? about + "\n" : "\n";  // what was half written ends here
  if (::write(file_, first.data(), first.size()) != static_cast<ssize_t>(first.size()))
    throw InputError(fmt::format("Cannot write {}: {}.", printable(path_), io::system_message(errno)),
                     "Make room, or give another --state.");
}

TuneRecord::~TuneRecord() {
  if (file_ >= 0) ::close(file_);
}

std::optional<double> TuneRecord::find(const Options& options, std::size_t fold) const {
  const auto found = errors_.find(key_of(options, fold));
  return found == errors_.end() ? std::nullopt : std::optional(found->second);
}

void TuneRecord::add(const Options& options, std::size_t fold, double error) {
  errors_[key_of(options, fold)] = error;
  const io::Json entry = {{"fold", fold}, {"mse", error}, {"options", io::read_json(options_to_json(options))}};
  const std::string line = io::json_text(entry) + "\n";
  // A record that cannot be written any more costs the going on later, not the search.
  if (::write(file_, line.data(), line.size()) < 0) return;
}

TuneErrors measure_errors(const assessment::FoldErrors& folds, const std::vector<assessment::Task>& tasks,
                          bool side_by_side, const TuneLimits& limits, const TuneNote& note) {
  TuneErrors errors(tasks.size());
  if (tasks.empty()) return errors;
  std::mutex mutex;
  std::atomic<std::size_t> done = 0;
  std::atomic<bool> ended = false;
  const std::function<bool()> proceed = [&] {
    if (StopSignals::received() != 0 || limits.out_of_time()) ended = true;
    return !ended;
  };
  const auto work = [&](std::size_t task, std::size_t) {
    if (!proceed()) return;
    Options options = tasks[task].options;
    options.threads = side_by_side ? 1 : static_cast<std::int64_t>(limits.threads);
    const std::optional<double> error = folds.measure(options, tasks[task].fold, proceed);
    if (!error) return;
    const std::lock_guard lock(mutex);
    errors[task] = error;
    if (note) note(task, *error);
    ++done;
  };
  const auto look = [&] {
    if (limits.tell) limits.tell(done, tasks.size());
    return true;
  };
  Interrupt interrupt(look);
  Workers workers(side_by_side ? limits.threads : 1);
  workers.run_watched(tasks.size(), work, interrupt);
  return errors;
}

TuneWork::TuneWork(const assessment::FoldErrors& folds, TuneRecord& record, TuneLimits limits, TuneRanks* ranks)
    : folds_(folds), record_(record), limits_(std::move(limits)), ranks_(ranks) {}

std::vector<double> TuneWork::measure(const std::vector<assessment::Task>& tasks, bool side_by_side) {
  TuneErrors errors(tasks.size());
  std::vector<std::size_t> open;
  std::vector<assessment::Task> wanted;
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    errors[t] = record_.find(tasks[t].options, tasks[t].fold);
    if (errors[t]) continue;
    open.push_back(t);
    wanted.push_back(tasks[t]);
  }
  const TuneNote note = [&](std::size_t task, double error) {
    errors[open[task]] = error;
    record_.add(wanted[task].options, wanted[task].fold, error);
  };
  if (ranks_ != nullptr && !wanted.empty())
    ranks_->measure(folds_, wanted, side_by_side, limits_, note);
  else
    measure_errors(folds_, wanted, side_by_side, limits_, note);
  std::vector<double> result;
  for (const std::optional<double>& error : errors) {
    if (!error) break;
    result.push_back(*error);
  }
  return result;
}

}  // namespace rfnn::cli
