#include "rfnn/core/parallel.hpp"

#include <sched.h>

#include <algorithm>
#include <system_error>

namespace rfnn {

using namespace std::chrono_literals;

namespace {

constexpr auto poll_interval = 25ms;

/// Waits for a condition others will fulfil, polling meanwhile. What the poll throws ends their work and is returned:
/// the wait itself may not be left early.
template <class Condition>
std::exception_ptr poll_until(const Condition& fulfilled, std::condition_variable& changed,
                              std::unique_lock<std::mutex>& lock, Interrupt& interrupt) {
  std::exception_ptr thrown;
  while (!fulfilled()) {
    lock.unlock();
    try {
      if (!thrown) interrupt.proceed();
    } catch (...) {
      thrown = std::current_exception();
      interrupt.stop();
    }
    lock.lock();
    changed.wait_for(lock, poll_interval, fulfilled);
  }
  return thrown;
}

}  // namespace

Interrupt::Interrupt(std::function<bool()> poll)
    : poll_(std::move(poll)), owner_(std::this_thread::get_id()), next_(std::chrono::steady_clock::now()) {}

bool Interrupt::proceed() {
  if (stopped()) return false;
  if (!poll_ || std::this_thread::get_id() != owner_) return true;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return true;
  if (!poll_()) stop();
  next_ = std::chrono::steady_clock::now() + poll_interval;
  return !stopped();
}

std::size_t available_threads() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return static_cast<std::size_t>(std::max(1, CPU_COUNT(&set)));
  return std::max(1U, std::thread::hardware_concurrency());
}

Workers::Workers(std::size_t threads) {
  if (threads == 0) threads = available_threads();
  team_.reserve(threads - 1);
  try {
    for (std::size_t worker = 1; worker < threads; ++worker) team_.emplace_back([this, worker] { serve(worker); });
  } catch (const std::system_error&) {
    // The system gives no more threads; those there are do the same work.
  }
}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  wake_.notify_all();
  for (auto& thread : team_) thread.join();
}

void Workers::take_tasks(std::size_t worker) {
  try {
    while (!interrupt_->stopped()) {
      const std::size_t task = next_task_.fetch_add(1, std::memory_order_relaxed);
      if (task >= tasks_) break;
      (*work_)(task, worker);
    }
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
    next_task_.store(tasks_, std::memory_order_relaxed);
  }
}

void Workers::serve(std::size_t worker) {
  std::uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return closing_ || round_ != seen; });
    if (closing_) return;
    seen = round_;
    lock.unlock();
    take_tasks(worker);
    lock.lock();
    if (--busy_ == 0) done_.notify_one();
  }
}

bool Workers::run(std::size_t tasks, bool parallel, FunctionRef<void(std::size_t, std::size_t)> work,
                  Interrupt& interrupt) {
  // Others may have done all the work before the caller, who alone polls, comes to it.
  if (!interrupt.proceed()) return false;
  if (!parallel || team_.empty() || tasks < 2) {
    for (std::size_t task = 0; task < tasks && !interrupt.stopped(); ++task) work(task, 0);
    return !interrupt.stopped();
  }
  {
    const std::lock_guard lock(mutex_);
    work_ = &work;
    interrupt_ = &interrupt;
    tasks_ = tasks;
    next_task_.store(0, std::memory_order_relaxed);
    failure_ = nullptr;
    busy_ = team_.size();
    ++round_;
  }
  wake_.notify_all();
  take_tasks(0);
  std::unique_lock lock(mutex_);
  const std::exception_ptr polling = poll_until([this] { return busy_ == 0; }, done_, lock, interrupt);
  if (failure_) std::rethrow_exception(failure_);
  if (polling) std::rethrow_exception(polling);
  return !interrupt.stopped();
}

bool Workers::run_watched(std::size_t tasks, FunctionRef<void(std::size_t, std::size_t)> work, Interrupt& interrupt) {
  bool complete = false;
  watch([&] { complete = run(tasks, true, work, interrupt); }, interrupt);
  return complete;
}

void watch(FunctionRef<void()> work, Interrupt& interrupt) {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::exception_ptr failure;
  const auto report = [&](std::exception_ptr thrown) {
    const std::lock_guard lock(mutex);
    failure = std::move(thrown);
    done = true;
    changed.notify_one();
  };
  std::thread worker;
  try {
    worker = std::thread([&] {
      try {
        work();
        report(nullptr);
      } catch (...) {
        report(std::current_exception());
      }
    });
  } catch (const std::system_error&) {
    work();  // no thread to be had: better unwatched than not at all
    return;
  }
  std::exception_ptr polling;
  {
    std::unique_lock lock(mutex);
    polling = poll_until([&] { return done; }, changed, lock, interrupt);
  }
  worker.join();
  if (failure) std::rethrow_exception(failure);
  if (polling) std::rethrow_exception(polling);
}

}  // namespace rfnn
