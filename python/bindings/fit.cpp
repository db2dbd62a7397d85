#include "rfnn/training/fit.hpp"

#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <nlohmann/json.hpp>

#include "python/bindings/watch.hpp"
#include "python/bindings/data.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/core/mpi_library.hpp"
#include "rfnn/io/json.hpp"
#include "rfnn/io/model_file.hpp"
#include "rfnn/io/resumption.hpp"
#include "rfnn/io/run_directory.hpp"
#include "rfnn/io/run_record.hpp"
#include "rfnn/io/text.hpp"
#include "rfnn/options/number_text.hpp"
#include "rfnn/training/memory.hpp"
#include "rfnn/training/prepare.hpp"
#include "rfnn/training/ranks/agreement.hpp"

namespace rfnn::python {
namespace {

/// Where a run is recorded, and whether it is one that goes on.
struct Record {
  std::string folder;  ///< empty: nowhere
  bool resumed = false;
  double between_notes = 30.0;
};

io::RunFacts facts_of(const Rows& rows, const Options& options, const FitExtras& extras, const std::string& folder) {
  const DatasetView& data = rows.view();
  io::RunFacts facts;
  facts.command = {"python"};
  facts.options = options;
  facts.data = "the data given";
  facts.inputs = data.input_names;
  facts.targets = data.target_names;
  facts.rows = data.rows();
  facts.validation_rows = extras.validation ? extras.validation->rows() : 0;
  facts.fingerprint = fingerprint(data.inputs, data.targets);
  facts.others = io::other_fingerprints(data, extras.validation ? &*extras.validation : nullptr, extras.start,
                                        extras.base ? &*extras.base : nullptr);
  facts.model = folder + "/model.rfnn";
  return facts;
}

/// Trains with a record; a run that is finished is read.
Model fit_recorded(const Rows& rows, const Options& options, FitExtras& extras, const Record& record,
                   io::RunDirectory& run, const std::function<Model(Model)>& complete) {
  const io::RunFacts facts = facts_of(rows, options, extras, record.folder);
  if (record.resumed) {
    const io::RunRecord begun = io::read_run(record.folder);
    static_cast<void>(io::check_same_run(facts, begun, record.folder));
    if (begun.state == "finished") return load_model(run.model_path());
    run.resume(facts);
  } else {
    static_cast<void>(run.start(facts));
  }
  run.append(io::start_event(facts));
  std::unique_ptr<Journal> journal = run.journal(record.between_notes, {});
  extras.journal = journal.get();
  try {
    Model model = complete(fit(rows.view(), options, extras));
    journal.reset();
    run.append(io::done_event(model, run.model_path(), model.seconds));
    run.finish(model);
    return model;
  } catch (const std::exception& error) {
    run.fail(error.what());
    throw;
  }
}

/// Those of an MPI_Comm at an address; null where there is none.
std::shared_ptr<Communicator> ranks_of(std::optional<std::uintptr_t> communicator) {
  if (!communicator) return nullptr;
  const MpiLibrary* const mpi = MpiLibrary::find();
  if (mpi == nullptr)
    throw UsageError("A communicator was given, and rfnn finds no librfnn_mpi.so.",
                     "Build rfnn where MPI's headers are (libopenmpi-dev), or give the library's path in "
                     "RFNN_MPI_LIBRARY.");
  return mpi->ranks(reinterpret_cast<const void*>(*communicator));  // NOLINT(performance-no-int-to-ptr)
}

std::optional<Base> base_of(const Model* model, std::optional<std::vector<std::size_t>> inputs) {
  if (!inputs) return std::nullopt;
  Base base;
  if (model != nullptr) base.model = std::make_shared<const Model>(*model);
  base.inputs = std::move(*inputs);
  return base;
}

/// What the columns hold: over a base of other columns than numbers, what it takes them for.
TableCode code_of(const Rows& rows, const Model* start, const Model* base) {
  if (start != nullptr) return start->table;
  if (base == nullptr || base->table.empty()) return rows.table().code;
  TableCode code = base->table;
  const std::vector<std::string>& targets = rows.view().target_names;
  for (std::size_t k = 0; k < code.targets.size() && k < targets.size(); ++k) code.targets[k].name = targets[k];
  return code;
}

nb::tuple fit_rows(const Rows& rows, const Options& given, const Rows* validation, const Model* start,
                   nb::object watcher, bool checkpoints, bool named, const Model* base,
                   std::optional<std::vector<std::size_t>> base_inputs, const Record& record,
                   std::optional<std::uintptr_t> communicator) {
  const std::shared_ptr<Communicator> ranks = ranks_of(communicator);
  if (ranks)
    training::agree(*ranks, [&] {
      if (!rows.table().code.empty())
        throw UsageError("Several ranks together fit plain numbers only, without gaps, categories and times.",
                         "Give columns of numbers, or fit with one process.");
    });
  std::unique_ptr<io::RunDirectory> run;
  if (!record.folder.empty()) run = std::make_unique<io::RunDirectory>(record.folder);
  Watch watch(std::move(watcher), run.get());
  FitExtras extras;
  if (validation != nullptr) extras.validation = validation->view();
  extras.start = start;
  extras.base = base_of(base, std::move(base_inputs));
  extras.ranks = ranks.get();
  if (!ranks || ranks->rank() == 0) extras.observer = &watch;
  const TableCode code = code_of(rows, start, base);
  const Options options = options_along_time(given, code);
  // Of a model that training went on from the places are its own.
  const auto placed = [&](Model model) {
    if (start == nullptr)
      note_places(model, code, named);
    else
      model.table = code;
    return model;
  };
  if (checkpoints) extras.checkpoint = [&](const Model& so_far) { watch.checkpoint(placed(so_far)); };
  Model model = [&] {
    const nb::gil_scoped_release free;
    return run ? fit_recorded(rows, options, extras, record, *run, placed) : placed(fit(rows.view(), options, extras));
  }();
  return nb::make_tuple(std::move(model), watch.exception());
}

/// Bytes at the peak of a fit, for who has not got them.
double memory_of(const Rows& rows, const Options& options) {
  const DatasetView& data = rows.view();
  const training::RunSizes sizes{.rows = data.rows(),
                                 .inputs = data.inputs.size(),
                                 .outputs = data.targets.size(),
                                 .threads = static_cast<std::size_t>(options.threads)};
  return training::memory_needed(options, sizes).total();
}

std::vector<std::string> doubts(const Rows& rows, const Rows* validation, const Model* base,
                                std::optional<std::vector<std::size_t>> base_inputs) {
  FitExtras extras;
  if (validation != nullptr) extras.validation = validation->view();
  extras.base = base_of(base, std::move(base_inputs));
  return training::doubts_about_judges(rows.view(), extras);
}

/// What a Progress is pickled as.
using ProgressState =
    std::tuple<std::string, std::vector<std::int64_t>, std::vector<double>, std::vector<std::optional<double>>>;

ProgressState state_of(const Progress& now) {
  return {now.stage,
          {now.member, now.block, now.blocks, now.iteration, now.iterations},
          {now.acceptance, now.loss, now.previous_train_mse, now.share, now.elapsed},
          {now.previous_validation_mse, now.best_validation_mse, now.remaining}};
}

Progress progress_of(const ProgressState& state) {
  const auto& [stage, counts, numbers, maybe] = state;
  Progress now;
  now.stage = stage;
  std::int64_t* const count_of[] = {&now.member, &now.block, &now.blocks, &now.iteration, &now.iterations};
  for (std::size_t k = 0; k < 5; ++k) *count_of[k] = counts.at(k);
  double* const number_of[] = {&now.acceptance, &now.loss, &now.previous_train_mse, &now.share, &now.elapsed};
  for (std::size_t k = 0; k < 5; ++k) *number_of[k] = numbers.at(k);
  std::optional<double>* const maybe_of[] = {&now.previous_validation_mse, &now.best_validation_mse, &now.remaining};
  for (std::size_t k = 0; k < 3; ++k) *maybe_of[k] = maybe.at(k);
  return now;
}

std::string words_of(const Progress& now) {
  std::string text = "<rfnn.Progress: member " + std::to_string(now.member) + ", block " + std::to_string(now.block) +
                     " of at most " + std::to_string(now.blocks);
  if (now.iterations > 0)
    text += ", iteration " + std::to_string(now.iteration) + " of " + std::to_string(now.iterations);
  if (!now.stage.empty()) text += ", " + io::to_utf8(now.stage);
  return text + ", " + shortest(std::round(100.0 * now.elapsed) / 100.0) + " s>";
}

}  // namespace

void note_places(Model& model, const TableCode& code, bool named) {
  model.table = code;
  std::size_t input = 0;
  for (const ColumnCode& column : code.inputs)
    for (const std::size_t end = input + inputs_of(column); input < end; ++input)
      model.inputs[input].position = column.position;
  for (std::size_t k = 0; k < model.inputs.size() && code.empty(); ++k) model.inputs[k].position = k;
  const std::size_t columns = code.empty() ? model.inputs.size() : code.inputs.size();
  for (std::size_t k = 0; k < model.targets.size(); ++k) model.targets[k].position = columns + k;
  model.table_columns = columns + model.targets.size();
  model.named_columns = named;
}

void bind_fit(nb::module_& module) {
  nb::class_<Progress>(module, "Progress", "Where a training run stands. Errors are in the target's units.")
      .def("__repr__", &words_of)
      .def("__getstate__", &state_of)
      .def("__setstate__", [](Progress& self, const ProgressState& state) { new (&self) Progress(progress_of(state)); })
      .def_ro("stage", &Progress::stage, "what is being done, in words; may be empty")
      .def_ro("member", &Progress::member, "network being trained, from 0")
      .def_ro("block", &Progress::block, "block being trained, from 1; 0 while the rows are prepared")
      .def_ro("blocks", &Progress::blocks, "the most there may be")
      .def_ro("iteration", &Progress::iteration)
      .def_ro("iterations", &Progress::iterations, "0: there is no chain")
      .def_ro("acceptance", &Progress::acceptance)
      .def_ro("loss", &Progress::loss, "misfit of the kept state on the block's rows; NaN before the first solve")
      .def_ro("previous_train_mse", &Progress::previous_train_mse)
      .def_ro("previous_validation_mse", &Progress::previous_validation_mse)
      .def_ro("best_validation_mse", &Progress::best_validation_mse, "the least of any network so far, where known")
      .def_ro("share", &Progress::share, "of max_time that is used; 0 without a limit")
      .def_ro("elapsed", &Progress::elapsed, "seconds since fit began")
      .def_ro("remaining", &Progress::remaining, "estimate of the seconds left, where there is one");
  nb::class_<Record>(module, "Record", "Where a run is recorded, so that it can be resumed.")
      .def(nb::init<std::string, bool, double>(), nb::arg("folder"), nb::arg("resumed") = false,
           nb::arg("between_notes") = 30.0)
      .def_ro("folder", &Record::folder, "empty: nowhere")
      .def("__repr__", [](const Record& record) { return "<rfnn.Record: " + record.folder + ">"; });
  module.def("memory_needed", &memory_of, nb::arg("rows"), nb::arg("options"),
             "An estimate of the bytes that training needs besides the data; with preset auto the least it may be.");
  module.def(
      "doubts", &doubts, nb::arg("rows"), nb::arg("validation").none(), nb::arg("base").none(),
      nb::arg("base_inputs").none(),
      "What is to be said of the rows that judge: of validation rows that cannot, and of those a base has seen.");
  module.def(
      "fit", &fit_rows, nb::arg("rows"), nb::arg("options"), nb::arg("validation").none() = nb::none(),
      nb::arg("start").none() = nb::none(), nb::arg("watcher").none() = nb::none(), nb::arg("checkpoints") = false,
      nb::arg("named") = false, nb::arg("base").none() = nb::none(), nb::arg("base_inputs") = nb::none(),
      nb::arg("record") = Record(), nb::arg("communicator") = nb::none(),
      "Trains a network and returns it with the exception that ended the training early (None: none did). The "
      "watcher has the methods progress(Progress) and block(JSON), and checkpoint(Model) where checkpoints are "
      "asked for; one that returns true ends the run, and so does one that raises, or a signal. The base is a model "
      "with the places of its inputs among those given, or with None the places of the base itself. The "
      "communicator is the address of an MPI_Comm, whose ranks have parts of the rows.");
}

}  // namespace rfnn::python
