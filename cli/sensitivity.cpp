#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/arguments.hpp"
#include "cli/columns.hpp"
#include "cli/command.hpp"
#include "cli/command_text.hpp"
#include "cli/factor_text.hpp"
#include "cli/signals.hpp"
#include "cli/terminal.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/io/json.hpp"
#include "rfnn/io/model_file.hpp"
#include "rfnn/io/sensitivity_json.hpp"
#include "rfnn/io/table.hpp"
#include "rfnn/io/text.hpp"
#include "rfnn/sensitivity/indices.hpp"

namespace rfnn::cli {
namespace {

/// Draws the inputs from the rows of a table, each by itself.
void sample_from(std::vector<Factor>& factors, const Model& model, const std::string& path, const Options& reading,
                 std::size_t threads, bool quiet) {
  const auto file = open_table(path, threads, table_format(reading));
  TableBatches batches = batches_of(*file, match_columns(*file, layout_of(model), false), model, reading, false);
  for (Factor& factor : factors) std::fill(factor.shares.begin(), factor.shares.end(), 0.0);
  std::size_t rows = 0;
  while (batches.next()) {
    const ConstMatrixView inputs = batches.inputs();
    rows += inputs.rows();
    for (Factor& factor : factors)
      for (std::size_t i = 0; i < inputs.rows(); ++i) {
        if (factor.continuous()) factor.values.push_back(inputs(i, factor.first));
        if (factor.kind == ColumnKind::boolean) {
          factor.shares[0] += 1.0 - inputs(i, factor.first);
          factor.shares[1] += inputs(i, factor.first);
        }
        for (std::size_t level = 0; level < factor.levels.size(); ++level)
          factor.shares[level] += inputs(i, factor.first + level);
      }
  }
  if (rows == 0) throw InputError(file->origin() + " has no rows.", "Give a table with some.");
  for (Factor& factor : factors) {
    factor.spread = Spread::sampled;
    std::sort(factor.values.begin(), factor.values.end());
  }
  for (const std::string& note : reading_notes(batches))
    if (!quiet) say(note + "\n");
}

std::string estimate_text(const Estimate& estimate) {
  const double value = std::abs(estimate.value) < 5e-5 ? 0.0 : estimate.value;  // no minus before zeros
  return fmt::format("{:7.4f} ± {:.4f}", value, estimate.standard_error);
}

/// Pairs worth a line: more than twice their error and a hundredth of the variance, the largest first.
std::string pairs_text(const std::vector<Factor>& factors, std::vector<PairIndex> pairs) {
  constexpr double least_share = 0.01;
  constexpr std::size_t most = 10;
  std::erase_if(pairs, [&](const PairIndex& pair) {
    return !(pair.index.value > std::max(least_share, 2.0 * pair.index.standard_error));
  });
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const PairIndex& a, const PairIndex& b) { return a.index.value > b.index.value; });
  if (pairs.empty()) return "\nNo two inputs have a hundredth of the variance together that neither has alone.\n";
  std::string text = "\nshares of two inputs together that neither has alone\n";
  for (std::size_t p = 0; p < std::min(most, pairs.size()); ++p)
    text += fmt::format(
        "  {}  {}\n", estimate_text(pairs[p].index),
        wrapped(printable(factors[pairs[p].first].name) + " and " + printable(factors[pairs[p].second].name),
                result_width(), 20));
  return text;
}

/// Per input that matters what the prediction is in the mean at some of its values, from the lowest to the highest, or
/// at its first levels.
std::string effects_text(const SensitivityFindings& found, std::size_t output, std::size_t widest) {
  constexpr double least_share = 0.01;
  constexpr std::size_t most = 5;
  std::string text;
  for (std::size_t f = 0; f < found.factors.size(); ++f) {
    const Factor& factor = found.factors[f];
    const MainEffect& effect = found.effects[f];
    const std::size_t all = effect.values.size(), count = std::min(most, all);
    if (all < 2 || found.indices.outputs[output].total[f].value < least_share) continue;
    const std::vector<std::string> levels = factor.continuous() ? std::vector<std::string>{} : io::level_names(factor);
    std::string what;
    double error = 0.0;
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t at = factor.continuous() ? k * (all - 1) / (count - 1) : k;
      const double value = effect.values[at];
      const std::string place = !factor.continuous()              ? levels[static_cast<std::size_t>(value)]
                                : factor.kind == ColumnKind::time ? io::value_text(factor, value)
                                                                  : fmt::format("{:.3g}", value);
      what += fmt::format("{}{:+.3g} at {}", k > 0 ? ", " : "", effect.effect(at, output), printable(place));
      error = std::max(error, effect.standard_error(at, output));
    }
    what += fmt::format("{} (± {:.1g} at most)", count < all && !factor.continuous() ? ", …" : "", error);
    text += fmt::format("  {}  {}\n", name_cell(factor.name, widest, 2), wrapped(what, result_width(), widest + 4));
  }
  return text.empty() ? text : "\nmain effects: the mean at a value of the input, less that over all\n" + text;
}

