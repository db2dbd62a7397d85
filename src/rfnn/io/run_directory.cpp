#include "rfnn/io/run_directory.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>
#include <nlohmann/json.hpp>

#include "rfnn/core/error.hpp"
#include "rfnn/core/version.hpp"
#include "rfnn/io/atomic_file.hpp"
#include "rfnn/io/json.hpp"
#include "rfnn/io/model_file.hpp"
#include "rfnn/io/run_journal.hpp"
#include "rfnn/options/table.hpp"

namespace rfnn::io {
namespace {

namespace fs = std::filesystem;

/// 2024-05-01T12:34:56Z
std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  return std::string(text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts));
}

/// Names and paths are the user's bytes; those that are not UTF-8 are replaced rather than refused.
Json number_or_null(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

Json options_json(const Options& options) { return read_json(options_to_json(options)); }

/// Known before training where they come from a file or there are none; how many a fraction keeps apart is decided when
/// equal rows have been found.
Json validation_rows_json(const RunFacts& facts) {
  const bool known = !facts.validation.empty() || facts.options.validation_fraction == 0.0;
  return known ? Json(facts.validation_rows) : Json(nullptr);
}

std::uint64_t fallbacks(const History& history) {
  std::uint64_t sum = 0;
  for (const BlockRecord& record : history.blocks) sum += record.solver_fallbacks;
  return sum;
}

bool is_run_file(const fs::path& path) {
  std::ifstream file(path);
  const Json json = read_json(std::string(std::istreambuf_iterator<char>(file), {}));
  return json.is_object() && json.contains("format") && json["format"] == "rfnn-run";
}

InputError cannot(const std::string& what, const std::string& path, const std::string& reason) {
  return InputError("Cannot " + what + " " + path + ": " + reason + ".",
                    "Choose another folder with --run-dir, or make room and check its permissions.");
}

/// The folder opened and locked; −1 where that cannot be had (a file system without locks, say), which is no reason not
/// to record. Throws when another run has the lock.
int locked_folder(const std::string& path) {
  const int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0 || ::flock(folder, LOCK_EX | LOCK_NB) == 0) return folder;
  const bool taken = errno == EWOULDBLOCK;
  ::close(folder);
  if (!taken) return -1;
  throw InputError("Another run is writing its record to " + path + ".",
                   "Give --run-dir another folder, or wait until that run has ended.");
}

