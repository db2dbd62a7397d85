// Gibbs iterations per second of the library and of the plain loop (baseline.hpp), one thread each, measured in turns
// within one run; and whether both, with the QR solver, walk through the same frequencies.
//
//   bench_gibbs [--quick] [--json FILE]

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <exception>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "baseline.hpp"
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
  Options options;
  options.width = example.width;
  options.gamma = options.gamma_state = example.gamma;
  options.delta_state = 2.4 * 2.4;
  options.ridge = {example.ridge};
  options.threads = 1;
  return options;
}

/// Wall clock and processor time. On a busy machine the second is the steadier one; on one thread an idle machine shows
/// the same for both.
struct Instant {
  double wall = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  double processor = static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
};
struct Rate {
  double wall = 0.0, processor = 0.0;  ///< iterations per second
};
Rate rate(std::int64_t iterations, const Instant& from, const Instant& to) {
  const auto n = static_cast<double>(iterations);
  return {n / (to.wall - from.wall), n / (to.processor - from.processor)};
}

/// Notes when blocks end.
struct BlockClock : Observer {
  std::vector<Instant> ends;
  bool block_done(const BlockRecord&) override {
    ends.emplace_back();
    return true;
  }
};

/// Block `block` of fit().
Rate library_rate(const Dataset& data, Options options, std::int64_t block, std::int64_t iterations) {
  options.blocks = block;
  options.iterations = iterations;
  BlockClock clock;
  FitExtras extras;
  extras.observer = &clock;
  const Instant begin;
  fit(data, options, extras);
  const auto last = static_cast<std::size_t>(block - 1);
  return rate(iterations, last == 0 ? begin : clock.ends[last - 1], clock.ends[last]);
}

Rate baseline_rate(baseline::PlainLoop& loop, std::int64_t iterations) {
  const Instant begin;
  for (std::int64_t i = 0; i < iterations; ++i) loop.iterate();
  return rate(iterations, begin, Instant());
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

/// Iterations that take about `seconds`.
std::int64_t sized(const Rate& found, double seconds) {
  return std::max<std::int64_t>(10, static_cast<std::int64_t>(found.processor * seconds));
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

  const std::int64_t library_iterations = sized(library_rate(data, options, block, 200), seconds);
  const std::int64_t baseline_iterations = sized(baseline_rate(loop, 20), seconds);
  std::vector<double> library, plain, ratio, processor_ratio, parallel;
  for (int turn = 0; turn < turns; ++turn) {
    const Rate a = baseline_rate(loop, baseline_iterations);
    const Rate b = library_rate(data, options, block, library_iterations);
    plain.push_back(a.wall);
    library.push_back(b.wall);
    ratio.push_back(b.wall / a.wall);
    processor_ratio.push_back(b.processor / a.processor);
    parallel.push_back(a.wall / a.processor);
  }
  return {{"block", block},
          {"turns", turns},
          {"library_per_second", median(library)},
          {"baseline_per_second", median(plain)},
          {"ratio", median(ratio)},
          {"ratio_low", *std::min_element(ratio.begin(), ratio.end())},
          {"ratio_high", *std::max_element(ratio.begin(), ratio.end())},
          {"processor_time_ratio", median(processor_ratio)},
          {"baseline_cores_used", median(parallel)}};
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
  const int turns = quick ? 5 : 9;
  const double seconds = quick ? 0.1 : 0.4;
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
    fmt::print(
        "  {:<34} {:>8.0f} / {:>6.0f} iterations per second = {:.2f} (from {:.2f} to {:.2f}; processor time {:.2f})\n",
        words, found["library_per_second"].get<double>(), found["baseline_per_second"].get<double>(),
        found["ratio"].get<double>(), found["ratio_low"].get<double>(), found["ratio_high"].get<double>(),
        found["processor_time_ratio"].get<double>());
    std::fflush(stdout);
  };
  report("later_block", "later block, library / plain loop", options, 2);
  report("first_block", "block 1, library / plain loop", options, 1);
  report("later_block_qr", "later block, solver qr / plain loop", qr, 2);
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
  fmt::print("Gibbs iterations, one thread each, SIMD level {}\n", simd_level());
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
