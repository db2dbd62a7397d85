// The three kernels that touch every row, against what else could do their work, in turns within one run on one thread:
//
//   features   over a bare loop of SLEEF's vector function on given phases, at each SIMD level of this machine
//   gram       over the best of Eigen and OpenBLAS (either storage order), by the time of one result
//   all three  at each SIMD level
//
//   bench_kernels [--quick] [--json FILE]

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "blas_threads.hpp"
#include "clock.hpp"
#include "peers.hpp"
#include "rfnn/features/kernels.hpp"
#include "tile.hpp"

namespace {

using namespace rfnn;
using namespace rfnn::bench;

constexpr const char* levels[] = {"avx512", "avx2", "baseline"};

/// Seconds per cos/sin pair of the kernel (one variable) and of SLEEF's own loop, all arrays in the first-level cache.
nlohmann::json compare_trig(const char* name, double seconds) {
  constexpr std::size_t width = 4;
  const features::Kernels* level = features::kernels(name);
  const FeatureWork work(width, 1);
  AlignedVector phases(width * features::tile_rows), cosine(phases.size()), sine(phases.size());
  for (std::size_t j = 0; j < width; ++j)
    for (std::size_t i = 0; i < features::tile_rows; ++i) phases[j * features::tile_rows + i] = work.phase(j, i);
  Contender ours([&] { work.run(*level); });
  Contender sleef([&] {
    peers(name)->sleef_loop(phases.data(), phases.size(), cosine.data(), sine.data());
    clobber();
  });
  compete(seconds, 50, ours, sleef);
  const auto pairs = static_cast<double>(phases.size());
  return {{"level", name},
          {"kernel_pairs_per_second", pairs / ours.seconds()},
          {"sleef_pairs_per_second", pairs / sleef.seconds()},
          {"ratio", sleef.seconds() / ours.seconds()}};
}

/// Numbers in the storage orders of a GramJob and in tiles.
struct GramData {
  static constexpr std::size_t tiles = 8, rows = tiles * features::tile_rows, stride = rows + 8;  // no power of two
  GramData(std::size_t columns, double phase) : tall(columns * stride), wide(columns * rows) {
    for (std::size_t t = 0; t < tiles; ++t) tiled.emplace_back(columns);
    for (std::size_t c = 0; c < columns; ++c)
      for (std::size_t i = 0; i < rows; ++i) {
        const double value = std::sin(phase + 0.37 * static_cast<double>(c + 1) * static_cast<double>(i + 1));
        tall[c * stride + i] = wide[i * columns + c] = value;
        tiled[i / features::tile_rows].values[c * features::tile_rows + i % features::tile_rows] = value;
      }
  }
  AlignedVector tall, wide;
  std::vector<Tile> tiled;
};

void check_equal(const AlignedVector& ours, const AlignedVector& theirs, std::size_t p, std::size_t n, bool upper,
                 const std::string& who) {
  for (std::size_t i = 0; i < p; ++i)
    for (std::size_t j = upper ? i : 0; j < n; ++j)
      if (!(std::abs(ours[i * n + j] - theirs[j * p + i]) <= 1e-9 * GramData::rows))
        throw std::runtime_error(fmt::format("{} × {}: entry {}, {} is {} by the kernel and {} by {}", p, n, i, j,
                                             ours[i * n + j], theirs[j * p + i], who));
}

/// `upper`: the upper triangle of the Gram matrix of n columns. Else the product of p with n columns.
nlohmann::json compare_gram(std::size_t p, std::size_t n, bool upper, double seconds) {
  const GramData right(n, 0.0), own_left(upper ? 0 : p, 1.0);
  const GramData& left = upper ? right : own_left;
  AlignedVector c(p * n), theirs(p * n);
  const features::Kernels& level = features::kernels();
  const GramJob job{
      GramData::rows, p, n, left.tall.data(), right.tall.data(), GramData::stride, left.wide.data(), right.wide.data(),
      theirs.data()};
  const Peers& same_level = *peers(std::string(level.name).c_str());
  const GramPair& eigen = upper ? same_level.eigen_upper : same_level.eigen_product;
  const GramPair& blas = upper ? openblas_upper : openblas_product;

  const auto kernel = [&] {
    std::fill(c.begin(), c.end(), 0.0);
    for (std::size_t t = 0; t < GramData::tiles; ++t)
      level.gram(left.tiled[t].readable.data(), p, right.tiled[t].readable.data(), n, upper, c.data(), n);
    clobber();
  };
  kernel();
  const std::pair<Gram, const char*> others[] = {
      {eigen.tall, "Eigen"}, {eigen.wide, "Eigen, rows"}, {blas.tall, "OpenBLAS"}, {blas.wide, "OpenBLAS, rows"}};
  for (const auto& [gram, who] : others) {
    gram(job);
    check_equal(c, theirs, p, n, upper, who);
  }
  const auto contender = [&](Gram gram) {
    return Contender([gram, &job] {
      gram(job);
      clobber();
    });
  };
  Contender ours(kernel);
  auto a = contender(others[0].first), b = contender(others[1].first), d = contender(others[2].first),
       e = contender(others[3].first);
  compete(seconds, 5, ours, a, b, d, e);

  // The same count for all, whatever a library really does: multiply-adds of the result asked for.
  const double flops = 2.0 * static_cast<double>(GramData::rows) *
                       (upper ? 0.5 * static_cast<double>(n * (n + 1)) : static_cast<double>(p * n));
  const double with_eigen = std::min(a.seconds(), b.seconds()), with_blas = std::min(d.seconds(), e.seconds());
  return {{"shape", upper ? "upper" : "product"},
          {"p", p},
          {"n", n},
          {"kernel_gflops", 1e-9 * flops / ours.seconds()},
          {"eigen_gflops", 1e-9 * flops / with_eigen},
          {"openblas_gflops", 1e-9 * flops / with_blas},
          {"best_library", with_eigen < with_blas ? "Eigen" : "OpenBLAS"},
          {"ratio", std::min(with_eigen, with_blas) / ours.seconds()}};
}

/// One tile of the multiscale example (W = 6, later block) at one level: seconds per feature value, multiply-add.
nlohmann::json at_level(const char* name, double seconds) {
  const features::Kernels& level = *features::kernels(name);
  const FeatureWork one(6, 1), three(6, 3);
  const GramWork narrow(12, 24), wide(64, 128);
  const CombineWork sum(24);
  Contender a([&] { one.run(level); });
  Contender b([&] { three.run(level); });
  Contender c([&] { narrow.run(level); });
  Contender d([&] { wide.run(level); });
  Contender e([&] { sum.run(level); });
  compete(seconds, 20, a, b, c, d, e);
  const auto rows = static_cast<double>(features::tile_rows);
  return {{"level", name},
          {"features_d1_pairs_per_second", 6 * rows / a.seconds()},
          {"features_d3_pairs_per_second", 6 * rows / b.seconds()},
          {"gram_12x24_per_second", 12 * 24 * rows / c.seconds()},
          {"gram_64x128_per_second", 64 * 128 * rows / d.seconds()},
          {"combine_24_per_second", 24 * rows / e.seconds()}};
}

int run(const std::vector<std::string>& words) {
  bool quick = false;
  std::string json_file;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--quick") {
      quick = true;
    } else if (words[i] == "--json" && i + 1 < words.size()) {
      json_file = words[++i];
    } else {
      fmt::print(stderr, "bench_kernels [--quick] [--json FILE]\n");
      return 1;
    }
  }
  set_blas_threads(1);
  const double seconds = quick ? 0.02 : 0.5;
  nlohmann::json all = {{"simd", features::kernels().name},
                        {"trig", nlohmann::json::array()},
                        {"gram", nlohmann::json::array()},
                        {"levels", nlohmann::json::array()}};

  fmt::print("Cos/sin pairs, kernel over SLEEF's own loop\n");
  for (const char* name : levels) {
    if (features::kernels(name) == nullptr) continue;
    all["trig"].push_back(compare_trig(name, 2 * seconds));
    const auto& found = all["trig"].back();
    fmt::print("  {:<9} {:6.0f} / {:6.0f} million a second = {:.3f}\n", name,
               1e-6 * found["kernel_pairs_per_second"].get<double>(),
               1e-6 * found["sleef_pairs_per_second"].get<double>(), found["ratio"].get<double>());
  }

  fmt::print("Gram matrices over {} rows, level {}, Gflop/s\n", GramData::rows, features::kernels().name);
  std::vector<std::size_t> sizes = {8, 12, 16, 24, 32, 48, 64, 96, 128, 256, 512, 1024};
  if (quick) sizes = {8, 24, 64, 128};
  for (const bool upper : {true, false})
    for (const std::size_t n : sizes) {
      all["gram"].push_back(compare_gram(upper ? n : n / 2, n, upper, seconds));
      const auto& found = all["gram"].back();
      const auto number = [&](const char* key) { return found[key].get<double>(); };
      fmt::print("  {:<8} {:>4} × {:<4}  kernel {:5.1f}, Eigen {:5.1f}, OpenBLAS {:5.1f}: {:.2f} × {}\n",
                 found["shape"].get<std::string>(), found["p"].get<std::size_t>(), n, number("kernel_gflops"),
                 number("eigen_gflops"), number("openblas_gflops"), number("ratio"),
                 found["best_library"].get<std::string>());
      std::fflush(stdout);
    }

  fmt::print("Levels, W = 6: million pairs (1 and 3 inputs) and multiply-adds (12 × 24, 64 × 128, combine) a second\n");
  for (const char* name : levels) {
    if (features::kernels(name) == nullptr) continue;
    all["levels"].push_back(at_level(name, 2 * seconds));
    const auto& found = all["levels"].back();
    fmt::print("  {:<9}", name);
    for (const char* key : {"features_d1_pairs_per_second", "features_d3_pairs_per_second", "gram_12x24_per_second",
                            "gram_64x128_per_second", "combine_24_per_second"})
      fmt::print(" {:8.0f}", 1e-6 * found[key].get<double>());
    fmt::print("\n");
  }
  if (!json_file.empty()) std::ofstream(json_file) << all.dump(2) << '\n';
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_kernels: {}\n", error.what());
    return 1;
  }
}