bool has_blocks(const std::string& path) {
  try {
    return load_model(path).blocks() > 0;
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

std::string host_name() {
  utsname host{};
  return ::uname(&host) == 0 ? host.nodename : "";
}

std::string start_event(const RunFacts& facts) {
  Json json = {{"event", "start"},         {"version", version()},
               {"data", facts.data},       {"rows", facts.rows},
               {"inputs", facts.inputs},   {"targets", facts.targets},
               {"ignored", facts.ignored}, {"validation_rows", validation_rows_json(facts)},
               {"model", facts.model},     {"options", options_json(facts.options)}};
  if (!facts.weight.empty()) json["weight"] = facts.weight;
  return json_text(json);
}

std::string block_event(const BlockRecord& record, double elapsed) {
  Json json = {{"event", "block"}, {"elapsed", elapsed}};
  json.update(to_json(record));
  json.erase("trace");
  if (json.contains("branches")) {
    for (Json& branch : json["branches"]) branch.erase("accepted_frequencies");
  }
  return json_text(json);
}

std::string warning_event(const std::string& text) { return json_text({{"event", "warning"}, {"text", text}}); }

std::string error_event(const std::string& cause, const std::string& cure, int exit_code) {
  return json_text({{"event", "error"}, {"message", cause}, {"cure", cure}, {"exit_code", exit_code}});
}

std::string done_event(const Model& model, const std::string& path, double elapsed, bool saved) {
  const ModelErrors errors = final_errors(model);
  Json json = {{"event", "done"},
               {"stop_reason", name_of(model.stop_reason)},
               {"stop_text", model.stop_text},
               {"members", model.members.size()},
               {"blocks", model.blocks()},
               {"train_mse", number_or_null(errors.train)},
               {"validation_mse", number_or_null(errors.validation)},
               {"validation_mse_se", number_or_null(errors.validation_se)},
               {"judge", errors.validation ? Json(name_of(errors.judge)) : Json(nullptr)},
               {"solver_fallbacks", fallbacks(model.history)},
               {"seconds", elapsed},
               {"model", path},
               {"saved", saved}};
  return json_text(json);
}

RunDirectory::RunDirectory(std::string path) : path_(std::move(path)) {
  while (path_.size() > 1 && path_.back() == '/') path_.pop_back();
  std::error_code error;
  const fs::file_status status = fs::status(path_, error);
  if (!fs::exists(status)) return;
  if (!fs::is_directory(status)) throw cannot("use", path_, "it is not a folder");
  const fs::directory_iterator entries(path_, error);
  if (error) throw cannot("look into", path_, error.message());
  if (entries != fs::directory_iterator() && !is_run_file(fs::path(path_) / "run.json")) {
    throw InputError("The folder " + path_ + " holds files that are not from a training run.",
                     "Give --run-dir a new or empty folder, or the one of an earlier run.");
  }
  if (const int folder = locked_folder(path_); folder >= 0) ::close(folder);
}

RunDirectory::~RunDirectory() {
  if (progress_ >= 0) ::close(progress_);
  if (lock_ >= 0) ::close(lock_);
}

std::string RunDirectory::set_aside_earlier() const {
  std::error_code error;
  if (!fs::exists(fs::path(path_) / "run.json", error)) return "";
  std::string note = "The record of an earlier run in " + path_ + " is replaced";
  // The model of the run may have been told to go there itself; then it is kept or replaced as any other.
  const bool also_out = fs::equivalent(model_path(), facts_.model, error);
  if (also_out || !has_blocks(model_path())) return note + ".";
  const std::string place = path_ + "/previous.rfnn";
  fs::rename(model_path(), place, error);
  if (error) throw cannot("write", place, error.message());
  return note + "; its model is kept as " + place + ".";
}

std::string RunDirectory::start(const RunFacts& facts) {
  open(facts);
  std::string note = set_aside_earlier();
  std::error_code error;
  fs::remove_all(checkpoint_path(), error);
  if (error) throw cannot("empty the folder", checkpoint_path(), error.message());
  begin_record();
  return note;
}

void RunDirectory::resume(const RunFacts& facts) {
  open(facts);
  begin_record();
}

std::unique_ptr<Journal> RunDirectory::journal(double seconds_between_notes,
                                               std::function<void(const std::string&)> failed) const {
  return std::make_unique<RunJournal>(checkpoint_path(), seconds_between_notes, std::move(failed));
}

void RunDirectory::open(const RunFacts& facts) {
  facts_ = facts;
  started_ = utc_now();
  std::error_code error;
  folder_ = fs::current_path(error).string();
  fs::create_directories(path_, error);
  if (error) throw cannot("make the folder", path_, error.message());
  lock_ = locked_folder(path_);
}

void RunDirectory::begin_record() {
  write_run_file("running", nullptr, "");
  const std::string place = path_ + "/progress.jsonl";
  progress_ = ::open(place.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
  if (progress_ < 0) throw cannot("write", place, std::strerror(errno));
}

void RunDirectory::append(std::string_view event) {
  std::string line(event);
  line += '\n';
  for (std::size_t done = 0; done < line.size();) {
    const ssize_t written = ::write(progress_, line.data() + done, line.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) throw cannot("write", path_ + "/progress.jsonl", std::strerror(errno));
    done += static_cast<std::size_t>(written);
  }
}

void RunDirectory::checkpoint(const Model& model) {
  if (model.blocks() > 0) save_model(model, model_path());
}

void RunDirectory::finish(const Model& model) {
  if (!replaces_by_nothing(model, model_path())) save_model(model, model_path());
  write_run_file(cut_short(model) ? "interrupted" : "finished", &model, "");
  std::error_code error;  // what cannot be removed does no harm
  if (!cut_short(model)) fs::remove_all(checkpoint_path(), error);
}

void RunDirectory::fail(const std::string& reason) { write_run_file("failed", nullptr, reason); }

void RunDirectory::write_run_file(const std::string& state, const Model* model, const std::string& error) const {
  const Json used = options_json(facts_.options);
  Json given = Json::object();
  for (const std::string& name : facts_.options_given) given[name] = used.at(name);
  Json json = {{"format", "rfnn-run"},
               {"schema", 1},
               {"state", state},
               {"version", version()},
               {"command", facts_.command},
               {"process", ::getpid()},
               {"host", host_name()},
               {"folder", folder_},
               {"started", started_},
               {"ended", state == "running" ? Json(nullptr) : Json(utc_now())},
               {"data", facts_.data},
               {"rows", facts_.rows},
               {"fingerprint", facts_.fingerprint},
               {"fingerprints", facts_.others},
               {"validation", facts_.validation.empty() ? Json(nullptr) : Json(facts_.validation)},
               {"validation_rows", facts_.validation_rows},
               {"inputs", facts_.inputs},
               {"targets", facts_.targets},
               {"ignored", facts_.ignored},
               {"weight", facts_.weight.empty() ? Json(nullptr) : Json(facts_.weight)},
               {"options_given", given},
               {"options", used},
               {"model", facts_.model}};
  if (!facts_.begun_by.empty()) json["begun_by"] = facts_.begun_by;
  if (model != nullptr) {
    json["stop_reason"] = name_of(model->stop_reason);
    json["stop_text"] = model->stop_text;
    json["seconds"] = model->seconds;
    json["blocks"] = model->blocks();
  }
  if (!error.empty()) json["error"] = error;
  AtomicFile file(path_ + "/run.json");
  file.write(json_text(json, 2) + "\n");
  file.commit();
}

}  // namespace rfnn::io