/// Per input the octave of wavelengths with the most energy, and what share of its energy is in waves shorter than a
/// tenth of the range.
std::string scales_text(const SensitivityFindings& found, std::size_t output, std::size_t widest) {
  constexpr double least_share = 0.01;
  std::string text;
  for (std::size_t f = 0; f < found.factors.size(); ++f) {
    const ScaleEnergy& energy = found.scales[f];
    if (energy.longest.empty() || found.indices.outputs[output].total[f].value < least_share) continue;
    const std::vector<Estimate>& shares = energy.share[output];
    double all = 0.0, below = 0.0;
    for (const Estimate& share : shares) all += share.value;
    const auto strongest = static_cast<std::size_t>(
        std::max_element(shares.begin(), shares.end(),
                         [](const Estimate& a, const Estimate& b) { return a.value < b.value; }) -
        shares.begin());
    std::size_t half = 0;
    for (below = shares[0].value; below < 0.5 * all && half + 1 < shares.size();) below += shares[++half].value;
    const Factor& factor = found.factors[f];
    const auto length = [&](double over_range) {
      if (factor.spread != Spread::uniform) return fmt::format("{:.3g} of the rows", over_range);
      const double wave = over_range * (factor.high - factor.low);
      return factor.kind == ColumnKind::time ? span_text(wave) : fmt::format("{:.3g}", wave);
    };
    const std::string what = fmt::format("{} to {} ({:.0f} % of its energy); half of it longer than {}",
                                         length(0.5 * energy.longest[strongest]), length(energy.longest[strongest]),
                                         100.0 * shares[strongest].value / all, length(0.5 * energy.longest[half]));
    text += fmt::format("  {}  {}\n", name_cell(factor.name, widest, 2), wrapped(what, result_width(), widest + 4));
  }
  return text.empty() ? text : "\nwavelengths\n" + text;
}

std::string text_of(const Model& model, const SensitivityFindings& found) {
  std::string text;
  constexpr std::size_t most = 28;  // of 80 columns, beside estimates
  std::size_t widest = 5;
  for (const Factor& factor : found.factors) widest = std::max(widest, std::min(printable(factor.name).size(), most));
  for (std::size_t o = 0; o < model.outputs(); ++o) {
    const VarianceShares& shares = found.indices.outputs[o];
    text +=
        (o > 0 ? "\n" : "") +
        wrapped(fmt::format("{}: mean {:.6g}, standard deviation {:.6g}, shares of the variance",
                            printable(model.targets[o].name), shares.mean, std::sqrt(std::max(shares.variance, 0.0))),
                result_width(), 2) +
        "\n\n";
    text += fmt::format("  {:<{}}  {:<18}{}\n", "input", widest, "alone", "with others");
    std::vector<std::size_t> order(found.factors.size());
    for (std::size_t f = 0; f < order.size(); ++f) order[f] = f;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return shares.total[a].value > shares.total[b].value; });
    for (const std::size_t f : order)
      text += fmt::format("  {}  {}  {}\n", name_cell(found.factors[f].name, widest, 2), estimate_text(shares.first[f]),
                          estimate_text(shares.total[f]));
    text += pairs_text(found.factors, shares.pairs) + effects_text(found, o, widest) + scales_text(found, o, widest);
  }
  return text;
}

}  // namespace

ExitCode run_sensitivity(const Invocation& call) {
  std::string model_path;
  std::optional<std::string> data, samples, seed, threads;
  std::vector<std::string> boxes, laws;
  bool json = false, quiet = false;
  GivenOptions given;
  Arguments arguments("sensitivity", "Which shares of the prediction's variance come from which inputs.",
                      "MODEL [--data FILE] [--box INPUT=LOW..HIGH] [--normal INPUT=MEAN,SD] [--json]");
  arguments.positional(model_path, "MODEL", "model file written by `rfnn fit`");
  arguments.group("What inputs are drawn from");
  arguments.value(data, "--data", "FILE", "draw each input from its column of this table [uniform over its range]");
  arguments.values(boxes, "--box", "INPUT=LOW..HIGH",
                   "an input uniform between these; INPUT=VALUE fixes it, INPUT=LEVEL|LEVEL is for categories; may be "
                   "given several times");
  arguments.values(laws, "--normal", "INPUT=MEAN,SD", "an input with a normal law; may be given several times");
  arguments.group("Options");
  arguments.value(samples, "--samples", "N",
                  "points of each of 16 replicates, rounded up to a power of two [a million predictions]");
  arguments.value(seed, "--seed", "S", "of the points [1]");
  arguments.value(threads, "--threads", "N", "worker threads, 0 is all there are [0]");
  arguments.flag(json, "--json", "print one JSON object, main effects and scales in it");
  arguments.flag(quiet, "-q,--quiet", "print nothing but the result and errors");
  arguments.reading_flags(given);
  arguments.footer(
      "\nInputs vary independently. Alone: what the variance loses if the input is known (first Sobol index); with\n"
      "others: what is left of it if all else is known (total index).");
  arguments.parse(call.words);
  SensitivityOptions options;
  options.samples = samples ? whole_number(*samples, "--samples", 2, 1U << 24U) : 0;
  options.seed = seed ? whole_number(*seed, "--seed", 0, UINT64_MAX) : 1;
  options.threads = threads ? whole_number(*threads, "--threads", 0, 1024) : 0;
  const Model model = load_model(model_path);
  SensitivityFindings found{.factors = factors_of(model), .indices = {}, .effects = {}, .scales = {}};
  if (data)
    sample_from(found.factors, model, *data, reading_options(model, given), thread_count(options.threads), quiet);
  narrow(found.factors, boxes);
  make_normal(found.factors, laws, boxes);
  const StopSignals signals;
  options.proceed = [] { return StopSignals::received() == 0; };
  found.indices = sensitivity_indices(model, found.factors, options);
  if (found.indices.complete) {
    found.effects = main_effects(model, found.factors, options);
    found.scales = energy_by_scale(model, found.factors, found.indices, options);
  }
  if (StopSignals::received() != 0) {
    say(styled(Style::warning, "warning: ") + "a signal ended the work before there was a result.\n");
    return ExitCode::cut_short;
  }
  print_result(json ? io::json_text(io::to_json(model, found)) + "\n" : for_locale(text_of(model, found)));
  return ExitCode::done;
}

}  // namespace rfnn::cli
