#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/fit_plan.hpp"
#include "rfnn/core/communicator.hpp"
#include "rfnn/core/error.hpp"

namespace rfnn::cli {

/// Processes that were started together cannot work together: no MPI, or another one. All of them find that out.
class RanksApart final : public InputError {
 public:
  using InputError::InputError;
};

/// The processes that MPI has started together for one command. Rank 0 reads arguments, talks and writes; the others
/// read their part of the rows and work.
class Ranks {
 public:
  /// Null where the process was not started by MPI. RanksApart where it was, with others, and rfnn has no MPI, or one
  /// that knows nothing of the others.
  static std::unique_ptr<Ranks> join();
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  [[nodiscard]] Communicator& all() { return *all_; }
  [[nodiscard]] bool first() const { return all_->rank() == 0; }

  /// Of all ranks at once: the files of this rank, `%r` in their names being its number; its part of them where they
  /// are everybody's. Other ranks than the first are silent, and neither write nor judge. Throws UsageError where a
  /// rank was given other words than the first: `model` is the place of the model.
  void share(FitArguments& arguments, const Options& options, const std::string& model);
  /// Of all ranks at once: makes the plan; where it fails on one, it fails on all. The facts are then of all rows.
  FitPlan plan(const std::function<FitPlan()>& make, bool with_fingerprint);

  /// A failure is being handled. Where all ranks have one, which is known or found out within seconds, they end by
  /// themselves, the first with the exit code of it, the others without: mpirun ends all as soon as one has a code, and
  /// the first may not have spoken yet. Where this rank is alone with it, it says so and ends them all.
  void fail();

 private:
  explicit Ranks(std::shared_ptr<Communicator> all) : all_(std::move(all)) {}

  std::shared_ptr<Communicator> all_;
};

/// Joins the others and does the work of a command with them; null: this process is alone. A failure is that of all.
ExitCode with_ranks(const std::function<ExitCode(Ranks*)>& work);

/// Has this process joined others, and is not their first: is it one that is silent?
bool silent_rank();

/// The number of this process among those that MPI has started, where each works for itself; nothing where they have
/// joined, or MPI has started none.
std::optional<std::size_t> rank_started();

/// What is odd where Slurm has started several processes that know nothing of each other; empty: nothing.
std::string tasks_apart();

/// A path with the number of a rank instead of `%r`.
std::string with_rank(std::string path, std::size_t rank);

/// A path without the `%r` of ranks and what joins it to the rest.
std::string without_rank(const std::string& path);

}  // namespace rfnn::cli
