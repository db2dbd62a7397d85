#include "rfnn/core/parallel.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>

namespace rfnn {
namespace {

// Waits for something another thread must do; gives up (and the test fails) only after very long.
template <class Condition>
bool comes_true(Condition condition) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > limit) return false;
    std::this_thread::yield();
  }
  return true;
}

void expect_every_task_once(Workers& workers, std::size_t tasks, bool parallel = true) {
  std::unique_ptr<std::atomic<int>[]> counts(new std::atomic<int>[tasks + 1]());
  std::atomic<bool> bad_worker = false;
  Interrupt never;
  EXPECT_TRUE(workers.run(
      tasks, parallel,
      [&](std::size_t task, std::size_t worker) {
        ++counts[task];
        if (worker >= workers.threads()) bad_worker = true;
      },
      never));
  EXPECT_FALSE(bad_worker);
  for (std::size_t task = 0; task < tasks; ++task) ASSERT_EQ(counts[task], 1) << "task " << task << " of " << tasks;
}

class Teams : public ::testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Sizes, Teams, ::testing::Values(1U, 2U, 4U), ::testing::PrintToStringParamName());

TEST_P(Teams, EveryTaskRunsExactlyOnce) {
  Workers workers(GetParam());
  EXPECT_EQ(workers.threads(), GetParam());
  for (const std::size_t tasks : {0U, 1U, 2U, 3U, 5U, 64U, 1000U}) {
    expect_every_task_once(workers, tasks);
    expect_every_task_once(workers, tasks, false);
  }
  for (int round = 0; round < 2000; ++round) expect_every_task_once(workers, 3);
}

TEST_P(Teams, AtTheCallersWishAllTasksRunOnItsThread) {
  Workers workers(GetParam());
  Interrupt never;
  const auto caller = std::this_thread::get_id();
  std::vector<std::size_t> order;
  workers.run(
      20, false,
      [&](std::size_t task, std::size_t worker) {
        EXPECT_EQ(std::this_thread::get_id(), caller);
        EXPECT_EQ(worker, 0U);
        order.push_back(task);
      },
      never);
  ASSERT_EQ(order.size(), 20U);
  for (std::size_t task = 0; task < 20; ++task) EXPECT_EQ(order[task], task);
}

TEST_P(Teams, ATasksExceptionReachesTheCallerAndTheTeamGoesOn) {
  Workers workers(GetParam());
  Interrupt never;
  for (const std::size_t culprit : {0U, 7U, 99U}) {
    try {
      workers.run(
          100, true,
          [&](std::size_t task, std::size_t) {
            if (task == culprit) throw std::runtime_error("task " + std::to_string(task));
          },
          never);
      FAIL() << "no exception";
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(error.what(), "task " + std::to_string(culprit));
    }
    EXPECT_FALSE(never.stopped());
    expect_every_task_once(workers, 50);
  }
}

TEST_P(Teams, NoNewTasksAfterAnException) {
  constexpr std::size_t endless = 100000000;
  Workers workers(GetParam());
  Interrupt never;
  std::atomic<bool> thrown = false;
  std::atomic<std::size_t> begun = 0;
  EXPECT_THROW(workers.run(
                   endless, true,
                   [&](std::size_t, std::size_t worker) {
                     ++begun;
                     if (worker != 0) {
                       EXPECT_TRUE(comes_true([&] { return thrown.load(); }));
                       return;
                     }
                     thrown = true;
                     throw std::invalid_argument("the rest is not worth doing");
                   },
                   never),
               std::invalid_argument);
  EXPECT_LT(begun, endless / 2);
}

TEST(Workers, AnExceptionOfAnotherThreadReachesTheCaller) {
  Workers workers(2);
  Interrupt never;
  std::atomic<bool> other = false;
  EXPECT_THROW(workers.run(
                   2, true,
                   [&](std::size_t, std::size_t worker) {
                     if (worker == 0) {
                       EXPECT_TRUE(comes_true([&] { return other.load(); }));
                       return;
                     }
                     other = true;
                     throw std::out_of_range("not on the caller's thread");
                   },
                   never),
               std::out_of_range);
  expect_every_task_once(workers, 50);
}

