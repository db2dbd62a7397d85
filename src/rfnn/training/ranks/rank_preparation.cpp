#include "rfnn/training/ranks/rank_preparation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "rfnn/core/error.hpp"
#include "rfnn/data/fingerprint.hpp"
#include "rfnn/data/split.hpp"
#include "rfnn/training/limited/fit_within_memory.hpp"
#include "rfnn/training/prepare.hpp"
#include "rfnn/training/ranks/agreement.hpp"
#include "rfnn/training/ranks/placing.hpp"
#include "rfnn/training/ranks/rank_memory.hpp"
#include "rfnn/training/ranks/rank_statistics.hpp"
#include "rfnn/training/standardise.hpp"

namespace rfnn::training {
namespace {

void check_columns(const DatasetView& part) {
  if (part.inputs.rows() != part.targets.rows())
    throw UsageError("There are " + std::to_string(part.inputs.rows()) + " rows of inputs but " +
                         std::to_string(part.targets.rows()) + " rows of targets.",
                     "Give both the same number of rows.");
  if (part.inputs.size() == 0)
    throw UsageError("The data have no input column.", "Give at least one besides the target.");
  if (part.targets.size() == 0) throw UsageError("The data have no target column.", "Name at least one target.");
}

std::vector<std::size_t> all_places(std::size_t rows) {
  std::vector<std::size_t> places(rows);
  std::iota(places.begin(), places.end(), std::size_t{0});
  return places;
}

/// Takes the rows to hold out from the records, which keep the others; both stay in order.
Records hold_out(Records& records, const RecordShape& shape, std::size_t rows, const Options& options,
                 Communicator& ranks) {
  const std::size_t wanted = rows_to_hold_out(rows, held_out_share(options, rows));
  if (wanted == 0) return {};
  std::vector<std::vector<std::uint64_t>> draws;
  for (const std::vector<double>& some : records) {
    const DatasetView table = shape.view(some);
    draws.push_back(holdout_draws(table.inputs, all_places(table.rows()), options.seed));
  }
  const DrawPlace place = place_of(draws, wanted, ranks);
  const HoldoutCut cut = holdout_cut(place.draw, place.below, place.up_to, rows, wanted);
  Records held_out;
  for (std::size_t b = 0; b < records.size(); ++b) {
    std::vector<double> train, held;
    for (std::size_t row = 0; row < draws[b].size(); ++row) {
      std::vector<double>& side = cut.holds_out(draws[b][row]) ? held : train;
      const auto first = records[b].begin() + static_cast<std::ptrdiff_t>(row * shape.width());
      side.insert(side.end(), first, first + static_cast<std::ptrdiff_t>(shape.width()));
    }
    train.shrink_to_fit();
    records[b] = std::move(train);
    held_out.push_back(std::move(held));
  }
  return held_out;
}

/// Mean squared error of the model's means, mean over outputs, by statistics of the rows.
double mean_alone(const std::vector<ColumnStatistics>& statistics, const RecordShape& shape, const Model& model) {
  double sum = 0.0;
  for (std::size_t o = 0; o < shape.outputs; ++o) {
    const ColumnStatistics& s = statistics[shape.inputs + o];
    const double off = s.mean - model.targets[o].mean;
    sum += s.sd * s.sd + off * off;
  }
  return sum / static_cast<double>(shape.outputs);
}

void describe(const std::vector<ColumnStatistics>& statistics, const RecordShape& shape, std::size_t rows,
              const DatasetView& part, const Options& options, Model& model, bool& target_varies) {
  const auto input_names = names_or_default(part.input_names, shape.inputs, "x");
  const auto target_names = names_or_default(part.target_names, shape.outputs, "y");
  const auto targets = statistics.begin() + static_cast<std::ptrdiff_t>(shape.inputs);
  target_varies = standardise({{statistics.begin(), targets}, input_names}, {{targets, statistics.end()}, target_names},
                              rows, options, model);
}

}  // namespace

std::uint64_t rows_behind(const Records& records, const RecordShape& shape, Communicator& ranks) {
  std::uint64_t own = 0;
  for (const std::vector<double>& some : records)
    for (std::size_t at = shape.copies(); at < some.size(); at += shape.width())
      own += static_cast<std::uint64_t>(some[at]);
  const std::vector<std::uint64_t> counts = gather_counts(ranks, own);
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

OrderedTable::OrderedTable(const DatasetView& part, const Options& options, const FitExtras& extras) {
  Communicator& ranks = *extras.ranks;
  agree(ranks, [&] { check_columns(part); });
  table = agree_on_table(part, ranks);
  const auto input_names = names_or_default(part.input_names, table.shape.inputs, "x");
  const auto target_names = names_or_default(part.target_names, table.shape.outputs, "y");
  agree(ranks, [&] {
    if (table.all_rows() == 0) throw InputError("The data have no rows.", "Give at least one row.");
    check_part(part, input_names, target_names, table.before(ranks.rank()));
    check_validation(extras, options, table.shape.inputs, table.shape.outputs, input_names, target_names);
    sizes = sizes_of(part, options, extras);
    sizes.rows = table.all_rows();
    if (rank_plan(options, sizes, ranks.size()).on_disk) storage = rows::Storage::disk;
  });
  records = canonical_records(part, table, ranks);
  const std::vector<std::uint64_t> counts = gather_counts(ranks, count_of(records, table.shape));
  sizes.rows = rows = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  if (rows == 0)
    throw OfAll<InputError>("All rows of the data have weight 0.", "Give at least one row a weight above 0.");
  weighted = table.weights_given || rows_behind(records, table.shape, ranks) != rows;
}

DescribedRecords describe_records(Records& records, const SharedTable& table, std::size_t rows, const DatasetView& part,
                                  const Options& options, const FitExtras& extras, Model& model) {
  Communicator& ranks = *extras.ranks;
  const RecordShape shape = table.shape;
  DescribedRecords found;
  Records& held_out = found.held_out;
  const auto given = gather_counts(ranks, extras.validation ? 1 : 0);
  const bool validation_given = given.front() != 0;
  if (!validation_given) held_out = hold_out(records, shape, rows, options, ranks);

  std::vector<ColumnStatistics> statistics = statistics_of_all({&records}, shape, ranks);
  if (extras.start != nullptr) {
    take_columns(*extras.start, shape.inputs, shape.outputs, model);
    found.target_varies = true;
  } else {
    std::vector<ColumnStatistics> described = statistics;
    if (std::any_of(described.begin(), described.end(), [](const auto& s) { return s.constant; })) {
      const std::vector<ColumnStatistics> of_all = statistics_of_all({&records, &held_out}, shape, ranks);
      for (std::size_t k = 0; k < described.size(); ++k)
        if (described[k].constant) described[k] = of_all[k];
    }
    describe(described, shape, table.all_rows(), part, options, model, found.target_varies);
  }
  model.train_rows = rows_behind(records, shape, ranks);
  model.history.empty_train_mse = mean_alone(statistics, shape, model);
  const std::uint64_t rows_held_out = rows_behind(held_out, shape, ranks);
  if (rows_held_out > 0) {
    model.validation_rows = rows_held_out;
    model.history.empty_validation_mse = mean_alone(statistics_of_all({&held_out}, shape, ranks), shape, model);
  }
  return found;
}

PreparedRanks prepare_ranks(OrderedTable& ordered, const DatasetView& part, const Options& options,
                            const FitExtras& extras, Model& model) {
  Communicator& ranks = *extras.ranks;
  const RecordShape shape = ordered.table.shape;
  Records& records = ordered.records;
  PreparedRanks prepared;
  prepared.shape = shape;
  prepared.weighted = ordered.weighted;
  {
    DescribedRecords described = describe_records(records, ordered.table, ordered.rows, part, options, extras, model);
    prepared.target_varies = described.target_varies;
    if (model.validation_rows > 0)
      prepared.held_out = first_records(std::move(described.held_out), shape, ordered.rows, ranks);
  }
  model.data_fingerprint = fingerprint_of_all(part, ordered.table, ranks);
  prepared.train = place_records(records, shape, model, ordered.weighted, ordered.storage, ranks);
  return prepared;
}

// From rank to rank, once for the inputs and once for the targets.
std::string fingerprint_of_all(const DatasetView& part, const SharedTable& table, Communicator& ranks) {
  const std::size_t here = ranks.rank(), last = ranks.size() - 1;
  std::string text, state = Fingerprint().state();
  for (const Columns* columns : {&part.inputs, &part.targets}) {
    if (here > 0) state = ranks.receive(here - 1);
    Fingerprint so_far(state);
    if (here == 0) so_far.begin(table.all_rows(), columns->size());
    so_far.add(*columns);
    state = so_far.state();
    text = so_far.text();
    if (here < last) ranks.send(here + 1, state);
    if (here == last && last > 0 && columns == &part.inputs) ranks.send(0, state);
    if (here == 0 && last > 0 && columns == &part.inputs) state = ranks.receive(last);
  }
  return all_gather(ranks, text).back();
}

}  // namespace rfnn::training
