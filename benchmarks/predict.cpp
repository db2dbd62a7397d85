// Prediction in memory on one thread: bench_predict MODEL ROWS OUT. Makes inputs evenly spread over the range of the
// training data, predicts, writes the predictions to OUT (doubles as they are), prints "ready", and for every line on
// standard input predicts once more and prints the seconds.

#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <string>

#include <fmt/format.h>

#include "clock.hpp"
#include "rfnn/rfnn.hpp"

int main(int argc, char** argv) {
  if (argc != 4) {
    fmt::print(stderr, "bench_predict MODEL ROWS OUT\n");
    return 1;
  }
  try {
    const rfnn::Model model = rfnn::load_model(argv[1]);
    const std::size_t rows = std::stoull(argv[2]);
    rfnn::Matrix inputs(rows, model.input_count()), outputs(rows, model.outputs());
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t k = 0; k < inputs.cols(); ++k) {
        const double share = static_cast<double>(i) / static_cast<double>(rows - 1);
        inputs(i, k) = model.inputs[k].min + share * (model.inputs[k].max - model.inputs[k].min);
      }
    rfnn::predict(model, inputs.view(), outputs.view(), {.blocks = {}, .threads = 1});
    std::ofstream(argv[3], std::ios::binary)
        .write(reinterpret_cast<const char*>(outputs.data()),
               static_cast<std::streamsize>(outputs.size() * sizeof(double)));
    fmt::print("ready\n");
    std::fflush(stdout);
    for (std::string line; std::getline(std::cin, line);) {
      const double begin = rfnn::bench::now();
      rfnn::predict(model, inputs.view(), outputs.view(), {.blocks = {}, .threads = 1});
      fmt::print("{}\n", rfnn::bench::now() - begin);
      std::fflush(stdout);
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_predict: {}\n", error.what());
    return 2;
  }
}
