// Gibbs iterations per second of a later block over the sizes N, d, W: the library on one thread and on two, the plain
// loop (baseline.hpp) where it is not too slow or too large, and the bound (bound.hpp) with the engine's share of it.
//
//   bench_training [--quick] [--json FILE]
//   bench_training --rate ROWS INPUTS WIDTH THREADS SECONDS
//       prints "ready", waits for a line, iterates for so long and prints iterations per second

#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "baseline.hpp"
#include "blas_threads.hpp"
#include "bound.hpp"
#include "chain.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/rfnn.hpp"

namespace {

using namespace rfnn;
using namespace rfnn::bench;

/// Seconds and bytes the plain loop would need for an iteration, roughly.
double baseline_seconds(const Size& size) {
  const auto n = static_cast<double>(size.rows), w = static_cast<double>(size.width);
  return 3.0 * n * (2.0 * w * 25e-9 + 2.0 * 16.0 * w * w / 20e9);
}
double baseline_bytes(const Size& size) {
  return 8.0 * static_cast<double>(size.rows) * static_cast<double>(4 * size.width);
}
constexpr double longest_baseline = 3.0, largest_baseline = 4e9;

/// Iterations per second of the best way to run the plain loop, with and without the C library's vector functions.
nlohmann::json measure_baseline(const Dataset& data, const Size& size, double seconds) {
  baseline::PlainLoop loop(data, options_for(size, 1), {1, true});
  loop.begin_block();
  loop.end_block();
  loop.begin_block();
  nlohmann::json result;
  for (const bool vector_trig : {false, true}) {
    double best = 0.0;
    int with = 1;
    const int all = static_cast<int>(available_threads());
    for (const int threads : all > 1 ? std::vector{1, all} : std::vector{1}) {
      loop.set({threads, vector_trig});
      const double begin = now();
      double last = begin;
      do {
        loop.iterate();
        const double rate = 1.0 / (now() - last);
        last = now();
        if (rate > best) {
          best = rate;
          with = threads;
        }
      } while (last - begin < seconds);
    }
    result[vector_trig ? "vector" : "plain"] = {{"per_second", best}, {"blas_threads", with}};
  }
  set_blas_threads(1);
  return result;
}

nlohmann::json measure(const Size& size, const Dataset& data, bool quick) {
  const double seconds = quick ? 0.05 : 0.25;
  const std::size_t least = 2;
  const int rounds = quick ? 1 : 3;
  nlohmann::json result = {{"rows", size.rows}, {"inputs", size.inputs}, {"width", size.width}};

  Timing one;
  Bound bound;
  {
    Chain chain(data, size, 1);
    one = chain.run(seconds, least);
    BoundMeter meter(data, size, chain.engine());
    meter.measure(0.2 * seconds);
    for (int round = 1; round < rounds && one.mean * static_cast<double>(least) < 1.0; ++round) {
      one.best = std::min(one.best, chain.run(seconds, least).best);
      meter.measure(0.2 * seconds);
    }
    bound = meter.bound();
  }
  result["per_second"] = 1.0 / one.best;
  result["bound"] = {{"trig", bound.trig}, {"gram", bound.gram}, {"solve", bound.solve}};
  result["share"] = bound.seconds() / one.best;
  if (available_threads() > 1) {
    Chain chain(data, size, 2);
    double best = one.best * 1e9;
    for (int round = 0; round < rounds; ++round) {
      const Timing two = chain.run(seconds, least);
      best = std::min(best, two.best);
      if (two.mean * static_cast<double>(least) > 1.0) break;
    }
    result["per_second_two_threads"] = 1.0 / best;
  }
  if (baseline_seconds(size) > longest_baseline || baseline_bytes(size) > largest_baseline) {
    result["baseline_left_out"] =
        fmt::format("about {:.0f} s an iteration and {:.1f} GB", baseline_seconds(size), 1e-9 * baseline_bytes(size));
  } else {
    result["baseline"] = measure_baseline(data, size, quick ? 0.02 : 0.2);
    for (const char* way : {"plain", "vector"})
      result["baseline"][way]["ratio"] =
          result["per_second"].get<double>() / result["baseline"][way]["per_second"].get<double>();
  }
  return result;
}

void print_row(const nlohmann::json& row) {
  const double seconds = 1.0 / row["per_second"].get<double>();
  const auto& bound = row["bound"];
  const auto share = [&](const char* part) { return 100.0 * bound[part].get<double>() / seconds; };
  fmt::print("  {:>9} {:>3} {:>4}  {:>10.4g}/s  {:.2f} of the bound (trig {:.0f} %, Gram {:.0f} %, solve {:.0f} %)",
             row["rows"].get<std::size_t>(), row["inputs"].get<std::size_t>(), row["width"].get<std::size_t>(),
             row["per_second"].get<double>(), row["share"].get<double>(), share("trig"), share("gram"), share("solve"));
  if (row.contains("per_second_two_threads"))
    fmt::print(", two threads {:.2f} ×", row["per_second_two_threads"].get<double>() / row["per_second"].get<double>());
  if (row.contains("baseline"))
    fmt::print(", {:.1f} × plain loop, {:.1f} × with vector cos/sin", row["baseline"]["plain"]["ratio"].get<double>(),
               row["baseline"]["vector"]["ratio"].get<double>());
  else
    fmt::print(", plain loop left out ({})", row["baseline_left_out"].get<std::string>());
  fmt::print("\n");
  std::fflush(stdout);
}

std::vector<Size> sizes(bool quick) {
  std::vector<Size> all;
  if (quick) return {{1000, 1, 8}, {10'000, 3, 8}, {100'000, 3, 16}, {10'000, 3, 64}};
  for (const std::size_t inputs : {1U, 3U, 10U})
    for (std::size_t rows = 1000; rows <= 10'000'000; rows *= 10) all.push_back({rows, inputs, 8});
  for (std::size_t width = 4; width <= 512; width *= 2)
    if (width != 8) all.push_back({10'000, 3, width});
  all.push_back({100'000, 3, 16});
  for (const std::size_t width : {16U, 64U, 256U}) all.push_back({100'000, 10, width});
  return all;
}

int rate(const std::vector<std::string>& words) {
  const auto number = [&](std::size_t i) { return static_cast<std::size_t>(std::stoull(words[i])); };
  const Size size{number(1), number(2), number(3)};
  const Dataset data = made_up(size);
  Chain chain(data, size, number(4));
  chain.run(0.0, 1);
  fmt::print("ready\n");
  std::fflush(stdout);
  for (std::string line; std::getline(std::cin, line);) {
    const Timing timing = chain.run(std::stod(words[5]), 2);
    fmt::print("{}\n", 1.0 / timing.mean);
    std::fflush(stdout);
  }
  return 0;
}

int run(const std::vector<std::string>& words) {
  bool quick = false;
  std::string json_file;
  if (words.size() == 6 && words[0] == "--rate") return rate(words);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--quick") {
      quick = true;
    } else if (words[i] == "--json" && i + 1 < words.size()) {
      json_file = words[++i];
    } else {
      fmt::print(stderr,
                 "bench_training [--quick] [--json FILE]\nbench_training --rate ROWS INPUTS WIDTH THREADS SECONDS\n");
      return 1;
    }
  }
  fmt::print("Gibbs iterations of a later block (N, d, W), one thread, SIMD level {}\n", simd_level());
  nlohmann::json all = {{"simd", simd_level()}, {"sizes", nlohmann::json::array()}};
  for (const Size& size : sizes(quick)) {
    all["sizes"].push_back(measure(size, made_up(size), quick));
    print_row(all["sizes"].back());
  }
  if (!json_file.empty()) std::ofstream(json_file) << all.dump(2) << '\n';
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_training: {}\n", error.what());
    return 1;
  }
}
