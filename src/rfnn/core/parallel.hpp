#pragma once

#include <atomic>
#include <chrono>
#include <concepts>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "rfnn/core/function_ref.hpp"

namespace rfnn {

/// Lets long work be ended from outside. The owner is the thread that made it; `poll` is called on that thread alone,
/// about every 25 ms of work, and ends the work by returning false.
class Interrupt {
 public:
  explicit Interrupt(std::function<bool()> poll = {});

  /// To be called between tiles of rows, on any thread: false when the work is to end.
  bool proceed();
  [[nodiscard]] bool stopped() const { return stopped_.load(std::memory_order_relaxed); }
  void stop() { stopped_.store(true, std::memory_order_relaxed); }

 private:
  std::function<bool()> poll_;
  std::thread::id owner_;
  std::chrono::steady_clock::time_point next_;
  std::atomic<bool> stopped_ = false;
};

/// A fixed team of threads, the calling thread among them.
class Workers {
 public:
  /// 0: as many as the process may use. Where the system gives fewer, fewer do the work.
  explicit Workers(std::size_t threads);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  [[nodiscard]] std::size_t threads() const { return team_.size() + 1; }

  /// Runs work(task, worker) for every task in [0, tasks), worker < threads(), on all threads (or on the caller's
  /// alone, where that is cheaper). Which thread takes a task is open, so a task's result may depend on its number
  /// only. Rethrows the first exception of a task. While it waits it keeps polling `interrupt`. Returns false when
  /// interrupted.
  bool run(std::size_t tasks, bool parallel, FunctionRef<void(std::size_t task, std::size_t worker)> work,
           Interrupt& interrupt);

  /// The same for tasks that work long between two looks at the interrupt: a further thread stands in for the caller,
  /// who does nothing but poll.
  bool run_watched(std::size_t tasks, FunctionRef<void(std::size_t task, std::size_t worker)> work,
                   Interrupt& interrupt);

 private:
  void serve(std::size_t worker);
  void take_tasks(std::size_t worker);

  std::vector<std::thread> team_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  const FunctionRef<void(std::size_t, std::size_t)>* work_ = nullptr;
  Interrupt* interrupt_ = nullptr;
  std::size_t tasks_ = 0;
  std::atomic<std::size_t> next_task_ = 0;
  std::size_t busy_ = 0;
  std::uint64_t round_ = 0;
  bool closing_ = false;
  std::exception_ptr failure_;
};

/// Runs work() on a thread of its own while the caller polls; returns when it is done, interrupted or not. Rethrows.
void watch(FunctionRef<void()> work, Interrupt& interrupt);

/// Threads the process may run at once (its CPU affinity).
std::size_t available_threads();

/// As many threads as were asked for; 0 is as many as the process may use.
std::size_t thread_count(std::integral auto asked) {
  return asked == 0 ? available_threads() : static_cast<std::size_t>(asked);
}

}  // namespace rfnn
