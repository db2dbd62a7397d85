#include "rfnn/training/ranks/fit_over_ranks.hpp"

#include <algorithm>
#include <exception>
#include <span>
#include <utility>

#include "rfnn/core/error.hpp"
#include "rfnn/rows/ranks/ranks_work.hpp"
#include "rfnn/training/gathered_rows.hpp"
#include "rfnn/training/ranks/agreement.hpp"
#include "rfnn/training/ranks/rank_memory.hpp"
#include "rfnn/training/ranks/rank_preparation.hpp"
#include "rfnn/training/tuning.hpp"

namespace rfnn::training {
namespace {

void check_supported(const Options& options, const FitExtras& extras) {
  if (!extras.rows_per_block.empty())
    throw UsageError("Rows were given per block.", "Over several ranks blocks choose their rows by block-rows.");
  if (extras.base || (extras.start != nullptr && !extras.start->base.empty()))
    throw UsageError("The difference to a base is not learnt over several ranks.",
                     "Subtract it from the target beforehand, or fit with one process.");
  if (options.holdout != Holdout::random && options.preset != Preset::automatic)
    throw UsageError("holdout tail and gap need all rows in one place.",
                     "Over several ranks hold out rows at random, or give validation data.");
  if (extras.validation && extras.ranks->rank() != 0)
    throw UsageError("Validation data were given to a rank other than 0.", "Give them to rank 0 alone.");
}

// What rank 0 ends with: a failure, or the networks.

void put_columns(rows::Writer& out, const std::vector<Column>& columns) {
  out.put<std::uint64_t>(columns.size());
  for (const Column& column : columns) {
    out.put_text(column.name);
    out.put(column.position);
    for (const double number : {column.mean, column.sd, column.min, column.max}) out.put(number);
    out.put(column.used);
  }
}

std::vector<Column> get_columns(rows::Reader& in) {
  std::vector<Column> columns(in.get<std::uint64_t>());
  for (Column& column : columns) {
    column.name = in.get_text();
    column.position = in.get<std::size_t>();
    for (double* number : {&column.mean, &column.sd, &column.min, &column.max}) *number = in.get<double>();
    column.used = in.get<bool>();
  }
  return columns;
}

std::string success_text(const Model& model) {
  rows::Writer out;
  out.put('m');
  put_columns(out, model.inputs);
  put_columns(out, model.targets);
  out.put(model.stop_reason);
  out.put_text(model.stop_text);
  out.put_text(model.data_fingerprint);
  const Scaler& scaler = model.scaler;
  for (const auto* numbers :
       {&scaler.input_mean, &scaler.input_sd, &scaler.output_mean, &scaler.output_sd, &scaler.input_log_from})
    out.put_list(std::span<const double>(*numbers));
  out.put<std::uint64_t>(model.members.size());
  for (const Network& network : model.members) {
    out.put<std::uint64_t>(network.blocks.size());
    for (const Block& block : network.blocks) out.put_block(block);
  }
  return out.take();
}

void take_networks(const std::string& text, Model& model) {
  if (text.front() != 'm') rethrow(text);
  rows::Reader in(text);
  in.get<char>();
  model.inputs = get_columns(in);
  model.targets = get_columns(in);
  model.stop_reason = in.get<StopReason>();
  model.stop_text = in.get_text();
  model.data_fingerprint = in.get_text();
  Scaler& scaler = model.scaler;
  for (auto* numbers :
       {&scaler.input_mean, &scaler.input_sd, &scaler.output_mean, &scaler.output_sd, &scaler.input_log_from})
    *numbers = in.get_list<double>();
  model.members.resize(in.get<std::uint64_t>());
  for (Network& network : model.members) {
    network.blocks.resize(in.get<std::uint64_t>());
    for (Block& block : network.blocks) block = in.get_block();
  }
}

/// The held-out rows that are here, as a network sees them.
rows::RowState held_out_rows(const PreparedRanks& prepared, const FitExtras& extras, const Model& model) {
  if (extras.validation) {
    const CanonicalRows given = canonical_rows(*extras.validation);
    return rows::RowState(scaled_rows(*extras.validation, model, given.order, given.weights));
  }
  const DatasetView table = prepared.shape.view(prepared.held_out);
  if (table.rows() == 0) return {};
  std::vector<double> weights(table.rows());
  table.weights->read(0, weights.size(), weights.data());
  if (!prepared.weighted) weights.clear();
  return rows::RowState(scaled_rows(table, model, {}, weights));
}

void note_validation(const FitExtras& extras, Model& model) {
  if (!extras.validation) return;
  const CanonicalRows given = canonical_rows(*extras.validation);
  model.validation_rows = given.rows_behind(given.order);
  model.history.empty_validation_mse =
      mean_alone(extras.validation->targets, model.targets, given.order, given.weights);
}

Model paper_over_ranks(const DatasetView& part, const Options& options, const FitExtras& extras) {
  Communicator& ranks = *extras.ranks;
  Run run(part, options, extras);  // the clock begins
  run.model.options = options;
  if (ranks.rank() == 0) run.supervision.tell(0, 0, "handing the rows to the ranks");
  PreparedRanks prepared;
  {
    OrderedTable ordered(part, options, extras);
    prepared = prepare_ranks(ordered, part, options, extras, run.model);
  }
  rows::PieceHolder holder(ranks, threads_of(options));
  const std::uint64_t number = holder.hold(std::move(prepared.train));
  if (ranks.rank() != 0) {
    take_networks(holder.serve(), run.model);
    return std::move(run.model);
  }
  rows::RanksWork work(holder);
  try {
    Model model = train_on_spread(run, work, number, prepared);
    model.facts["ranks"] = std::to_string(ranks.size());
    work.finish(success_text(model));
    return model;
  } catch (const std::exception&) {
    const std::string text = failure_text();
    work.finish(text);
    rethrow_told(text);
  }
}

Model auto_over_ranks(const DatasetView& part, const Options& options, const FitExtras& extras) {
  Communicator& ranks = *extras.ranks;
  FitExtras timed = extras;
  if (!timed.started) timed.started = std::chrono::steady_clock::now();
  OrderedTable ordered(part, options, timed);
  const std::string fingerprint = fingerprint_of_all(part, ordered.table, ranks);
  const std::size_t usual = std::min(ordered.rows, tuning::most_rows);
  std::size_t most = 0;
  agree(ranks, [&] {  // rank 0 knows what it has room for
    if (ranks.rank() == 0) most = gathering_plan(options, ordered.sizes).rows;
  });
  most = gather_counts(ranks, most).front();
  const std::vector<double> records = first_records(std::move(ordered.records), ordered.table.shape, most, ranks);
  Model model;
  model.options = options;
  std::string text;
  if (ranks.rank() == 0) try {
      FitExtras alone = timed;
      alone.ranks = nullptr;
      GatheredRows gathered{records, ordered.table.shape, ordered.rows, ordered.weighted, ""};
      if (most < usual) gathered.fewer(most, options);
      model = fit_to_gathered(gathered, part, options, alone);
      model.data_fingerprint = fingerprint;
      model.facts["ranks"] = std::to_string(ranks.size());
      text = success_text(model);
    } catch (const std::exception&) {
      text = failure_text();
      ranks.broadcast(text);
      rethrow_told(text);
    }
  ranks.broadcast(text);
  if (ranks.rank() != 0) take_networks(text, model);
  return model;
}

}  // namespace

Model train_on_spread(Run& run, rows::RanksWork& work, std::uint64_t number, PreparedRanks& prepared) {
  note_validation(run.extras, run.model);
  SpreadFit spread{work,
                   work.rows(number, run.model.used_inputs(), run.model.outputs()),
                   held_out_rows(prepared, run.extras, run.model),
                   {}};
  prepared.held_out = {};
  spread.prepared.train = shape_of(spread.train);
  spread.prepared.target_varies = prepared.target_varies;
  run.spread = &spread;
  return fit_as_published(run);
}

Model fit_over_ranks(const DatasetView& part, const Options& options, const FitExtras& extras) {
  agree_on_options(*extras.ranks, options);  // ranks of other presets would wait for each other for ever
  agree(*extras.ranks, [&] { check_supported(options, extras); });
  return options.preset == Preset::automatic ? auto_over_ranks(part, options, extras)
                                             : paper_over_ranks(part, options, extras);
}

}  // namespace rfnn::training
