#pragma once

// Private header. What judges a network while it is trained: which blocks join it, and when there are enough.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "rfnn/model/history.hpp"
#include "rfnn/options/options.hpp"
#include "rfnn/training/error_control.hpp"
#include "rfnn/training/holdout.hpp"

namespace rfnn::training {

/// Where a network stands.
struct Standing {
  std::size_t blocks = 0;
  std::uint64_t attempts = 0;  ///< at finding a block, in this run
  double at_first = 0.0;       ///< mean square of the training rows before the first block of this run, standardised
  double train = 0.0;          ///< the same now
  double judged = 0.0;         ///< on the held-out rows, or the training rows where there are none
  double judged_mse = 0.0;     ///< the same in the target's units, mean over outputs
};

class Control {
 public:
  virtual ~Control() = default;
  /// Why to stop before the first attempt, or nothing.
  virtual std::optional<StopReason> begin(const Standing& standing) = 0;
  /// Every block joins: nothing is held against it.
  [[nodiscard]] virtual bool takes_all() const = 0;
  /// Does a block join? What the rows that judge are left with by it, and without it.
  [[nodiscard]] virtual bool joins(const HeldOut& after, const HeldOut& before, const Standing& standing) const = 0;
  /// Why to stop now, or nothing; `joined`: the record of the block that has just joined, null where none has.
  virtual std::optional<StopReason> after(const BlockRecord* joined, const Standing& standing) = 0;
};

/// The paper's: every block joins; the error may end the run (ErrorControl).
class ErrorBound final : public Control {
 public:
  explicit ErrorBound(ErrorControl& control) : control_(control) {}
  std::optional<StopReason> begin(const Standing& standing) override;
  [[nodiscard]] bool takes_all() const override { return true; }
  [[nodiscard]] bool joins(const HeldOut&, const HeldOut&, const Standing&) const override { return true; }
  std::optional<StopReason> after(const BlockRecord* joined, const Standing& standing) override;

 private:
  ErrorControl& control_;
};

/// Preset auto's: a block joins where held-out rows surely gain by it.
class HeldOutGain final : public Control {
 public:
  /// `sure_first`: standard errors that the first block must gain; negative: it joins whatever it does, and others
  /// decide. `begins_once`: a first attempt that leads nowhere is the end. `rival`: error that another network has
  /// reached; one that will not come near it ends early.
  HeldOutGain(const Options& options, double sure_first, bool begins_once,
              double rival = std::numeric_limits<double>::infinity())
      : options_(options), sure_first_(sure_first), begins_once_(begins_once), rival_(rival) {}
  std::optional<StopReason> begin(const Standing& standing) override;
  [[nodiscard]] bool takes_all() const override { return false; }
  [[nodiscard]] bool joins(const HeldOut& after, const HeldOut& before, const Standing& standing) const override;
  std::optional<StopReason> after(const BlockRecord* joined, const Standing& standing) override;

 private:
  [[nodiscard]] std::optional<StopReason> enough(const Standing& standing) const;

  const Options& options_;
  double sure_first_;
  bool begins_once_;
  double rival_;
  double best_ = 0.0;
  std::int64_t without_gain_ = 0;  ///< attempts
};

}  // namespace rfnn::training
