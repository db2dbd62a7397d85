#include "cli/process.hpp"
#include "places/places.hpp"

#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace rfnn::testing {

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void write_file(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary).write(text.data(), static_cast<std::streamsize>(text.size()));
}

Folder::Folder() {
  std::string pattern = ::testing::TempDir() + "rfnn-cli-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = pattern;
}

Folder::~Folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string Folder::operator/(const std::string& name) const { return (path_ / name).string(); }

Running::Running(const Folder& folder, const Words& words, const Setting& setting) {
  static int number = 0;
  const std::string base = folder / (".capture" + std::to_string(number++));
  out_ = setting.standard_output.empty() ? base + ".out" : setting.standard_output;
  err_ = base + ".err";
  write_file(base + ".in", setting.standard_input);
  std::string program = command_path;
  Words line = words;
  line.insert(line.begin(), program);
  std::vector<char*> arguments;
  for (std::string& word : line) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::malloc_trim(0);  // what earlier tests have freed would count as the memory of what is started here
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

Running::~Running() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  wait();
}

void Running::kill(int signal) const { ::kill(pid_, signal); }

bool Running::wait_for_output(const std::string& text) {
  for (;;) {
    const bool over = ended();
    if (out().find(text) != std::string::npos) return true;
    if (over) return false;
    ::usleep(1000);
  }
}

Outcome Running::wait() {
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

bool Running::ended() {
  if (!over_) over_ = ::wait4(pid_, &status_, WNOHANG, &usage_) == pid_;
  return over_;
}

Outcome run(const Folder& folder, const Words& words, const Setting& setting) {
  return Running(folder, words, setting).wait();
}

Outcome must(const Folder& folder, const Words& words, const Setting& setting) {
  Outcome outcome = run(folder, words, setting);
  EXPECT_EQ(outcome.code, 0) << ::testing::PrintToString(words) << " signal " << outcome.signal << "\n" << outcome.err;
  return outcome;
}

Words quick_fit(const std::string& data, const Words& more) {
  Words words = {"fit",      data, "--target",     "y",  "--preset",  "paper", "--width", "3",
                 "--blocks", "2",  "--iterations", "30", "--threads", "1"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Words endless_fit(const std::string& data, const Words& more) {
  Words words = {"fit",      data,   "--target",     "y",       "--preset",  "paper",
                 "--blocks", "1000", "--iterations", "2000000", "--threads", "1"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::string tensors_of(const fs::path& model) {
  const std::string bytes = read_file(model);
  if (bytes.size() < 8) return "";
  std::uint64_t header = 0;
  for (std::size_t i = 0; i < 8; ++i)
    header |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  return header <= bytes.size() - 8 ? bytes.substr(8 + header) : "";
}

}  // namespace rfnn::testing
