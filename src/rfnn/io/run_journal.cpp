#include "rfnn/io/run_journal.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include "rfnn/core/error.hpp"
#include "rfnn/io/atomic_file.hpp"
#include "rfnn/io/safetensors.hpp"

namespace rfnn::io {
namespace {

namespace fs = std::filesystem;

/// Writing may take one part in so many of the time.
constexpr int share_of_time = 50;
/// More than this does not wait in memory.
constexpr std::size_t most_waiting = std::size_t{64} << 20U;

constexpr const char *piece = ".piece", *note_of = ".note";

void write_file(const std::string& path, const std::string& bytes) {
  AtomicFile file(path);
  file.write(tensor_checksum(bytes) + "\n");
  file.write(bytes);
  file.commit();
}

std::optional<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string checksum;
  if (!file || !std::getline(file, checksum)) return std::nullopt;
  std::string bytes(std::istreambuf_iterator<char>(file), {});
  if (file.bad() || tensor_checksum(bytes) != checksum) return std::nullopt;
  return bytes;
}

}  // namespace

RunJournal::RunJournal(std::string folder, double seconds_between_notes, std::function<void(const std::string&)> failed)
    : folder_(std::move(folder)),
      between_(std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds_between_notes))),
      failed_(std::move(failed)),
      next_(Clock::now()) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error)
    throw InputError("Cannot make the folder " + folder_ + ": " + error.message() + ".",
                     "Choose another folder with --run-dir, or make room and check its permissions.");
}

RunJournal::~RunJournal() {
  const std::lock_guard lock(mutex_);
  write_waiting(true);
}

std::string RunJournal::place(const std::string& address, const char* kind) const {
  return folder_ + "/" + address + kind;
}

std::optional<std::string> RunJournal::find(const std::string& address) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = waiting_.find(address); found != waiting_.end()) return found->second;
  }
  return read_file(place(address, piece));
}

void RunJournal::keep(const std::string& address, std::string bytes) {
  const std::lock_guard lock(mutex_);
  if (broken_) return;
  forget_parts(address);
  waiting_bytes_ += bytes.size();
  waiting_[address] = std::move(bytes);
  write_waiting(waiting_bytes_ > most_waiting);
}

bool RunJournal::due(const std::string& address) {
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  const auto [last, first] = noted_.try_emplace(address, now);
  write_waiting(false);
  return !broken_ && !first && now - last->second >= between_ && now >= next_;
}

void RunJournal::note(const std::string& address, std::string bytes) {
  const std::lock_guard lock(mutex_);
  try_to([&] { write_file(place(address, note_of), bytes); });
  noted_[address] = Clock::now();
}

std::optional<std::string> RunJournal::noted(const std::string& address) { return read_file(place(address, note_of)); }

/// The lock is the caller's.
void RunJournal::write_waiting(bool now) {
  if (broken_ || waiting_.empty() || (!now && Clock::now() < next_)) return;
  try_to([&] {
    for (const auto& [address, bytes] : waiting_) {
      write_file(place(address, piece), bytes);
      remove_parts(address);
    }
  });
  waiting_.clear();
  waiting_bytes_ = 0;
}

/// Pieces that are parts of one that is done need not be written.
void RunJournal::forget_parts(const std::string& address) {
  const std::string prefix = address + ".";
  for (auto part = waiting_.lower_bound(prefix); part != waiting_.end() && part->first.starts_with(prefix);) {
    waiting_bytes_ -= part->second.size();
    part = waiting_.erase(part);
  }
}

/// What was written of its parts, and where it stood.
void RunJournal::remove_parts(const std::string& address) const {
  const std::string prefix = address + ".", whole = address + piece;
  std::error_code error;
  std::vector<fs::path> parts;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(prefix) && name != whole) parts.push_back(entry.path());
  }
  for (const fs::path& part : parts) fs::remove(part, error);
}

void RunJournal::try_to(const std::function<void()>& write) {
  if (broken_) return;
  const auto began = Clock::now();
  try {
    write();
  } catch (const InputError& error) {
    broken_ = true;
    if (failed_) failed_(error.cause());
  }
  const auto ended = Clock::now();
  next_ = ended + share_of_time * (ended - began);
}

}  // namespace rfnn::io
