#include "rfnn/baselines/adam.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "rfnn/baselines/adam_steps.hpp"
#include "rfnn/baselines/batches.hpp"
#include "rfnn/baselines/gradient.hpp"
#include "rfnn/core/timer.hpp"
#include "rfnn/baselines/parameters.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/core/random.hpp"
#include "rfnn/options/table.hpp"
#include "rfnn/finders/sampled/metropolis.hpp"
#include "rfnn/training/error_control.hpp"
#include "rfnn/training/facts.hpp"
#include "rfnn/training/prepare.hpp"
#include "rfnn/training/supervision.hpp"

namespace rfnn::baselines {
namespace {

void check_settings(const AdamOptions& options) {
  const auto require = [](bool good, const std::string& name, const auto& value, const std::string& allowed) {
    if (!good)
      throw UsageError(fmt::format("The {} of training by Adam cannot be {}.", name, value), "Give " + allowed + ".");
  };
  const auto in_unit = [](double beta) { return beta >= 0.0 && beta < 1.0; };
  require(options.blocks >= 1, "blocks", options.blocks, "at least 1");
  require(options.epochs >= 0, "epochs", options.epochs, "0 or more");
  require(options.batch >= 1, "batch", options.batch, "at least 1 row");
  require(std::isfinite(options.learning_rate) && options.learning_rate > 0.0, "learning rate", options.learning_rate,
          "a number > 0");
  require(in_unit(options.beta1), "beta1", options.beta1, "a number from 0 to below 1");
  require(in_unit(options.beta2), "beta2", options.beta2, "a number from 0 to below 1");
  require(std::isfinite(options.epsilon) && options.epsilon > 0.0, "epsilon", options.epsilon, "a number > 0");
}

/// Those of a training run that have a meaning here too; the others keep the values of preset paper.
Options run_options(const AdamOptions& options) {
  check_settings(options);
  Options shared = preset_options(Preset::paper);
  shared.width = options.width;
  shared.blocks = options.blocks;
  shared.ridge = {options.ridge};
  shared.initial_spread = options.initial_spread;
  shared.threads = 1;
  shared.seed = options.seed;
  validate(shared);
  return shared;
}

/// The frequencies are those a training block by block starts from with the same seed, N(0, spread²). The amplitudes
/// are N(0, 1/K), K the number of feature columns of the whole network, as is usual for a linear layer with K inputs:
/// the residual sums carry every column to the output, which so starts with mean square 1/2 however many blocks there
/// are.
Network initial_network(const AdamOptions& options, std::size_t inputs, std::size_t outputs) {
  const auto width = static_cast<std::size_t>(options.width), blocks = static_cast<std::size_t>(options.blocks);
  const double spread = 1.0 / std::sqrt(static_cast<double>(2 * width * (2 * blocks - 1)));
  Network network;
  for (std::size_t l = 0; l < blocks; ++l) {
    Block& block = network.blocks.emplace_back();
    for (std::size_t b = 0; b < (l == 0 ? 1U : 2U); ++b) {
      const BranchKind kind = b == 0 ? BranchKind::input : BranchKind::state;
      sampled::BranchMoves place;
      place.seed = options.seed;
      place.block = l + 1;
      place.branch = b;
      Branch branch{kind,
                    initial_frequencies(place, width, variables_of(kind, inputs, outputs), options.initial_spread),
                    Matrix(2 * width, outputs)};
      const Stream stream(options.seed, Purpose::amplitudes, place.block, place.branch);
      for (std::size_t i = 0; i < branch.amplitudes.size(); ++i)
        branch.amplitudes.data()[i] = spread * stream.normal(i);
      block.branches.push_back(std::move(branch));
    }
  }
  return network;
}

/// Every epoch up to 50, then in steps of 2 %: 30000 epochs leave some 400 points.
std::int64_t next_point(std::int64_t epoch) { return epoch + std::max<std::int64_t>(1, epoch / 50); }

/// The optimisation of one network on one set of rows.
class Training {
 public:
  Training(const rows::ScaledRows& rows, const AdamOptions& options, Network& network)
      : inputs_(rows.count(), rows.inputs()),
        targets_(rows.count(), rows.outputs()),
        options_(options),
        network_(network),
        tile_(network, inputs_.cols(), targets_.cols()),
        gradient_(zeros_like(network)),
        adam_(network, options),
        in_order_(inputs_.rows(), features::tile_rows),
        batches_(inputs_.rows(), static_cast<std::size_t>(options.batch)) {
    std::vector<double> column(rows.count());
    const auto copy_to = [&](Matrix& matrix, std::size_t k) {
      for (std::size_t i = 0; i < column.size(); ++i) matrix(i, k) = column[i];
    };
    for (std::size_t k = 0; k < rows.inputs(); ++k) {
      rows.read_input(k, 0, column.size(), column.data());
      copy_to(inputs_, k);
    }
    for (std::size_t o = 0; o < rows.outputs(); ++o) {
      rows.read_target(o, 0, column.size(), column.data());
      copy_to(targets_, o);
    }
  }

