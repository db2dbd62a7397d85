#include "rfnn/core/scratch_file.hpp"

#include <unistd.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <vector>

namespace rfnn {
namespace {

/// Pages of files that are in this process's memory.
std::size_t pages_of_files() {
  std::ifstream statm("/proc/self/statm");
  std::size_t size = 0, resident = 0, of_files = 0;
  statm >> size >> resident >> of_files;
  return of_files;
}

TEST(ScratchFile, GivesBackWhatWasAppended) {
  ScratchFile file;
  std::vector<int> numbers(100000);
  std::iota(numbers.begin(), numbers.end(), 0);
  file.append(numbers.data(), 4000);
  file.append(numbers.data() + 1000, numbers.size() * sizeof(int) - 4000);
  EXPECT_EQ(file.size(), numbers.size() * sizeof(int));
  std::vector<int> some(10);
  file.read(5000 * sizeof(int), some.data(), some.size() * sizeof(int));
  EXPECT_TRUE(std::equal(some.begin(), some.end(), numbers.begin() + 5000));
}

TEST(ScratchMap, KeepsWhatHasLeftMemory) {
  constexpr std::size_t count = std::size_t{1} << 20U;
  const ScratchMap map(count * sizeof(double));
  auto* const numbers = static_cast<double*>(map.data());
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(numbers[i], 0.0);
    numbers[i] = static_cast<double>(i);
  }
  const std::size_t before = pages_of_files();
  map.pages().let_go(numbers + 100, (count - 200) * sizeof(double));
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  EXPECT_LT(pages_of_files() + map.bytes() / page / 2, before);
  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(numbers[i], static_cast<double>(i));
}

TEST(FilePages, LetGoOfTheirOwnAlone) {
  std::vector<char> other(1U << 16U, 'x');
  const ScratchMap map(1U << 16U);
  map.pages().let_go(other.data(), other.size());
  map.pages().let_go(map.data(), 1U << 20U);
  FilePages().let_go(other.data(), other.size());
  EXPECT_EQ(std::count(other.begin(), other.end(), 'x'), 1 << 16);
}

}  // namespace
}  // namespace rfnn
