#include "rfnn/training/limited/fit_within_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "rfnn/core/error.hpp"
#include "rfnn/data/split.hpp"
#include "rfnn/data/statistics.hpp"
#include "rfnn/training/budget.hpp"
#include "rfnn/training/gathered_rows.hpp"
#include "rfnn/training/limited/sorted_rows.hpp"
#include "rfnn/training/memory.hpp"
#include "rfnn/training/network_training.hpp"
#include "rfnn/training/run.hpp"
#include "rfnn/training/standardise.hpp"
#include "rfnn/training/tuning.hpp"

namespace rfnn::training {
namespace {

constexpr std::size_t rows_at_once = 4096;

/// What the numbers of a column take, in memory and of that in files.
void count_bytes(const Columns& columns, RunSizes& sizes) {
  for (const ColumnView& column : columns) {
    const double bytes =
        static_cast<double>(columns.rows()) * (column.type() == NumberType::float64 ? sizeof(double) : sizeof(float));
    sizes.data_bytes += bytes;
    if (column.pages() != nullptr) sizes.file_bytes += bytes;
  }
}

void check_supported(const Options& options, const FitExtras& extras) {
  if (!extras.rows_per_block.empty())
    throw UsageError("Rows were given per block, and not all rows fit into the memory allowed.",
                     "Give more memory, or let blocks choose their rows by block-rows.");
  if (options.holdout != Holdout::random && options.validation_fraction > 0.0)
    throw UsageError("holdout tail and gap need all rows in memory, which is not enough for them.",
                     "Give more memory, hold out rows at random, or give validation data.");
}

/// The numbers that some rows draw (data/split.hpp).
std::vector<std::uint64_t> draws_of(const StoredRecords& rows, const RecordShape& shape, std::size_t first,
                                    std::uint64_t seed, std::vector<double>& records) {
  records = rows.read(first, std::min(rows_at_once, rows.rows() - first));
  std::vector<std::size_t> places(shape.rows(records));
  std::iota(places.begin(), places.end(), std::size_t{0});
  return holdout_draws(shape.view(records).inputs, places, seed);
}

/// Which draws are held out. Two bytes at a time from the highest: how many of the draws that begin as the one looked
/// for have which next.
HoldoutCut cut_of(const StoredRecords& rows, const RecordShape& shape, std::size_t wanted, std::uint64_t seed) {
  std::uint64_t draw = 0;
  std::size_t below = 0, up_to = 0;
  std::vector<double> records;
  for (int shift = 48; shift >= 0; shift -= 16) {
    std::vector<std::size_t> counts(std::size_t{1} << 16U, 0);
    for (std::size_t first = 0; first < rows.rows(); first += rows_at_once)
      for (const std::uint64_t each : draws_of(rows, shape, first, seed, records))
        if (shift == 48 || (each >> (shift + 16)) == (draw >> (shift + 16))) ++counts[(each >> shift) & 0xffffU];
    std::uint64_t next = 0;
    while (below + counts[next] <= wanted) below += counts[next++];
    draw |= next << shift;
    up_to = below + counts[next];
  }
  return holdout_cut(draw, below, up_to, rows.rows(), wanted);
}

/// The rows to train on and those held out, each in order.
std::pair<StoredRecords, StoredRecords> divided(const StoredRecords& rows, const RecordShape& shape,
                                                const HoldoutCut& cut, std::uint64_t seed) {
  std::pair<StoredRecords, StoredRecords> sides{StoredRecords(shape), StoredRecords(shape)};
  std::vector<double> records, train, held;
  for (std::size_t first = 0; first < rows.rows(); first += rows_at_once) {
    const std::vector<std::uint64_t> draws = draws_of(rows, shape, first, seed, records);
    train.clear();
    held.clear();
    for (std::size_t i = 0; i < draws.size(); ++i) {
      const auto record = records.begin() + static_cast<std::ptrdiff_t>(i * shape.width());
      std::vector<double>& side = cut.holds_out(draws[i]) ? held : train;
      side.insert(side.end(), record, record + static_cast<std::ptrdiff_t>(shape.width()));
    }
    sides.first.append(train);
    sides.second.append(held);
  }
  sides.first.close();
  sides.second.close();
  return sides;
}

/// The columns of the model, by the rows it is trained on; of those that vary among others alone, by all.
bool describe(const DatasetView& train, std::span<const double> weights, const DatasetView& all,
              std::span<const double> all_weights, const DatasetView& data, const Options& options, Model& model) {
  const auto statistics_of = [&](const Columns& columns, const Columns& of_all) {
    std::vector<ColumnStatistics> statistics = column_statistics(columns, {}, weights);
    if (columns.rows() == of_all.rows() ||
        std::none_of(statistics.begin(), statistics.end(), [](const ColumnStatistics& s) { return s.constant; }))
      return statistics;
    const std::vector<ColumnStatistics> wider = column_statistics(of_all, {}, all_weights);
    for (std::size_t k = 0; k < statistics.size(); ++k)
      if (statistics[k].constant) statistics[k] = wider[k];
    return statistics;
  };
  const auto input_names = names_or_default(data.input_names, data.inputs.size(), "x");
  const auto target_names = names_or_default(data.target_names, data.targets.size(), "y");
  return standardise({statistics_of(train.inputs, all.inputs), input_names},
                     {statistics_of(train.targets, all.targets), target_names}, data.rows(), options, model);
}

/// prepare() (training/prepare.hpp) and the states of the rows, in files.
class RowsOnDisk {
 public:
  RowsOnDisk(Run& run, const MemoryPlan& plan) : run_(run), plan_(plan) {}

