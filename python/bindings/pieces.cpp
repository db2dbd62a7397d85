// What rfnn.dask is made of: functions of some rows and of what is told them, which any worker may repeat, and the fits
// that ask for them. Rows on their way are records, arrays with a row per row: inputs, targets, weight, and how many
// rows of the table it stands for.

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "python/bindings/data.hpp"
#include "python/bindings/watch.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/data/canonical.hpp"
#include "rfnn/data/fingerprint.hpp"
#include "rfnn/options/table.hpp"
#include "rfnn/rows/ranks/task_pieces.hpp"
#include "rfnn/training/gathered_rows.hpp"
#include "rfnn/training/prepare.hpp"
#include "rfnn/training/ranks/fit_over_ranks.hpp"
#include "rfnn/training/ranks/rank_preparation.hpp"
#include "rfnn/training/ranks/records.hpp"
#include "rfnn/training/ranks/rounds.hpp"
#include "rfnn/training/standardise.hpp"
#include "rfnn/training/tuning.hpp"

namespace rfnn::python {
namespace {

using training::RecordShape;
using Names = std::vector<std::string>;

/// What all who work on one table know of it.
struct TableFacts {
  std::size_t inputs = 0, outputs = 0, rows = 0;
  bool weights_given = false;
  Names input_names, target_names;

