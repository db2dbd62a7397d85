// The sampling loop takes no memory: what it needs it has before the first iteration.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include <Eigen/Dense>

#include "rfnn/data/targets.hpp"
#include "rfnn/training/fit.hpp"

// glibc lets a program have its own malloc and gives it the real one under another name. Operator new and Eigen both
// end up here. Sanitizers bring a malloc of their own.
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define RFNN_COUNTS_ALLOCATIONS 1
#else
#define RFNN_COUNTS_ALLOCATIONS 0
#endif

namespace {
std::atomic<std::uint64_t> allocations = 0;
}

#if RFNN_COUNTS_ALLOCATIONS
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}
}
#endif

namespace rfnn::sampled {
namespace {

/// Allocations of a training run of three blocks with so many iterations each.
std::uint64_t allocations_of(Target target, Options options, std::int64_t iterations) {
  const Dataset data = generate(target, 700, 1);
  options.blocks = 3;
  options.iterations = iterations;
  const std::uint64_t before = allocations;
  const Model model = fit(data, options);
  EXPECT_EQ(model.blocks(), 3U);
  return allocations - before;
}

#if RFNN_COUNTS_ALLOCATIONS
TEST(Allocations, AreCounted) {
  const std::uint64_t before = allocations;
  std::vector<int> some(100);
  const std::uint64_t first = allocations - before;
  Eigen::VectorXd numbers = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(some.size()));
  const std::uint64_t both = allocations - before;
  EXPECT_EQ(first, 1U);
  EXPECT_EQ(both, 2U) << numbers(0) << some[0];
}

/// The loss trace and the histograms grow with the logarithm of the iterations at most.
constexpr std::uint64_t for_records = 60;

TEST(Allocations, DoNotGrowWithTheIterations) {
  for (const Keep keep : {Keep::last, Keep::best}) {
    for (const std::int64_t threads : {1, 2}) {
      Options options = preset_options(Preset::paper);
      options.keep = keep;
      options.threads = threads;
      const std::uint64_t few = allocations_of(Target::multiscale, options, 200);
      const std::uint64_t many = allocations_of(Target::multiscale, options, 1200);
      EXPECT_LE(many, few + for_records) << "keep " << static_cast<int>(keep) << ", threads " << threads;
    }
  }
}

TEST(Allocations, DoNotGrowForSeveralInputs) {
  Options options = preset_options(Preset::paper);
  options.threads = 1;
  const std::uint64_t few = allocations_of(Target::sine, options, 200);
  EXPECT_LE(allocations_of(Target::sine, options, 1200), few + for_records);
}

#endif

}  // namespace
}  // namespace rfnn::sampled
