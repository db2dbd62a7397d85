#include "rfnn/io/run_record.hpp"

#include <signal.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "rfnn/core/error.hpp"
#include "rfnn/io/json.hpp"
#include "rfnn/io/text.hpp"
#include "rfnn/options/table.hpp"

namespace rfnn::io {
namespace {

namespace fs = std::filesystem;

std::string read_whole(const fs::path& path) {
  constexpr std::uintmax_t largest = std::uintmax_t{64} << 20U;  // a run.json is a few KiB
  std::error_code error;
  if (fs::file_size(path, error) > largest || error) {
    throw InputError("Cannot read " + path.string() + ": " + (error ? error.message() : "it is far too large") + ".",
                     "Give a model file, or the folder that `rfnn fit --run-dir` wrote.");
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw InputError("Cannot read " + path.string() + ": " + system_message(errno) + ".", "Check its permissions.");
  }
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string text_or_empty(const Json& json, const char* name, const std::string& origin) {
  const auto found = json.find(name);
  return found == json.end() || found->is_null() ? std::string() : json_value<std::string>(json, name, origin);
}

std::vector<std::string> texts(const Json& json, const char* name, const std::string& origin) {
  return json_as<std::vector<std::string>>(json_field(json, name, origin), name, origin);
}

RunFacts facts_from_json(const Json& json, const std::string& origin) {
  RunFacts facts;
  facts.command = texts(json, "command", origin);
  facts.data = json_value<std::string>(json, "data", origin);
  facts.validation = text_or_empty(json, "validation", origin);
  facts.inputs = texts(json, "inputs", origin);
  facts.targets = texts(json, "targets", origin);
  facts.ignored = texts(json, "ignored", origin);
  facts.weight = text_or_empty(json, "weight", origin);
  facts.rows = json_value<std::uint64_t>(json, "rows", origin);
  facts.validation_rows = json_value<std::uint64_t>(json, "validation_rows", origin);
  facts.fingerprint = json_value<std::string>(json, "fingerprint", origin);
  facts.model = json_value<std::string>(json, "model", origin);
  if (json.contains("begun_by")) facts.begun_by = texts(json, "begun_by", origin);
  if (json.contains("fingerprints"))  // not in records of older versions
    for (const auto& [name, value] : json["fingerprints"].items())
      if (value.is_string()) facts.others[name] = value.get<std::string>();
  for (const auto& [name, value] : json_field(json, "options_given", origin).items())
    facts.options_given.push_back(name);
  facts.options = recorded_options(json_text(json_field(json, "options", origin)), origin);
  return facts;
}

/// A block as its event tells of it: traces and histograms stayed with the model.
BlockRecord block_from_event(Json event, const std::string& origin) {
  event["trace"] = {{"iteration", Json::array()}, {"loss", Json::array()}};
  if (event.contains("branches")) {
    for (Json& branch : event["branches"]) branch["accepted_frequencies"] = Json::array();
  }
  return block_record_from_json(event, origin);
}

void read_progress(const fs::path& path, RunRecord& run) {
  std::ifstream file(path, std::ios::binary);
  const std::string origin = path.string();
  for (std::string line; std::getline(file, line);) {
    try {
      const Json event = parse_json(line, origin);
      const std::string kind = json_value<std::string>(event, "event", origin);
      if (kind == "block") {
        run.blocks.push_back(block_from_event(event, origin));
        run.elapsed = json_value<double>(event, "elapsed", origin);
      }
      if (kind == "warning") run.warnings.push_back(json_value<std::string>(event, "text", origin));
      if (kind == "done") run.elapsed = json_value<double>(event, "seconds", origin);
    } catch (const InputError&) {
      // half a line, or an event of a later version
    }
  }
}

/// The words a process was started with.
std::vector<std::string> command_of(std::int64_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) {
    // as they are after a way through run.json
    words.push_back(read_json(json_text(word)).get<std::string>());
  }
  return words;
}

}  // namespace

RunRecord read_run(const std::string& path) {
  const fs::path place = fs::path(path) / "run.json";
  const std::string origin = place.string();
  std::error_code error;
  if (!fs::exists(place, error)) {
    throw InputError("The folder " + path + " holds no run.json: it is not the record of a training run.",
                     "Give a model file, or the folder that `rfnn fit --run-dir` wrote.");
  }
  const Json json = parse_json(read_whole(place), origin);
  if (json_value<std::string>(json, "format", origin) != "rfnn-run") {
    throw InputError(origin + " is not the record of a training run.",
                     "Give a model file, or the folder that `rfnn fit --run-dir` wrote.");
  }
  if (json_value<std::uint64_t>(json, "schema", origin) != 1) {
    throw InputError(origin + " was written by a later version of rfnn.", "Upgrade rfnn.");
  }
  RunRecord run;
  run.state = json_value<std::string>(json, "state", origin);
  run.facts = facts_from_json(json, origin);
  run.version = json_value<std::string>(json, "version", origin);
  run.started = json_value<std::string>(json, "started", origin);
  run.ended = text_or_empty(json, "ended", origin);
  run.host = text_or_empty(json, "host", origin);
  run.folder = text_or_empty(json, "folder", origin);
  run.process = json_value<std::int64_t>(json, "process", origin);
  run.stop_text = text_or_empty(json, "stop_text", origin);
  run.error = text_or_empty(json, "error", origin);
  read_progress(fs::path(path) / "progress.jsonl", run);
  return run;
}

ProcessState process_of(const RunRecord& run) {
  if (!run.host.empty() && run.host != host_name()) return ProcessState::elsewhere;
  const auto process = static_cast<pid_t>(run.process);
  if (process <= 0 || (::kill(process, 0) != 0 && errno != EPERM)) return ProcessState::gone;
  // Numbers are given again: the process that has it now may be anybody's. One that has ended and waits to be noticed
  // has no words.
  std::error_code error;
  if (!fs::exists("/proc/self/cmdline", error)) return ProcessState::running;
  return command_of(run.process) == run.facts.command ? ProcessState::running : ProcessState::gone;
}

}  // namespace rfnn::io
