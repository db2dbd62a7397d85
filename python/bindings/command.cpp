#include <string>
#include <vector>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "cli/run.hpp"
#include "python/bindings/bindings.hpp"

namespace rfnn::python {

void bind_command(nb::module_& module) {
  module.def(
      "run_command_line",
      [](const std::vector<std::string>& words) {
        std::vector<const char*> argv;
        for (const std::string& word : words) argv.push_back(word.c_str());
        const auto argc = static_cast<int>(argv.size());
        argv.push_back(nullptr);
        const nb::gil_scoped_release free;
        return cli::run_command_line(argc, argv.data());
      },
      nb::arg("words"), "Runs the command `rfnn`; words[0] is its name. Returns the exit code.");
}

}  // namespace rfnn::python
