#include <cmath>
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/signals.hpp"
#include "cli/terminal.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/data/targets.hpp"
#include "rfnn/io/table.hpp"
#include "rfnn/options/nearest.hpp"
#include "rfnn/options/number_text.hpp"

namespace rfnn::cli {
namespace {

Target target_named(const std::string& name) {
  const auto names = target_names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<Target>(i);
  }
  const std::string_view near = nearest(name, names);
  throw UsageError(
      fmt::format("There is no function \"{}\".", printable(name)),
      near.empty() ? fmt::format("There are {}.", fmt::join(names, ", ")) : fmt::format("Did you mean {}?", near));
}

double standard_deviation(const std::string& text) {
  const auto value = number_from<double>(text);
  if (value && std::isfinite(*value) && *value >= 0.0) return *value;
  throw UsageError(fmt::format("--noise cannot be \"{}\".", printable(text)), "Give a standard deviation >= 0.");
}

/// x,y or x1,x2,…,y: inputs first, target last.
std::vector<std::string> column_names(std::size_t inputs) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i <= inputs; ++i) names.push_back(inputs == 1 ? "x" : fmt::format("x{}", i));
  names.emplace_back("y");
  return names;
}

}  // namespace

ExitCode run_generate(const Invocation& call) {
  std::string function;
  std::optional<std::string> rows, seed, noise, out;
  Arguments arguments("generate", "Write a table of one of the paper's test functions at random points.",
                      "multiscale|stairstep|sine --rows N [--seed S] [--noise SD] [--out FILE]");
  arguments.positional(function, "multiscale|stairstep|sine", "the function, of 1, 1 and 3 inputs");
  arguments.value(rows, "--rows", "N", "number of rows; more rows extend fewer of the same seed");
  arguments.value(seed, "--seed", "S", "seed of the random points [1]");
  arguments.value(noise, "--noise", "SD", "standard deviation of noise added to the values [0]");
  arguments.value(out, "-o,--out", "FILE", "where the table goes: CSV, .csv.gz or .npy [standard output]");
  arguments.parse(call.words);
  if (!rows) throw UsageError("`rfnn generate` needs --rows.", "Give the number of rows, --rows 2000 say.");

  const Target target = target_named(function);
  const std::uint64_t count = whole_number(*rows, "--rows", 1, std::uint64_t{1} << 40);
  const std::uint64_t start = seed ? whole_number(*seed, "--seed", 0, UINT64_MAX) : 1;
  const double deviation = noise ? standard_deviation(*noise) : 0.0;
  const std::string place = out.value_or("-");

  const auto signals = place == "-" ? nullptr : std::make_unique<StopSignals>();
  const std::size_t inputs = target_inputs(target);
  try {
    auto table = create_table(place, column_names(inputs));  // first: a place that cannot be written is known at once
    const Dataset data = generate(target, count, start, deviation);
    constexpr std::size_t batch_rows = 65536;
    for (std::size_t first = 0; first < count; first += batch_rows) {
      if (signals && StopSignals::received() != 0) break;
      Matrix batch(std::min<std::size_t>(batch_rows, count - first), inputs + 1);
      for (std::size_t i = 0; i < batch.rows(); ++i) {
        for (std::size_t j = 0; j < inputs; ++j) batch(i, j) = data.inputs(first + i, j);
        batch(i, inputs) = data.targets(first + i, 0);
      }
      table->write(batch.view());
    }
    if (!signals || StopSignals::received() == 0) table->commit();
  } catch (const InputError&) {
    if (place == "-" && reader_gone()) throw ReaderGone{};
    throw;
  }
  if (signals && StopSignals::received() != 0) die_by(StopSignals::received());
  return ExitCode::done;
}

}  // namespace rfnn::cli
