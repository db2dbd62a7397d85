// `rfnn report` and `rfnn fit --report`: a page for whatever has become of a run.

#include "cli/json.hpp"
#include "cli/process.hpp"

namespace rfnn::testing {
namespace {

class Report : public ::testing::Test {
 protected:
  void SetUp() override {
    must(folder, {"generate", "multiscale", "--rows", "300", "--out", "data.csv"});
    must(folder, {"generate", "multiscale", "--rows", "200", "--seed", "2", "--out", "test.csv"});
  }

  std::string page(const std::string& name = "report.html") { return read_file(folder / name); }

  /// The numbers of a page's figures.
  Json figures(const std::string& name = "report.html") {
    const std::string text = page(name), begin = "id=\"figure-data\">\n";
    const std::size_t start = text.find(begin);
    if (start == std::string::npos) return Json::object();
    return parsed(text.substr(start + begin.size(), text.find("\n</script>", start) - start - begin.size()));
  }

  static const Json* figure(const Json& all, const std::string& id) {
    for (const Json& each : all.at("figures")) {
      if (each.at("id") == id) return &each;
    }
    return nullptr;
  }

  static bool mentions(const std::string& text, const std::string& words) {
    return text.find(words) != std::string::npos;
  }

  std::size_t left_behind() {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(folder.path())) {
      count += entry.path().filename().string().find("rfnn-tmp") != std::string::npos ? 1 : 0;
    }
    return count;
  }

