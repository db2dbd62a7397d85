#pragma once

// Private header.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "rfnn/reproduction/run.hpp"

namespace rfnn::reproduction {

/// Where a reproduction lives:
///   results.json       every number, written at the start too: it marks the folder
///   report.html        the page
///   figures/ID.csv     the numbers of each figure
///   runs/NAME.json     the record of each finished run, and its model NAME.rfnn
/// Every file appears whole or not at all. Every function throws InputError when something cannot be read or written.
class ReproductionFolder {
 public:
  /// Only looks: a folder that holds anything else is refused, a missing one is fine.
  explicit ReproductionFolder(std::string path);

  /// Makes the folder and those in it.
  void create() const;

  /// A finished run with the task's settings; nothing when there is none that can be used.
  [[nodiscard]] std::optional<Run> load(const Task& task) const;
  void save(const Run& run) const;

  /// The largest seed of any run there; 0: none.
  [[nodiscard]] std::uint64_t largest_seed() const;

  void write(const std::string& name, std::string_view text) const;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string report() const { return path_ + "/report.html"; }

 private:
  [[nodiscard]] std::string stem(const Task& task) const { return path_ + "/runs/" + task.name(); }
  std::string path_;
};

}  // namespace rfnn::reproduction
