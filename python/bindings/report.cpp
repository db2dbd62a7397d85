#include <string>

#include <nanobind/stl/string.h>

#include "cli/diagnosis.hpp"
#include "cli/run_source.hpp"
#include "python/bindings/data.hpp"
#include "rfnn/io/atomic_file.hpp"
#include "rfnn/model/model.hpp"
#include "rfnn/report/given_rows.hpp"
#include "rfnn/report/run_page.hpp"
#include "rfnn/report/run_story.hpp"

namespace rfnn::python {
namespace {

/// How to go on, for a network that no command trained and no file holds: in Python.
void speak_python(report::Page& page, const std::string& code) {
  for (report::Section& section : page.sections) {
    if (section.id != "rerun") continue;
    section.items.clear();
    section.items.emplace_back(
        report::Paragraph{"These lines of Python train the same network on the same data, whatever the "
                          "number of threads:"});
    section.items.emplace_back(report::Code{code});
    section.items.emplace_back(report::Paragraph{"To use it, and to write a file that the command rfnn reads too:"});
    section.items.emplace_back(report::Code{
        "estimator.predict(X_new)\nestimator.score(X_test, y_test)\nrfnn.save(estimator, \"model.rfnn\")"});
  }
}

/// The rows given, of a story about the model: those it was trained on as such, others as test rows.
void show_rows(report::RunStory& story, const Model& model, const Rows& rows) {
  story.shown = report::given_rows(model, model.data_fingerprint, rows.view(), "the rows of fit", "the rows given");
}

/// The page about a model; the rows it was trained on are shown as such, others as test rows. `code` is how the network
/// is trained in Python.
void write_report(const Model& model, const std::string& path, const Rows* rows, const std::string& code) {
  const nb::gil_scoped_release free;
  io::check_writable(path);
  report::RunStory story = report::story_of(model, "");  // where it is saved, if at all, is not known here
  story.saving = "rfnn.save(estimator, \"model.rfnn\")";
  story.showing_rows = "estimator.report(\"page.html\", X, y)";
  const bool python = story.command.empty();
  if (rows == nullptr)
    story.rows_missing = "No rows were given to show predictions on.";
  else
    show_rows(story, model, *rows);
  report::Page page = report::run_page(story);
  if (python) speak_python(page, code);
  const std::string text = report::html(page);
  io::AtomicFile file(path);
  file.write(text);
  file.commit();
}

/// What `rfnn diagnose` says of a model, with rows where there are some, as JSON.
std::string diagnose_model(const Model& model, const Rows* rows) {
  const nb::gil_scoped_release free;
  report::RunStory story = report::story_of(model, "");
  if (rows != nullptr) show_rows(story, model, *rows);
  return cli::problems_json(cli::problems_of(story));
}

/// The same of a model file or the folder of a run.
std::string diagnose_source(const std::string& source) {
  const nb::gil_scoped_release free;
  return cli::problems_json(cli::problems_of(cli::story_of_source(source, {})));
}

}  // namespace

void bind_report(nb::module_& module) {
  module.def("write_report", &write_report, nb::arg("model"), nb::arg("path"), nb::arg("rows").none() = nb::none(),
             nb::arg("code") = "", "Writes the page about a model: one HTML file that needs no other.");
  module.def("diagnose_model", &diagnose_model, nb::arg("model"), nb::arg("rows").none() = nb::none(),
             "What `rfnn diagnose` says of a model, with rows where there are some, as JSON.");
  module.def("diagnose_source", &diagnose_source, nb::arg("source"),
             "The same of a model file or the folder of a run.");
}

}  // namespace rfnn::python