TEST(Workers, AnExceptionOfTheCallersThreadWaitsForTheOthers) {
  Workers workers(2);
  Interrupt never;
  std::atomic<bool> other = false, other_done = false, thrown = false;
  EXPECT_THROW(workers.run(
                   2, true,
                   [&](std::size_t, std::size_t worker) {
                     if (worker == 0) {
                       EXPECT_TRUE(comes_true([&] { return other.load(); }));
                       thrown = true;
                       throw std::out_of_range("on the caller's thread");
                     }
                     other = true;
                     EXPECT_TRUE(comes_true([&] { return thrown.load(); }));
                     other_done = true;
                   },
                   never),
               std::out_of_range);
  EXPECT_TRUE(other_done);
  expect_every_task_once(workers, 50);
}

TEST_P(Teams, APollThatSaysNoEndsTheWorkAtOnce) {
  Workers workers(GetParam());
  Interrupt interrupt([] { return false; });
  std::atomic<std::size_t> begun = 0;
  EXPECT_FALSE(workers.run(
      1000, true,
      [&](std::size_t, std::size_t worker) {
        ++begun;
        if (worker == 0)
          EXPECT_FALSE(interrupt.proceed());
        else
          EXPECT_TRUE(comes_true([&] { return !interrupt.proceed(); }));
      },
      interrupt));
  EXPECT_TRUE(interrupt.stopped());
  EXPECT_LE(begun, GetParam());  // the one each thread was at
  // What is stopped stays stopped, and does nothing more.
  EXPECT_FALSE(workers.run(
      10, true, [&](std::size_t, std::size_t) { ADD_FAILURE(); }, interrupt));
  EXPECT_FALSE(workers.run(
      10, false, [&](std::size_t, std::size_t) { ADD_FAILURE(); }, interrupt));
  expect_every_task_once(workers, 10);
}

TEST(Workers, PollingGoesOnWhileOthersWorkAndOnlyOnTheCallersThread) {
  Workers workers(2);
  const auto caller = std::this_thread::get_id();
  std::atomic<int> polls = 0;
  std::atomic<bool> elsewhere = false, other = false;
  Interrupt interrupt([&] {
    ++polls;
    if (std::this_thread::get_id() != caller) elsewhere = true;
    return true;
  });
  EXPECT_TRUE(workers.run(
      2, true,
      [&](std::size_t, std::size_t worker) {
        if (worker == 0) {  // the caller's own part ends early
          EXPECT_TRUE(comes_true([&] { return other.load(); }));
          return;
        }
        other = true;
        EXPECT_TRUE(comes_true([&] { return interrupt.proceed() && polls >= 4; }));
      },
      interrupt));
  EXPECT_GE(polls, 4);
  EXPECT_FALSE(elsewhere);
}

TEST(Workers, AStopWhileWaitingReachesTheOthers) {
  Workers workers(2);
  std::atomic<int> polls = 0;
  std::atomic<bool> other = false;
  Interrupt interrupt([&] { return ++polls < 3; });
  EXPECT_FALSE(workers.run(
      2, true,
      [&](std::size_t, std::size_t worker) {
        if (worker == 0) {
          EXPECT_TRUE(comes_true([&] { return other.load(); }));
          return;
        }
        other = true;
        EXPECT_TRUE(comes_true([&] { return !interrupt.proceed(); }));
      },
      interrupt));
  EXPECT_EQ(polls, 3);  // never asked again after it said no
}

TEST(Workers, APollThatThrowsWhileWaitingEndsTheWork) {
  Workers workers(2);
  std::atomic<bool> other = false;
  int polls = 0;
  Interrupt interrupt([&]() -> bool {
    if (++polls < 2) return true;
    throw std::domain_error("from the poll");
  });
  EXPECT_THROW(workers.run(
                   2, true,
                   [&](std::size_t, std::size_t worker) {
                     if (worker == 0) {
                       EXPECT_TRUE(comes_true([&] { return other.load(); }));
                       return;
                     }
                     other = true;
                     EXPECT_TRUE(comes_true([&] { return !interrupt.proceed(); }));
                   },
                   interrupt),
               std::domain_error);
  expect_every_task_once(workers, 50);
}

TEST_P(Teams, APollThatThrowsInATaskReachesTheCaller) {
  Workers workers(GetParam());
  std::atomic<bool> asked = false;
  Interrupt interrupt([&]() -> bool {
    asked = true;
    throw std::domain_error("from the poll");
  });
  EXPECT_THROW(workers.run(
                   100, true,
                   [&](std::size_t, std::size_t worker) {
                     if (worker == 0) interrupt.proceed();
                     EXPECT_TRUE(comes_true([&] { return asked.load(); }));
                   },
                   interrupt),
               std::domain_error);
  expect_every_task_once(workers, 50);
}

