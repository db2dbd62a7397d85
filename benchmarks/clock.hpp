#pragma once

// How the benchmarks measure. Other work on the machine can only make a piece of work slower, so of many repetitions
// the quickest is closest to what it costs; and what is compared takes turns, so that both meet the same weather.

#include <algorithm>
#include <chrono>
#include <limits>
#include <vector>

namespace rfnn::bench {

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The quickest of several timings.
class Best {
 public:
  void add(double seconds) { seconds_ = std::min(seconds_, seconds); }
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  double seconds_ = std::numeric_limits<double>::infinity();
};

/// Repetitions of `work` that take about `seconds`, at least one.
template <class Work>
long repetitions(const Work& work, double seconds) {
  for (long count = 1;; count *= 4) {
    const double begin = now();
    for (long i = 0; i < count; ++i) work();
    const double took = now() - begin;
    if (took > 0.25 * seconds) return std::max(1L, static_cast<long>(static_cast<double>(count) * seconds / took));
  }
}

/// Something measured in turns with others: seconds of one call, from batches long enough for the clock.
template <class Work>
class Contender {
 public:
  explicit Contender(Work work, double batch_seconds = 2e-4)
      : work_(std::move(work)), count_(repetitions(work_, batch_seconds)) {}
  void turn() {
    const double begin = now();
    for (long i = 0; i < count_; ++i) work_();
    best_.add((now() - begin) / static_cast<double>(count_));
  }
  [[nodiscard]] double seconds() const { return best_.seconds(); }

 private:
  Work work_;
  long count_;
  Best best_;
};

/// Lets all contenders take turns until `seconds` have passed, every one at least `least` times.
template <class... Works>
void compete(double seconds, int least, Contender<Works>&... contenders) {
  const double end = now() + seconds;
  for (int turn = 0; turn < least || now() < end; ++turn) (contenders.turn(), ...);
}

/// Keeps the compiler from dropping work whose result nobody reads.
inline void clobber() { asm volatile("" ::: "memory"); }

}  // namespace rfnn::bench
