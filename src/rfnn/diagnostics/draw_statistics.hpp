#pragma once

// Private header. How well chains have mixed, from the draws that models keep of them.

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "rfnn/model/model.hpp"

namespace rfnn {

/// A quantity of a draw that does not depend on the order of the features, block by block.
///   loss       mean squared error on the training rows after the block, in the target's units
///   frequency  √(mean |ω|²) over the features of the block, standardised units
///   amplitude  √(Σ |b|²) over them
enum class DrawQuantity { loss, frequency, amplitude };
inline constexpr DrawQuantity draw_quantities[] = {DrawQuantity::loss, DrawQuantity::frequency,
                                                   DrawQuantity::amplitude};
constexpr std::string_view name_of(DrawQuantity quantity) {
  return quantity == DrawQuantity::loss ? "loss" : quantity == DrawQuantity::frequency ? "frequency" : "amplitude";
}

/// Draws × blocks.
Matrix values_of(const ChainDraws& draws, DrawQuantity quantity);

struct DrawStatistic {
  std::size_t block = 1;  ///< from 1
  DrawQuantity quantity = DrawQuantity::loss;
  double mean = 0.0, sd = 0.0;
  std::optional<double> r_hat = {}, samples = {};  ///< split R̂ and effective sample size, where there are enough draws
};

/// Block by block, of models with as many draws and blocks, each a chain.
std::vector<DrawStatistic> draw_statistics(const std::vector<const ChainDraws*>& chains);

}  // namespace rfnn
