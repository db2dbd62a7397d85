#include "rfnn/io/resumption.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "rfnn/core/error.hpp"
#include "rfnn/core/version.hpp"
#include "rfnn/io/model_file.hpp"
#include "rfnn/io/safetensors.hpp"
#include "rfnn/io/text.hpp"
#include "rfnn/options/table.hpp"

namespace rfnn::io {
namespace {

/// They change how long a run takes, not what comes out.
constexpr std::array<std::string_view, 2> free_options = {"threads", "max_time"};

constexpr const char* processor = "processor";

constexpr const char* cure = "Begin a new run in another folder, or give what the run was begun with.";

std::string value_of(const std::map<std::string, std::string>& all, const std::string& name) {
  const auto found = all.find(name);
  return found == all.end() ? std::string() : found->second;
}

/// "seed 1, not 2", of each option that is another one now.
std::vector<std::string> other_options(const Options& then, const Options& now) {
  std::vector<std::string> others;
  for (const Field& field : option_table()) {
    const bool free = std::find(free_options.begin(), free_options.end(), field.name) != free_options.end() ||
                      (field.name == "memory" && now.preset == Preset::paper);  // auto draws as many rows as there fit
    if (!free && field.print(then) != field.print(now))
      others.push_back(fmt::format("{} {}, not {}", flag_name(field), field.print(then), field.print(now)));
  }
  return others;
}

/// What else was read and is not what it was; empty: nothing.
std::string other_source(const RunFacts& then, const RunFacts& now) {
  for (const auto* all : {&then.others, &now.others})
    for (const auto& [name, value] : *all)
      if (name != processor && value_of(then.others, name) != value_of(now.others, name)) return name;
  return "";
}

}  // namespace

std::map<std::string, std::string> other_fingerprints(const DatasetView& data, const DatasetView* validation,
                                                      const Model* start, const Base* base) {
  std::map<std::string, std::string> all;
  const auto of_weights = [](const DatasetView& rows) {
    return fingerprint(Columns(rows.rows(), {*rows.weights}), Columns(rows.rows()));
  };
  const auto of_model = [](const Model& model) { return tensor_checksum(model_to_bytes(model)); };
  if (data.weights) all["weights"] = of_weights(data);
  if (validation != nullptr) all["validation rows"] = fingerprint(validation->inputs, validation->targets);
  if (validation != nullptr && validation->weights) all["validation weights"] = of_weights(*validation);
  if (start != nullptr) all["numbers of the model to go on from"] = of_model(*start);
  if (base != nullptr)
    all["numbers of the base"] =
        (base->model ? of_model(*base->model) : "") + fmt::format(" of {}", fmt::join(base->inputs, ","));
  all[processor] = simd_level();
  return all;
}

std::optional<std::string> check_same_run(const RunFacts& now, const RunRecord& run, const std::string& folder) {
  const RunFacts& then = run.facts;
  if (run.version != version())
    throw InputError(fmt::format("The run in {} was begun with rfnn {}, this is {}.", folder, run.version, version()),
                     "Go on with that version, or begin a new run.");
  if (const auto others = other_options(then.options, now.options); !others.empty())
    throw UsageError(fmt::format("The run in {} was begun with {}.", folder, fmt::join(others, ", ")), cure);
  if (now.inputs != then.inputs || now.targets != then.targets)
    throw InputError(fmt::format("{} has other columns than the run in {} was begun with: inputs {}, targets {} then.",
                                 now.data, folder, fmt::join(then.inputs, ", "), fmt::join(then.targets, ", ")),
                     cure);
  if (now.fingerprint != then.fingerprint)
    throw InputError(
        fmt::format("{} has changed since the run in {} was begun: {} then, {} now{}.", now.data, folder,
                    counted(then.rows, "row"), now.rows, now.rows == then.rows ? ", with other numbers" : ""),
        cure);
  const std::string other = other_source(then, now);
  if (other == by_ranks && !value_of(then.others, by_ranks).empty())
    throw InputError(fmt::format("The run in {} was begun by ranks of MPI, whose sums have other last digits.", folder),
                     fmt::format("Go on with one of them or more: mpirun -n 1 rfnn fit --resume {}.", folder));
  if (other == by_ranks)
    throw InputError(
        fmt::format("The run in {} was begun without MPI, and sums of ranks have other last digits.", folder),
        fmt::format("Go on without mpirun: rfnn fit --resume {}.", folder));
  if (!other.empty())
    throw InputError(fmt::format("The {} are not those that the run in {} was begun with.", other, folder), cure);
  const std::string there = value_of(then.others, processor), here = value_of(now.others, processor);
  if (there == here) return std::nullopt;
  return fmt::format(
      "the run was begun on a processor with {}, this one has {}: the last digits of the result may be others than "
      "without the interruption.",
      there, here);
}

}  // namespace rfnn::io