  void epoch(std::int64_t number) {
    batches_.shuffle(options_.seed, number);
    for (std::size_t b = 0; b < batches_.count(); ++b) {
      set_to_zero(gradient_);
      std::span<const std::size_t> rows = batches_[b];
      const double weight = 1.0 / static_cast<double>(rows.size());
      for (; !rows.empty(); rows = rows.subspan(std::min(rows.size(), features::tile_rows))) {
        tile_.load(inputs_, targets_, rows.first(std::min(rows.size(), features::tile_rows)));
        tile_.forward();
        tile_.backward(weight, gradient_);
      }
      add_ridge_gradient(network_, options_.ridge, gradient_);
      adam_.step(network_, gradient_);
    }
  }

  /// Loss and error over all rows.
  AdamPoint measure(std::int64_t epoch) {
    double sum = 0.0;
    for (std::size_t t = 0; t < in_order_.count(); ++t) {
      tile_.load(inputs_, targets_, in_order_[t]);
      sum += tile_.forward();
    }
    AdamPoint point;
    point.epoch = epoch;
    point.loss = sum / static_cast<double>(targets_.rows()) + options_.ridge * squared_amplitudes(network_);
    point.mse = sum / static_cast<double>(targets_.size());  // the outputs are not standardised
    if (!std::isfinite(point.loss))
      throw NumericalError(fmt::format("Training by Adam diverged: after epoch {} the loss is not finite.", epoch),
                           "Lower the learning rate, or check the data for extreme values.");
    return point;
  }

 private:
  Matrix inputs_, targets_;  ///< standardised
  const AdamOptions& options_;
  Network& network_;
  GradientTile tile_;
  Network gradient_;
  AdamSteps adam_;
  Batches in_order_, batches_;
};

std::string settings(const AdamOptions& options) {
  return fmt::format("batches of {} rows, learning rate {}", options.batch, options.learning_rate);
}

void note_facts(const AdamOptions& options, Model& model) {
  model.facts = training::facts_of_this_run(model.options);
  model.facts["training"] = "adam";
  model.facts["adam_epochs"] = std::to_string(options.epochs);
  model.facts["adam_batch"] = std::to_string(options.batch);
  model.facts["adam_learning_rate"] = fmt::format("{}", options.learning_rate);
  model.facts["adam_beta1"] = fmt::format("{}", options.beta1);
  model.facts["adam_beta2"] = fmt::format("{}", options.beta2);
  model.facts["adam_epsilon"] = fmt::format("{}", options.epsilon);
}

}  // namespace

AdamResult train_with_adam(const Dataset& data, const AdamOptions& options,
                           const std::function<bool(std::int64_t epoch)>& proceed) {
  const auto began = Clock::now();
  AdamResult result;
  Model& model = result.model;
  model.options = run_options(options);
  model.members.resize(1);
  Interrupt never;
  const training::PreparedRows rows = training::prepare(data, model.options, {}, model, never);
  note_facts(options, model);

  if (!rows.target_varies || model.used_inputs() == 0) {
    // As in training block by block: nothing to learn from, the empty network is the mean.
    model.stop_reason = rows.target_varies ? StopReason::no_inputs : StopReason::constant_target;
    model.stop_text = training::ErrorControl(model.options, model.history).words(model.stop_reason, 0.0);
    const double mse = model.history.empty_train_mse;
    result.curve.push_back({0, mse * static_cast<double>(model.outputs()), mse});
  } else {
    Network& network = model.members.front();
    network = initial_network(options, model.used_inputs(), model.outputs());
    Training training(rows.train, options, network);
    result.curve.push_back(training.measure(0));
    std::int64_t epoch = 0, due = next_point(0);
    for (bool go_on = true; go_on && epoch < options.epochs;) {
      training.epoch(++epoch);
      go_on = !proceed || proceed(epoch);
      if (epoch < due && go_on && epoch < options.epochs) continue;
      result.curve.push_back(training.measure(epoch));
      due = next_point(epoch);
    }
    result.complete = epoch == options.epochs;
    model.stop_reason = result.complete ? StopReason::all_blocks : StopReason::interrupted;
    model.stop_text = result.complete
                          ? fmt::format("all {} blocks were trained together by Adam for {} epochs ({})",
                                        options.blocks, options.epochs, settings(options))
                          : fmt::format("training by Adam was ended from outside after {} of {} epochs ({})", epoch,
                                        options.epochs, settings(options));
  }
  result.seconds = model.seconds = seconds_between(began, Clock::now());
  return result;
}

}  // namespace rfnn::baselines
