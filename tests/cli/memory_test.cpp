// What `rfnn fit` needs in memory: what --dry-run promises and what the process takes.

#include <cstring>

#include "cli/json.hpp"
#include "cli/process.hpp"

namespace rfnn::testing {
namespace {

/// Writes rows × 5 numbers of type T by rows or by columns.
template <class T>
void write_npy(const fs::path& path, std::size_t rows, bool fortran = false) {
  std::string front = std::string("{'descr': '<f") + (sizeof(T) == 8 ? '8' : '4') +
                      "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': (" + std::to_string(rows) +
                      ", 5), }";
  front.resize(117, ' ');
  std::string bytes("\x93NUMPY\x01\x00\x76\x00", 10);
  bytes += front + "\n";
  std::vector<T> numbers(rows * 5);
  for (std::size_t i = 0; i < rows; ++i) {
    T sum = 0;
    for (std::size_t k = 0; k < 5; ++k) {
      const auto number = k < 4 ? static_cast<T>((i * (7919 + 2 * k)) % 1048576) / T{1048576} : sum;
      sum += number * number;
      numbers[fortran ? k * rows + i : i * 5 + k] = static_cast<T>(number);
    }
  }
  const std::size_t start = bytes.size();
  bytes.resize(start + numbers.size() * sizeof(T));
  std::memcpy(bytes.data() + start, numbers.data(), numbers.size() * sizeof(T));
  write_file(path, bytes);
}

Words fit_words(const std::string& data, const Words& more = {}) {
  Words words = {"fit",      data, "--target",     "5", "--preset", "paper", "--width", "8",
                 "--blocks", "2",  "--iterations", "1", "--quiet"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(Memory, DryRunPromisesWhatTheRunTakes) {
  const Folder folder;
  constexpr std::size_t rows = 1000000;
  constexpr double data = rows * 5 * 8.0;
  write_npy<double>(folder / "doubles.npy", rows);
  write_npy<float>(folder / "floats.npy", rows);
  for (const Words& words :
       {fit_words("doubles.npy"), fit_words("floats.npy"), fit_words("doubles.npy", {"--proposal-fraction", "0.1"}),
        fit_words("floats.npy", {"--block-rows", "subset", "--validation-fraction", "0.2"})}) {
    Words dry = words;
    dry.insert(dry.end(), {"--dry-run", "--json"});
    const Json plan = parsed(must(folder, dry).out);
    EXPECT_TRUE(plan.at("mapped").get<bool>());
    double sum = 0.0;
    for (const auto& [name, bytes] : plan.at("memory").items()) sum += bytes.get<double>();
    EXPECT_EQ(plan.at("memory_bytes").get<double>(), sum);
    EXPECT_EQ(plan.at("memory").at("data").get<double>(), words[1] == "doubles.npy" ? data : data / 2);
    const Outcome outcome = must(folder, words);
    const double ratio = plan.at("memory_bytes").get<double>() / outcome.peak_bytes;
    EXPECT_GT(ratio, 0.8) << ::testing::PrintToString(words);
    EXPECT_LT(ratio, 1.3) << ::testing::PrintToString(words);
    EXPECT_LT(outcome.peak_bytes, 2.0 * data + 256.0 * 1048576.0) << ::testing::PrintToString(words);
  }
}

TEST(Memory, WideBlocksArePromisedToo) {
  const Folder folder;
  write_npy<double>(folder / "few.npy", 2000);
  const Words words = {"fit",     "few.npy", "--target", "5", "--preset",     "paper",
                       "--width", "150",     "--blocks", "2", "--iterations", "1"};
  Words dry = words;
  dry.insert(dry.end(), {"--dry-run", "--json"});
  const double ratio = parsed(must(folder, dry).out).at("memory_bytes").get<double>() / must(folder, words).peak_bytes;
  EXPECT_GT(ratio, 0.7);
  EXPECT_LT(ratio, 1.5);
}

TEST(Memory, EveryNpyLayoutTrainsTheSameNetwork) {
  const Folder folder;
  write_npy<float>(folder / "c4.npy", 500);
  write_npy<float>(folder / "f4.npy", 500, true);
  // The same numbers as doubles, and as text.
  must(folder, fit_words("c4.npy"));
  must(folder, fit_words("f4.npy"));
  EXPECT_EQ(tensors_of(folder / "f4.rfnn"), tensors_of(folder / "c4.rfnn"));
  std::string text;
  const std::string bytes = read_file(folder / "c4.npy").substr(128);
  for (std::size_t i = 0; i < 2500; ++i) {
    float number = 0.0F;
    std::memcpy(&number, bytes.data() + 4 * i, 4);
    char shortest[40];
    std::snprintf(shortest, sizeof shortest, "%.17g", static_cast<double>(number));
    text += shortest + std::string(i % 5 == 4 ? "\n" : ",");
  }
  write_file(folder / "text.csv", text);
  must(folder, fit_words("text.csv"));
  EXPECT_EQ(tensors_of(folder / "text.rfnn"), tensors_of(folder / "c4.rfnn"));
}

TEST(Memory, AnArrayCutShortIsRefused) {
  const Folder folder;
  write_npy<double>(folder / "whole.npy", 500);
  const std::string bytes = read_file(folder / "whole.npy");
  write_file(folder / "cut.npy", bytes.substr(0, bytes.size() - 8));
  const Outcome outcome = run(folder, fit_words("cut.npy"));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("ends in the middle"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace rfnn::testing
