#include "rfnn/reproduction/runner.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "reproduction/support.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/diagnostics/scores.hpp"
#include "rfnn/reproduction/claims.hpp"
#include "rfnn/reproduction/results.hpp"
#include "rfnn/rows/predict.hpp"

namespace rfnn::reproduction {
namespace {

namespace fs = std::filesystem;
using test::Counter;
using test::text_of;
using test::tiny_study;

/// Without what depends on the clock and the machine.
Json timeless(Json json) {
  if (json.is_object()) {
    json.erase("seconds");
    if (json.value("id", "") == "a5-time") return "by the clock";  // the one claim about time
    for (auto& [name, value] : json.items()) value = timeless(value);
  } else if (json.is_array()) {
    for (Json& item : json) item = timeless(item);
  }
  return json;
}

class SmallStudy : public ::testing::Test {
 protected:
  StudyResult run(const std::string& name, const std::vector<Task>& tasks, std::size_t threads = 2) {
    const ReproductionFolder place(folder / name);
    place.create();
    counter.done = 0;
    return run_study(tasks, place, threads, counter);
  }
  Json results(const Study& of, const StudyResult& result) {
    return Json::parse(results_json(of, result, claims_of(result.runs)));
  }
  std::string record(const std::string& name, const Task& task) {
    return folder / (name + "/runs/" + task.name() + ".json");
  }