  /// Null states where training does not begin.
  void prepare(rows::RowState& train, rows::RowState& held_out, PreparedRows& prepared) {
    const DatasetView& data = run_.data;
    const Options& options = run_.options;
    Model& model = run_.model;
    check_rows(data, "data");
    check_validation(run_.extras, options, data.inputs.size(), data.targets.size(),
                     names_or_default(data.input_names, data.inputs.size(), "x"),
                     names_or_default(data.target_names, data.targets.size(), "y"));
    const RecordShape shape{data.inputs.size(), data.targets.size()};
    StoredRecords sorted = sorted_rows(data, plan_.sorting, run_.interrupt);
    prepared.cut_short = run_.interrupt.stopped();
    if (prepared.cut_short) {  // columns and the mean are of the rows as they are listed
      if (run_.extras.start != nullptr)
        take_columns(*run_.extras.start, data.inputs.size(), data.targets.size(), model);
      else
        describe(data, {}, data, {}, data, options, model);
      model.data_fingerprint = fingerprint(data.inputs, data.targets);
      return;
    }
    const std::size_t wanted =
        run_.extras.validation ? 0 : rows_to_hold_out(sorted.rows(), held_out_share(options, sorted.rows()));
    std::optional<std::pair<StoredRecords, StoredRecords>> sides;
    if (wanted > 0) {
      sides = divided(sorted, shape, cut_of(sorted, shape, wanted, options.seed), options.seed);
      if (sides->second.rows() == 0)
        model.warnings.push_back(
            "No row could be held out for validation: too few rows, or all of them have the same inputs.");
    }
    const StoredRecords& trained = sides ? sides->first : sorted;
    const DatasetView view = trained.view();
    // Do they count alike? That is asked of all rows.
    const bool weighted = sorted.weighted();
    const std::vector<double> all_weights = sides && weighted ? sorted.weights() : std::vector<double>();
    const std::vector<double> weights = weighted ? weights_of(trained) : std::vector<double>();
    if (run_.extras.start != nullptr) {
      take_columns(*run_.extras.start, data.inputs.size(), data.targets.size(), model);
      prepared.target_varies = true;
    } else {
      prepared.target_varies = describe(view, weights, sorted.view(), all_weights, data, options, model);
    }
    model.train_rows = trained.rows_behind();
    model.history.empty_train_mse = mean_alone(view.targets, model.targets, {}, weights);
    train = rows::RowState(scaled_rows(view, model, {}, weights), rows::Storage::disk);
    if (run_.extras.validation) {
      const DatasetView& validation = *run_.extras.validation;
      const CanonicalRows given = canonical_rows(validation);
      model.validation_rows = given.rows_behind(given.order);
      model.history.empty_validation_mse = mean_alone(validation.targets, model.targets, given.order, given.weights);
      held_out = rows::RowState(scaled_rows(validation, model, given.order, given.weights), rows::Storage::disk);
    } else if (sides && sides->second.rows() > 0) {
      const DatasetView held = sides->second.view();
      const std::vector<double> held_weights = weighted ? weights_of(sides->second) : std::vector<double>();
      model.validation_rows = sides->second.rows_behind();
      model.history.empty_validation_mse = mean_alone(held.targets, model.targets, {}, held_weights);
      held_out = rows::RowState(scaled_rows(held, model, {}, held_weights), rows::Storage::disk);
    }
    model.data_fingerprint = fingerprint(data.inputs, data.targets);
    prepared.train = shape_of(train);
  }

