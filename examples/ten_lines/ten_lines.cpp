#include <cstdio>
#include <rfnn/rfnn.hpp>

int main() {
  const rfnn::Dataset data = rfnn::generate(rfnn::Target::multiscale, 2000, /*seed=*/1);
  rfnn::Options options;  // preset auto; preset_options(rfnn::Preset::paper) is the published algorithm
  options.width = 6;      // at most, and no more than three blocks: without bounds the data decide
  options.blocks = 3;
  const rfnn::Model model = rfnn::fit(data, options);
  const rfnn::Matrix prediction = rfnn::predict(model, data.inputs.view());
  std::printf("first row: %g, predicted %g\n", data.targets(0, 0), prediction(0, 0));
  rfnn::save_model(model, "multiscale.rfnn");
}
