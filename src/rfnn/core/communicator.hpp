#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "rfnn/core/export.hpp"

namespace rfnn {

/// What processes that fit one model together need of each other: messages of bytes between ranks 0 … size() − 1, which
/// all have the same object and call it from one thread at a time. mpi.hpp has one on MPI; a program may bring its own.
class RFNN_API Communicator {
 public:
  virtual ~Communicator() = default;
  [[nodiscard]] virtual std::size_t rank() const = 0;
  [[nodiscard]] virtual std::size_t size() const = 0;

  /// A message to one rank; does not wait until it is received. Messages between two ranks keep their order.
  virtual void send(std::size_t to, std::string message) = 0;
  /// The next message of one rank; waits for it.
  virtual std::string receive(std::size_t from) = 0;
  /// Of all ranks at once: every rank gets the message of rank 0.
  virtual void broadcast(std::string& message) = 0;
  /// Of all ranks at once: messages[r] goes to rank r; returns what each rank has sent here.
  virtual std::vector<std::string> exchange(std::vector<std::string> messages) = 0;
};

/// One rank on its own.
class RFNN_API OneRank final : public Communicator {
 public:
  [[nodiscard]] std::size_t rank() const override { return 0; }
  [[nodiscard]] std::size_t size() const override { return 1; }
  void send(std::size_t to, std::string message) override;
  std::string receive(std::size_t from) override;
  void broadcast(std::string& /*message*/) override {}
  std::vector<std::string> exchange(std::vector<std::string> messages) override { return messages; }

 private:
  std::vector<std::string> own_;
};

/// Of all ranks at once: the messages of all.
RFNN_API std::vector<std::string> all_gather(Communicator& ranks, const std::string& message);

}  // namespace rfnn
