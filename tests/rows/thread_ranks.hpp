#pragma once

// Ranks that are threads of one process.

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "rfnn/core/communicator.hpp"

namespace rfnn::testing {

/// Messages between threads, in order from each to each.
class Mail {
 public:
  void put(std::size_t from, std::size_t to, std::string message) {
    const std::lock_guard lock(mutex_);
    boxes_[{from, to}].push_back(std::move(message));
    came_.notify_all();
  }
  std::string take(std::size_t from, std::size_t to) {
    std::unique_lock lock(mutex_);
    std::deque<std::string>& box = boxes_[{from, to}];
    came_.wait(lock, [&] { return !box.empty(); });
    std::string message = std::move(box.front());
    box.pop_front();
    return message;
  }

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  std::map<std::pair<std::size_t, std::size_t>, std::deque<std::string>> boxes_;
};

class ThreadRank final : public Communicator {
 public:
  ThreadRank(Mail& mail, std::size_t rank, std::size_t size) : mail_(mail), rank_(rank), size_(size) {}
  [[nodiscard]] std::size_t rank() const override { return rank_; }
  [[nodiscard]] std::size_t size() const override { return size_; }
  void send(std::size_t to, std::string message) override { mail_.put(rank_, to, std::move(message)); }
  std::string receive(std::size_t from) override { return mail_.take(from, rank_); }
  void broadcast(std::string& message) override {
    if (rank_ != 0) message = receive(0);
    for (std::size_t r = 1; rank_ == 0 && r < size_; ++r) send(r, message);
  }
  std::vector<std::string> exchange(std::vector<std::string> messages) override {
    for (std::size_t r = 0; r < size_; ++r) send(r, std::move(messages[r]));
    for (std::size_t r = 0; r < size_; ++r) messages[r] = receive(r);
    return messages;
  }

 private:
  Mail& mail_;
  std::size_t rank_, size_;
};

/// Runs work(rank) for every rank at once; what each of them throws, or null.
inline std::vector<std::exception_ptr> run_ranks(std::size_t size, const std::function<void(Communicator&)>& work) {
  Mail mail;
  std::vector<std::exception_ptr> failures(size);
  std::vector<std::thread> threads;
  for (std::size_t r = 0; r < size; ++r)
    threads.emplace_back([&, r] {
      ThreadRank rank(mail, r, size);
      try {
        work(rank);
      } catch (...) {
        failures[r] = std::current_exception();
      }
    });
  for (std::thread& thread : threads) thread.join();
  return failures;
}

}  // namespace rfnn::testing
