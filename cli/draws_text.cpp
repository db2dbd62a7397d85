#include "cli/draws_text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "rfnn/io/text.hpp"

namespace rfnn::cli {

std::string draws_text(const std::vector<DrawStatistic>& statistics, std::size_t chains, std::size_t draws) {
  constexpr std::size_t lines_shown = 60;
  std::string text = fmt::format("{} of {}\n  {:>5} {:<10} {:>12} {:>12} {:>9} {:>17}\n", io::counted(draws, "draw"),
                                 chains == 1 ? "one chain per block" : io::counted(chains, "chain"), "block",
                                 "quantity", "mean", "sd", "split R^", "effective samples");
  for (std::size_t i = 0; i < std::min(statistics.size(), lines_shown); ++i) {
    const DrawStatistic& s = statistics[i];
    text +=
        fmt::format("  {:>5} {:<10} {:>12.5g} {:>12.5g} {:>9} {:>17}\n", s.block, name_of(s.quantity), s.mean, s.sd,
                    s.r_hat ? fmt::format("{:.3f}", *s.r_hat) : "", s.samples ? fmt::format("{:.0f}", *s.samples) : "");
  }
  if (statistics.size() > lines_shown)
    text += fmt::format("  … {} more; --json lists them all\n", statistics.size() - lines_shown);
  return text +
         "  loss: mean squared error of the training rows after the block; frequency and\n"
         "  amplitude: √ of the mean |ω|² and of the sum of |b|² over its features\n";
}

}  // namespace rfnn::cli
