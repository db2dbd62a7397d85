#include "rfnn/reproduction/results.hpp"

#include <cmath>
#include <functional>
#include <span>
#include <nlohmann/json.hpp>

#include "rfnn/core/version.hpp"
#include "rfnn/io/json.hpp"
#include "rfnn/reproduction/statistics.hpp"

namespace rfnn::reproduction {
namespace {

Json json_of(const Quartiles& values) {
  return {{"median", json_number(values.median)},
          {"lower_quartile", json_number(values.lower)},
          {"upper_quartile", json_number(values.upper)}};
}

std::string example_of(const Experiment& experiment) {
  return std::string(target_names()[static_cast<std::size_t>(experiment.target)]);
}

/// Of all numbers of a block, over the seeds.
Json summary_of_block(const std::vector<const Run*>& runs, std::size_t place) {
  const auto over_seeds = [&](const std::function<double(const RunBlock&)>& number_of) {
    std::vector<double> values;
    for (const Run* run : runs)
      if (place < run->blocks.size()) values.push_back(number_of(run->blocks[place]));
    return json_of(quartiles(values));
  };
  const std::int64_t block = runs.front()->blocks[place].block;
  return {{"block", block},
          {"width_times_blocks", runs.front()->task.method.width() * block},
          {"train_mse", over_seeds([](const RunBlock& b) { return b.train_mse; })},
          {"test_mse", over_seeds([](const RunBlock& b) { return b.test_mse; })},
          {"max_error", over_seeds([](const RunBlock& b) { return b.max_error; })},
          {"acceptance",
           {{"input", over_seeds([](const RunBlock& b) { return b.input_acceptance.value_or(Quartiles::unknown); })},
            {"state", over_seeds([](const RunBlock& b) { return b.state_acceptance.value_or(Quartiles::unknown); })}}},
          {"seconds", over_seeds([](const RunBlock& b) { return b.seconds; })}};
}

}  // namespace

std::string results_json(const Study& study, const StudyResult& result, const std::vector<Claim>& claims) {
  Json settings = Json::object(), summary = Json::array(), runs = Json::array(), missing = Json::array();
  for (const Experiment& experiment : study.experiments)
    for (const Approach& method : experiment.methods) {
      const std::vector<const Run*> found = runs_of(result.runs, experiment.target, method.id);
      if (found.empty()) continue;
      Json all = settings_json(found.front()->task);
      for (const char* name : {"training_rows_seed", "test_rows_seed"}) all.erase(name);
      all[method.by_adam() ? "adam" : "fit"].erase("seed");
      settings[example_of(experiment)][method.id] = std::move(all);

      Json blocks = Json::array();
      for (std::size_t place = 0; place < found.front()->blocks.size(); ++place)
        blocks.push_back(summary_of_block(found, place));
      summary.push_back({{"example", example_of(experiment)},
                         {"method", method.id},
                         {"name", method.name},
                         {"seeds", found.size()},
                         {"blocks", std::move(blocks)}});
      for (const Run* run : found) {
        Json record = to_json(*run);
        for (const char* name : {"format", "schema", "settings", "curve"}) record.erase(name);
        runs.push_back(std::move(record));
      }
    }
  for (const Task& task : result.missing)
    missing.push_back({{"example", task.example()}, {"method", task.method.id}, {"seed", task.seed}});
  Json measured = Json::array();
  for (const Claim& claim : claims) measured.push_back(to_json(claim));
  const Json json = {{"format", "rfnn-reproduction"},
                     {"schema", 1},
                     {"version", version()},
                     {"quick", study.quick},
                     {"complete", result.missing.empty()},
                     {"settings", std::move(settings)},
                     {"claims", std::move(measured)},
                     {"summary", std::move(summary)},
                     {"runs", std::move(runs)},
                     {"missing", std::move(missing)}};
  return io::json_text(json, 1) + "\n";
}

}  // namespace rfnn::reproduction
