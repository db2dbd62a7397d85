// The kernels that touch every row, at each SIMD level this machine has, in the shapes of the multiscale example (W =
// 6, later block). Items are feature values and multiply-adds.

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "rfnn/core/aligned.hpp"
#include "rfnn/features/kernels.hpp"

namespace {

using namespace rfnn;

/// Columns of one tile.
struct Tile {
  explicit Tile(std::size_t columns) : values(columns * tile_rows) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(0.37 * static_cast<double>(i));
    for (std::size_t c = 0; c < columns; ++c) {
      readable.push_back(values.data() + c * tile_rows);
      writable.push_back(values.data() + c * tile_rows);
    }
  }
  AlignedVector values;
  std::vector<const double*> readable;
  std::vector<double*> writable;
};

void count_items(benchmark::State& state, std::size_t per_call) {
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(per_call));
}

void features(benchmark::State& state, const Kernels* level, std::size_t width, std::size_t variables) {
  Tile theta(variables), cosine(width), minus_sine(width);
  std::vector<double> frequencies(width * variables);
  std::vector<const double*> rows;
  for (std::size_t i = 0; i < frequencies.size(); ++i) frequencies[i] = 1.0 + 7.0 * static_cast<double>(i);
  for (std::size_t j = 0; j < width; ++j) rows.push_back(frequencies.data() + j * variables);
  for (auto _ : state) {
    level->features(theta.readable.data(), variables, rows.data(), width, tile_rows, cosine.writable.data(),
                    minus_sine.writable.data());
    benchmark::ClobberMemory();
  }
  count_items(state, 2 * width * tile_rows);
}

void gram(benchmark::State& state, const Kernels* level, std::size_t fresh, std::size_t kept) {
  const Tile a(fresh), b(kept);
  std::vector<double> sums(fresh * kept, 0.0);
  for (auto _ : state) {
    level->gram(a.readable.data(), fresh, b.readable.data(), kept, false, sums.data(), kept);
    benchmark::ClobberMemory();
  }
  count_items(state, fresh * kept * tile_rows);
}

void combine(benchmark::State& state, const Kernels* level, std::size_t columns) {
  const Tile a(columns);
  Tile out(1);
  const std::vector<double> coefficients(columns, 1e-9);
  for (auto _ : state) {
    level->combine(a.readable.data(), columns, coefficients.data(), 1, out.writable.data());
    benchmark::ClobberMemory();
  }
  count_items(state, columns * tile_rows);
}

}  // namespace

int main(int argc, char** argv) {
  for (const char* name : {"avx512", "avx2", "baseline"}) {
    const Kernels* level = kernels(name);
    if (level == nullptr) continue;
    const std::string suffix = std::string("/") + name;
    benchmark::RegisterBenchmark(("features/d1" + suffix).c_str(), features, level, 6, 1);
    benchmark::RegisterBenchmark(("features/d3" + suffix).c_str(), features, level, 6, 3);
    benchmark::RegisterBenchmark(("gram/12x24" + suffix).c_str(), gram, level, 12, 24);
    benchmark::RegisterBenchmark(("gram/64x128" + suffix).c_str(), gram, level, 64, 128);
    benchmark::RegisterBenchmark(("combine/24" + suffix).c_str(), combine, level, 24);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
