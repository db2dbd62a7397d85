#pragma once

#include <chrono>
#include <string>
#include <utility>

#include <nanobind/nanobind.h>
#include <nlohmann/json.hpp>

#include "python/bindings/bindings.hpp"
#include "rfnn/io/json.hpp"
#include "rfnn/io/model_file.hpp"
#include "rfnn/io/run_directory.hpp"
#include "rfnn/io/run_record.hpp"
#include "rfnn/training/fit.hpp"

namespace rfnn::python {

/// Looks at Python while the library works without it: signals, and an object that wants to know. It takes the
/// interpreter's lock at most every 50 ms, and when a block is done. Python's first exception ends the run and is kept.
class Watch final : public Observer {
 public:
  /// `run`: where blocks are recorded; null: nowhere.
  Watch(nb::object watcher, io::RunDirectory* run) : watcher_(std::move(watcher)), run_(run) {}

  bool progress(const Progress& now) override {
    const auto time = Clock::now();
    if (time < next_look_ || stopped_) return !stopped_;
    next_look_ = time + std::chrono::milliseconds(50);
    return ask([&] { return watcher_.is_none() ? nb::object() : watcher_.attr("progress")(Progress(now)); });
  }
  bool block_done(const BlockRecord& record) override {
    const std::chrono::duration<double> seconds = Clock::now() - began_;
    if (run_ != nullptr) run_->append(io::block_event(record, seconds.count()));
    if (watcher_.is_none()) return !stopped_;
    const std::string json = io::json_text(io::to_json(record));
    return ask([&] { return watcher_.attr("block")(nb::str(json.data(), json.size())); });
  }
  void checkpoint(const Model& model) {
    if (!watcher_.is_none()) ask([&] { return watcher_.attr("checkpoint")(Model(model)); });
  }
  /// Ends the run for something that was raised elsewhere. With the interpreter's lock.
  void end(nb::object exception) {
    if (exception_.is_none()) exception_ = std::move(exception);
    stopped_ = true;
  }
  [[nodiscard]] nb::object exception() const { return exception_; }

 private:
  using Clock = std::chrono::steady_clock;

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
  io::RunDirectory* run_;
  Clock::time_point began_ = Clock::now();
  Clock::time_point next_look_{};
  bool stopped_ = false;
};

/// Where the columns lie in a table of all inputs and then all targets (files without a header are matched by it), and
/// what they hold.
void note_places(Model& model, const TableCode& code, bool named);

}  // namespace rfnn::python
