#include "cli/signals.hpp"

#include <atomic>
#include <cstdlib>

namespace rfnn::cli {
namespace {

constexpr std::array stopping{SIGINT, SIGTERM, SIGHUP};

std::atomic<int> seen = 0;
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may not take a lock");

void set_default(int signal) {
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  ::sigaction(signal, &action, nullptr);
}

extern "C" void on_stop(int signal) {
  seen.store(signal);
  for (const int each : stopping) set_default(each);  // the next one ends the process at once
}

}  // namespace

StopSignals::StopSignals() {
  seen.store(0);
  struct sigaction action {};
  action.sa_handler = on_stop;
  action.sa_flags = SA_RESTART;
  for (const int each : stopping) ::sigaddset(&action.sa_mask, each);
  for (std::size_t i = 0; i < stopping.size(); ++i) {
    ::sigaction(stopping[i], nullptr, &before_[i]);
    if (stopping[i] == SIGHUP && before_[i].sa_handler == SIG_IGN) continue;
    ::sigaction(stopping[i], &action, nullptr);
  }
}

StopSignals::~StopSignals() {
  for (std::size_t i = 0; i < stopping.size(); ++i) ::sigaction(stopping[i], &before_[i], nullptr);
}

int StopSignals::received() { return seen.load(); }

void die_by(int signal) {
  set_default(signal);
  sigset_t just_this;
  ::sigemptyset(&just_this);
  ::sigaddset(&just_this, signal);
  ::sigprocmask(SIG_UNBLOCK, &just_this, nullptr);
  ::raise(signal);
  std::abort();  // not reached: the default of these signals is to end
}

}  // namespace rfnn::cli
