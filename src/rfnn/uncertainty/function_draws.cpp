#include "rfnn/uncertainty/function_draws.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "rfnn/core/error.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/core/random.hpp"
#include "rfnn/rows/forward.hpp"
#include "rfnn/rows/tiles.hpp"
#include "rfnn/uncertainty/deviations.hpp"
#include "rfnn/uncertainty/error_bars.hpp"

namespace rfnn {
namespace {

using rows::tile_rows;
using uncertainty::Deviations;

/// Rows at a time, so that the widths of many do not lie in memory.
constexpr std::size_t batch_rows = 64 * tile_rows;

/// Throws where there is nothing to draw from.
std::unique_ptr<const Deviations> deviations_of(const Model& model, const DrawOptions& draws) {
  const std::optional<std::size_t> most = functions_to_draw(model);
  const uncertainty::Drawn drawn{draws.count, draws.seed};
  if (!most)
    return uncertainty::deviations_of_closed_form(*reference_form(model), model.uncertainty->noise, model.outputs(),
                                                  drawn);
  if (*most == 0)
    throw UsageError("The model has error bars but no posterior that functions could be drawn from.",
                     has_windows(model)
                         ? "Its closed form is one of windows, which have none together. Ask for --interval instead."
                         : "Ask for --interval instead.");
  if (draws.count > *most)
    throw UsageError("The model keeps " + std::to_string(*most) + " draws of its chains, " +
                         std::to_string(draws.count) + " were asked for.",
                     "Ask for fewer, or train it with more (option draws).");
  return uncertainty::deviations_of_chains(model.draws, model.outputs(), drawn);
}

/// A number that a row's inputs are known by, the same wherever the row stands.
std::uint64_t key_of(ConstMatrixView inputs, std::size_t row) {
  std::uint64_t key = 0x9E3779B97F4A7C15U;
  for (std::size_t k = 0; k < inputs.cols(); ++k) {
    key ^= std::bit_cast<std::uint64_t>(inputs(row, k) + 0.0);  // −0 is 0
    key ^= key >> 32U;
    key *= 0xD6E8FEB86659FD93U;
    key ^= key >> 32U;
    key *= 0xD6E8FEB86659FD93U;
    key ^= key >> 32U;
  }
  return key;
}

}  // namespace

struct FunctionDraws::Prepared {
  Prepared(const Model& of, const DrawOptions& which)
      : model(of), draws(which), bars(of), deviations(deviations_of(of, which)) {}

  bool batch(ConstMatrixView inputs, ConstMatrixView predictions, MatrixView out, Workers& workers,
             Interrupt& interrupt, const PredictOptions& options) const {
    const std::size_t count = inputs.rows(), outputs = model.outputs();
    Matrix of_function(count, outputs), of_all;
    if (!bars.function_widths(inputs, predictions, of_function.view(), options)) return false;
    if (draws.noise) {
      of_all = Matrix(count, outputs);
      if (!bars.widths(inputs, predictions, of_all.view(), options)) return false;
    }
    std::vector<std::unique_ptr<Deviations::Tile>> scratch(workers.threads());
    return workers.run(
        rows::TiledColumns::tiles_for(count), true,
        [&](std::size_t tile, std::size_t worker) {
          if (!interrupt.proceed()) return;
          if (!scratch[worker]) scratch[worker] = std::make_unique<Deviations::Tile>();
          const std::size_t first = tile * tile_rows, rows = std::min(tile_rows, count - first);
          const MatrixView place = out.rows_from(first, rows);
          rows::TiledColumns theta(tile_rows, model.used_inputs());
          std::vector<double*> columns;
          for (std::size_t k = 0; k < theta.columns(); ++k) columns.push_back(theta.column(0, k));
          rows::scale_inputs(model, inputs, first, rows, columns);
          if (!deviations->values({columns.begin(), columns.end()}, rows, *scratch[worker], place, interrupt)) return;
          for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t o = 0; o < outputs; ++o) {
              const double width = of_function(first + i, o), deviation = bars.deviation(o);
              const double noise =
                  draws.noise
                      ? deviation *
                            std::sqrt(std::max(0.0, of_all(first + i, o) * of_all(first + i, o) - width * width))
                      : 0.0;
              for (std::size_t k = 0; k < draws.count; ++k) {
                double& value = place(i, o * draws.count + k);
                value = predictions(first + i, o) + deviation * width * value;
                if (draws.noise)
                  value +=
                      noise * Stream({draws.seed, k, 0, o}, Purpose::function_noise).normal(key_of(inputs, first + i));
              }
            }
        },
        interrupt);
  }

  const Model& model;
  DrawOptions draws;
  ErrorBars bars;
  std::unique_ptr<const Deviations> deviations;
};

FunctionDraws::FunctionDraws(const Model& model, const DrawOptions& draws)
    : prepared_(std::make_unique<Prepared>(model, draws)) {}
FunctionDraws::~FunctionDraws() = default;
FunctionDraws::FunctionDraws(FunctionDraws&&) noexcept = default;
FunctionDraws& FunctionDraws::operator=(FunctionDraws&&) noexcept = default;

bool FunctionDraws::values(ConstMatrixView inputs, ConstMatrixView predictions, MatrixView values,
                           const PredictOptions& options) const {
  const Model& model = prepared_->model;
  if (values.rows() != inputs.rows() || values.cols() != model.outputs() * prepared_->draws.count)
    throw UsageError("The place for the functions' values has not a row per row and a column per output and function.",
                     "Give it " + std::to_string(model.outputs() * prepared_->draws.count) + " columns.");
  Workers workers(std::max<std::size_t>(
      1, std::min(thread_count(options.threads), rows::TiledColumns::tiles_for(std::min(inputs.rows(), batch_rows)))));
  Interrupt interrupt(options.proceed);
  for (std::size_t first = 0; first < inputs.rows(); first += batch_rows) {
    const std::size_t rows = std::min(batch_rows, inputs.rows() - first);
    if (!prepared_->batch(inputs.rows_from(first, rows), predictions.rows_from(first, rows),
                          values.rows_from(first, rows), workers, interrupt, options))
      return false;
  }
  return true;
}

std::optional<std::size_t> functions_to_draw(const Model& model) {
  if (!model.uncertainty) return 0;
  if (!model.draws.empty()) return model.draws.count();
  const ClosedForm* const form = reference_form(model);
  const std::vector<double>& gain = model.uncertainty->gain;
  const bool any = std::any_of(gain.begin(), gain.end(), [](double c) { return c > 0.0; });
  if (form == nullptr || !form->windows.empty() || !any) return 0;
  return std::nullopt;
}

}  // namespace rfnn