  [[nodiscard]] RecordShape shape() const { return {inputs, outputs}; }
  [[nodiscard]] training::SharedTable shared() const { return {shape(), {rows}, weights_given}; }
  /// Nothing but the names.
  [[nodiscard]] DatasetView names() const { return {Columns(), Columns(), input_names, target_names}; }
};

nb::bytes as_bytes(const std::string& text) { return nb::bytes(text.data(), text.size()); }
std::string as_text(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

std::vector<std::string> as_texts(const nb::list& list) {
  std::vector<std::string> texts;
  for (const nb::handle each : list) texts.push_back(as_text(nb::cast<nb::bytes>(each)));
  return texts;
}

/// An array of Python that owns numbers, so many in a row.
nb::object array_of_rows(std::vector<double> numbers, std::size_t width) {
  auto owned = std::make_unique<std::vector<double>>(std::move(numbers));
  std::vector<double>& kept = *owned;
  const nb::capsule owner(owned.release(),
                          [](void* place) noexcept { delete static_cast<std::vector<double>*>(place); });
  const nb::ndarray<nb::numpy, double, nb::ndim<2>> array(kept.data(), {kept.size() / width, width}, owner);
  return nb::cast(array);
}

std::span<const double> numbers_of(const Array& array) {
  if (array.dtype() != nb::dtype<double>() || array.ndim() != 2 ||
      (array.size() > 0 && (array.stride(1) != 1 || array.stride(0) != static_cast<std::int64_t>(array.shape(1)))))
    throw UsageError("Records are no array of float64 that lies together.", "Give what the core has made.");
  return {static_cast<const double*>(array.data()), array.size()};
}

std::vector<double> copy_of(const Array& array) {
  const std::span<const double> numbers = numbers_of(array);
  return {numbers.begin(), numbers.end()};
}

// From the parts of a table to records in order.

nb::object extents(const Rows& rows) {
  std::vector<double> numbers;
  for (const Extent& extent : extents_of(rows.view())) numbers.insert(numbers.end(), {extent.low, extent.high});
  return array_of_rows(std::move(numbers), 2);
}

std::vector<bool> columns_vary(const Array& array) {
  std::vector<Extent> extents;
  const std::span<const double> numbers = numbers_of(array);
  for (std::size_t k = 0; k < numbers.size(); k += 2) extents.push_back({numbers[k], numbers[k + 1]});
  return varying(extents);
}

void check_part(const Rows& rows, const TableFacts& facts, std::size_t before) {
  const nb::gil_scoped_release free;
  training::check_part(rows.view(), training::names_or_default(facts.input_names, facts.inputs, "x"),
                       training::names_or_default(facts.target_names, facts.outputs, "y"), before);
}

/// The rows of a part by the bucket they belong to, a range of hashes.
nb::list sort_out(const Rows& rows, const std::vector<bool>& varies, std::size_t buckets) {
  const DatasetView& part = rows.view();
  const RecordShape shape{part.inputs.size(), part.targets.size()};
  std::vector<std::vector<double>> sorted(buckets);
  {
    const nb::gil_scoped_release free;
    constexpr std::size_t rows_at_once = 16384;
    for (std::size_t first = 0; first < part.rows(); first += rows_at_once) {
      const std::size_t count = std::min(rows_at_once, part.rows() - first);
      const auto [records, hashes] = training::hashed_records(part, first, count, shape, varies);
      for (std::size_t i = 0; i < count; ++i) {
        const auto record = records.begin() + static_cast<std::ptrdiff_t>(i * shape.width());
        if (!(record[static_cast<std::ptrdiff_t>(shape.weight())] > 0.0)) continue;
        __extension__ using Wide = unsigned __int128;
        std::vector<double>& bucket = sorted[static_cast<std::size_t>((static_cast<Wide>(hashes[i]) * buckets) >> 64)];
        if (bucket.capacity() == 0) bucket.reserve((part.rows() / buckets * 11 / 10 + 16) * shape.width());
        bucket.insert(bucket.end(), record, record + static_cast<std::ptrdiff_t>(shape.width()));
      }
    }
  }
  nb::list list;
  for (std::vector<double>& bucket : sorted) list.append(array_of_rows(std::move(bucket), shape.width()));
  return list;
}

/// A bucket, put together from what parts have for it.
nb::object put_in_order(const nb::list& parts, const TableFacts& facts, const std::vector<bool>& varies) {
  std::size_t all = 0;
  std::vector<Array> arrays;
  for (const nb::handle part : parts) all += arrays.emplace_back(nb::cast<Array>(part)).size();
  std::vector<double> records;
  records.reserve(all);
  for (const Array& array : arrays) {
    const std::span<const double> numbers = numbers_of(array);
    records.insert(records.end(), numbers.begin(), numbers.end());
  }
  {
    const nb::gil_scoped_release free;
    training::put_in_order(records, facts.shape(), varies);
  }
  return array_of_rows(std::move(records), facts.shape().width());
}

/// The fingerprint of columns that come part after part; `state`: where the parts before have got to, `begin`: rows and
/// columns in all, where these columns begin. The state behind the part, and the fingerprint so far.
nb::tuple fingerprint_part(const Array& array, const std::optional<nb::bytes>& state,
                           const std::optional<std::vector<std::size_t>>& begin) {
  const Columns columns = columns_of(array);
  Fingerprint so_far = state ? Fingerprint(as_text(*state)) : Fingerprint();
  {
    const nb::gil_scoped_release free;
    if (begin) so_far.begin(begin->at(0), begin->at(1));
    so_far.add(columns);
  }
  return nb::make_tuple(as_bytes(so_far.state()), so_far.text());
}

// The description of the table, in rounds.

/// Records of a rank; none: who asks, rank 0. Returns what the rank has to tell the others, or None and, where it is
/// rank 0, the model and whether the target varies, else the records to train on and those held out.
nb::tuple describe(const std::optional<Array>& array, std::size_t rank, const nb::list& heard, const TableFacts& facts,
                   std::size_t ordered_rows, std::size_t ranks, const Options& options, const Rows* validation,
                   const Model* start) {
  std::vector<std::vector<std::string>> rounds;
  for (const nb::handle round : heard) rounds.push_back(as_texts(nb::cast<nb::list>(round)));
  training::RoundRank own(rank, ranks, std::move(rounds));
  FitExtras extras;
  extras.ranks = &own;
  extras.start = start;
  if (validation != nullptr) extras.validation = validation->view();
  Model model;
  model.options = options;
  training::Records records;
  if (array) records.push_back(copy_of(*array));
  training::DescribedRecords described;
  std::optional<std::string> says;
  {
    const nb::gil_scoped_release free;
    try {
      described =
          training::describe_records(records, facts.shared(), ordered_rows, facts.names(), options, extras, model);
    } catch (const training::RoundRank::Says& round) {
      says = round.message;
    }
  }
  if (says) return nb::make_tuple(as_bytes(*says), nb::none(), nb::none());
  if (!array) return nb::make_tuple(nb::none(), std::move(model), described.target_varies);
  const bool held = !described.held_out.empty();
  const std::size_t width = facts.shape().width();
  return nb::make_tuple(nb::none(), held ? array_of_rows(std::move(records.front()), width) : nb::none(),
                        held ? array_of_rows(std::move(described.held_out.front()), width) : nb::none());
}

// Pieces.

/// Bytes of the model's columns and scaler alone.
nb::bytes scales_of(const Model& model) {
  Model scales;
  scales.options = model.options;
  scales.inputs = model.inputs;
  scales.targets = model.targets;
  scales.scaler = model.scaler;
  scales.members.resize(1);
  return as_bytes(model_to_bytes(scales));
}

/// A piece's rows as they are before any block.
struct Piece {
  std::optional<rows::RowState> rows;
  double weight = 0.0;  ///< the sum of those given
};

/// `parts`: records in order.
Piece piece_of(const nb::list& parts, const TableFacts& facts, const nb::bytes& scales, bool weighted) {
  std::vector<double> records;
  for (const nb::handle part : parts) {
    const std::span<const double> numbers = numbers_of(nb::cast<Array>(part));
    records.insert(records.end(), numbers.begin(), numbers.end());
  }
  const Model model = model_from_bytes(as_text(scales), "the scales of a fit");
  const nb::gil_scoped_release free;
  const DatasetView table = facts.shape().view(records);
  std::vector<double> weights(table.rows());
  table.weights->read(0, weights.size(), weights.data());
  Piece piece;
  piece.weight = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (!weighted) weights.clear();
  piece.rows = rows::RowState(training::scaled_rows(table, model, {}, weights));
  return piece;
}

/// The pieces are taken.
std::unique_ptr<rows::PieceRun> run_of_pieces(std::size_t first, const std::vector<Piece*>& pieces,
                                              std::vector<double> scales, std::vector<std::size_t> cuts,
                                              std::size_t threads) {
  std::vector<rows::RowState> states;
  for (Piece* piece : pieces) {
    states.push_back(std::move(*piece->rows));
    piece->rows.reset();
  }
  return std::make_unique<rows::PieceRun>(first, std::move(states), std::move(scales), std::move(cuts), threads);
}

nb::bytes answer_of(rows::PieceRun& run, const nb::bytes& bytes) {
  const std::string message = as_text(bytes);
  std::string answer;
  {
    const nb::gil_scoped_release free;
    answer = run.answer(message);
  }
  return as_bytes(answer);
}

// The fits.

/// What ends a fit whose passes cannot be made any more; Python's exception is kept elsewhere.
struct PassFailed {};

FitExtras extras_of(Watch& watch, const Rows* validation, const Model* start, double seconds) {
  FitExtras extras;
  extras.observer = &watch;
  extras.start = start;
  if (validation != nullptr) extras.validation = validation->view();
  extras.started = std::chrono::steady_clock::now() - std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                                          std::chrono::duration<double>(seconds));
  return extras;
}

/// Preset paper. `ask(message, log, poll)` has a pass made: it returns what the tasks have answered, tuples of the
/// first of their pieces, the one behind the last and bytes, or None where poll() said that the run ends. What it
/// raises ends the run too; a KeyboardInterrupt it has to give to `end` and go on.
nb::tuple fit_pieces(const nb::callable& ask, Model described, bool target_varies, bool weighted,
                     const std::optional<Array>& held_out, const TableFacts& facts, std::size_t rows,
                     const Options& options, const Rows* validation, const Model* start, nb::object watcher, bool named,
                     double seconds, const std::string& fingerprint) {
  Watch watch(std::move(watcher), nullptr);
  FitExtras extras = extras_of(watch, validation, start, seconds);
  std::optional<Model> so_far;
  extras.checkpoint = [&](const Model& model) {
    so_far = model;
    watch.checkpoint(model);
  };
  const auto placed = [&](Model model) {
    if (start == nullptr) note_places(model, {}, named);
    return model;
  };
  const DatasetView names = facts.names();
  training::PreparedRanks prepared;
  prepared.shape = facts.shape();
  prepared.weighted = weighted;
  prepared.target_varies = target_varies;
  if (held_out) prepared.held_out = copy_of(*held_out);
  std::unique_ptr<rows::TaskPieces> pieces;
  const auto asked = [&](const std::string& message, std::vector<rows::TaskPieces::Answer>& answers,
                         Interrupt& interrupt) {
    const nb::gil_scoped_acquire lock;
    try {
      const auto log = nb::cpp_function([&] {
        nb::list list;
        for (const std::string& each : pieces->log().messages()) list.append(as_bytes(each));
        return list;
      });
      const auto poll = nb::cpp_function([&] { return interrupt.proceed(); });
      const auto end = nb::cpp_function([&](nb::object exception) { watch.end(std::move(exception)); });
      const nb::object answer = ask(as_bytes(message), log, poll, end);
      if (answer.is_none()) return false;
      for (const nb::handle each : nb::cast<nb::list>(answer)) {
        const nb::tuple parts = nb::cast<nb::tuple>(each);
        answers.push_back(
            {nb::cast<std::size_t>(parts[0]), nb::cast<std::size_t>(parts[1]), as_text(nb::cast<nb::bytes>(parts[2]))});
      }
    } catch (nb::python_error& error) {
      watch.end(nb::borrow(error.value()));
      throw PassFailed();
    }
    return true;
  };
  nb::object model = nb::none();
  try {
    Model trained = [&] {
      const nb::gil_scoped_release free;
      validate(options);
      const std::vector<std::size_t> cuts = rows::piece_cuts(rows);
      pieces = std::make_unique<rows::TaskPieces>(rows, cuts.size() - 1, facts.outputs, asked,
                                                  static_cast<std::size_t>(options.threads));
      rows::RanksWork work(*pieces);
      training::Run run(names, options, extras);
      run.model = std::move(described);
      run.model.data_fingerprint = fingerprint;
      return placed(training::train_on_spread(run, work, 1, prepared));
    }();
    model = nb::cast(std::move(trained));
  } catch (const PassFailed&) {
    if (so_far) model = nb::cast(placed(*std::move(so_far)));
  }
  return nb::make_tuple(model, watch.exception());
}

/// How many of so many rows preset auto uses, in so many threads.
std::size_t rows_used(const TableFacts& facts, std::size_t rows, Options options, int threads) {
  options.threads = threads;
  return training::rows_used(facts.shape(), rows, options);
}

/// Preset auto, on the first `most` records in order of `in_all`.
nb::tuple fit_records(const nb::list& parts, std::size_t most, const TableFacts& facts, std::size_t in_all,
                      bool weighted, const Options& given, const Rows* validation, const Model* start,
                      nb::object watcher, bool named, double seconds, const std::string& fingerprint) {
  Watch watch(std::move(watcher), nullptr);
  const FitExtras extras = extras_of(watch, validation, start, seconds);
  const Options options = options_along_time(given, {});
  std::vector<double> records;
  const std::size_t wanted = most * facts.shape().width();
  records.reserve(wanted);
  for (const nb::handle part : parts) {
    const std::span<const double> numbers = numbers_of(nb::cast<Array>(part));
    const std::size_t count = std::min(numbers.size(), wanted - records.size());
    records.insert(records.end(), numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(count));
  }
  Model model = [&] {
    const nb::gil_scoped_release free;
    validate(options);
    training::GatheredRows gathered{records, facts.shape(), in_all, weighted, ""};
    if (most < std::min(in_all, training::tuning::most_rows)) gathered.fewer(most, options);
    Model trained = training::fit_to_gathered(gathered, facts.names(), options, extras);
    trained.data_fingerprint = fingerprint;
    if (start == nullptr) note_places(trained, {}, named);
    return trained;
  }();
  return nb::make_tuple(std::move(model), watch.exception());
}

}  // namespace

void bind_pieces(nb::module_& module) {
  nb::class_<TableFacts>(module, "TableFacts", "What all who work on parts of one table know of it.")
      .def(
          "__init__",
          [](TableFacts* self, Names input_names, Names target_names, std::size_t inputs, std::size_t outputs,
             std::size_t rows, bool weights_given) {
            new (self)
                TableFacts{inputs, outputs, rows, weights_given, std::move(input_names), std::move(target_names)};
          },
          nb::arg("input_names"), nb::arg("target_names"), nb::arg("inputs"), nb::arg("outputs"), nb::arg("rows"),
          nb::arg("weights_given"))
      .def_ro("rows", &TableFacts::rows)
      .def("__getstate__",
           [](const TableFacts& self) {
             return nb::make_tuple(self.input_names, self.target_names, self.inputs, self.outputs, self.rows,
                                   self.weights_given);
           })
      .def("__setstate__", [](TableFacts& self, const nb::tuple& state) {
        new (&self) TableFacts{nb::cast<std::size_t>(state[2]), nb::cast<std::size_t>(state[3]),
                               nb::cast<std::size_t>(state[4]), nb::cast<bool>(state[5]),
                               nb::cast<Names>(state[0]),       nb::cast<Names>(state[1])};
      });
  module.def("extents", &extents, nb::arg("rows"), "Least and largest value of every column, inputs then targets.");
  module.def("columns_vary", &columns_vary, nb::arg("extents"),
             "Which columns tell rows apart, by those of all parts.");
  module.def("check_part", &check_part, nb::arg("rows"), nb::arg("facts"), nb::arg("before"),
             "Refuses numbers and weights that are none; `before`: rows of the table before this part.");
  module.def("sort_out", &sort_out, nb::arg("rows"), nb::arg("varies"), nb::arg("buckets"),
             "The rows of a part as records, by the bucket they belong to.");
  module.def("put_in_order", &put_in_order, nb::arg("parts"), nb::arg("facts"), nb::arg("varies"),
             "The records of a bucket in the order of a fit, equal ones merged.");
  module.def("fingerprint_part", &fingerprint_part, nb::arg("columns"), nb::arg("state").none(),
             nb::arg("begin").none(), "The fingerprint of columns that come part after part.");
  module.def("describe_records", &describe, nb::arg("records").none(), nb::arg("rank"), nb::arg("heard"),
             nb::arg("facts"), nb::arg("ordered_rows"), nb::arg("ranks"), nb::arg("options"),
             nb::arg("validation").none() = nb::none(), nb::arg("start").none() = nb::none(),
             "A round of the description of a table: what this rank says to all, or what it has come to.");
  module.def("scales", &scales_of, nb::arg("model"), "Columns and scaler of a model as bytes.");
  module.def("rows_used", &rows_used, nb::arg("facts"), nb::arg("rows"), nb::arg("options"), nb::arg("threads"),
             "How many of so many rows preset auto uses, within the option for memory.");
  module.def("piece_cuts", &rows::piece_cuts, nb::arg("rows"), "How so many rows are cut into pieces.");
  nb::class_<Piece>(module, "Piece", "A piece's rows as they are before any block.")
      .def_ro("weight", &Piece::weight, "the sum of the rows' weights")
      .def_prop_ro("taken", [](const Piece& self) { return !self.rows; });
  module.def("piece", &piece_of, nb::arg("parts"), nb::arg("facts"), nb::arg("scales"), nb::arg("weighted"),
             "A piece of its records.");
  nb::class_<rows::PieceRun>(module, "PieceRun", "Pieces, one after the other, and what messages have made of them.")
      .def("answer", &answer_of, nb::arg("message"), "Does what a message asks for; the sums it comes to.");
  module.def("run_of_pieces", &run_of_pieces, nb::arg("first"), nb::arg("pieces"), nb::arg("scales"), nb::arg("cuts"),
             nb::arg("threads"), "Takes pieces, of which the first has this number.");
  module.def("fit_pieces", &fit_pieces, nb::arg("ask"), nb::arg("described"), nb::arg("target_varies"),
             nb::arg("weighted"), nb::arg("held_out").none(), nb::arg("facts"), nb::arg("rows"), nb::arg("options"),
             nb::arg("validation").none(), nb::arg("start").none(), nb::arg("watcher").none(), nb::arg("named"),
             nb::arg("seconds"), nb::arg("fingerprint"),
             "Trains by asking for passes; the model, or None, and the exception that ended the training early.");
  module.def("fit_records", &fit_records, nb::arg("parts"), nb::arg("most"), nb::arg("facts"), nb::arg("in_all"),
             nb::arg("weighted"), nb::arg("options"), nb::arg("validation").none(), nb::arg("start").none(),
             nb::arg("watcher").none(), nb::arg("named"), nb::arg("seconds"), nb::arg("fingerprint"),
             "Trains on records in order.");
}

}  // namespace rfnn::python
