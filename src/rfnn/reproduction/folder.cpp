#include "rfnn/reproduction/folder.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>
#include <nlohmann/json.hpp>

#include "rfnn/core/error.hpp"
#include "rfnn/io/atomic_file.hpp"
#include "rfnn/io/model_file.hpp"
#include "rfnn/options/number_text.hpp"

namespace rfnn::reproduction {
namespace {

namespace fs = std::filesystem;

constexpr const char* results_format = "rfnn-reproduction";

InputError cannot(const std::string& what, const std::string& path, const std::string& reason) {
  return InputError("Cannot " + what + " " + path + ": " + reason + ".",
                    "Choose another folder with --out, or make room and check its permissions.");
}

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

bool is_results_file(const std::string& path) {
  const Json json = io::read_json(text_of(path));
  return json.is_object() && json.contains("format") && json["format"] == results_format;
}

}  // namespace

ReproductionFolder::ReproductionFolder(std::string path) : path_(std::move(path)) {
  while (path_.size() > 1 && path_.back() == '/') path_.pop_back();
  std::error_code error;
  const fs::file_status status = fs::status(path_, error);
  if (!fs::exists(status)) return;
  if (!fs::is_directory(status)) throw cannot("use", path_, "it is not a folder");
  const fs::directory_iterator entries(path_, error);
  if (error) throw cannot("look into", path_, error.message());
  if (entries != fs::directory_iterator() && !is_results_file(path_ + "/results.json"))
    throw InputError("The folder " + path_ + " holds files that are not from a reproduction.",
                     "Give --out a new or empty folder, or the one of an earlier reproduction.");
}

void ReproductionFolder::create() const {
  for (const char* part : {"", "/runs", "/figures"}) {
    std::error_code error;
    fs::create_directories(path_ + part, error);
    if (error) throw cannot("make the folder", path_ + part, error.message());
    // Asked before the long work: a run that cannot be saved is lost.
    io::check_writable(path_ + part + "/results.json");
    // From now on the folder is known as ours, however the work ends.
    if (!fs::exists(path_ + "/results.json")) write("results.json", io::json_text({{"format", results_format}}) + "\n");
  }
}

std::optional<Run> ReproductionFolder::load(const Task& task) const {
  const std::string record = stem(task) + ".json";
  if (!fs::exists(record)) return std::nullopt;
  try {
    Run run = run_from_json(io::parse_json(text_of(record), record), task, record);
    run.model = load_model(stem(task) + ".rfnn");
    return run;
  } catch (const InputError&) {
    return std::nullopt;  // of other settings, or damaged: it is made anew
  }
}

void ReproductionFolder::save(const Run& run) const {
  save_model(run.model, stem(run.task) + ".rfnn");
  write("runs/" + run.task.name() + ".json",
        io::json_text(to_json(run), 1) + "\n");  // last: it says that the run is finished
}

std::uint64_t ReproductionFolder::largest_seed() const {
  std::uint64_t largest = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(path_ + "/runs", error)) {
    const std::string stem = entry.path().stem().string();
    const std::size_t place = stem.rfind("-seed");
    if (entry.path().extension() != ".json" || place == std::string::npos) continue;
    const auto seed = number_from<std::uint64_t>(std::string_view(stem).substr(place + 5));
    if (seed && *seed <= most_seeds) largest = std::max(largest, *seed);
  }
  return largest;
}

void ReproductionFolder::write(const std::string& name, std::string_view text) const {
  io::AtomicFile file(path_ + "/" + name);
  file.write(text);
  file.commit();
}

}  // namespace rfnn::reproduction
