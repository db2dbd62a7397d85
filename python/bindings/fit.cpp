#include "rfnn/training/fit.hpp"

#include <chrono>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nlohmann/json.hpp>

#include "python/bindings/data.hpp"
#include "rfnn/io/json.hpp"
#include "rfnn/io/text.hpp"
#include "rfnn/options/number_text.hpp"
#include "rfnn/training/memory.hpp"

namespace rfnn::python {
namespace {

using Clock = std::chrono::steady_clock;

/// Looks at Python while the library works without it: signals, and an object that wants to know. It takes the
/// interpreter's lock at most every 50 ms, and when a block is done. Python's first exception ends the run and is kept.
class Watch final : public Observer {
 public:
  explicit Watch(nb::object watcher) : watcher_(std::move(watcher)) {}

  bool progress(const Progress& now) override {
    const auto time = Clock::now();
    if (time < next_look_ || stopped_) return !stopped_;
    next_look_ = time + std::chrono::milliseconds(50);
    return ask([&] { return watcher_.is_none() ? nb::object() : watcher_.attr("progress")(Progress(now)); });
  }
  bool block_done(const BlockRecord& record) override {
    if (watcher_.is_none()) return !stopped_;
    const std::string json = io::json_text(io::to_json(record));
    return ask([&] { return watcher_.attr("block")(nb::str(json.data(), json.size())); });
  }
  void checkpoint(const Model& model) {
    ask([&] { return watcher_.attr("checkpoint")(Model(model)); });
  }
  [[nodiscard]] nb::object exception() const { return exception_; }

 private:
  /// Calls Python, which ends the run by raising or by saying true.
  template <class Call>
  bool ask(const Call& call) {
    if (stopped_) return false;
    const nb::gil_scoped_acquire lock;
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      const nb::object answer = call();
      stopped_ = answer.is_valid() && nb::cast<bool>(nb::bool_(answer));
    } catch (nb::python_error& error) {
      exception_ = nb::borrow(error.value());
      stopped_ = true;
    }
    return !stopped_;
  }

  nb::object watcher_, exception_ = nb::none();
  Clock::time_point next_look_{};
  bool stopped_ = false;
};

/// Where the columns of arrays lie in a table of all inputs and then all targets: files without a header are matched by
/// it.
void note_places(Model& model, bool named) {
  for (std::size_t k = 0; k < model.inputs.size(); ++k) model.inputs[k].position = k;
  for (std::size_t k = 0; k < model.targets.size(); ++k) model.targets[k].position = model.inputs.size() + k;
  model.table_columns = model.inputs.size() + model.targets.size();
  model.named_columns = named;
}

nb::tuple fit_rows(const Rows& rows, const Options& options, const Rows* validation, const Model* start,
                   nb::object watcher, bool checkpoints, bool named) {
  Watch watch(std::move(watcher));
  FitExtras extras;
  if (validation != nullptr) extras.validation = validation->view();
  extras.start = start;
  extras.observer = &watch;
  if (checkpoints) extras.checkpoint = [&](const Model& so_far) { watch.checkpoint(so_far); };
  Model model = [&] {
    const nb::gil_scoped_release free;
    return fit(rows.view(), options, extras);
  }();
  if (start == nullptr) note_places(model, named);  // else they are those of the model it went on from
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

std::string words_of(const Progress& now) {
  std::string text = "<rfnn.Progress: member " + std::to_string(now.member) + ", block " + std::to_string(now.block) +
                     " of at most " + std::to_string(now.blocks);
  if (now.iterations > 0)
    text += ", iteration " + std::to_string(now.iteration) + " of " + std::to_string(now.iterations);
  if (!now.stage.empty()) text += ", " + io::to_utf8(now.stage);
  return text + ", " + shortest(std::round(100.0 * now.elapsed) / 100.0) + " s>";
}

}  // namespace

void bind_fit(nb::module_& module) {
  nb::class_<Progress>(module, "Progress", "Where a training run stands. Errors are in the target's units.")
      .def("__repr__", &words_of)
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
  module.def("memory_needed", &memory_of, nb::arg("rows"), nb::arg("options"),
             "An estimate of the bytes that training needs besides the data; with preset auto the least it may be.");
  module.def("fit", &fit_rows, nb::arg("rows"), nb::arg("options"), nb::arg("validation").none() = nb::none(),
             nb::arg("start").none() = nb::none(), nb::arg("watcher").none() = nb::none(),
             nb::arg("checkpoints") = false, nb::arg("named") = false,
             "Trains a network and returns it with the exception that ended the training early (None: none did). The "
             "watcher has the methods progress(Progress) and block(JSON), and checkpoint(Model) where checkpoints are "
             "asked for; one that returns true ends the run, and so does one that raises, or a signal.");
}

}  // namespace rfnn::python
