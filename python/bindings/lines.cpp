#include <cstddef>
#include <string>
#include <vector>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <nlohmann/json.hpp>

#include "python/bindings/data.hpp"
#include "python/bindings/model_methods.hpp"
#include "rfnn/diagnostics/law_density.hpp"
#include "rfnn/diagnostics/spectrum.hpp"
#include "rfnn/diagnostics/trend.hpp"
#include "rfnn/io/json.hpp"

namespace rfnn::python {
namespace {

nb::list features_of(const Model& model) {
  nb::list lines;
  for (const SpectralLine& line : spectrum(model))
    lines.append(nb::make_tuple(line.member, line.block, std::string(name_of(line.branch)), line.frequency, line.cycles,
                                line.amplitude, line.phase));
  return lines;
}

/// Lines over the inputs alone as two tables: frequencies with a column for every input, 0 where it is not used, and
/// amplitudes.
nb::tuple input_lines(const Model& model) {
  Matrix frequencies, amplitudes;
  {
    const nb::gil_scoped_release free;
    std::vector<SpectralLine> lines = spectrum(model);
    std::erase_if(lines, [](const SpectralLine& line) { return line.branch != BranchKind::input; });
    frequencies = Matrix(lines.size(), model.input_count());
    amplitudes = Matrix(lines.size(), model.outputs());
    for (std::size_t i = 0; i < lines.size(); ++i) {
      std::size_t used = 0;
      for (std::size_t k = 0; k < model.inputs.size(); ++k)
        if (model.inputs[k].used) frequencies(i, k) = lines[i].frequency[used++];
      for (std::size_t o = 0; o < model.outputs(); ++o) amplitudes(i, o) = lines[i].amplitude[o];
    }
  }
  return nb::make_tuple(array_of(std::move(frequencies)), array_of(std::move(amplitudes)));
}

std::string laws_of(const Model& model) {
  io::Json list = io::Json::array();
  for (const BranchLaw& law : laws(model)) list.push_back(io::to_json(law));
  return io::json_text(list);
}

std::string trends_of(const Model& model) {
  io::Json list = io::Json::array();
  for (const TrendTerm& term : trends(model)) list.push_back(io::to_json(term));
  return list.dump(-1, ' ', false, io::Json::error_handler_t::replace);
}

/// How the network sees each input.
std::vector<std::string> transforms_of(const Model& model) {
  std::vector<std::string> words;
  std::size_t used = 0;
  for (const Column& column : model.inputs) {
    if (!column.used)
      words.emplace_back("unused");
    else
      words.emplace_back(model.scaler.input(used++).log_from > 0.0 ? "log" : "identity");
  }
  return words;
}

}  // namespace

void bind_lines(nb::class_<Model>& model) {
  model
      .def("spectrum", &features_of,
           "Every feature, largest amplitude first: member, block, branch, frequency (radians per unit), cycles, "
           "amplitude and phase per output. Units are those of the logarithm where the network sees that.")
      .def("input_lines", &input_lines,
           "Frequencies (radians per unit of every input, 0 for unused ones) and amplitudes of the features over the "
           "inputs alone, as two arrays.")
      .def("laws", &laws_of,
           "The laws of frequencies of the closed forms as JSON, as `rfnn inspect --json` prints them; an empty list "
           "where the model has none.")
      .def("trend", &trends_of,
           "The terms of trends as JSON, as `rfnn inspect --json` prints them; an empty list where the model has none.")
      .def_prop_ro("holds_rows", &holds_rows,
                   "inputs of training rows are part of the model, as the centres of closed forms")
      .def_prop_ro("input_transforms", &transforms_of,
                   "how the network sees each input: \"identity\", \"log\" or, where it was constant, \"unused\"");
}

}  // namespace rfnn::python
