// Fixed work for the three kernels, counted by callgrind: started under
//
//   valgrind --tool=callgrind --collect-atstart=no instruction_work LEVEL
//
// it dumps one profile per kernel, named after it. Only the calls of the kernel are collected, so the counts do not
// depend on the machine, its load or the start of the program.

#include <valgrind/callgrind.h>

#include <cstdio>

#include "benchmarks/tile.hpp"

namespace {

template <class Work>
void count(const char* name, const Work& work) {
  work();  // the first call also finds SLEEF's functions
  CALLGRIND_ZERO_STATS;
  CALLGRIND_TOGGLE_COLLECT;
  work();
  CALLGRIND_TOGGLE_COLLECT;
  CALLGRIND_DUMP_STATS_AT(name);
}

}  // namespace

int main(int argc, char** argv) {
  const rfnn::features::Kernels* level = argc == 2 ? rfnn::features::kernels(argv[1]) : nullptr;
  if (level == nullptr) {
    std::puts("unavailable");
    return argc == 2 ? 0 : 1;
  }
  // Shapes of the multiscale example (W = 6) and of a wide block, and one that fills no register block.
  const rfnn::bench::FeatureWork one(6, 1), three(6, 3);
  const rfnn::bench::GramWork narrow(12, 24), wide(64, 128), odd(7, 13);
  const rfnn::bench::CombineWork sum(24);
  count("features", [&] { one.run(*level), three.run(*level); });
  count("gram", [&] { narrow.run_proposal(*level), wide.run_proposal(*level), odd.run_proposal(*level); });
  count("combine", [&] { sum.run(*level); });
  std::puts("counted");
}
