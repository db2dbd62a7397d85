#pragma once

// Private header. The paper's claims, each measured on every seed.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rfnn/io/json.hpp"
#include "rfnn/reproduction/run.hpp"
#include "rfnn/reproduction/statistics.hpp"

namespace rfnn::reproduction {

/// True in at least three quarters of the seeds, in at least one quarter, in fewer; no run to tell by.
enum class Verdict { holds, partly, does_not_hold, not_run };

/// "holds", "partly", "does not hold", "not run"
std::string_view words_of(Verdict verdict);

/// A claim's number on one seed, and whether the claim is true of it.
struct Reading {
  std::uint64_t seed = 0;
  double value = 0.0;
  bool met = false;
};

struct Evidence {
  std::vector<Reading> readings;  ///< by seed

  [[nodiscard]] std::vector<double> values() const;
  [[nodiscard]] std::size_t met() const;
  [[nodiscard]] Verdict verdict() const;
};

struct Claim {
  std::string id;  ///< "a1-error"; the letter is the group in the notes on the paper
  Target target = Target::multiscale;
  std::string statement;         ///< what the paper says
  std::string measure;           ///< the number that stands for it
  std::string condition;         ///< when it is true: "below 1.25e-3"
  bool percent = false;          ///< the number is a share
  Evidence published;            ///< with the published settings
  std::optional<Evidence> best;  ///< with the best state of each chain instead of the last; nothing where there is none
};

/// Every claim about an example that has at least one run.
std::vector<Claim> claims_of(std::span<const Run> runs);

/// "2.5e-4 [1.1e-4, 8e-4]"; of a single value just that, of none a dash.
std::string median_and_quartiles(std::span<const double> values, bool percent = false);
std::string median_and_quartiles(const Evidence& evidence, bool percent);

Json to_json(const Claim& claim);

}  // namespace rfnn::reproduction