  test::TempFolder folder;
  Study study = tiny_study();
  Counter counter;
};

TEST(Settings, AreThePublishedOnes) {
  const Study study = published_study();
  std::set<std::string> names;
  for (const Task& task : tasks_of(study, 1)) {
    names.insert(task.name());
    if (task.method.by_adam()) continue;
    const auto& options = std::get<Options>(task.method.options);
    EXPECT_EQ(options.blocks, 10);
    EXPECT_EQ(options.width, task.target == Target::sine ? 4 : 6);
    EXPECT_EQ(options.iterations, task.target == Target::multiscale ? 20000 : 5000);
    const std::string& id = task.method.id;
    const double gamma = task.target == Target::sine ? 20.0 : id == "gamma-1" ? 1.0 : 10.0;
    EXPECT_EQ(options.gamma, gamma) << id;
    EXPECT_EQ(options.gamma_state, gamma) << id;
    const double variance = id == "delta-small" ? 0.0576 : id == "delta-large" ? 576.0 : 5.76;
    EXPECT_DOUBLE_EQ(options.delta.value(), task.target == Target::sine ? 5.76 / 3.0 : variance) << id;
    EXPECT_DOUBLE_EQ(options.delta_state.value(), variance) << id;
    EXPECT_EQ(options.negative == Negative::component, id.starts_with("component"));
    EXPECT_EQ(options.ridge, std::vector{task.target == Target::stairstep ? 1e-6 : 1e-4});
    EXPECT_EQ(options.burn_in, 2000);
    EXPECT_EQ(options.keep == Keep::best, task.method.id.ends_with("-best"));
    EXPECT_EQ(options.state_branch == StateBranch::frozen, task.method.id.starts_with("method2"));
    EXPECT_EQ(options.threads, 1);
    EXPECT_EQ(task.rows, task.target == Target::multiscale ? 2000u : task.target == Target::stairstep ? 1000u : 8000u);
    EXPECT_EQ(task.test_rows, task.target == Target::sine ? 15625u : 10000u);
  }
  EXPECT_EQ(names, (std::set<std::string>{
                       "multiscale-method1-seed1", "multiscale-method1-best-seed1", "multiscale-adam-text-seed1",
                       "multiscale-adam-table-seed1", "stairstep-method1-seed1", "stairstep-method1-best-seed1",
                       "stairstep-method2-seed1", "stairstep-method2-best-seed1", "stairstep-gamma-1-seed1",
                       "stairstep-delta-small-seed1", "stairstep-delta-large-seed1", "sine-method1-seed1",
                       "sine-method1-best-seed1", "sine-component-seed1", "sine-component-best-seed1"}));
}

TEST(Settings, QuickIsAQuarter) {
  const std::vector<Task> full = tasks_of(published_study(), 2), quick = tasks_of(quick_study(), 2);
  ASSERT_EQ(full.size(), quick.size());
  for (std::size_t i = 0; i < full.size(); ++i) {
    EXPECT_NEAR(quick[i].cost(), full[i].cost() / 4.0, 1e-9 * full[i].cost());
    EXPECT_NE(settings_json(quick[i]), settings_json(full[i]));
    EXPECT_EQ(quick[i].rows, full[i].rows);
  }
}

TEST(Settings, TrainingAndTestRowsAreDifferentDraws) {
  const Task task = test::published_task(Target::multiscale, "method1", 3);
  const Dataset train = training_rows_of(task), rows = test_rows_of(task);
  EXPECT_EQ(train.inputs.rows(), 2000u);
  EXPECT_EQ(rows.inputs.rows(), 10000u);
  std::set<double> seen(train.inputs.data(), train.inputs.data() + train.inputs.size());
  for (std::size_t i = 0; i < rows.inputs.rows(); ++i) EXPECT_FALSE(seen.contains(rows.inputs(i, 0)));
  const Task other = test::published_task(Target::multiscale, "adam-text", 3);
  EXPECT_EQ(training_rows_of(other).inputs, train.inputs) << "methods are compared on the same rows";
}

TEST_F(SmallStudy, FinishesEveryRunAndItsRecordIsTrueOfItsModel) {
  const std::vector<Task> tasks = tasks_of(study, 2);
  const StudyResult result = run("out", tasks);
  EXPECT_TRUE(result.missing.empty());
  EXPECT_FALSE(result.interrupted);
  ASSERT_EQ(result.runs.size(), tasks.size());
  EXPECT_EQ(counter.done, tasks.size());
  const ReproductionFolder place(folder / "out");
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const std::optional<reproduction::Run> saved = place.load(tasks[i]);
    ASSERT_TRUE(saved) << tasks[i].name();
    EXPECT_EQ(to_json(*saved), to_json(result.runs[i])) << "in the order of the tasks, and read back as written";
    EXPECT_EQ(saved->last().block, tasks[i].method.blocks());
    EXPECT_EQ(saved->blocks.size(), tasks[i].method.by_adam() ? 1u : 10u);
    EXPECT_EQ(saved->curve.empty(), !tasks[i].method.by_adam());
    const Dataset rows = test_rows_of(tasks[i]);
    for (const RunBlock& block : saved->blocks) {
      ScoreSum sum(1);
      const PredictOptions options{.blocks = static_cast<std::size_t>(block.block), .threads = 1};
      sum.add(rows.targets.view(), predict(saved->model, rows.inputs.view(), options).view());
      EXPECT_DOUBLE_EQ(block.test_mse, sum.scores().mse[0]) << tasks[i].name() << " block " << block.block;
      EXPECT_DOUBLE_EQ(block.max_error, sum.scores().max_error[0]);
      EXPECT_EQ(block.input_acceptance.has_value(), !tasks[i].method.by_adam());
      const bool moves = !tasks[i].method.by_adam() && block.block > 1 && !tasks[i].method.id.starts_with("method2");
      EXPECT_EQ(block.state_acceptance.has_value(), moves) << tasks[i].name() << " block " << block.block;
    }
  }
}

TEST_F(SmallStudy, GivesTheSameResultsOnAnyNumberOfThreads) {
  const std::vector<Task> tasks = tasks_of(study, 2);
  const Json one = results(study, run("one", tasks, 1)), three = results(study, run("three", tasks, 3));
  EXPECT_EQ(timeless(one), timeless(three));
}

TEST_F(SmallStudy, RunsNothingTwice) {
  const std::vector<Task> tasks = tasks_of(study, 1);
  const Json before = results(study, run("out", tasks));
  std::vector<fs::file_time_type> times;
  for (const Task& task : tasks) times.push_back(fs::last_write_time(record("out", task)));
  EXPECT_EQ(results(study, run("out", tasks)), before) << "seconds too: they are those of the run";
  EXPECT_EQ(counter.resumed, tasks.size());
  EXPECT_EQ(counter.done, 0u);
  for (std::size_t i = 0; i < tasks.size(); ++i) EXPECT_EQ(fs::last_write_time(record("out", tasks[i])), times[i]);
  // Further seeds only add.
  run("out", tasks_of(study, 2));
  EXPECT_EQ(counter.resumed, tasks.size());
  EXPECT_EQ(counter.done, tasks.size());
}

TEST_F(SmallStudy, RunsAnewWhatHasOtherSettings) {
  run("out", tasks_of(study, 1));
  for (Approach& method : study.experiments[1].methods) std::get<Options>(method.options).iterations = 9;
  run("out", tasks_of(study, 1));
  EXPECT_EQ(counter.done, study.experiments[1].methods.size());
  study.quick = true;
  run("out", tasks_of(study, 1));
  EXPECT_EQ(counter.resumed, 0u);
}

TEST_F(SmallStudy, RunsAnewWhatIsDamaged) {
  const std::vector<Task> tasks = tasks_of(study, 1);
  run("out", tasks);
  std::ofstream(record("out", tasks[0])) << "{\"format\": \"rfnn-repr";
  fs::remove(folder / ("out/runs/" + tasks[1].name() + ".rfnn"));
  std::ofstream(folder / ("out/runs/" + tasks[2].name() + ".rfnn")) << "nonsense";
  EXPECT_TRUE(run("out", tasks).missing.empty());
  EXPECT_EQ(counter.done, 3u);
}

TEST_F(SmallStudy, KeepsWhatWasFinishedWhenInterruptedAndGoesOn) {
  // One run that would take hours, begun first as the longest; the short ones are finished meanwhile.
  std::get<Options>(study.experiments[0].methods[0].options).iterations = 2'000'000'000;
  const std::vector<Task> tasks = tasks_of(study, 1);
  counter.stop_after = 3;
  const StudyResult cut = run("out", tasks);
  EXPECT_TRUE(cut.interrupted);
  EXPECT_GE(cut.runs.size(), 3u);
  EXPECT_EQ(cut.runs.size() + cut.missing.size(), tasks.size());
  ASSERT_FALSE(cut.missing.empty());
  EXPECT_EQ(cut.missing[0].name(), tasks[0].name());
  const Json json = results(study, cut);
  EXPECT_EQ(json["complete"], false);
  EXPECT_EQ(json["missing"].size(), cut.missing.size());

  counter.stop_after = static_cast<std::size_t>(-1);
  const StudyResult rest = run("out", {tasks.begin() + 1, tasks.end()});
  EXPECT_EQ(counter.resumed, cut.runs.size());
  EXPECT_TRUE(rest.missing.empty());
}

TEST_F(SmallStudy, ARunThatFailsDoesNotTakeTheOthersWithIt) {
  for (Approach& method : study.experiments[0].methods)
    if (auto* adam = std::get_if<baselines::AdamOptions>(&method.options); adam != nullptr && method.id == "adam-text")
      adam->learning_rate = 1e300;
  const StudyResult result = run("out", tasks_of(study, 1));
  EXPECT_FALSE(result.interrupted);
  EXPECT_EQ(result.runs.size(), 14u);
  ASSERT_EQ(result.failures.size(), 1u);
  EXPECT_EQ(result.failures[0].first.name(), "multiscale-adam-text-seed1");
  EXPECT_NE(result.failures[0].second.find("diverged"), std::string::npos);
  EXPECT_EQ(result.missing.size(), 1u);
}

TEST_F(SmallStudy, EarlierRunsOfOtherExamplesAndSeedsStayInTheReport) {
  Study part = study;
  part.experiments = {study.experiments[1]};
  run("out", tasks_of(part, 2));
  part.experiments = {study.experiments[2]};
  StudyResult result = run("out", tasks_of(part, 1));
  EXPECT_EQ(result.runs.size(), 4u);
  add_earlier_runs(result, study, ReproductionFolder(folder / "out"));
  EXPECT_EQ(result.runs.size(), 4u + 14u);
  EXPECT_TRUE(result.missing.empty());
}

TEST_F(SmallStudy, ResultsHaveEveryRunAndASummary) {
  const StudyResult result = run("out", tasks_of(study, 3));
  const Json json = results(study, result);
  EXPECT_EQ(json["format"], "rfnn-reproduction");
  EXPECT_EQ(json["complete"], true);
  EXPECT_EQ(json["runs"].size(), 45u);
  EXPECT_EQ(json["summary"].size(), 15u);
  EXPECT_EQ(json["settings"]["sine"]["method1"]["fit"]["width"], 4);
  EXPECT_FALSE(json["settings"]["sine"]["method1"]["fit"].contains("seed"));
  for (const Json& entry : json["summary"]) {
    for (std::size_t place = 0; place < entry["blocks"].size(); ++place) {
      std::vector<double> errors;
      for (const Json& each : json["runs"])
        if (each["example"] == entry["example"] && each["method"] == entry["method"])
          errors.push_back(each["blocks"][place]["test_mse"]);
      ASSERT_EQ(errors.size(), 3u);
      std::sort(errors.begin(), errors.end());
      EXPECT_EQ(entry["blocks"][place]["test_mse"]["median"], errors[1]);
    }
  }
  EXPECT_EQ(json["claims"].size(), claims_of(result.runs).size());
  for (const Json& claim : json["claims"])
    for (const char* name : {"id", "claim", "measure", "median", "per_seed", "share_met", "verdict", "best_state"})
      EXPECT_TRUE(claim.contains(name)) << claim["id"] << " " << name;
}

TEST_F(SmallStudy, AFolderOfOtherThingsIsRefused) {
  fs::create_directories(folder / "mine");
  EXPECT_NO_THROW(ReproductionFolder(folder / "mine"));
  EXPECT_NO_THROW(ReproductionFolder(folder / "new/one"));
  std::ofstream(folder / "mine/photo.jpg") << "x";
  EXPECT_THROW(ReproductionFolder(folder / "mine"), InputError);
  EXPECT_THROW(ReproductionFolder(folder / "mine/photo.jpg"), InputError);
  std::ofstream(folder / "mine/results.json") << "{\"format\": \"other\"}";
  EXPECT_THROW(ReproductionFolder(folder / "mine"), InputError);
  const ReproductionFolder ours(folder / "ours");
  ours.create();
  EXPECT_NO_THROW(ReproductionFolder(folder / "ours/")) << "known as ours from the start";
}

}  // namespace
}  // namespace rfnn::reproduction
