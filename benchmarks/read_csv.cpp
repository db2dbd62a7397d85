// Reads a whole table and prints the seconds it took (wall clock, then processor time), the rows and a sum of all
// cells: bench_read_csv FILE [THREADS] (0, the default: as many as the process may use).

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>

#include <fmt/format.h>

#include "rfnn/core/parallel.hpp"
#include "rfnn/io/table.hpp"

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "bench_read_csv FILE [THREADS]\n");
    return 1;
  }
  try {
    const auto begin = std::chrono::steady_clock::now();
    const std::size_t wanted = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 0;
    const auto table = rfnn::open_table(argv[1], wanted == 0 ? rfnn::available_threads() : wanted);
    const rfnn::Matrix cells = rfnn::read_all(*table);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const double processor = static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
    double sum = 0.0;
    for (std::size_t i = 0; i < cells.size(); ++i) sum += cells.data()[i];
    fmt::print("{} {} {} {}\n", seconds, processor, cells.rows(), sum);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_read_csv: {}\n", error.what());
    return 2;
  }
}
