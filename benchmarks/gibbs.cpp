// Gibbs iterations per second of the library, on one thread, and of the plain loop (baseline.hpp), with OpenBLAS on one
// thread and on all, measured in turns within one run; and whether both, with the QR solver, walk through the same
// frequencies.
//
//   bench_gibbs [--quick] [--json FILE]

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <exception>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "baseline.hpp"
#include "clock.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/rfnn.hpp"

namespace {

using namespace rfnn;

struct Example {
  Target target;
  std::size_t rows;
  std::int64_t width;
  double gamma;
  double ridge;
};

// The published settings.
constexpr Example examples[] = {{Target::multiscale, 2000, 6, 10.0, 1e-4},
                                {Target::stairstep, 1000, 6, 10.0, 1e-6},
                                {Target::sine, 8000, 4, 20.0, 1e-4}};

std::string name_of(Target target) { return std::string(target_names()[static_cast<std::size_t>(target)]); }

Options options_of(const Example& example) {
  Options options = preset_options(Preset::paper);
  options.width = example.width;
  options.gamma = options.gamma_state = example.gamma;
  options.delta_state = 2.4 * 2.4;
  options.ridge = {example.ridge};
  options.threads = 1;
  return options;
}

/// When something began or ended. On one thread an idle machine shows the same for both clocks.
struct Instant {
  double wall = bench::now();
  double processor = static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
};
/// Seconds of one iteration.
struct Pace {
  double wall = std::numeric_limits<double>::infinity(), processor = wall;
};
Pace pace(std::int64_t iterations, const Instant& from, const Instant& to) {
  const auto n = static_cast<double>(iterations);
  return {(to.wall - from.wall) / n, (to.processor - from.processor) / n};
}
Pace quickest(const Pace& a, const Pace& b) { return {std::min(a.wall, b.wall), std::min(a.processor, b.processor)}; }

/// Notes when blocks end.
struct BlockClock : Observer {
  std::vector<Instant> ends;
  bool block_done(const BlockRecord&) override {
    ends.emplace_back();
    return true;
  }
};

/// Block `block` of fit().
Pace library_pace(const Dataset& data, Options options, std::int64_t block, std::int64_t iterations) {
  options.blocks = block;
  options.iterations = iterations;
  BlockClock clock;
  FitExtras extras;
  extras.observer = &clock;
  const Instant begin;
  fit(data, options, extras);
  const auto last = static_cast<std::size_t>(block - 1);
  return pace(iterations, last == 0 ? begin : clock.ends[last - 1], clock.ends[last]);
}

Pace baseline_pace(baseline::PlainLoop& loop, std::int64_t iterations) {
  const Instant begin;
  for (std::int64_t i = 0; i < iterations; ++i) loop.iterate();
  return pace(iterations, begin, Instant());
}

/// Iterations that take about `seconds`.
std::int64_t sized(const Pace& found, double seconds) {
  return std::max<std::int64_t>(10, static_cast<std::int64_t>(seconds / found.processor));
}

/// A way to run the plain loop, and the best it did.
struct Contestant {
  baseline::Manner manner;
  std::int64_t iterations = 0;
  Pace best = {};
  [[nodiscard]] std::string name() const {
    const int threads = manner.blas_threads;
    return fmt::format("{}{} BLAS thread{}", manner.vector_trig ? "vector cos/sin, " : "", threads,
                       threads == 1 ? "" : "s");
  }
};

const Contestant& quickest(const std::vector<Contestant>& all, bool vector_trig) {
  const Contestant* found = nullptr;
  for (const Contestant& each : all)
    if (each.manner.vector_trig == vector_trig && (found == nullptr || each.best.wall < found->best.wall))
      found = &each;
  return *found;
}

nlohmann::json measure_block(const Example& example, const Options& options, std::int64_t block, int turns,
                             double seconds) {
  const Dataset data = generate(example.target, example.rows, 1);
  baseline::PlainLoop loop(data, options);
  for (std::int64_t b = 1; b < block; ++b) {
    loop.begin_block();
    for (int i = 0; i < 50; ++i) loop.iterate();
    loop.end_block();
  }
  loop.begin_block();

  std::vector<Contestant> contestants = {{{1, false}}, {{1, true}}};
  if (const auto all = static_cast<int>(available_threads()); all > 1) {
    contestants.push_back({{all, false}});
    contestants.push_back({{all, true}});
  }
  for (Contestant& each : contestants) {
    loop.set(each.manner);
    each.iterations = sized(baseline_pace(loop, 20), seconds);
  }
  const std::int64_t library_iterations = sized(library_pace(data, options, block, 200), seconds);
  Pace library;
  for (int turn = 0; turn < turns; ++turn) {
    for (Contestant& each : contestants) {
      loop.set(each.manner);
      each.best = quickest(each.best, baseline_pace(loop, each.iterations));
    }
    library = quickest(library, library_pace(data, options, block, library_iterations));
  }

  const Contestant &plain = quickest(contestants, false), &fast = quickest(contestants, true);
  nlohmann::json ways = nlohmann::json::object();
  for (const Contestant& each : contestants) ways[each.name()] = 1.0 / each.best.wall;
  return {{"block", block},
          {"turns", turns},
          {"library_per_second", 1.0 / library.wall},
          {"baseline_per_second", 1.0 / plain.best.wall},
          {"baseline", plain.name()},
          {"ratio", plain.best.wall / library.wall},
          {"processor_time_ratio", plain.best.processor / library.processor},
          {"fast_baseline", fast.name()},
          {"fast_ratio", fast.best.wall / library.wall},
          {"baselines_per_second", ways}};
}

struct Comparison {
  std::vector<double> differences;  ///< largest per block
  std::uint64_t accepted = 0;       ///< moves of single frequencies, all blocks
};

/// Frequencies of the library (solver qr) against those of the baseline after `iterations` in each block.
Comparison compare_frequencies(const Dataset& data, Options options, std::int64_t blocks, std::int64_t iterations) {
  options.solver = Solver::qr;
  options.blocks = blocks;
  options.iterations = iterations;
  const Model model = fit(data, options);
  baseline::PlainLoop loop(data, options);
  Comparison result;
  for (const BlockRecord& record : model.history.blocks)
    for (const BranchRecord& branch : record.branches) result.accepted += branch.accepted;
  for (const Block& block : model.members.front().blocks) {
    loop.begin_block();
    for (std::int64_t i = 0; i < iterations; ++i) loop.iterate();
    double largest = 0.0;
    for (std::size_t b = 0; b < block.branches.size(); ++b) {
      const Matrix& ours = block.branches[b].frequencies;
      for (std::size_t i = 0; i < ours.size(); ++i)
        largest = std::max(largest, std::abs(ours.data()[i] - loop.branches()[b].frequencies[i]));
    }
    result.differences.push_back(largest);
    loop.end_block();
  }
  return result;
}

/// A wrong decision shifts a chain for good, so the state after 50 iterations vouches for all before it; shorter runs
/// say where a difference began.
nlohmann::json compare_paths(const Example& example, const Options& base, int seeds) {
  constexpr std::int64_t blocks = 3;
  nlohmann::json runs = nlohmann::json::array();
  double largest = 0.0;
  std::uint64_t accepted = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    Options options = base;
    options.seed = static_cast<std::uint64_t>(seed);
    const Dataset data = generate(example.target, example.rows, options.seed);
    for (const std::int64_t iterations : {1, 10, 50}) {
      const Comparison found = compare_frequencies(data, options, blocks, iterations);
      largest = std::max(largest, *std::max_element(found.differences.begin(), found.differences.end()));
      accepted += found.accepted;
      runs.push_back({{"seed", seed},
                      {"iterations", iterations},
                      {"accepted", found.accepted},
                      {"largest_per_block", found.differences}});
    }
  }
  return {{"largest", largest}, {"accepted", accepted}, {"runs", runs}};
}

