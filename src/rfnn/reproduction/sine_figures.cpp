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

/// (θ₁, θ₂) at θ₃ = ½: the target, the approximation and their difference.
void add_plane_figures(std::vector<Figure>& figures, const Run& run) {
  constexpr std::size_t cells = 32;  // along each side
  std::vector<Place> places;
  for (std::size_t row = 0; row < cells; ++row)
    for (std::size_t column = 0; column < cells; ++column)
      places.push_back({(static_cast<double>(column) + 0.5) / cells, (static_cast<double>(row) + 0.5) / cells, 0.5});
  const std::vector<double> truth = truth_at(places);
  const Matrix inputs = matrix_of(places);
  const auto [low, high] = std::minmax_element(truth.begin(), truth.end());

  const auto map = [&](const std::string& id, const std::string& title) {
    Figure figure;
    figure.id = id;
    figure.title = title;
    figure.x = {.label = "θ₁", .logarithmic = false, .low = 0.0, .high = 1.0};
    figure.y = {.label = "θ₂", .logarithmic = false, .low = 0.0, .high = 1.0};
    figure.size = FigureSize::third;
    return figure;
  };
  const auto painted = [](const std::string& name, std::vector<double> values) {
    return Series{
        .name = name, .mark = Mark::cells, .colour = Colour::red, .x = {}, .y = std::move(values), .columns = cells};
  };
  const double reach = std::max(std::abs(*low), std::abs(*high));

  Figure original = map("sine-plane-target", "Target at θ₃ = 0.5");
  original.scale = ColourScale{.label = "Q(θ)", .low = -reach, .high = reach, .diverging = true};
  original.series = {painted("target", truth)};
  original.caption = "The function on the plane θ₃ = 0.5. It jumps, smoothed, across θ₁ = 0.5.";
  original.alternative = fmt::format("Heat map of the target: from {} on the left to {} on the right.",
                                     short_number(*low), short_number(*high));

  Figure approximation = map("sine-plane-prediction", "Approximation at θ₃ = 0.5");
  approximation.scale = original.scale;
  approximation.slider = "blocks used";
  Figure difference = map("sine-plane-difference", "Approximation − target");
  difference.slider = "blocks used";
  double largest = 0.0, last = 0.0;
  for (const RunBlock& block : run.blocks) {
    const std::vector<double> values = prediction_at(run, inputs, block.block);
    std::vector<double> error(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) error[i] = values[i] - truth[i];
    last = largest_difference(values, truth);
    largest = std::max(largest, last);
    approximation.frames.push_back({block_label(block.block), {painted("approximation", values)}});
    difference.frames.push_back({block_label(block.block), {painted("difference", std::move(error))}});
  }
  approximation.first_frame = difference.first_frame = run.blocks.size() - 1;
  approximation.caption = fmt::format(
      "The same plane and colours; Method 1, last state, seed {}. The slider chooses how "
      "many blocks are used.",
      run.task.seed);
  approximation.alternative = fmt::format("Heat map of the approximation after {}; test error {}.",
                                          block_label(run.last().block), short_number(run.last().test_mse));
  // Colours that show the end: the first blocks may go beyond them.
  const double shown = std::max(last, 1e-12);
  difference.scale = ColourScale{.label = "difference", .low = -shown, .high = shown, .diverging = true};
  difference.caption = fmt::format(
      "Where the approximation is too high or too low. The colours end at ±{}, the largest "
      "difference after the last block; earlier blocks go beyond (up to {}).",
      short_number(shown), short_number(largest));
  difference.alternative =
      fmt::format("Heat map of approximation minus target; after the last block at most {}.", short_number(last));
  figures.push_back(std::move(original));
  figures.push_back(std::move(approximation));
  figures.push_back(std::move(difference));
}

}  // namespace

std::vector<Figure> sine_figures(std::span<const Run> runs) {
  const Run* run = first_run(runs, target, "method1");
  if (run == nullptr) return {};
  std::vector<Figure> figures;
  figures.push_back(slice_figure(*run, 0, {0.5, 0.5, 0.5}));
  figures.push_back(slice_figure(*run, 1, {0.7, 0.5, 0.5}));
  figures.push_back(slice_figure(*run, 2, {0.7, 0.5, 0.5}));
  add_plane_figures(figures, *run);
  return figures;
}

}  // namespace rfnn::reproduction
