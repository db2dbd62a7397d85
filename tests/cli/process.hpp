#pragma once

// Runs the real command as a process of its own and looks at everything it leaves behind.

#include <sys/resource.h>
#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace rfnn::testing {

namespace fs = std::filesystem;

using Words = std::vector<std::string>;

std::string read_file(const fs::path& path);
void write_file(const fs::path& path, const std::string& text);

/// A folder of its own for each test, gone afterwards.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] std::string operator/(const std::string& name) const;
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// How a process is started, besides its arguments.
struct Setting {
  std::string standard_input;                                    ///< text on its standard input
  std::vector<std::pair<std::string, std::string>> environment;  ///< set, or unset where empty
  std::string standard_output;                                   ///< a file instead of a capture
  std::function<void()> in_child;                                ///< limits, user, …
};

struct Outcome {
  int code = -1;  ///< exit code; −1 when a signal ended it
  int signal = 0;
  std::string out, err;
  double peak_bytes = 0.0;  ///< resident memory; at least what this process had in use when it forked
};

/// A command that is running in `folder`. What it prints goes to files there, so that no pipe ever fills.
class Running {
 public:
  Running(const Folder& folder, const Words& words, const Setting& setting = {});
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running();

  void kill(int signal) const;
  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] std::string out() const { return read_file(out_); }
  [[nodiscard]] std::string err() const { return read_file(err_); }

  /// Waits until the process has printed `text` on standard output; false when it ended first.
  [[nodiscard]] bool wait_for_output(const std::string& text);

  Outcome wait();

 private:
  bool ended();

  pid_t pid_ = 0;
  int status_ = 0;
  rusage usage_{};
  bool over_ = false;
  std::string out_, err_;
};

Outcome run(const Folder& folder, const Words& words, const Setting& setting = {});
/// Runs a command that has to succeed.
Outcome must(const Folder& folder, const Words& words, const Setting& setting = {});

/// Small enough to train in milliseconds.
Words quick_fit(const std::string& data, const Words& more = {});
/// Long enough that it is still training whenever we look.
Words endless_fit(const std::string& data, const Words& more = {});

/// The tensors of a model file: what follows the header.
std::string tensors_of(const fs::path& model);

}  // namespace rfnn::testing