nlohmann::json measure(const Example& example, bool quick) {
  const Options options = options_of(example);
  const int turns = quick ? 3 : 9;
  const double seconds = quick ? 0.03 : 0.1;
  nlohmann::json result = {
      {"example", name_of(example.target)}, {"rows", example.rows}, {"width", example.width}, {"ridge", example.ridge}};
  result["frequency_difference"] = compare_paths(example, options, quick ? 1 : 3);
  fmt::print("{}: N={} W={} λ={}\n", name_of(example.target), example.rows, example.width, example.ridge);
  fmt::print(
      "  solver qr, 50 iterations of blocks 1 to 3: largest difference of frequencies {:.2e} ({} moves accepted)\n",
      result["frequency_difference"]["largest"].get<double>(),
      result["frequency_difference"]["accepted"].get<std::uint64_t>());

  Options qr = options;
  qr.solver = Solver::qr;
  const auto report = [&](const char* key, const char* words, const Options& with, std::int64_t block) {
    const nlohmann::json found = measure_block(example, with, block, turns, seconds);
    result[key] = found;
    fmt::print("  {:<24} {:>8.0f} iterations per second = {:.2f} × plain loop ({}), {:.2f} × ({})\n", words,
               found["library_per_second"].get<double>(), found["ratio"].get<double>(),
               found["baseline"].get<std::string>(), found["fast_ratio"].get<double>(),
               found["fast_baseline"].get<std::string>());
    std::fflush(stdout);
  };
  report("later_block", "later block", options, 2);
  report("first_block", "block 1", options, 1);
  report("later_block_qr", "later block, solver qr", qr, 2);
  return result;
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
      fmt::print(stderr, "bench_gibbs [--quick] [--json FILE]\n");
      return 1;
    }
  }
  fmt::print("Gibbs iterations, library on one thread, SIMD level {}\n", simd_level());
  nlohmann::json all = {{"simd", simd_level()}, {"examples", nlohmann::json::array()}};
  for (const Example& example : examples) all["examples"].push_back(measure(example, quick));
  if (!json_file.empty()) std::ofstream(json_file) << all.dump(2) << '\n';
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_gibbs: {}\n", error.what());
    return 1;
  }
}
