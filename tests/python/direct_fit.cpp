// usage: direct_fit TABLE.npy PRESET OPTIONS_JSON MODEL   Trains on a table whose last column is the target, through
// the public headers alone: what Python and the command must agree with.

#include <iostream>
#include <string>

#include "rfnn/rfnn.hpp"

int main(int argc, char** argv) try {
  using namespace rfnn;
  if (argc != 5) return 1;
  const Matrix table = read_all(*open_table(argv[1]));
  const std::size_t inputs = table.cols() - 1;
  const auto stride = static_cast<std::ptrdiff_t>(table.cols());
  const DatasetView data(ConstMatrixView(table.data(), table.rows(), inputs, stride, 1),
                         ConstMatrixView(table.data() + inputs, table.rows(), 1, stride, 1));
  Options options = preset_options(std::string(argv[2]) == "paper" ? Preset::paper : Preset::automatic);
  options_from_json(options, argv[3], "the command line");
  save_model(fit(data, options), argv[4]);
} catch (const rfnn::Error& error) {
  std::cerr << error.what() << '\n';
  return 2;
}
