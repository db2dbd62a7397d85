#pragma once

// Private header. What is wrong with a training run, from what is left of it: values in, values out.
//
// Thresholds and where they are from:
//   acceptance          2 % to 70 %: there a random walk comes forward at a third or more of its best rate, which it
//   has at
//                       23 % (Roberts and Rosenthal, Optimal scaling for various Metropolis–Hastings algorithms,
//                       Statistical Science 16, 2001: the rate is l² a with a = 2 Φ(−l/2)). Below 0.1 %, a thirtieth of
//                       it, the chain is stuck.
//   split R-hat and     at most 1.1, and at least 10, 5 for each half of a chain (Gelman and others, Bayesian Data
//   effective samples   Analysis, 3rd edition, section 11.5), of the loss in half of the blocks; in any block where the
//                       loss, besides, drifts by a tenth from the first half to the second; while a hundredth of
//                       the variance is left. The frequencies of a block
//                       move on long after its loss has settled, so that their spread and the size of the amplitudes
//                       are told but do not decide.
//   condition           1e10: of the 16 digits of a double 6 are left in the amplitudes (Higham, Accuracy and Stability
//                       of Numerical Algorithms, section 1.6).
//   rows                2 for each coefficient solved for at once (Austin and Steyerberg, The number of subjects per
//                       variable required in linear regression analyses, Journal of Clinical Epidemiology 68, 2015),
//                       and 10 for each input and the constant, to choose among (Harrell, Regression Modeling
//                       Strategies, section 4.4).
//   sampling limit      half a turn per step between distinct values of an input: Nyquist's.
//   twins               less than one radian apart over the data's range (diagnostics/spectrum.hpp), their amplitudes
//                       ten times what they come to and a hundred times the target's deviation: two digits are lost.
//   over-, underfitting a rise from the best number of blocks, or a fall with the last ones, of a tenth that is more
//   than
//                       one standard error where that is known (the rule of one standard error: Hastie, Tibshirani,
//                       Friedman, The Elements of Statistical Learning, section 7.10), while a hundredth of the
//                       variance is left.
//   residuals           a wave that noise reaches once in a thousand times (diagnostics/residual_spectrum.hpp) and that
//                       is a hundredth of the target's variance; or more left than twice what neighbouring rows differ
//                       by, half the mean squared difference (the Delta test: Pi and Peterson, Finding the embedding
//                       dimension and variable dependencies in time series, Neural Computation 6, 1994).

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rfnn/core/matrix.hpp"
#include "rfnn/model/model.hpp"

namespace rfnn {

/// Most serious first: what makes the numbers of a run worth nothing, what keeps its chains from their work, and then
/// what the network lacks.
enum class ProblemKind {
  unfinished,
  too_few_rows,
  ill_conditioned,
  stuck,
  acceptance,
  sampling_limit,
  twins,
  overfitting,
  underfitting,
  mixing,
  residuals,
};

constexpr std::string_view name_of(ProblemKind kind) {
  constexpr std::string_view names[] = {"unfinished",   "too-few-rows",   "ill-conditioned", "stuck",
                                        "acceptance",   "sampling-limit", "twins",           "overfitting",
                                        "underfitting", "mixing",         "residuals"};
  return names[static_cast<std::size_t>(kind)];
}

struct Problem {
  ProblemKind kind = ProblemKind::unfinished;
  std::string text;  ///< what and how bad, with what would be right
  std::string flag;  ///< what to give to `rfnn fit`: "--ridge 1e-6"; in words where no flag helps
};

/// Rows with the model's errors on them.
struct RowsSeen {
  Matrix inputs;      ///< rows × inputs of the model
  Matrix targets;     ///< rows × outputs
  Matrix residuals;   ///< targets minus predictions
  bool known = true;  ///< the model was fitted to them
  /// Mean squared error with 0, 1, … all blocks; empty: not known.
  std::vector<double> error_by_blocks = {};
};

/// What is left of a run.
struct Evidence {
  Options options;
  std::vector<BlockRecord> blocks;  ///< all that were trained
  const Model* model = nullptr;     ///< where there is one
  std::size_t rows = 0;             ///< trained on
  std::size_t inputs = 1, outputs = 1;
  std::string unfinished;  ///< why the run did not come to its end, in words; empty: it did
  std::optional<RowsSeen> seen = {};
};

/// At most one problem of each kind, in the order of the kinds.
std::vector<Problem> problems(const Evidence& evidence);

namespace diagnosis {

// One function for each kind, or two that go together: nothing where all is well, or where the evidence is missing.
std::optional<Problem> unfinished(const Evidence& evidence);
std::optional<Problem> too_few_rows(const Evidence& evidence);
std::optional<Problem> ill_conditioned(const Evidence& evidence);
std::optional<Problem> acceptance(const Evidence& evidence);  ///< kinds stuck and acceptance
std::optional<Problem> mixing(const Evidence& evidence);
std::optional<Problem> sampling_limit(const Evidence& evidence);
std::optional<Problem> twins(const Evidence& evidence);
std::optional<Problem> overfitting(const Evidence& evidence);
std::optional<Problem> underfitting(const Evidence& evidence);
std::optional<Problem> residuals(const Evidence& evidence);

/// "in block 3", "in 4 of 10 blocks, most of all in block 3"
std::string where(std::size_t count, std::size_t blocks, const BlockRecord& worst);

/// A number for a flag: two significant digits.
std::string round_number(double value);

}  // namespace diagnosis

}  // namespace rfnn