TEST(Watch, PollsOnTheCallersThreadWhileAnotherWorks) {
  const auto caller = std::this_thread::get_id();
  std::atomic<int> polls = 0;
  std::atomic<bool> elsewhere = false;
  bool done = false;
  Interrupt interrupt([&] {
    ++polls;
    if (std::this_thread::get_id() != caller) elsewhere = true;
    return true;
  });
  watch(
      [&] {
        EXPECT_NE(std::this_thread::get_id(), caller);
        EXPECT_TRUE(comes_true([&] { return polls >= 3; }));
        done = true;
      },
      interrupt);
  EXPECT_TRUE(done);
  EXPECT_FALSE(elsewhere);
}

TEST(Watch, WaitsForTheWorkAlsoWhenInterrupted) {
  Interrupt interrupt([] { return false; });
  bool done = false;
  watch(
      [&] {
        EXPECT_TRUE(comes_true([&] { return interrupt.stopped(); }));
        done = true;
      },
      interrupt);
  EXPECT_TRUE(done);
}

TEST(Watch, ExceptionsOfTheWorkAndOfThePollComeThrough) {
  Interrupt never;
  EXPECT_THROW(watch([] { throw std::out_of_range("from the work"); }, never), std::out_of_range);
  std::atomic<bool> done = false;
  Interrupt interrupt([]() -> bool { throw std::domain_error("from the poll"); });
  EXPECT_THROW(watch(
                   [&] {
                     EXPECT_TRUE(comes_true([&] { return interrupt.stopped(); }));
                     done = true;
                   },
                   interrupt),
               std::domain_error);
  EXPECT_TRUE(done);
}

TEST_P(Teams, WatchedWorkRunsEveryTaskOnceWhileTheCallerPolls) {
  Workers workers(GetParam());
  const auto caller = std::this_thread::get_id();
  std::atomic<int> polls = 0, tasks = 0;
  std::atomic<bool> on_caller = false;
  Interrupt interrupt([&] {
    ++polls;
    return true;
  });
  EXPECT_TRUE(workers.run_watched(
      20,
      [&](std::size_t, std::size_t worker) {
        ++tasks;
        if (std::this_thread::get_id() == caller) on_caller = true;
        EXPECT_LT(worker, workers.threads());
        EXPECT_TRUE(comes_true([&] { return polls >= 2; }));
      },
      interrupt));
  EXPECT_EQ(tasks, 20);
  EXPECT_FALSE(on_caller);
  Interrupt no([] { return false; });
  EXPECT_FALSE(workers.run_watched(
      1000, [&](std::size_t, std::size_t) { EXPECT_TRUE(comes_true([&] { return no.stopped(); })); }, no));
  expect_every_task_once(workers, 10);
}

TEST(Interrupt, PollsItsOwnerOnly) {
  int polls = 0;
  Interrupt interrupt([&] {
    ++polls;
    return false;
  });
  std::thread([&] {
    for (int i = 0; i < 1000; ++i) EXPECT_TRUE(interrupt.proceed());
  }).join();
  EXPECT_EQ(polls, 0);
  EXPECT_FALSE(interrupt.stopped());
  EXPECT_FALSE(interrupt.proceed());
  EXPECT_EQ(polls, 1);
  std::thread([&] { EXPECT_FALSE(interrupt.proceed()); }).join();
}

TEST(Interrupt, DoesNotPollAtEveryCall) {
  int polls = 0, calls = 0;
  Interrupt interrupt([&] {
    ++polls;
    return true;
  });
  EXPECT_TRUE(comes_true([&] {
    ++calls;
    return interrupt.proceed() && polls >= 3;
  }));
  EXPECT_GT(calls, polls);
}

TEST(Interrupt, WithoutPollProceedsUntilToldToStop) {
  Interrupt interrupt;
  EXPECT_TRUE(interrupt.proceed());
  interrupt.stop();
  EXPECT_FALSE(interrupt.proceed());
  EXPECT_TRUE(interrupt.stopped());
}

TEST(Workers, ZeroMeansWhatTheProcessMayUse) {
  EXPECT_GE(available_threads(), 1U);
  EXPECT_EQ(Workers(0).threads(), available_threads());
  std::thread([] {
    cpu_set_t all, one;
    CPU_ZERO(&all);
    CPU_ZERO(&one);
    ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
      if (CPU_ISSET(cpu, &all)) {
        CPU_SET(cpu, &one);
        break;
      }
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);  // of this thread
    EXPECT_EQ(available_threads(), 1U);
    EXPECT_EQ(Workers(0).threads(), 1U);
  }).join();
}

}  // namespace
}  // namespace rfnn
