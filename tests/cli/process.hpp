#pragma once

// Runs the real command as a process of its own and looks at everything it leaves behind.

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace rfnn::testing {

namespace fs = std::filesystem;

using Words = std::vector<std::string>;

inline std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline void write_file(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary).write(text.data(), static_cast<std::streamsize>(text.size()));
}

/// A folder of its own for each test, gone afterwards.
class Folder {
 public:
  Folder() {
    std::string pattern = ::testing::TempDir() + "rfnn-cli-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = pattern;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] std::string operator/(const std::string& name) const { return (path_ / name).string(); }
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
  double peak_bytes = 0.0;  ///< resident memory; at least that of this process when it forked
};

/// A command that is running in `folder`. What it prints goes to files there, so that no pipe ever fills.
class Running {
 public:
  Running(const Folder& folder, const Words& words, const Setting& setting = {}) {
    static int number = 0;
    const std::string base = folder / (".capture" + std::to_string(number++));
    out_ = setting.standard_output.empty() ? base + ".out" : setting.standard_output;
    err_ = base + ".err";
    write_file(base + ".in", setting.standard_input);
    std::string program = RFNN_CLI;
    Words line = words;
    line.insert(line.begin(), program);
    std::vector<char*> arguments;
    for (std::string& word : line) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ == 0) {
      const auto redirect = [](const std::string& path, int flags, int descriptor) {
        const int file = ::open(path.c_str(), flags, 0644);
        if (file < 0) ::_exit(126);
        ::dup2(file, descriptor);
        ::close(file);
      };
      redirect(base + ".in", O_RDONLY, 0);
      redirect(out_, O_WRONLY | O_CREAT | O_TRUNC, 1);
      redirect(err_, O_WRONLY | O_CREAT | O_TRUNC, 2);
      if (::chdir(folder.path().c_str()) != 0) ::_exit(126);
      for (const int each : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(each, SIG_DFL);
      for (const auto& [name, value] : setting.environment) {
        value.empty() ? ::unsetenv(name.c_str()) : ::setenv(name.c_str(), value.c_str(), 1);
      }
      if (setting.in_child) setting.in_child();
      ::execv(program.c_str(), arguments.data());
      ::_exit(127);
    }
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    wait();
  }

  void kill(int signal) const { ::kill(pid_, signal); }
  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] std::string out() const { return read_file(out_); }
  [[nodiscard]] std::string err() const { return read_file(err_); }

  /// Waits until the process has printed `text` on standard output; false when it ended first.
  [[nodiscard]] bool wait_for_output(const std::string& text) {
    for (;;) {
      const bool over = ended();
      if (out().find(text) != std::string::npos) return true;
      if (over) return false;
      ::usleep(1000);
    }
  }

  Outcome wait() {
    if (!over_) ::wait4(pid_, &status_, 0, &usage_);
    pid_ = 0;
    Outcome outcome;
    outcome.peak_bytes = 1024.0 * static_cast<double>(usage_.ru_maxrss);
    if (WIFEXITED(status_)) outcome.code = WEXITSTATUS(status_);
    if (WIFSIGNALED(status_)) outcome.signal = WTERMSIG(status_);
    if (out_.rfind("/dev/", 0) != 0) outcome.out = out();
    outcome.err = err();
    return outcome;
  }

 private:
  bool ended() {
    if (!over_) over_ = ::wait4(pid_, &status_, WNOHANG, &usage_) == pid_;
    return over_;
  }

  pid_t pid_ = 0;
  int status_ = 0;
  rusage usage_{};
  bool over_ = false;
  std::string out_, err_;
};

inline Outcome run(const Folder& folder, const Words& words, const Setting& setting = {}) {
  return Running(folder, words, setting).wait();
}

/// Runs a command that has to succeed.
inline Outcome must(const Folder& folder, const Words& words, const Setting& setting = {}) {
  Outcome outcome = run(folder, words, setting);
  EXPECT_EQ(outcome.code, 0) << ::testing::PrintToString(words) << " signal " << outcome.signal << "\n" << outcome.err;
  return outcome;
}

/// Small enough to train in milliseconds.
inline Words quick_fit(const std::string& data, const Words& more = {}) {
  Words words = {"fit",      data, "--target",     "y",  "--preset",  "paper", "--width", "3",
                 "--blocks", "2",  "--iterations", "30", "--threads", "1"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// Long enough that it is still training whenever we look.
inline Words endless_fit(const std::string& data, const Words& more = {}) {
  Words words = {"fit",      data,   "--target",     "y",       "--preset",  "paper",
                 "--blocks", "1000", "--iterations", "2000000", "--threads", "1"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// The tensors of a model file: what follows the header.
inline std::string tensors_of(const fs::path& model) {
  const std::string bytes = read_file(model);
  if (bytes.size() < 8) return "";
  std::uint64_t header = 0;
  for (std::size_t i = 0; i < 8; ++i)
    header |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  return header <= bytes.size() - 8 ? bytes.substr(8 + header) : "";
}

}  // namespace rfnn::testing