  Folder folder;
};

TEST_F(Report, OfAModelAloneAndWithTestRows) {
  must(folder, quick_fit("data.csv"));
  const Outcome alone = must(folder, {"report", "data.rfnn"});
  EXPECT_EQ(alone.out, "");
  EXPECT_TRUE(mentions(alone.err, "report.html")) << alone.err;
  EXPECT_TRUE(mentions(page(), "rfnn report data.rfnn --data TEST.csv"));
  EXPECT_EQ(figure(figures(), "predictions"), nullptr);

  const Outcome quiet = must(folder, {"report", "data.rfnn", "--data", "test.csv", "--out", "with.html", "--quiet"});
  EXPECT_EQ(quiet.err + quiet.out, "");
  const Json all = figures("with.html");
  ASSERT_NE(figure(all, "predictions"), nullptr);
  EXPECT_EQ(figure(all, "predictions")->at("frames").size(), 3U);

  // The last test error is the one `evaluate` gives.
  const Json scores = parsed(must(folder, {"evaluate", "data.rfnn", "test.csv", "--json"}).out);
  for (const Json& series : figure(all, "error-per-block")->at("series")) {
    if (series.at("name") != "test rows") continue;
    const double shown = series.at("y").back(), given = scores.at("mse");
    EXPECT_NEAR(shown, given, 1e-5 * given);
    return;
  }
  FAIL() << "no test errors";
}

TEST_F(Report, KnowsTheRowsOfTrainingFromOthers) {
  must(folder, quick_fit("data.csv", {"--validation-fraction", "0.2"}));
  const Outcome trained = must(folder, {"report", "data.rfnn", "--data", "data.csv"});
  EXPECT_TRUE(mentions(trained.err, "has the rows that the model was trained on")) << trained.err;
  const auto named = [&](const std::string& name) {
    const Json all = figures();
    for (const Json& series : figure(all, "error-per-block")->at("series"))
      if (series.at("name") == name) return true;
    return false;
  };
  EXPECT_FALSE(named("test rows"));
  EXPECT_FALSE(mentions(page(), " on 300 test rows"));
  // A table with more rows than training is read in pieces, and is not that of training.
  const std::string text = read_file(folder / "data.csv");
  std::string twice = text;
  for (int i = 0; i < 3; ++i) twice += text.substr(text.find('\n') + 1);
  write_file(folder / "twice.csv", twice);
  EXPECT_EQ(must(folder, {"report", "data.rfnn", "--data", "twice.csv"}).err.find("trained on"), std::string::npos);
  EXPECT_TRUE(named("test rows"));
  const Json scores = parsed(must(folder, {"evaluate", "data.rfnn", "twice.csv", "--json"}).out);
  const Json all = figures();
  for (const Json& series : figure(all, "error-per-block")->at("series"))
    if (series.at("name") == "test rows")
      EXPECT_NEAR(series.at("y").back().get<double>(), scores.at("mse").get<double>(), 1e-5);
}

TEST_F(Report, OfAFinishedRunShowsItsTrainingRows) {
  must(folder, quick_fit("data.csv", {"--run-dir", "run", "--validation-fraction", "0.2"}));
  must(folder, {"report", "run"});
  EXPECT_TRUE(mentions(page(), "240 to train on, 60 to validate on"));
  EXPECT_NE(figure(figures(), "predictions"), nullptr);
  EXPECT_NE(figure(figures(), "residual-spectrum"), nullptr);
  EXPECT_TRUE(mentions(page(), "fit data.csv --target y"));

  // From elsewhere too: the record knows where the command ran.
  fs::create_directory(folder.path() / "elsewhere");
  const auto there = [] {
    if (::chdir("elsewhere") != 0) ::_exit(126);
  };
  must(folder, {"report", "../run/", "--out", "r.html"},
       {.standard_input = "", .environment = {}, .standard_output = "", .in_child = there});
  EXPECT_NE(figure(figures("elsewhere/r.html"), "predictions"), nullptr);

  write_file(folder / "data.csv", read_file(folder / "data.csv") + "0.5,0.5\n");
  must(folder, {"report", "run"});
  EXPECT_TRUE(mentions(page(), "is not what it was"));
  EXPECT_EQ(figure(figures(), "predictions"), nullptr);
  fs::remove(folder / "data.csv");
  must(folder, {"report", "run"});
  EXPECT_TRUE(mentions(page(), "not there any more"));
  must(folder, {"report", "run", "--data", "test.csv"});
  EXPECT_NE(figure(figures(), "predictions"), nullptr);
}

TEST_F(Report, OfComparedModelsHasDatesAndPeriods) {
  std::string text = "when,y\n";
  for (int i = 0; i < 120; ++i)
    text += "2024-0" + std::to_string(3 + i / 24) + "-" + std::to_string(10 + i % 24 / 2) +
            (i % 2 == 0 ? "T06:00" : "T18:00") + "," + std::to_string(std::sin(0.7 * i)) + "\n";
  write_file(folder / "times.csv", text);
  for (const char* name : {"a", "b"}) must(folder, quick_fit("times.csv", {"--out", std::string(name) + ".rfnn"}));
  must(folder, {"compare", "a.rfnn", "b.rfnn", "--data", "times.csv", "--report", "compared.html"});
  const Json all = figures("compared.html");
  ASSERT_NE(figure(all, "predictions"), nullptr);
  EXPECT_EQ(figure(all, "predictions")->at("x").at("origin"), 19792) << "2024-03-10";
  const Json& spectra = *figure(all, "spectra");
  EXPECT_EQ(spectra.at("x").at("label"), "frequency, radians per day of when");
  const std::string note = spectra.at("series").at(0).at("notes").at(0);
  EXPECT_TRUE(mentions(note, "a.rfnn, period ") && mentions(note, " yr: ")) << note;
  EXPECT_TRUE(mentions(page("compared.html"), " h on the right"));
}

TEST_F(Report, OfAnInterruptedRun) {
  Running fit(folder,
              endless_fit("data.csv", {"--iterations", "200", "--json", "--run-dir", "run", "--report", "fit.html"}));
  ASSERT_TRUE(fit.wait_for_output("\"event\":\"block\"")) << fit.err();
  fit.kill(SIGINT);
  const Outcome outcome = fit.wait();
  EXPECT_EQ(outcome.code, 4) << outcome.err;
  EXPECT_TRUE(mentions(page("fit.html"), "This run was cut short"));
  EXPECT_NE(figure(figures("fit.html"), "predictions"), nullptr);
  must(folder, {"report", "run"});
  EXPECT_TRUE(mentions(page(), "This run was cut short"));
  EXPECT_NE(figure(figures(), "predictions"), nullptr);
}

TEST_F(Report, OfARunningAndOfAKilledRun) {
  Running fit(folder, endless_fit("data.csv", {"--iterations", "200", "--json", "--run-dir", "run"}));
  // The checkpoint of a block is written before the next block is told of.
  ASSERT_TRUE(fit.wait_for_output("\"block\":2,")) << fit.err();
  must(folder, {"report", "run"});
  EXPECT_TRUE(mentions(page(), "This run is still going on"));
  EXPECT_NE(figure(figures(), "predictions"), nullptr);
  fit.kill(SIGKILL);
  EXPECT_EQ(fit.wait().signal, SIGKILL);
  must(folder, {"report", "run"});
  EXPECT_TRUE(mentions(page(), "This run did not end by itself"));
  EXPECT_NE(figure(figures(), "predictions"), nullptr);
  EXPECT_EQ(read_file(folder / "run/run.json").find("\"finished\""), std::string::npos);
}

TEST_F(Report, OfARunKilledWithinItsFirstBlock) {
  must(folder, quick_fit("data.csv", {"--run-dir", "run", "--quiet"}));  // leaves a model in the folder
  Running fit(folder, endless_fit("data.csv", {"--json", "--run-dir", "run"}));
  ASSERT_TRUE(fit.wait_for_output("\"event\":\"start\"")) << fit.err();
  fit.kill(SIGKILL);
  fit.wait();
  EXPECT_TRUE(fs::exists(folder / "run/previous.rfnn")) << "that of the first run";
  fs::copy_file(folder / "run/previous.rfnn", folder / "run/model.rfnn");
  must(folder, {"report", "run", "--data", "test.csv"});
  EXPECT_TRUE(mentions(page(), "is of an earlier run"));
  EXPECT_TRUE(figures().at("figures").empty());
  fs::remove(folder / "run/model.rfnn");
  must(folder, {"report", "run"});
  EXPECT_TRUE(mentions(page(), "before its first block was finished"));
  write_file(folder / "run/model.rfnn", "no model");
  must(folder, {"report", "run"});
  EXPECT_TRUE(mentions(page(), "There is no model to show"));
}

TEST_F(Report, OfAFailedRun) {
  std::string table = "x,y\n";
  for (int i = 0; i < 20; ++i) table += std::to_string(i) + (i % 2 == 0 ? ",1.7e308\n" : ",-1.7e308\n");
  write_file(folder / "huge.csv", table);
  EXPECT_EQ(run(folder, quick_fit("huge.csv", {"--run-dir", "run", "--report", "fit.html"})).code, 3);
  EXPECT_TRUE(mentions(page("fit.html"), "This run failed"));
  EXPECT_TRUE(mentions(page("fit.html"), "too large to compute with"));
  must(folder, {"report", "run"});
  EXPECT_TRUE(mentions(page(), "This run failed"));
  EXPECT_TRUE(mentions(page(), "too large to compute with"));
}

TEST_F(Report, FitWritesOneAtItsEnd) {
  const Outcome outcome = must(folder, quick_fit("data.csv", {"--report", "fit.html", "--valid", "test.csv"}));
  EXPECT_TRUE(mentions(outcome.err, "report fit.html")) << outcome.err;
  EXPECT_EQ(figure(figures("fit.html"), "error-per-block")->at("series").size(), 3U);
  EXPECT_NE(figure(figures("fit.html"), "predictions"), nullptr);
  EXPECT_TRUE(mentions(page("fit.html"), "--report fit.html"));
  EXPECT_TRUE(mentions(page("fit.html"), "reading the data"));
  // Inside the run directory too, which is not there before the run.
  must(folder, quick_fit("data.csv", {"--run-dir", "run", "--report", "run/report.html"}));
  EXPECT_TRUE(mentions(page("run/report.html"), "<!doctype html>"));
  must(folder, quick_fit("data.csv", {"--run-dir", "run", "--report", "run/report.html"}));
  // The report is no part of the model.
  must(folder, quick_fit("data.csv", {"--out", "plain.rfnn"}));
  must(folder, quick_fit("data.csv", {"--out", "shown.rfnn", "--report", "fit.html"}));
  EXPECT_EQ(tensors_of(folder / "plain.rfnn"), tensors_of(folder / "shown.rfnn"));
  fs::remove(folder / "fit.html");
  must(folder, quick_fit("data.csv", {"--report", "fit.html", "--dry-run"}));
  EXPECT_FALSE(fs::exists(folder / "fit.html"));
}

TEST_F(Report, PlacesThatCannotBeWrittenAreRefusedBeforeTraining) {
  for (const std::string place : {"missing/r.html", "data.csv/r.html", "/proc/r.html"}) {
    const Outcome outcome = run(folder, endless_fit("data.csv", {"--report", place}));  // would run for ever
    EXPECT_EQ(outcome.code, 2) << place;
    EXPECT_NE(outcome.err, "") << place;
  }
  const Outcome inside = run(folder, endless_fit("data.csv", {"--run-dir", "run", "--report", "run/missing/r.html"}));
  EXPECT_EQ(inside.code, 2) << inside.err;
  for (const Words& words : std::vector<Words>{{"--report", "data.csv"},
                                               {"--report", "data.rfnn"},
                                               {"--report", "-"},
                                               {"--report", "./data.rfnn"},
                                               {"--report", "test.csv", "--valid", "test.csv"}}) {
    const Outcome outcome = run(folder, endless_fit("data.csv", words));
    EXPECT_EQ(outcome.code, 1) << words[1] << outcome.err;
  }
  EXPECT_TRUE(mentions(read_file(folder / "data.csv"), "x,y\n"));
}

TEST_F(Report, AReportThatCannotBeWrittenLosesNoModel) {
  // The place is fine when asked and full when written.
  const Outcome outcome = run(folder, quick_fit("data.csv", {"--report", "/dev/full"}));
  EXPECT_EQ(outcome.code, 2) << outcome.err;
  EXPECT_TRUE(mentions(outcome.err, "/dev/full")) << outcome.err;
  must(folder, {"inspect", "data.rfnn"});
  const Outcome kept = run(folder, quick_fit("data.csv", {"--run-dir", "run", "--report", "/dev/full"}));
  EXPECT_EQ(kept.code, 2);
  EXPECT_TRUE(mentions(read_file(folder / "run/run.json"), "\"finished\"")) << "the run itself did not fail";
}

TEST_F(Report, WritesWholePagesOnly) {
  must(folder, quick_fit("data.csv"));
  must(folder, {"report", "data.rfnn"});
  const std::string before = page();
  const auto small_files = [] {
    const rlimit limit{.rlim_cur = 50000, .rlim_max = 50000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    ::signal(SIGXFSZ, SIG_IGN);
  };
  const Outcome outcome =
      run(folder, {"report", "data.rfnn", "--data", "test.csv"},
          {.standard_input = "", .environment = {}, .standard_output = "", .in_child = small_files});
  EXPECT_EQ(outcome.code, 2) << outcome.err;
  EXPECT_EQ(page(), before);
  EXPECT_EQ(left_behind(), 0u);
  const Outcome printed = must(folder, {"report", "data.rfnn", "--out", "-"});
  EXPECT_EQ(printed.out.substr(0, 15), "<!doctype html>");
}

TEST_F(Report, RefusesWhatItCannotUse) {
  must(folder, quick_fit("data.csv", {"--run-dir", "run"}));
  fs::create_directory(folder.path() / "empty");
  write_file(folder / "other.csv", "a,b\n1,2\n");
  write_file(folder / "none.csv", "x,y\n");
  EXPECT_EQ(run(folder, {"report"}).code, 1);
  EXPECT_EQ(run(folder, {"report", "data.rfnn", "--blocks", "3"}).code, 1);
  EXPECT_EQ(run(folder, {"report", "data.rfnn", "--out", "data.rfnn"}).code, 1);
  EXPECT_EQ(run(folder, {"report", "data.rfnn", "--data", "test.csv", "--out", "test.csv"}).code, 1);
  EXPECT_EQ(run(folder, {"report", "run", "--out", "run/model.rfnn"}).code, 1);
  EXPECT_EQ(run(folder, {"report", "run", "--out", "run/run.json"}).code, 1);
  EXPECT_EQ(run(folder, {"report", "run", "--out", "data.csv"}).code, 1);
  EXPECT_EQ(run(folder, {"report", "missing.rfnn"}).code, 2);
  EXPECT_EQ(run(folder, {"report", "data.csv"}).code, 2);
  EXPECT_EQ(run(folder, {"report", "empty"}).code, 2);
  EXPECT_EQ(run(folder, {"report", "data.rfnn", "--data", "missing.csv"}).code, 2);
  EXPECT_EQ(run(folder, {"report", "data.rfnn", "--data", "other.csv"}).code, 2);
  EXPECT_EQ(run(folder, {"report", "data.rfnn", "--data", "none.csv"}).code, 2);
  EXPECT_EQ(run(folder, {"report", "data.rfnn", "--out", "missing/r.html"}).code, 2);
  EXPECT_EQ(run(folder, {"report", "data.rfnn", "--out", "empty"}).code, 2);
  EXPECT_FALSE(fs::exists(folder / "report.html"));
  EXPECT_EQ(left_behind(), 0u);
}

TEST_F(Report, NamesFromFilesStayText) {
  write_file(folder / "evil.csv", [] {
    std::string table = "\"<script>alert(1)</script>\",\"</script><b>\",y\n";
    for (int i = 0; i < 60; ++i)
      table += std::to_string(i % 7) + "," + std::to_string(i % 11) + "," + std::to_string(i % 5) + "\n";
    return table;
  }());
  must(folder, quick_fit("evil.csv", {"--report", "evil.html"}));
  const std::string text = page("evil.html");
  EXPECT_FALSE(mentions(text, "<script>alert"));
  EXPECT_FALSE(mentions(text, "</script><b>"));
  EXPECT_TRUE(mentions(text, "&lt;script&gt;alert(1)&lt;/script&gt;"));
}

}  // namespace
}  // namespace rfnn::testing