 private:
  /// Of rows some of which do not count as others do, where perhaps none of these is among them.
  static std::vector<double> weights_of(const StoredRecords& rows) {
    std::vector<double> weights = rows.weights();
    weights.resize(rows.rows(), 1.0);
    return weights;
  }

  Run& run_;
  const MemoryPlan& plan_;
};

/// Rows of which not all count alike have their weights in memory, six times over while a block begins.
void check_weights_fit(const rows::RowState& train, const MemoryPlan& plan, const Options& options) {
  if (!train.weighted() || options.memory == 0.0) return;
  const double least = 1.25 * (plan.need.total() + 48.0 * static_cast<double>(train.count()));
  if (least > options.memory)
    throw UsageError(fmt::format("Rows that do not all count alike, by their weights or because some are equal, need "
                                 "about {} of memory.",
                                 size_text(least)),
                     "Give so much --memory.");
}

}  // namespace

RunSizes sizes_of(const DatasetView& data, const Options& options, const FitExtras& extras) {
  RunSizes sizes;
  sizes.rows = data.rows();
  sizes.inputs = data.inputs.size();
  sizes.outputs = data.targets.size();
  sizes.threads = threads_of(options);
  count_bytes(data.inputs, sizes);
  count_bytes(data.targets, sizes);
  if (data.weights) count_bytes(Columns(data.rows(), {*data.weights}), sizes);
  if (extras.validation) {
    sizes.validation_rows = extras.validation->rows();
    count_bytes(extras.validation->inputs, sizes);
    count_bytes(extras.validation->targets, sizes);
  }
  return sizes;
}

Model fit_on_disk(const DatasetView& data, const Options& options, const FitExtras& extras, const MemoryPlan& plan) {
  check_supported(options, extras);
  Run run(data, options, extras);
  run.model.options = options;
  run.supervision.tell(0, 0, "putting the rows in order on disk");
  const auto work = rows::make_row_work(rows::Implementation::threads, threads_of(options));
  SpreadFit spread{*work, {}, {}, {}};
  run.attend([&] { RowsOnDisk(run, plan).prepare(spread.train, spread.held_out, spread.prepared); });
  check_weights_fit(spread.train, plan, options);
  run.spread = &spread;
  return fit_as_published(run);
}

Model fit_to_some(const DatasetView& data, const Options& options, const FitExtras& extras, const MemoryPlan& plan) {
  FitExtras timed = extras;
  if (!timed.started) timed.started = std::chrono::steady_clock::now();
  check_rows(data, "data");
  const RecordShape shape{data.inputs.size(), data.targets.size()};
  const std::vector<double> records = first_rows(data, plan.rows);
  GatheredRows gathered{records, shape, data.rows(), false, ""};
  for (std::size_t at = shape.weight(); at < records.size(); at += shape.width())
    gathered.weighted = gathered.weighted || records[at] != 1.0;
  if (plan.rows < std::min(data.rows(), tuning::most_rows)) gathered.fewer(shape.rows(records), options);
  Model model = fit_to_gathered(gathered, data, options, timed);
  model.data_fingerprint = fingerprint(data.inputs, data.targets);
  return model;
}

std::optional<Model> fit_within_memory(const DatasetView& data, const Options& options, const FitExtras& extras) {
  if (options.memory == 0.0 || options.blocks == 0) return std::nullopt;
  const MemoryPlan plan = memory_plan(options, sizes_of(data, options, extras));
  if (plan.on_disk) return fit_on_disk(data, options, extras, plan);
  if (options.preset != Preset::automatic || plan.rows == data.rows()) return std::nullopt;
  return fit_to_some(data, options, extras, plan);
}

}  // namespace rfnn::training
