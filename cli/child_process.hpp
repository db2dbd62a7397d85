#pragma once

#include <string>
#include <vector>

namespace rfnn::cli {

/// A folder for files that go when it does.
class ScratchFolder {
 public:
  /// Throws InputError where there can be none.
  ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

/// Runs a program, found as the shell would find it, and waits for its end. It reads and writes nothing of ours. False
/// where there is none, or it ended with anything but 0.
bool run_program(const std::vector<std::string>& words);

}  // namespace rfnn::cli
