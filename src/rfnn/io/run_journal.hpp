#pragma once

// Private header. The journal of a run (core/journal.hpp) in a folder: a file per piece, and one for where a long piece
// stands, each written through AtomicFile and with a checksum. A file that is damaged counts as missing.

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "rfnn/core/journal.hpp"

namespace rfnn::io {

/// Pieces are written when they are done, notes every so many seconds, but never so often that writing takes more than
/// a fiftieth of the time: until then pieces wait in memory. A failure to write ends the journal, not the run.
class RunJournal final : public Journal {
 public:
  /// Makes the folder. `failed` is told, once, why nothing can be written any more.
  RunJournal(std::string folder, double seconds_between_notes, std::function<void(const std::string&)> failed);
  RunJournal(const RunJournal&) = delete;
  RunJournal& operator=(const RunJournal&) = delete;
  /// Writes what waits.
  ~RunJournal() override;

  std::optional<std::string> find(const std::string& address) override;
  void keep(const std::string& address, std::string bytes) override;
  bool due(const std::string& address) override;
  void note(const std::string& address, std::string bytes) override;
  std::optional<std::string> noted(const std::string& address) override;

 private:
  using Clock = std::chrono::steady_clock;

  void write_waiting(bool now);
  void forget_parts(const std::string& address);
  void remove_parts(const std::string& address) const;
  void try_to(const std::function<void()>& write);
  [[nodiscard]] std::string place(const std::string& address, const char* kind) const;

  std::string folder_;
  Clock::duration between_;
  std::function<void(const std::string&)> failed_;
  std::mutex mutex_;                            ///< of what follows
  std::map<std::string, std::string> waiting_;  ///< pieces that are not written yet
  std::size_t waiting_bytes_ = 0;
  std::map<std::string, Clock::time_point> noted_;  ///< when a piece last said where it stands, or began
  Clock::time_point next_;                          ///< not written to the disk before
  bool broken_ = false;
};

}  // namespace rfnn::io
