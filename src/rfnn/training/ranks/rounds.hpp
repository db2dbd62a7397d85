#pragma once

// Private header.

#include <cstddef>
#include <string>
#include <vector>

#include "rfnn/core/communicator.hpp"

namespace rfnn::training {

/// A rank of which nothing stays between the moments at which all ranks tell each other something. Work of all ranks at
/// once is done in rounds: with what all have said so far each rank begins anew, and ends where it has something new to
/// say. So a rank is a function of its rows and of what has been said, which anybody may repeat. Only all_gather.
class RoundRank final : public Communicator {
 public:
  /// What ends a round: no std::exception, so that nobody takes it for a failure.
  struct Says {
    std::string message;
  };

  /// `heard`: of each round so far what the ranks have said.
  RoundRank(std::size_t rank, std::size_t size, std::vector<std::vector<std::string>> heard);

  [[nodiscard]] std::size_t rank() const override { return rank_; }
  [[nodiscard]] std::size_t size() const override { return size_; }
  std::vector<std::string> exchange(std::vector<std::string> messages) override;
  void send(std::size_t to, std::string message) override;
  std::string receive(std::size_t from) override;
  void broadcast(std::string& message) override;

 private:
  std::size_t rank_, size_, round_ = 0;
  std::vector<std::vector<std::string>> heard_;
};

}  // namespace rfnn::training
