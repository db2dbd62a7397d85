// The exported C: both compilers take it without a warning, and what it computes is what predict(), differences of it
// and ErrorBars say.

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "export/random_models.hpp"
#include "rfnn/export/export.hpp"
#include "rows/naive.hpp"

namespace rfnn::testing {
namespace {

namespace fs = std::filesystem;

constexpr double rounding = 1e-12, rounding_of_bars = 1e-10;

/// A folder that goes with the test.
class Scratch {
 public:
  Scratch() {
    std::string pattern = (fs::temp_directory_path() / "rfnn-export-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~Scratch() { fs::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

/// The functions of an exported model, compiled and loaded.
class Compiled {
 public:
  Compiled(const Model& model, const std::string& name, const Scratch& folder, const std::string& compiler) {
    const std::string source = folder / (name + ".c"), object = folder / (name + "-" + compiler + ".so");
    export_model(model, ExportFormat::c, source, name);
    const std::string command = compiler + " -std=c99 -Wall -Wextra -Wpedantic -Werror " +
                                (compiler == "gcc" ? "-O1" : "-O0") + " -shared -fPIC " + source + " -o " + object +
                                " -lm";
    if (std::system(command.c_str()) != 0) return;
    handle_ = ::dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) return;
    predict = reinterpret_cast<Row*>(::dlsym(handle_, (name + "_predict").c_str()));
    gradient = reinterpret_cast<Row*>(::dlsym(handle_, (name + "_gradient").c_str()));
    predict_rows = reinterpret_cast<Rows*>(::dlsym(handle_, (name + "_predict_rows").c_str()));
    interval = reinterpret_cast<Interval*>(::dlsym(handle_, (name + "_interval").c_str()));
    std = reinterpret_cast<Row*>(::dlsym(handle_, (name + "_std").c_str()));
  }
  ~Compiled() {
    if (handle_ != nullptr) ::dlclose(handle_);
  }
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;

  [[nodiscard]] bool loaded() const { return predict != nullptr && gradient != nullptr && predict_rows != nullptr; }

  using Row = void(const double*, double*);
  using Rows = void(const double*, std::size_t, double*);
  using Interval = void(const double*, double, double*, double*);
  Row* predict = nullptr;
  Row* gradient = nullptr;
  Rows* predict_rows = nullptr;
  Interval* interval = nullptr;
  Row* std = nullptr;

 private:
  void* handle_ = nullptr;
};

class ExportedC : public ::testing::TestWithParam<NamedModel> {};

TEST_P(ExportedC, PredictsAsTheModelDoes) {
  const NamedModel& of = GetParam();
  const Scratch folder;
  const Matrix rows = sample_rows_of(of.model), predicted = predict_export_rows(of.model, rows.view());
  for (const std::string compiler : {"gcc", "clang"}) {
    const Compiled exported(of.model, of.name, folder, compiler);
    ASSERT_TRUE(exported.loaded()) << compiler;
    Matrix one(rows.rows(), predicted.cols()), all = one;
    for (std::size_t i = 0; i < rows.rows(); ++i)
      exported.predict(rows.data() + i * rows.cols(), one.data() + i * one.cols());
    exported.predict_rows(rows.data(), rows.rows(), all.data());
    EXPECT_LT(export_difference(of.model, one.view(), predicted.view()), rounding) << compiler;
    EXPECT_LT(export_difference(of.model, all.view(), predicted.view()), rounding) << compiler;
  }
}

/// ∂ output o / ∂ column k at a row, by differences of predict() over 5 points.
double slope(const Model& model, const double* row, std::size_t columns, std::size_t k, std::size_t o, double step) {
  Matrix rows(4, columns);
  const double places[] = {-2.0, -1.0, 1.0, 2.0};
  for (std::size_t i = 0; i < 4; ++i) {
    std::copy_n(row, columns, rows.data() + i * columns);
    rows(i, k) += places[i] * step;
  }
  const Matrix at = predict_export_rows(model, rows.view());
  return (at(0, o) - 8.0 * at(1, o) + 8.0 * at(2, o) - at(3, o)) / (12.0 * step);
}

TEST_P(ExportedC, GradientsAreThoseOfPredictions) {
  const NamedModel& of = GetParam();
  if (of.name == "fast_waves") return;  // no difference is small enough
  const Scratch folder;
  const Compiled exported(of.model, of.name, folder, "gcc");
  ASSERT_TRUE(exported.loaded());
  const Matrix rows = export_sample_rows(of.model, 40);
  Matrix jacobian(of.model.outputs(), rows.cols());
  double gone = std::nan("");
  std::size_t compared = 0, kinks = 0;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    if (i % 2 == 1 && !of.smooth) continue;  // a centre: there is a kink
    const double* const row = rows.data() + i * rows.cols();
    exported.gradient(row, jacobian.data());
    for (std::size_t o = 0; o < jacobian.rows(); ++o)
      for (std::size_t k = 0; k < jacobian.cols(); ++k) {
        const bool level = !of.model.table.empty() && of.model.table.inputs[k].kind == ColumnKind::category;
        const double expected = level ? 0.0 : slope(of.model, row, rows.cols(), k, o, 2e-4),
                     again = level ? 0.0 : slope(of.model, row, rows.cols(), k, o, 1e-4),
                     tolerance = 1e-7 * std::max(1.0, std::abs(expected));
        if (std::abs(again - expected) > 0.5 * tolerance) {
          ++kinks;  // a kernel of order 0 has one beside each of its centres
          continue;
        }
        ++compared;
        EXPECT_NEAR(jacobian(o, k), expected, tolerance)
            << of.name << ", row " << i << ", output " << o << ", column " << k;
      }
  }
  if (of.model.options.missing == Missing::mean) {
    std::vector<double> row(rows.data(), rows.data() + rows.cols());
    for (std::size_t k = 0; k < row.size(); ++k) {
      std::swap(row[k], gone);
      exported.gradient(row.data(), jacobian.data());
      for (std::size_t o = 0; o < jacobian.rows(); ++o) EXPECT_EQ(jacobian(o, k), 0.0) << "missing column " << k;
      std::swap(row[k], gone);
    }
  }
  EXPECT_GE(compared, of.smooth ? 40U : 20U);
  EXPECT_LE(kinks, of.smooth ? 0U : compared / 4);
}

INSTANTIATE_TEST_SUITE_P(All, ExportedC, ::testing::ValuesIn(random_models()),
                         [](const auto& info) { return info.param.name; });

/// The worst over coverages between scores and beyond them.
double bounds_difference(const NamedModel& of, const Compiled& exported, const Matrix& rows) {
  ExportBounds found = bounds_of_export_rows(of.model, rows.view(), 0.5);
  const auto at = [&](Matrix& values, std::size_t row) { return values.data() + row * values.cols(); };
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    exported.predict(rows.data() + i * rows.cols(), at(found.predicted, i));
    exported.std(rows.data() + i * rows.cols(), at(found.std, i));
  }
  double worst = 0.0;
  for (const double coverage : {0.5, 0.9, 0.9999}) {
    for (std::size_t i = 0; i < rows.rows(); ++i)
      exported.interval(rows.data() + i * rows.cols(), coverage, at(found.lower, i), at(found.upper, i));
    const ExportBounds expected = bounds_of_export_rows(of.model, rows.view(), coverage);
    worst = std::max(worst, export_bounds_difference(of.model, found, expected));
  }
  return worst;
}

class ExportedBars : public ::testing::TestWithParam<NamedModel> {};

TEST_P(ExportedBars, AreThoseOfTheModel) {
  const NamedModel& of = GetParam();
  const Scratch folder;
  const Matrix all = sample_rows_of(of.model);
  Matrix rows(60, all.cols());
  std::copy_n(all.data(), rows.size(), rows.data());
  for (const std::string compiler : {"gcc", "clang"}) {
    const Compiled exported(of.model, of.name, folder, compiler);
    ASSERT_TRUE(exported.loaded()) << compiler;
    ASSERT_TRUE(exported.interval != nullptr && exported.std != nullptr) << compiler;
    EXPECT_LT(bounds_difference(of, exported, rows), rounding_of_bars) << compiler;
    std::vector<double> lower(of.model.outputs()), upper = lower;
    for (const double coverage : {0.0, 1.0, -0.5, std::nan("")}) {
      exported.interval(rows.data() + 10 * rows.cols(), coverage, lower.data(), upper.data());
      EXPECT_TRUE(std::isnan(lower[0]) && std::isnan(upper[0])) << coverage;
    }
  }
}

TEST_P(ExportedBars, AllocateNothing) {
  const NamedModel& of = GetParam();
  const Scratch folder;
  const std::string source = folder / "m.c", object = folder / "m.o", listed = folder / "symbols";
  export_model(of.model, ExportFormat::c, source, "m");
  for (const std::string compiler : {"gcc", "clang"}) {
    const std::string command =
        compiler + " -std=c99 -O1 -c " + source + " -o " + object + " && nm -u " + object + " > " + listed;
    ASSERT_EQ(std::system(command.c_str()), 0) << compiler;
    std::ifstream symbols(listed);
    std::string kind, name;
    std::size_t count = 0;
    while (symbols >> kind >> name) {
      ++count;
      for (const char* allocates : {"malloc", "calloc", "realloc", "free", "aligned_alloc"}) EXPECT_NE(name, allocates);
    }
    EXPECT_GT(count, 0U) << "sqrt or exp at the least";
  }
}

INSTANTIATE_TEST_SUITE_P(All, ExportedBars, ::testing::ValuesIn(models_with_bars()),
                         [](const auto& info) { return info.param.name; });

TEST(ExportedIntervals, SaysWhyItHasNoIntervals) {
  Model model = models_with_bars().front().model;
  EXPECT_TRUE(export_has_intervals(model, ExportFormat::c));
  EXPECT_FALSE(export_has_intervals(model, ExportFormat::onnx));
  model.uncertainty.reset();
  EXPECT_FALSE(export_has_intervals(model, ExportFormat::c));
  const std::string text = export_text(model, ExportFormat::c, "m");
  EXPECT_EQ(text.find("void m_interval"), std::string::npos);
  EXPECT_NE(text.find("There is no m_interval:\n   the model has no error bars."), std::string::npos);
  EXPECT_EQ(export_text(model, ExportFormat::python, "m").find("def predict_interval"), std::string::npos);
}

TEST(ExportedIntervals, HasNoIntervalsOfMoreDrawsThanAFileShouldHold) {
  Model model = models_with_bars()[4].model;
  ASSERT_TRUE(export_has_intervals(model, ExportFormat::c));
  const Network wide{{{{random_branch(BranchKind::input, 100000, 2, 2, 7)}}}};
  model.members = {wide};
  model.draws.networks = {wide, wide};
  model.draws.loss = Matrix(2, 1, 0.5);
  EXPECT_FALSE(export_has_intervals(model, ExportFormat::c));
  EXPECT_TRUE(export_has_intervals(model, ExportFormat::json));
}

TEST(ExportName, IsAnIdentifier) {
  EXPECT_EQ(export_name("/some/where/co2-weekly v2.rfnn"), "co2_weekly_v2");
  EXPECT_EQ(export_name("2024.rfnn"), "model_2024");
  EXPECT_EQ(export_name("_a.rfnn"), "model__a");
}

}  // namespace
}  // namespace rfnn::testing
