#include "chain.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "rfnn/finders/sampled/gibbs.hpp"

namespace rfnn::bench {
namespace {

/// Quick and even: the data of a speed test need no more.
class Noise {
 public:
  double next() {  // in [−1, 1)
    bits_ = bits_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(bits_ >> 11) * 0x1p-52 - 1.0;
  }

 private:
  std::uint64_t bits_ = 1;
};

sampled::BlockPlan plan_of(const Size& size, const Options& options) {
  sampled::BlockPlan plan;
  plan.number = 2;
  plan.lambda = options.ridge.front();
  plan.output_variance = {1.0};
  const auto branch = [&](BranchKind kind, std::uint64_t number, std::size_t variables) {
    sampled::BranchPlan result;
    result.shape = {kind, size.width};
    result.variables = variables;
    result.moves = {options.seed,         2,    number, options.gamma, 2.4 / std::sqrt(static_cast<double>(variables)),
                    Negative::half_space, false};
    for (std::size_t k = 0; k < variables; ++k) result.variable_names.push_back("v" + std::to_string(k + 1));
    result.units.assign(variables, 1.0);
    plan.branches.push_back(std::move(result));
  };
  branch(BranchKind::input, 0, size.inputs);
  branch(BranchKind::state, 1, 1);
  return plan;
}

/// A first block, so that there is a state.
Block first_block(const Size& size) {
  Noise noise;
  Branch branch{BranchKind::input, Matrix(size.width, size.inputs), Matrix(2 * size.width, 1)};
  for (std::size_t i = 0; i < branch.frequencies.size(); ++i) branch.frequencies.data()[i] = 2.0 * noise.next();
  for (std::size_t i = 0; i < branch.amplitudes.size(); ++i)
    branch.amplitudes.data()[i] = noise.next() / std::sqrt(static_cast<double>(size.width));
  Block block;
  block.branches.push_back(std::move(branch));
  return block;
}

}  // namespace

Dataset made_up(const Size& size) {
  Dataset data;
  data.inputs = Matrix(size.rows, size.inputs);
  data.targets = Matrix(size.rows, 1);
  Noise noise;
  const double spread = std::sqrt(3.0);
  for (std::size_t i = 0; i < data.inputs.size(); ++i) data.inputs.data()[i] = spread * noise.next();
  for (std::size_t i = 0; i < size.rows; ++i)
    data.targets(i, 0) = std::abs(data.inputs(i, 0)) - 0.8 + 0.1 * noise.next();
  return data;
}

Options options_for(const Size& size, std::size_t threads) {
  Options options = preset_options(Preset::paper);
  options.width = static_cast<std::int64_t>(size.width);
  options.threads = static_cast<std::int64_t>(threads);
  options.iterations = std::int64_t{1} << 40;
  return options;
}

Chain::Chain(const Dataset& data, const Size& size, std::size_t threads)
    : size_(size),
      options_(options_for(size, threads)),
      rows_(rows::ScaledRows(data.inputs.view(), data.targets.view())),
      work_(rows::make_row_work(rows::Implementation::threads, threads)),
      engine_(work_->chain(rows_)) {
  Interrupt never;
  work_->advance(first_block(size), rows_, never);
}

Timing Chain::run(double seconds, std::size_t least) {
  const sampled::BlockPlan plan = plan_of(size_, options_);
  engine_.begin_block(plan.shapes(), {});
  engine_.forget();
  const std::vector<double>& begins = engine_.begins();
  Interrupt interrupt([&] { return begins.size() <= least || begins.back() - begins.front() < seconds; });
  finders::ChainProgress progress;
  sample_block(engine_, plan, options_, interrupt, progress);

  constexpr double stretch = 5e-3;
  Timing timing;
  timing.iterations = begins.size() - 1;
  timing.mean = (begins.back() - begins.front()) / static_cast<double>(timing.iterations);
  timing.best = timing.mean;
  for (std::size_t from = 0, to = 1; to < begins.size(); ++to) {
    if (begins[to] - begins[from] < stretch) continue;
    timing.best = std::min(timing.best, (begins[to] - begins[from]) / static_cast<double>(to - from));
    from = to;
  }
  return timing;
}

}  // namespace rfnn::bench
