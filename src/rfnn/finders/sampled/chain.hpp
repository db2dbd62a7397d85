#pragma once

// Private header. All that a chain's next iteration depends on, and what is to be told of those before it: what a
// checkpoint holds.

#include <cstdint>
#include <limits>
#include <vector>

#include "rfnn/core/archive.hpp"
#include "rfnn/finders/sampled/amplitudes.hpp"
#include "rfnn/finders/sampled/trace.hpp"
#include "rfnn/model/fields.hpp"

namespace rfnn::sampled {

/// Frequencies and the amplitudes solved for them.
struct State {
  std::vector<Matrix> frequencies;
  Fitted fitted;
  double penalised = std::numeric_limits<double>::infinity();  ///< (1/N)|A b − r|² + λ|b|², all outputs
};

/// Random numbers are drawn by their addresses: the iteration is all there is to know of them.
struct Chain {
  Chain(const FlatRule& rule, bool keeps_states) : flat(rule), keeps(keeps_states) {}

  State state;
  State solved, best;  ///< the last state whose amplitudes belong to its frequencies; the best of those
  least_squares::NormalEquations best_problem;  ///< what the condition of the best state is known from
  std::int64_t iteration = 0;
  LossTrace trace;
  FlatRule flat;
  std::vector<FrequencyCounter> counters;  ///< per branch
  std::vector<BranchRecord> branches;
  std::uint64_t proposed = 0, accepted = 0;
  bool keeps;                             ///< are states to be kept?
  std::vector<std::vector<Matrix>> kept;  ///< frequencies of states, per branch
};

template <class Archive>
void fields(Archive& archive, Fitted& fitted) {
  archive(fitted.amplitudes, fitted.misfit, fitted.condition);
}
template <class Archive>
void fields(Archive& archive, State& state) {
  archive(state.frequencies, state.fitted, state.penalised);
}
/// As many counters as the chain has: those of its branches.
template <class Archive>
void fields(Archive& archive, Chain& chain) {
  archive(chain.state, chain.solved, chain.best, chain.best_problem, chain.iteration, chain.trace, chain.flat,
          chain.branches, chain.proposed, chain.accepted);
  for (FrequencyCounter& counter : chain.counters) archive(counter);
  if (chain.keeps) archive(chain.kept);
}

}  // namespace rfnn::sampled
