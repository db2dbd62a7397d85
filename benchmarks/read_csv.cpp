// Reads a whole table and prints the seconds it took (wall clock, then processor time), the rows and a sum of all
// cells: bench_read_csv FILE [THREADS [kinds]] (0, the default: as many as the process may use). With `kinds` the table
// is read as for training, its last column the target: columns may be dates, categories and booleans.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>

#include <fmt/format.h>

#include "rfnn/core/parallel.hpp"
#include "rfnn/io/table.hpp"
#include "rfnn/io/table_data.hpp"

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "bench_read_csv FILE [THREADS [kinds]]\n");
    return 1;
  }
  try {
    const auto begin = std::chrono::steady_clock::now();
    const std::size_t wanted = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 0;
    const auto table = rfnn::open_table(argv[1], wanted == 0 ? rfnn::available_threads() : wanted);
    if (argc > 3) {
      rfnn::TablePlaces places;
      for (std::size_t k = 0; k + 1 < table->names().size(); ++k) places.inputs.emplace_back(k);
      places.targets = {table->names().size() - 1};
      const rfnn::TableData data = rfnn::read_training(*table, places, rfnn::Options{});
      const double taken = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      fmt::print("{} {} {} {}\n", taken, static_cast<double>(std::clock()) / CLOCKS_PER_SEC, data.table.view.rows(),
                 data.table.view.inputs.size());
      return 0;
    }
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
