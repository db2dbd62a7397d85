#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "rfnn/reproduction/figures.hpp"
#include "rfnn/reproduction/measures.hpp"
#include "rfnn/rows/predict.hpp"

namespace rfnn::reproduction {
namespace {

constexpr auto target = Target::sine;

/// A point of the cube.
using Place = std::array<double, 3>;

Matrix matrix_of(const std::vector<Place>& places) {
  Matrix inputs(places.size(), 3);
  for (std::size_t i = 0; i < places.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) inputs(i, k) = places[i][k];
  return inputs;
}

std::vector<double> truth_at(const std::vector<Place>& places) {
  std::vector<double> values;
  for (const Place& place : places) values.push_back(evaluate(target, place));
  return values;
}

std::vector<double> prediction_at(const Run& run, const Matrix& inputs, std::int64_t blocks) {
  const Matrix values = predict(run.model, inputs.view(), {.blocks = static_cast<std::size_t>(blocks), .threads = 1});
  return {values.data(), values.data() + values.size()};
}

/// Along one input, the other two fixed.
Figure slice_figure(const Run& run, std::size_t along, const Place& through) {
  constexpr std::array names = {"θ₁", "θ₂", "θ₃"};
  const std::vector<double> x = even_grid(0.0, 1.0, 201);
  std::vector<Place> places(x.size(), through);
  for (std::size_t i = 0; i < x.size(); ++i) places[i][along] = x[i];
  const std::vector<double> truth = truth_at(places);
  const Matrix inputs = matrix_of(places);

  std::string fixed;
  for (std::size_t k = 0; k < 3; ++k)
    if (k != along) fixed += fmt::format("{}{} = {}", fixed.empty() ? "" : ", ", names[k], short_number(through[k]));
  Figure figure;
  figure.id = fmt::format("sine-slice-{}", along + 1);
  figure.title = fmt::format("Along {} at {}", names[along], fixed);
  figure.x = {.label = names[along], .logarithmic = false, .low = 0.0, .high = 1.0};
  figure.y = {.label = "Q(θ)", .logarithmic = false, .low = {}, .high = {}};
  figure.size = FigureSize::third;
  figure.slider = "blocks used";
  figure.series = {{.name = "target", .mark = Mark::line, .colour = Colour::black, .x = x, .y = truth}};
  std::vector<double> last;
  for (const RunBlock& block : run.blocks) {
    last = prediction_at(run, inputs, block.block);
    figure.frames.push_back(
        {block_label(block.block),
         {{.name = "prediction", .mark = Mark::line, .colour = Colour::red, .dashed = true, .x = x, .y = last}}});
  }
  figure.first_frame = figure.frames.size() - 1;
  figure.caption = fmt::format(
      "Black: the target. Red, dashed: Method 1, last state, seed {}; the slider chooses how "
      "many blocks are used.",
      run.task.seed);
  figure.alternative = fmt::format(
      "A slice of the function and of its approximation along {}. After the last block the "
      "largest distance between them is {}.",
      names[along], short_number(largest_difference(truth, last)));
  return figure;
}

/// (θ₁, θ₂) at θ₃ = ½, in cells.
struct Plane {
  static constexpr std::size_t cells = 32;  ///< along each side
  std::vector<double> truth;
  std::vector<std::vector<double>> predicted;  ///< after every block of the run
};

Plane plane_of(const Run& run) {
  std::vector<Place> places;
  for (std::size_t row = 0; row < Plane::cells; ++row)
    for (std::size_t column = 0; column < Plane::cells; ++column)
      places.push_back(
          {(static_cast<double>(column) + 0.5) / Plane::cells, (static_cast<double>(row) + 0.5) / Plane::cells, 0.5});
  Plane plane{.truth = truth_at(places), .predicted = {}};
  const Matrix inputs = matrix_of(places);
  for (const RunBlock& block : run.blocks) plane.predicted.push_back(prediction_at(run, inputs, block.block));
  return plane;
}

Figure map(const std::string& id, const std::string& title) {
  Figure figure;
  figure.id = id;
  figure.title = title;
  figure.x = {.label = "θ₁", .logarithmic = false, .low = 0.0, .high = 1.0};
  figure.y = {.label = "θ₂", .logarithmic = false, .low = 0.0, .high = 1.0};
  figure.size = FigureSize::third;
  return figure;
}

Series painted(const std::string& name, std::vector<double> values) {
  return {.name = name,
          .mark = Mark::cells,
          .colour = Colour::red,
          .x = {},
          .y = std::move(values),
          .columns = Plane::cells};
}

Figure target_map(const Plane& plane) {
  const auto [low, high] = std::minmax_element(plane.truth.begin(), plane.truth.end());
  const double reach = std::max(std::abs(*low), std::abs(*high));
  Figure figure = map("sine-plane-target", "Target at θ₃ = 0.5");
  figure.scale = ColourScale{.label = "Q(θ)", .low = -reach, .high = reach, .diverging = true};
  figure.series = {painted("target", plane.truth)};
  figure.caption = "The function on the plane θ₃ = 0.5. It jumps, smoothed, across θ₁ = 0.5.";
  figure.alternative = fmt::format("Heat map of the target: from {} on the left to {} on the right.",
                                   short_number(*low), short_number(*high));
  return figure;
}

Figure approximation_map(const Run& run, const Plane& plane, const Figure& target_figure) {
  Figure figure = map("sine-plane-prediction", "Approximation at θ₃ = 0.5");
  figure.scale = target_figure.scale;
  figure.slider = "blocks used";
  for (std::size_t i = 0; i < run.blocks.size(); ++i)
    figure.frames.push_back({block_label(run.blocks[i].block), {painted("approximation", plane.predicted[i])}});
  figure.first_frame = run.blocks.size() - 1;
  figure.caption = fmt::format(
      "The same plane and colours; Method 1, last state, seed {}. The slider chooses how "
      "many blocks are used.",
      run.task.seed);
  figure.alternative = fmt::format("Heat map of the approximation after {}; test error {}.",
                                   block_label(run.last().block), short_number(run.last().test_mse));
  return figure;
}

Figure error_map(const Run& run, const Plane& plane) {
  Figure figure = map("sine-plane-difference", "Approximation − target");
  figure.slider = "blocks used";
  double largest = 0.0, last = 0.0;
  for (std::size_t i = 0; i < run.blocks.size(); ++i) {
    std::vector<double> error(plane.truth.size());
    for (std::size_t c = 0; c < error.size(); ++c) error[c] = plane.predicted[i][c] - plane.truth[c];
    last = largest_difference(plane.predicted[i], plane.truth);
    largest = std::max(largest, last);
    figure.frames.push_back({block_label(run.blocks[i].block), {painted("difference", std::move(error))}});
  }
  figure.first_frame = run.blocks.size() - 1;
  // Colours that show the end: the first blocks may go beyond them.
  const double shown = std::max(last, 1e-12);
  figure.scale = ColourScale{.label = "difference", .low = -shown, .high = shown, .diverging = true};
  figure.caption = fmt::format(
      "Where the approximation is too high or too low. The colours end at ±{}, the largest "
      "difference after the last block; earlier blocks go beyond (up to {}).",
      short_number(shown), short_number(largest));
  figure.alternative =
      fmt::format("Heat map of approximation minus target; after the last block at most {}.", short_number(last));
  return figure;
}

}  // namespace

std::vector<Figure> sine_figures(std::span<const Run> runs) {
  const Run* run = first_run(runs, target, "method1");
  if (run == nullptr) return {};
  std::vector<Figure> figures;
  figures.push_back(slice_figure(*run, 0, {0.5, 0.5, 0.5}));
  figures.push_back(slice_figure(*run, 1, {0.7, 0.5, 0.5}));
  figures.push_back(slice_figure(*run, 2, {0.7, 0.5, 0.5}));
  const Plane plane = plane_of(*run);
  figures.push_back(target_map(plane));
  figures.push_back(approximation_map(*run, plane, figures.back()));
  figures.push_back(error_map(*run, plane));
  return figures;
}

}  // namespace rfnn::reproduction
