#pragma once

#include <array>

#include <signal.h>

namespace rfnn::cli {

/// While it lives, the first SIGINT, SIGTERM or SIGHUP asks the work to stop, and a second one ends the process at
/// once. SIGINT and SIGTERM are taken even when the process was started with them ignored (a shell script does so to
/// jobs in the background): whoever sends them means it. An ignored SIGHUP (nohup) stays ignored.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// The signal that came; 0: none.
  static int received();

 private:
  std::array<struct sigaction, 3> before_;
};

/// Ends the process the way the signal would have without us.
[[noreturn]] void die_by(int signal);

}  // namespace rfnn::cli
