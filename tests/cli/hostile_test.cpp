// Damaged files: whatever the bytes, the command ends with a documented code and a word of explanation.

#include <random>

#include "cli/process.hpp"

namespace rfnn::testing {
namespace {

/// Flips, cuts, repeats and inserts bytes.
std::string mutated(std::string bytes, std::mt19937& random) {
  const auto below = [&](std::size_t bound) {
    return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random);
  };
  const std::size_t changes = 1 + below(4);
  for (std::size_t i = 0; i < changes && !bytes.empty(); ++i) {
    // Headers are where the damage is worst: half of the changes fall into the first kilobyte.
    const std::size_t place = below(2) == 0 ? below(bytes.size()) : below(std::min<std::size_t>(bytes.size(), 1024));
    switch (below(6)) {
      case 0:
        bytes[place] = static_cast<char>(bytes[place] ^ (1 << below(8)));
        break;
      case 1:
        bytes[place] = static_cast<char>(below(256));
        break;
      case 2:
        bytes.resize(place);
        break;
      case 3:
        bytes.insert(place, bytes.substr(place, below(200)));
        break;
      case 4:
        bytes.insert(place, std::string(1 + below(20), "0,\"\n-e[{\xff"[below(10)]));
        break;
      default:
        bytes.erase(place, below(50));
        break;
    }
  }
  return bytes;
}

TEST(Hostile, MutatedModelsAndTablesGiveOnlyDocumentedExitCodes) {
  Folder folder;
  must(folder, {"generate", "sine", "--rows", "60", "--out", "data.csv"});
  must(folder, quick_fit("data.csv", {"--quiet"}));
  const std::string model = read_file(folder / "data.rfnn"), table = read_file(folder / "data.csv");
  std::mt19937 random(7);
  int refused = 0, taken = 0;
  for (int i = 0; i < 300; ++i) {
    const bool of_model = i % 2 == 0;
    const std::string bytes = mutated(of_model ? model : table, random);
    write_file(folder / "mutant", bytes);
    Words words;
    if (of_model) {
      words = i % 4 == 0 ? Words{"inspect", "mutant"} : Words{"predict", "mutant", "data.csv"};
    } else {
      words =
          i % 4 == 1 ? Words{"predict", "data.rfnn", "mutant"} : quick_fit("mutant", {"--quiet", "--out", "m.rfnn"});
    }
    const Outcome outcome = run(folder, words);
    const bool documented =
        outcome.code == 0 || outcome.code == 2 || (!of_model && (outcome.code == 1 || outcome.code == 3));
    EXPECT_TRUE(documented) << "mutant " << i << " of the " << (of_model ? "model" : "table") << ": code "
                            << outcome.code << ", signal " << outcome.signal << "\n"
                            << outcome.err;
    EXPECT_TRUE(outcome.code == 0 || !outcome.err.empty()) << "mutant " << i << " was refused without a word";
    (outcome.code == 0 ? taken : refused) += 1;
  }
  EXPECT_GT(refused, 100);
  EXPECT_GT(taken, 10) << "mutants of tables are often still tables";
}

}  // namespace
}  // namespace rfnn::testing
