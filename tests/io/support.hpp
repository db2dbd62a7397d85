#pragma once

// What the tests of files share: a folder of their own, raw bytes, a model with every kind of field filled in.

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include "rfnn/core/error.hpp"
#include "rfnn/data/dataset.hpp"
#include "rfnn/model/model.hpp"

namespace rfnn::test {

/// A fresh folder, removed with all that is in it.
class TempFolder {
 public:
  TempFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "rfnn-io-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = pattern;
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all, ignored);
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string path() const { return path_.string(); }
  [[nodiscard]] std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  [[nodiscard]] std::size_t files() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(path_)) ++count;
    return count;
  }

 private:
  std::filesystem::path path_;
};

inline void write_bytes(const std::string& path, std::string_view bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

inline std::string read_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

/// The message of the InputError that `work` throws; empty when it throws none.
template <class Work>
std::string input_error(Work work) {
  try {
    work();
  } catch (const InputError& error) {
    if (error.cure().empty()) return "no cure: " + std::string(error.what());
    return error.what();
  }
  return "";
}

inline Matrix matrix_of(std::size_t rows, std::size_t cols, double start) {
  Matrix matrix(rows, cols);
  for (std::size_t i = 0; i < matrix.size(); ++i) matrix.data()[i] = start + 0.1 * static_cast<double>(i);
  return matrix;
}

/// Two inputs used and one left out, two outputs, two members, all kinds of branches: the model of
/// tests/data/schema1.rfnn.
inline Model full_model() {
  Model model;
  model.options.width = 2;
  model.options.blocks = 3;
  model.options.delta = 5.76;
  model.options.ridge = {1e-4, 1e-6};
  model.options.keep = Keep::best;
  model.options.seed = 18446744073709551615U;
  model.inputs = {{"x", 0, 0.5, 0.25, -1.0, 2.0, true},
                  {"constant", 1, 3.0, 0.0, 3.0, 3.0, false},
                  {"größe, \"m\"", 3, 1e12, 1e-19, -5e-324, 1e12, true}};
  model.targets = {{"y1", 2, 1.0, 2.0, -1.0, 1.0, true}, {"y2", 4, 0.1, 0.2, -0.3, 0.4, true}};
  model.table_columns = 6;
  model.named_columns = true;
  model.scaler = {{0.5, 1e12}, {0.25, 1e-19}, {1.0, 0.1}, {1.0, 1.0}};
  const auto branch = [](BranchKind kind, std::size_t features, double start) {
    return Branch{kind, matrix_of(features, variables_of(kind, 2, 2), start), matrix_of(2 * features, 2, -start)};
  };
  model.members.resize(2);
  model.members[0].blocks = {{{branch(BranchKind::input, 2, 0.5)}},
                             {{branch(BranchKind::input, 2, 1.5), branch(BranchKind::state, 2, 2.5)}},
                             {{branch(BranchKind::state, 1, -3.5), branch(BranchKind::joint, 3, 1.0 / 3.0)}}};
  BlockRecord record;
  record.block = 1;
  record.width = 2;
  record.rows = record.proposal_rows = 90;
  record.iterations = 100;
  record.complete = false;
  record.ridge = 1e-4;
  record.train_mse = 1.0 / 3.0;
  record.validation_mse = 0.1;
  record.condition = 12345.678;
  record.solves = 201;
  record.solver_fallbacks = 3;
  record.seconds = 0.25;
  record.branches = {{BranchKind::input, 200, 50, {{"x", -10.0, 10.0, {1, 0, 7}}, {"norm", 0.0, 12.5, {8}}}},
                     {BranchKind::state, 0, 0, {}}};
  record.trace = {{0, 2.0}, {50, 0.7}, {100, 1e-300}};
  model.history.empty_train_mse = 1.25;
  model.history.empty_validation_mse = 1.5;
  model.history.blocks = {record, record};
  model.history.blocks[1].block = 2;
  model.history.blocks[1].validation_mse.reset();
  model.history.rate_slope = -0.97;
  model.stop_reason = StopReason::stalled;
  model.stop_text = "no gain in 3 blocks; went back to block 3";
  model.warnings = {"column constant is constant: left out", "second \"warning\"\n"};
  model.data_fingerprint = "0123456789abcdef0123456789abcdef";
  model.train_rows = 90;
  model.validation_rows = 10;
  model.seconds = 1.75;
  model.facts = {{"version", "0.1.0"}, {"simd", "baseline"}, {"threads", "2"}};
  return model;
}

/// The same with the logarithm of one input; written once to tests/data/schema2.rfnn.
inline Model model_with_logarithm() {
  Model model = full_model();
  model.scaler.input_log_from = {0.125, 0.0};
  return model;
}

/// The same with a block whose frequencies are a lattice, and errors of the whole; written once to
/// tests/data/schema3.rfnn.
inline Model model_with_lattice() {
  Model model = model_with_logarithm();
  Branch& branch = model.members[0].blocks[0].branches[0];
  branch.lattice = {0.1, 0.25};
  branch.frequencies(0, 0) = 3 * 0.1;
  branch.frequencies(0, 1) = -7 * 0.25;
  branch.frequencies(1, 0) = 0.0;
  branch.frequencies(1, 1) = 4096 * 0.25;
  model.history.blocks[0].method = Method::lattice;
  model.history.final_train_mse = 0.25;
  model.history.final_validation_mse = 0.5;
  model.history.final_validation_se = 0.125;
  model.history.judge = Judge::leave_one_out;
  return model;
}

/// Two parts of different orders, the second around a frequency, over a map.
inline ClosedForm closed_form_of(std::size_t rows, std::size_t variables, std::size_t outputs, double start) {
  ClosedForm form;
  FrequencyLaw::Part smooth{.strength = 1.5,
                            .smooth = {0.25, 0.0, 2.0},
                            .rough = std::vector<double>(variables, 0.0),
                            .order = 0,
                            .centre = {}};
  FrequencyLaw::Part rough{.strength = 0.125,
                           .smooth = {0.0, 0.5, 0.0},
                           .rough = std::vector<double>(variables, start),
                           .order = 2,
                           .centre = std::vector<double>(variables, -0.75)};
  form.law.parts = {smooth, rough};
  form.law.map = matrix_of(3, variables, -start);
  form.centres = matrix_of(rows, variables, start);
  form.coefficients = matrix_of(rows, outputs, -1.0);
  return form;
}

/// The same with closed forms: alone, and two of them beside features; written once to tests/data/schema4.rfnn.
inline Model model_with_closed_forms() {
  Model model = model_with_lattice();
  auto& blocks = model.members[0].blocks;
  Branch alone{.kind = BranchKind::input, .closed_form = closed_form_of(4, 2, 2, 0.5)};
  alone.closed_form->law.map = {};
  for (FrequencyLaw::Part& part : alone.closed_form->law.parts) {
    part.smooth = {0.5, 1.0};
    part.order = 0;
    part.centre.clear();
  }
  model.members[1].blocks = {{{alone}}};
  blocks[1].branches.push_back({.kind = BranchKind::joint, .closed_form = closed_form_of(3, 4, 2, 1.25)});
  blocks[1].branches.push_back({.kind = BranchKind::input, .closed_form = closed_form_of(2, 2, 2, 2.0)});
  return model;
}

/// The same with two windows in its joint closed form, whose second part is radial.
inline Model model_with_windows() {
  Model model = model_with_closed_forms();
  ClosedForm& form = *model.members[0].blocks[1].branches[2].closed_form;
  form.windows.low = Matrix(2, 2);
  form.windows.high = Matrix(2, 2);
  form.windows.scale = Matrix(2, 4);
  for (std::size_t i = 0; i < 4; ++i) {
    form.windows.low.data()[i] = -1.0 - static_cast<double>(i);
    form.windows.high.data()[i] = 0.5 + static_cast<double>(i);
  }
  for (std::size_t i = 0; i < 8; ++i) form.windows.scale.data()[i] = 0.25 * static_cast<double>(i);
  form.windows.rows = {2, 1};
  FrequencyLaw::Part& part = form.law.parts[1];
  part.smooth.assign(part.smooth.size(), 0.0);
  part.centre.clear();
  part.radial = true;
  return model;
}

/// The same with a trend of each degree, one beside no features at all.
inline Model model_with_trends() {
  Model model = model_with_closed_forms();
  auto& blocks = model.members[0].blocks;
  const auto numbers = [](std::size_t rows) {
    Matrix values(rows, 2);
    for (std::size_t i = 0; i < values.size(); ++i) values.data()[i] = 0.25 * static_cast<double>(i) - 1.0;
    return values;
  };
  Branch& first = blocks[1].branches.front();
  first.trend = numbers(1 + 2 * first.frequencies.cols());
  Branch trend_alone{.kind = BranchKind::input, .frequencies = Matrix(0, 2), .amplitudes = Matrix(0, 2)};
  trend_alone.trend = numbers(1);
  auto& others = model.members[1].blocks[0].branches;
  others.insert(others.begin(), trend_alone);
  return model;
}

}  // namespace rfnn::test
