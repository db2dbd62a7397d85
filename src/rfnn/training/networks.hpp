#pragma once

// Private header. The networks of preset auto: which are trained side by side, and when each must have ended.

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rfnn/training/folds.hpp"
#include "rfnn/training/network_training.hpp"
#include "rfnn/training/run.hpp"
#include "rfnn/training/ways.hpp"

namespace rfnn::training {

/// A network to train: how it begins, which rows it holds out.
struct Task {
  Way way;
  std::size_t fold = 0;
  std::int64_t member = 0;  ///< address of its random numbers
  std::int64_t number = 0;  ///< among the networks tried, for those who watch
  std::shared_ptr<const finders::Recipe> hint = nullptr;
  bool afresh = false;                                         ///< see finders::Search
  std::shared_ptr<const finders::FoundBlock> given = nullptr;  ///< see NetworkPlan
  double seconds = 0.0;                                        ///< that one like it has taken; 0: there was none
};

/// What the first block of a network was made by, for others of its kind; null where it has none.
[[nodiscard]] std::shared_ptr<const finders::Recipe> hint_of(const TrainedNetwork& network);

/// When the window of one network ends that is trained before others, as a share of the time for training like all of
/// these: `used` of it by now, all of them are to have ended by `end`, `share` is this one's and `later` theirs. Where
/// there is room for all, it may take what they do not need; where there is not (a network for each part of the rows),
/// what is left is shared out by their shares.
[[nodiscard]] double end_of_window(double end, double share, double later, double used);

/// Ends with the run, and at a moment.
[[nodiscard]] Interrupt until(Run& run, Clock::time_point end);

class Networks {
 public:
  /// Folds and networks to go on from are looked at when networks are trained.
  Networks(Run& run, std::size_t threads, const std::vector<Fold>& folds, const std::vector<NetworkStart>& starts)
      : run_(run), threads_(threads), folds_(folds), starts_(starts) {}

  /// Multiply-adds that all of them may take, of which ways have shares.
  void may_take(double operations) { operations_ = operations; }

  /// Networks that are trained at a time.
  [[nodiscard]] std::size_t at_once() const;

  /// Trains networks, side by side where rows are few; what comes out does not depend on it. Nothing for those that
  /// were not begun in time. One after the other, each may take all the time but that `reserved` and that of the next
  /// ones: what is nearly done is finished.
  std::vector<std::optional<TrainedNetwork>> train(const std::vector<Task>& tasks,
                                                   double rival = std::numeric_limits<double>::infinity(),
                                                   double reserved = 0.0);

  /// Of all that were to be trained, those that for lack of time were not begun, or led to nothing.
  [[nodiscard]] std::size_t not_begun() const { return not_begun_; }

 private:
  /// When a network must have ended: one that has still to be fitted to all rows, and one that has not.
  struct Ends {
    Clock::time_point planned, with_fit;
  };

  TrainedNetwork train_one(rows::RowWork& work, const Task& task, Interrupt& interrupt, const Ends& ends, double rival);
  [[nodiscard]] static std::string address_of(const Task& task);
  [[nodiscard]] double share_of_time(const Task& task) const;
  [[nodiscard]] bool cross_fitted() const { return folds_.size() > 1; }

  Run& run_;
  std::size_t threads_;
  const std::vector<Fold>& folds_;
  const std::vector<NetworkStart>& starts_;
  double operations_ = 0.0;
  std::size_t not_begun_ = 0;
  double networks_end_ = shares::networks;  ///< share of the time by which they must have ended
};

}  // namespace rfnn::training
