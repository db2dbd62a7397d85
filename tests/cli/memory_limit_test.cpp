// `rfnn fit --memory`: the limit is kept, the network is the same, and what cannot be kept is refused.

#include <cmath>
#include <cstdint>
#include <fstream>
#include <vector>

#include "cli/json.hpp"
#include "cli/process.hpp"

namespace rfnn::testing {
namespace {

constexpr std::size_t rows = 400'000, columns = 5;

/// Rows of numbers that look random, floats; the last column is a function of the others.
void write_floats(const std::string& path) {
  std::string dictionary = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(rows) + ", " +
                           std::to_string(columns) + "), }";
  dictionary.resize(118, ' ');
  dictionary.back() = '\n';
  std::ofstream file(path, std::ios::binary);
  file.write("\x93NUMPY\x01\x00\x76\x00", 10);
  file << dictionary;
  std::uint32_t state = 1;
  std::vector<float> row(columns);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k + 1 < columns; ++k) {
      state = state * 1664525U + 1013904223U;
      row[k] = static_cast<float>(state >> 8) / 16777216.0F;
    }
    row[columns - 1] = row[0] * row[1] + std::sin(3.0F * row[2]);
    file.write(reinterpret_cast<const char*>(row.data()), columns * sizeof(float));
  }
}

Words fit_words(const std::string& table, const std::string& out, const Words& more) {
  Words words = {"fit", table, "--target", "5", "--out", out, "--quiet", "--no-origin", "--threads", "2"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

const Words paper = {"--preset", "paper", "--width", "4", "--blocks", "2", "--iterations", "2"};

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(MemoryLimit, IsKeptByRowsOnDiskAndTheNetworkIsTheSame) {
  const Folder folder;
  write_floats(folder / "table.npy");
  constexpr double limit = 40e6;
  const Words limited = with(paper, {"--memory", "40MB"});
  const Json plan = parsed(must(folder, fit_words("table.npy", "x.rfnn", with(limited, {"--dry-run", "--json"}))).out);
  EXPECT_TRUE(plan.at("on_disk").get<bool>());
  EXPECT_LT(plan.at("memory_bytes").get<double>(), limit);
  EXPECT_GT(plan.at("disk_bytes").get<double>(), 8.0 * rows * columns);
  EXPECT_EQ(plan.at("options").at("memory"), "40MB");
  const Outcome free = must(folder, fit_words("table.npy", "free.rfnn", paper));
  const Outcome kept = must(folder, fit_words("table.npy", "kept.rfnn", limited));
  EXPECT_LT(kept.peak_bytes, limit);
  EXPECT_GT(free.peak_bytes, 1.5 * limit) << "there would be nothing to keep";
  EXPECT_EQ(tensors_of(folder / "free.rfnn"), tensors_of(folder / "kept.rfnn"));
}

TEST(MemoryLimit, IsKeptForTablesOfText) {
  const Folder folder;
  must(folder, {"generate", "multiscale", "--rows", "300000", "--seed", "3", "--out", "table.csv"});
  const Words words = {
      "fit",   "table.csv", "--target", "y",        "--quiet", "--threads",    "2", "--preset",
      "paper", "--width",   "3",        "--blocks", "1",       "--iterations", "2", "--validation-fraction",
      "0.1"};
  const Outcome free = must(folder, with(words, {"--out", "free.rfnn"}));
  const Outcome kept = must(folder, with(words, {"--out", "kept.rfnn", "--memory", "32MB"}));
  EXPECT_LT(kept.peak_bytes, 32e6);
  EXPECT_GT(free.peak_bytes, 45e6);
  EXPECT_EQ(tensors_of(folder / "free.rfnn"), tensors_of(folder / "kept.rfnn"));
}

TEST(MemoryLimit, MakesPresetAutoDrawRows) {
  const Folder folder;
  write_floats(folder / "table.npy");
  const Words limited = {"--memory", "60MB", "--max-time", "1"};
  const Json plan = parsed(must(folder, fit_words("table.npy", "x.rfnn", with(limited, {"--dry-run", "--json"}))).out);
  EXPECT_LT(plan.at("rows_used").get<std::size_t>(), rows);
  EXPECT_FALSE(plan.at("on_disk").get<bool>());
  Words words = fit_words("table.npy", "kept.rfnn", limited);
  std::erase(words, "--quiet");
  const Outcome kept = run(folder, words);
  EXPECT_TRUE(kept.code == 0 || kept.code == 4) << kept.err;
  EXPECT_NE(kept.err.find("drawn at random, are used: there is memory (60MB) for so many"), std::string::npos)
      << kept.err;
  EXPECT_LT(kept.peak_bytes, 60e6);
}

TEST(MemoryLimit, RefusesWhatCannotBeKeptAndSaysTheLeast) {
  const Folder folder;
  must(folder, {"generate", "multiscale", "--rows", "2000", "--seed", "3", "--out", "table.csv"});
  for (const Words& preset : {Words{"--preset", "paper"}, Words{"--preset", "auto"}}) {
    const Outcome refused = run(folder, with({"fit", "table.csv", "--target", "y", "--memory", "5MB"}, preset));
    EXPECT_EQ(refused.code, 1) << refused.err;
    EXPECT_NE(refused.err.find("memory 5MB is too little for this run"), std::string::npos) << refused.err;
    EXPECT_NE(refused.err.find("is about the least"), std::string::npos) << refused.err;
  }
  const Outcome odd = run(folder, {"fit", "table.csv", "--target", "y", "--memory", "much"});
  EXPECT_EQ(odd.code, 1);
  EXPECT_NE(odd.err.find("none, or bytes"), std::string::npos) << odd.err;
  Setting nowhere;
  nowhere.environment = {{"TMPDIR", "/nowhere/at/all"}};
  write_floats(folder / "table.npy");
  const Outcome no_room = run(folder, fit_words("table.npy", "x.rfnn", with(paper, {"--memory", "40MB"})), nowhere);
  EXPECT_EQ(no_room.code, 2) << no_room.err;
  EXPECT_NE(no_room.err.find("/nowhere/at/all"), std::string::npos) << no_room.err;
}

}  // namespace
}  // namespace rfnn::testing
