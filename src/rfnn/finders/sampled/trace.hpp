#pragma once

// Private header. What a chain leaves behind: its loss, and the frequencies it accepted.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "rfnn/model/history.hpp"

namespace rfnn::sampled {

struct BranchPlan;

/// The course of a chain, thinned so that it never holds more than `limit` points: when full, every second one goes
/// and from then on only every second iteration is noted.
class LossTrace {
 public:
  static constexpr std::size_t limit = 512;
  /// Is the point of this iteration going to be kept when it is added?
  [[nodiscard]] bool wants(std::int64_t iteration) const { return iteration % stride_ == 0; }
  void add(const TracePoint& point);
  [[nodiscard]] const std::vector<TracePoint>& points() const { return points_; }

  template <class Archive>
  friend void fields(Archive& archive, LossTrace& trace) {
    archive(trace.points_, trace.stride_);
  }

 private:
  std::vector<TracePoint> points_;
  std::int64_t stride_ = 1;
};

/// Ends a chain when its best loss has fallen by less than a share `tolerance` over `window` iterations; never for
/// window 0.
class FlatRule {
 public:
  FlatRule(std::int64_t window, double tolerance) : window_(window), tolerance_(tolerance) {}
  /// `loss` after `iteration`.
  bool ends(std::int64_t iteration, double loss);

  /// Where it stands; the rule itself stays.
  template <class Archive>
  friend void fields(Archive& archive, FlatRule& rule) {
    archive(rule.since_, rule.level_, rule.started_);
  }

 private:
  std::int64_t window_;
  double tolerance_;
  std::int64_t since_ = 0;
  double level_ = 0.0;
  bool started_ = false;
};

/// Counts values in `bins` equal bins on a range that doubles, neighbouring bins merging, when a value falls outside.
class GrowingHistogram {
 public:
  static constexpr std::size_t bins = 256;
  /// [0, range) or, `symmetric`, [−range, range).
  GrowingHistogram(std::string variable, double range, bool symmetric);
  /// Values that are not finite are not counted.
  void add(double value);
  [[nodiscard]] Histogram histogram() const;

  /// The counts; of what they are is given.
  template <class Archive>
  friend void fields(Archive& archive, GrowingHistogram& histogram) {
    archive(histogram.range_, histogram.counts_);
  }

 private:
  void grow();
  std::string variable_;
  double range_;
  bool symmetric_;
  std::vector<std::uint64_t> counts_;
};

/// Histograms of a branch's accepted frequencies in the units of its variables: one each, and |ω| when there are
/// several.
class FrequencyCounter {
 public:
  explicit FrequencyCounter(const BranchPlan& plan);
  /// A frequency in standardised units.
  void add(const double* frequency);
  [[nodiscard]] std::vector<Histogram> histograms() const;

  template <class Archive>
  friend void fields(Archive& archive, FrequencyCounter& counter) {
    for (GrowingHistogram& histogram : counter.per_variable_) archive(histogram);
    for (GrowingHistogram& histogram : counter.norm_) archive(histogram);
  }

 private:
  std::vector<double> units_;
  std::vector<GrowingHistogram> per_variable_;
  std::vector<GrowingHistogram> norm_;  ///< none or one
};

}  // namespace rfnn::sampled
