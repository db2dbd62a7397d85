#pragma once

// Private header. Small numbers that all ranks come to know, and failures that all have.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "rfnn/core/communicator.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/options/options.hpp"
#include "rfnn/rows/ranks/message.hpp"

namespace rfnn::training {

/// What a failure is, besides a UsageError or the like, that all ranks have: nobody needs to be told.
class HadByAll {
 public:
  virtual ~HadByAll() = default;
};
template <class E>
class OfAll final : public E, public HadByAll {
 public:
  using E::E;
};

/// The failure being handled as text, and the same failure again: where it is rfnn's own, or memory is out, as one that
/// all ranks have.
std::string failure_text();
[[noreturn]] void rethrow(const std::string& failure);
/// The failure being handled, of which all others have been told by its text: as they throw it, if it is rfnn's own.
[[noreturn]] void rethrow_told(const std::string& failure);

/// Of all ranks at once: does the work; where it fails on some, all throw what the first of them has thrown.
void agree(Communicator& ranks, const std::function<void()>& work);

/// Of all ranks at once: the numbers of all, by rank.
template <class T>
std::vector<std::vector<T>> gather(Communicator& ranks, std::span<const T> own) {
  rows::Writer out;
  out.put_list(own);
  std::vector<std::vector<T>> all;
  for (const std::string& message : all_gather(ranks, out.take())) all.push_back(rows::Reader(message).get_list<T>());
  return all;
}

/// Of all ranks at once: one number of each.
std::vector<std::uint64_t> gather_counts(Communicator& ranks, std::uint64_t own);

/// Something that has to be the same on all ranks: what it is called, and what it is here; nothing: it was not given.
using Named = std::pair<std::string, std::string>;
/// Of all ranks at once: where something is another thing on one rank than on the first, all throw a UsageError that
/// says what. All name the same things.
void agree_on(Communicator& ranks, const std::vector<Named>& all, const std::string& cure);

/// Of all ranks at once: the same for options, except for those that each rank has for itself (threads, memory) and for
/// max-time, which rank 0 keeps.
void agree_on_options(Communicator& ranks, const Options& options);

}  // namespace rfnn::training
