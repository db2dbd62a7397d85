#pragma once

// An optional adapter: ranks of MPI (FitExtras::ranks), for those who have MPI. The library itself does not need it.

#include <mpi.h>
#include <sched.h>
#include <time.h>

#include <algorithm>
#include <array>
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
/// sleeps, so that ranks may share processors. Messages may be of any size: MPI counts in int, so they travel in parts.
class MpiCommunicator final : public Communicator {
 public:
  /// `part`: bytes that MPI is given at a time, 1 … 2³¹ − 1, the same on all ranks.
  explicit MpiCommunicator(MPI_Comm ranks, std::size_t part = std::size_t{1} << 30) : part_(part) {
    MPI_Comm_dup(ranks, &ranks_);
    MPI_Comm_dup(ranks, &meetings_);
    MPI_Comm_rank(ranks_, &rank_);
    MPI_Comm_size(ranks_, &size_);
  }
  ~MpiCommunicator() override {
    for (Sent& each : sent_)
      for (MPI_Request& request : each.parts) wait(request);
    MPI_Comm_free(&meetings_);
    MPI_Comm_free(&ranks_);
  }
  MpiCommunicator(const MpiCommunicator&) = delete;
  MpiCommunicator& operator=(const MpiCommunicator&) = delete;

  [[nodiscard]] std::size_t rank() const override { return static_cast<std::size_t>(rank_); }
  [[nodiscard]] std::size_t size() const override { return static_cast<std::size_t>(size_); }

  // The first part that is not full is the last.
  void send(std::size_t to, std::string message) override {
    sent_.remove_if([](Sent& each) {
      int done = 0;
      MPI_Testall(static_cast<int>(each.parts.size()), each.parts.data(), &done, MPI_STATUSES_IGNORE);
      return done != 0;
    });
    Sent& sent = sent_.emplace_back();
    sent.message = std::move(message);
    sent.parts.assign(sent.message.size() / part_ + 1, MPI_REQUEST_NULL);
    for (std::size_t p = 0; p < sent.parts.size(); ++p) {
      const std::size_t first = p * part_, bytes = std::min(part_, sent.message.size() - first);
      MPI_Isend(sent.message.data() + first, static_cast<int>(bytes), MPI_BYTE, static_cast<int>(to), tag, ranks_,
                &sent.parts[p]);
    }
  }

  std::string receive(std::size_t from) override {
    std::string message;
    for (bool last = false; !last;) {
      const std::size_t before = message.size(), bytes = size_of_next(from);
      message.resize(before + bytes);
      MPI_Recv(message.data() + before, static_cast<int>(bytes), MPI_BYTE, static_cast<int>(from), tag, ranks_,
               MPI_STATUS_IGNORE);
      last = bytes < part_;
    }
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

  // In as many rounds as the longest message of all takes, a round being one part for all ranks together. Lengths are
  // told first, each with that of the longest message of who tells it.
  std::vector<std::string> exchange(std::vector<std::string> messages) override {
    using Lengths = std::array<std::uint64_t, 2>;
    std::uint64_t longest = 0;
    for (const std::string& message : messages) longest = std::max<std::uint64_t>(longest, message.size());
    std::vector<Lengths> own(messages.size()), others(messages.size());
    for (std::size_t r = 0; r < messages.size(); ++r) own[r] = {messages[r].size(), longest};
    MPI_Request request;
    MPI_Ialltoall(own.data(), 2, MPI_UINT64_T, others.data(), 2, MPI_UINT64_T, ranks_, &request);
    wait(request);
    std::vector<std::string> received(messages.size());
    for (std::size_t r = 0; r < messages.size(); ++r) {
      longest = std::max(longest, others[r][1]);
      received[r].reserve(others[r][0]);
    }
    const std::size_t most = std::max<std::size_t>(part_ / size(), 1);
    for (std::size_t first = 0; first < longest; first += most) {
      Side to(size()), from(size());
      for (std::size_t r = 0; r < messages.size(); ++r) {
        to.add(r, std::min(most, own[r][0] - std::min<std::uint64_t>(first, own[r][0])));
        from.add(r, std::min(most, others[r][0] - std::min<std::uint64_t>(first, others[r][0])));
        to.bytes.append(messages[r], std::min(first, messages[r].size()), most);
      }
      from.bytes.resize(from.all);
      if (first + most >= longest) messages = std::vector<std::string>(messages.size());
      MPI_Ialltoallv(to.bytes.data(), to.counts.data(), to.places.data(), MPI_BYTE, from.bytes.data(),
                     from.counts.data(), from.places.data(), MPI_BYTE, ranks_, &request);
      wait(request);
      for (std::size_t r = 0; r < received.size(); ++r)
        received[r].append(from.bytes, static_cast<std::size_t>(from.places[r]),
                           static_cast<std::size_t>(from.counts[r]));
    }
    return received;
  }

  /// Of all ranks at once: have all come here within so many seconds? Those who have not may be anywhere else, within
  /// an exchange() say: what is asked here does not meet it.
  bool all_here(double seconds) {
    MPI_Request request;
    MPI_Ibarrier(meetings_, &request);
    const double end = MPI_Wtime() + seconds;
    Patience patience;
    for (;; patience.wait()) {
      const bool last = MPI_Wtime() >= end;  // who was away for that long still looks once
      int done = 0;
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (done != 0) return true;
      if (last) return false;
    }
  }

 private:
  static constexpr int tag = 7;
  struct Sent {
    std::string message;
    std::vector<MPI_Request> parts;
  };

  /// What goes to, or comes from, all ranks in one round.
  struct Side {
    explicit Side(std::size_t ranks) : counts(ranks), places(ranks) {}
    void add(std::size_t rank, std::size_t count) {
      counts[rank] = static_cast<int>(count);
      places[rank] = static_cast<int>(all);
      all += count;
    }
    std::vector<int> counts, places;
    std::size_t all = 0;
    std::string bytes;
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

  /// Waits for the next part of a message.
  std::size_t size_of_next(std::size_t from) {
    MPI_Status status;
    Patience patience;
    for (int there = 0;; patience.wait()) {
      MPI_Iprobe(static_cast<int>(from), tag, ranks_, &there, &status);
      if (there != 0) break;
    }
    int bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    return static_cast<std::size_t>(bytes);
  }

  void broadcast(char* bytes, std::size_t count) {
    for (std::size_t first = 0; first < count; first += part_) {
      MPI_Request request;
      MPI_Ibcast(bytes + first, static_cast<int>(std::min(part_, count - first)), MPI_BYTE, 0, ranks_, &request);
      wait(request);
    }
  }

  std::size_t part_;
  MPI_Comm ranks_ = MPI_COMM_NULL, meetings_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
  std::list<Sent> sent_;
};

}  // namespace rfnn
