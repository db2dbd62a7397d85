#include <string>

#include <nanobind/stl/string.h>

#include "python/bindings/data.hpp"
#include "rfnn/io/atomic_file.hpp"
#include "rfnn/model/model.hpp"
#include "rfnn/report/run_page.hpp"
#include "rfnn/report/run_rows.hpp"
#include "rfnn/report/run_story.hpp"

namespace rfnn::python {
namespace {

/// The page about a model; the rows it was trained on are shown as such, others as test rows.
void write_report(const Model& model, const std::string& path, const Rows* rows) {
  const nb::gil_scoped_release free;
  check_writable(path);
  report::RunStory story = report::story_of(model, "");  // where it is saved, if at all, is not known here
  story.saving = "rfnn.save(estimator, \"model.rfnn\")";
  story.showing_rows = "estimator.report(\"page.html\", X, y)";
  if (rows == nullptr) {
    story.rows_missing = "No rows were given to show predictions on.";
  } else if (fingerprint(rows->view().inputs, rows->view().targets) == model.data_fingerprint) {
    story.shown = report::rows_of_training(model, rows->view(), "the rows of fit");
  } else {
    story.shown.push_back(report::shown_rows(model, report::RowsRole::test, "the rows given", rows->view()));
  }
  const std::string page = html(report::run_page(story));
  AtomicFile file(path);
  file.write(page);
  file.commit();
}

}  // namespace

void bind_report(nb::module_& module) {
  module.def("write_report", &write_report, nb::arg("model"), nb::arg("path"), nb::arg("rows").none() = nb::none(),
             "Writes the page about a model: one HTML file that needs no other.");
}

}  // namespace rfnn::python
