#pragma once

#include <cstdint>

namespace rfnn {

/// What random numbers are drawn for: one purpose for each place that draws, so that no two places ever share a number.
/// The values are part of what a seed means: they stay, new ones are added at the end. docs/math.md lists the
/// addresses.
enum class Purpose : std::uint32_t {
  initial,        ///< sampled blocks: the frequencies a chain starts from
  proposal,       ///< sampled blocks: steps of the chain
  acceptance,     ///< sampled blocks: whether a step is taken
  split,          ///< which rows are held out
  block_rows,     ///< the rows of a block, where blocks have rows of their own
  data,           ///< generated tables: inputs
  noise,          ///< generated tables: errors of targets
  amplitudes,     ///< Adam: amplitudes it starts from
  batches,        ///< Adam: the order of the rows
  report,         ///< which rows a page shows
  proposal_rows,  ///< rows that proposals are weighed on

  // Preset auto.
  pool,                 ///< grown blocks: candidate frequencies
  choice,               ///< grown blocks: which of the candidates are taken
  screening_rows,       ///< rows that tell which inputs matter
  screening_held_out,   ///< held-out rows that judge it
  screening_pool,       ///< candidates of the small block that tells it
  screening_choice,     ///< which of them are taken
  probes,               ///< frequencies at which traces of single inputs are looked for
  law_rows,             ///< rows a law of frequencies is learnt from
  law,                  ///< frequencies of a learnt law: the smooth part of it
  law_tails,            ///< and the rough one
  preconditioner_rows,  ///< rows that wide systems are preconditioned by
  centres,              ///< rows that are the centres of a closed form
  unseen_rows,          ///< rows that tell what centres do not see
  trial_rows,           ///< rows of a smaller trial of a block
  logarithm_rows,       ///< rows by which inputs are judged to deserve a logarithm
  simulated_signal,     ///< lattices: signals of the spectrum so far, to weigh it by
  simulated_noise,      ///< lattices: their noise

  // Judging models.
  fold_order,   ///< cross-validation: the order of rows or groups that folds are cut from
  permutation,  ///< importance: whose values of an input a row is given
  resamples,    ///< comparison: rows that a resample is made of

  tuning = 100,  ///< options that a search tries, and the order of the rows its folds are cut from

  // Uncertainty.
  shape_rows = 110,  ///< rows judged that the shape of the width is learnt from

  // Wide blocks of a given width.
  leverage_rows = 120,  ///< rows that tell how much frequencies matter
  leverage,             ///< and projections by which it is estimated

  // Samples of functions.
  chain_amplitudes = 130,  ///< amplitudes of a network drawn from its chains
  chain_order,             ///< which of these networks are samples
  function_law,            ///< a function of a closed form's law: its frequencies
  function_amplitudes,     ///< their amplitudes
  function_errors,         ///< the noise of the rows that the function is brought near to
  function_noise           ///< the noise of a measurement of it
};

/// Where in a run numbers are drawn. What a place does not tell apart stays 0.
struct Address {
  std::uint64_t seed = 1;
  std::uint64_t member = 0;   ///< of the networks tried, in their order
  std::uint64_t attempt = 0;  ///< at finding a block of it, from 1
  std::uint64_t part = 0;     ///< of what is drawn for: an output, say
};

/// Counter-based random numbers (Philox 4×64, ten rounds): each value is a pure function of (address, purpose, index),
/// so no draw depends on the order in which others are made or on the thread that makes it.
class Stream {
 public:
  Stream(const Address& address, Purpose purpose) : address_(address), purpose_(purpose) {}
  /// The same with two numbers for the address: block and branch of a sampled block.
  Stream(std::uint64_t seed, Purpose purpose, std::uint64_t a = 0, std::uint64_t b = 0)
      : Stream({seed, a, b, 0}, purpose) {}

  [[nodiscard]] std::uint64_t bits(std::uint64_t index) const;
  /// Uniform in the open interval (0, 1).
  [[nodiscard]] double uniform(std::uint64_t index) const;
  /// Standard normal (Box–Muller on the two halves of one counter value).
  [[nodiscard]] double normal(std::uint64_t index) const;

 private:
  Address address_;
  Purpose purpose_;
};

}  // namespace rfnn
