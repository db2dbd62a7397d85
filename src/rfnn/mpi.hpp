#pragma once

// An optional adapter: ranks of MPI (FitExtras::ranks), for those who have MPI. The library itself does not need it.

#include <mpi.h>
#include <sched.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <list>
#include <string>
#include <utility>
#include <vector>

#include "rfnn/core/communicator.hpp"

namespace rfnn {

/// The ranks of an MPI communicator, which is duplicated: other messages of the program do not meet these. MPI must
/// have been initialised with MPI_THREAD_SERIALIZED at least, and be finalised after this is gone. Who waits long
/// sleeps, so that ranks may share processors.
class MpiCommunicator final : public Communicator {
 public:
  explicit MpiCommunicator(MPI_Comm ranks) {
    MPI_Comm_dup(ranks, &ranks_);
    MPI_Comm_rank(ranks_, &rank_);
    MPI_Comm_size(ranks_, &size_);
  }
  ~MpiCommunicator() override {
    for (Sent& each : sent_) wait(each.request);
    MPI_Comm_free(&ranks_);
  }
  MpiCommunicator(const MpiCommunicator&) = delete;
  MpiCommunicator& operator=(const MpiCommunicator&) = delete;

  [[nodiscard]] std::size_t rank() const override { return static_cast<std::size_t>(rank_); }
  [[nodiscard]] std::size_t size() const override { return static_cast<std::size_t>(size_); }

  void send(std::size_t to, std::string message) override {
    sent_.remove_if([](Sent& each) {
      int done = 0;
      MPI_Test(&each.request, &done, MPI_STATUS_IGNORE);
      return done != 0;
    });
    Sent& sent = sent_.emplace_back();
    sent.message = std::move(message);
    MPI_Isend(sent.message.data(), static_cast<int>(sent.message.size()), MPI_BYTE, static_cast<int>(to), tag, ranks_,
              &sent.request);
  }

  std::string receive(std::size_t from) override {
    MPI_Status status;
    Patience patience;
    for (int there = 0;;) {
      MPI_Iprobe(static_cast<int>(from), tag, ranks_, &there, &status);
      if (there != 0) break;
      patience.wait();
    }
    int bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    std::string message(static_cast<std::size_t>(bytes), '\0');
    MPI_Recv(message.data(), bytes, MPI_BYTE, static_cast<int>(from), tag, ranks_, MPI_STATUS_IGNORE);
    return message;
  }

  // A short message travels with its length.
  void broadcast(std::string& message) override {
    constexpr std::size_t shorter = 4096;
    char front[sizeof(std::uint64_t) + shorter] = {};
    std::uint64_t bytes = message.size();
    std::memcpy(front, &bytes, sizeof bytes);
    std::memcpy(front + sizeof bytes, message.data(), std::min(shorter, message.size()));
    broadcast(front, sizeof front);
    std::memcpy(&bytes, front, sizeof bytes);
    message.resize(bytes);
    if (bytes > shorter)
      broadcast(message.data(), bytes);
    else
      std::memcpy(message.data(), front + sizeof bytes, bytes);
  }

  std::vector<std::string> exchange(std::vector<std::string> messages) override {
    std::vector<int> to(messages.size()), from(messages.size()), to_place(messages.size()), from_place(messages.size());
    std::string all;
    for (std::size_t r = 0; r < messages.size(); ++r) {
      to[r] = static_cast<int>(messages[r].size());
      to_place[r] = static_cast<int>(all.size());
      all += std::exchange(messages[r], {});
    }
    MPI_Request request;
    MPI_Ialltoall(to.data(), 1, MPI_INT, from.data(), 1, MPI_INT, ranks_, &request);
    wait(request);
    int bytes = 0;
    for (std::size_t r = 0; r < messages.size(); ++r) {
      from_place[r] = bytes;
      bytes += from[r];
    }
    std::string received(static_cast<std::size_t>(bytes), '\0');
    MPI_Ialltoallv(all.data(), to.data(), to_place.data(), MPI_BYTE, received.data(), from.data(), from_place.data(),
                   MPI_BYTE, ranks_, &request);
    wait(request);
    for (std::size_t r = 0; r < messages.size(); ++r)
      messages[r] = received.substr(static_cast<std::size_t>(from_place[r]), static_cast<std::size_t>(from[r]));
    return messages;
  }

  /// Of all ranks at once: have all come here within so many seconds?
  bool all_here(double seconds) {
    MPI_Request request;
    MPI_Ibarrier(ranks_, &request);
    const double end = MPI_Wtime() + seconds;
    Patience patience;
    for (int done = 0; MPI_Wtime() < end; patience.wait()) {
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (done != 0) return true;
    }
    return false;
  }

 private:
  static constexpr int tag = 7;
  struct Sent {
    std::string message;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  /// Asks again at once for a millisecond, as long as nobody else wants the processor; then now and then. Who sleeps is
  /// woken before those who never do.
  class Patience {
   public:
    void wait() {
      using Clock = std::chrono::steady_clock;
      if (spinning_) {
        const Clock::time_point before = Clock::now();
        sched_yield();
        const Clock::time_point now = Clock::now();
        spinning_ = now - before < taken_away && now - began_ < longest;
        return;
      }
      const timespec pause{0, 50000};
      nanosleep(&pause, nullptr);
    }

   private:
    static constexpr std::chrono::microseconds taken_away{50}, longest{1000};
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
    bool spinning_ = true;
  };

  static void wait(MPI_Request& request) {
    Patience patience;
    for (int done = 0;; patience.wait()) {
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (done != 0) return;
    }
  }

  void broadcast(char* bytes, std::size_t count) {
    MPI_Request request;
    MPI_Ibcast(bytes, static_cast<int>(count), MPI_BYTE, 0, ranks_, &request);
    wait(request);
  }

  MPI_Comm ranks_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
  std::list<Sent> sent_;
};

}  // namespace rfnn
