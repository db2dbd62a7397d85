#pragma once

// Private header. Judgement on rows that a network was not fitted to: pure functions of what is left on them.

#include <cstddef>
#include <optional>
#include <vector>

#include "rfnn/core/matrix.hpp"
#include "rfnn/rows/row_state.hpp"

namespace rfnn::training {

/// What a network leaves on rows it was not fitted to, in standardised units.
struct HeldOut {
  Matrix left;                  ///< rows × outputs
  std::vector<double> weights;  ///< of mean 1; empty: all rows count alike

  [[nodiscard]] std::size_t rows() const { return left.rows(); }
  [[nodiscard]] double weight(std::size_t row) const { return weights.empty() ? 1.0 : weights[row]; }
};

HeldOut held_out_of(const rows::RowState& rows);

/// Weighted mean of |r| over rows, per output. Nothing of rows that lie elsewhere.
std::vector<double> mean_size(const rows::RowState& rows);
std::vector<double> mean_size(const HeldOut& rows);

/// By how much errors on new rows change when a network that was fitted to a share of the rows is fitted to all of
/// them. Of a linear fit with p free numbers to n rows, what is left on a row is 1 − p/n times its error were it left
/// out: T = (1 − p/n) E tells p, and the new fit, which leaves T′ on n′ rows, E′ = T′/(1 − p/n′). The result is E′/E,
/// within bounds. 1 where T is too small beside E to tell: closed forms with most rows as centres go through them.
double gain_of_refit(double fitted, double judged, double refitted, double share);

/// Rows of both, one after the other; weights keep their ratios only within each.
void append(HeldOut& all, const HeldOut& more);

/// The same rows, each counting so many times as much; 1 leaves them as they are.
HeldOut counting(HeldOut rows, double times);

/// Weighted mean over the rows of Σ_o scale_o · e_o²; `scale` empty: all 1.
double mean_square(const HeldOut& rows, const std::vector<double>& scale = {});
/// Its standard error, from the scatter over the rows. Nothing of fewer than two rows.
std::optional<double> standard_error(const HeldOut& rows, const std::vector<double>& scale = {});

/// Whether errors on the same rows fell by more than chance would have it, by so many standard errors of the mean over
/// the rows: of their squares or, where `or_logarithms`, of the logarithms of their squares, which a few rows at a jump
/// cannot drown. With fewer than four rows nothing is sure but a fall to a quarter.
bool surely_smaller(const HeldOut& after, const HeldOut& before, double standard_errors, bool or_logarithms);

/// Whether errors on the same rows fell to less than the share `far_better`, and do so without the row that gains most.
bool far_smaller(const HeldOut& after, const HeldOut& before);

/// Whether `rows` are surely left with far less than `others` on most of the same rows, whatever the largest errors
/// are: by the mean of the logarithms of their squares.
bool closer_on_most(const HeldOut& rows, const HeldOut& others);

/// What the average of networks leaves on the same rows.
HeldOut average_of(const std::vector<const HeldOut*>& networks);

/// Whether a network of so many blocks, whose last one changed its error from `before` to `now`, will stay far behind
/// what a rival has reached: it would if a fair number of further blocks gained as much as the last.
bool cannot_win(double now, double before, std::size_t blocks, double rival);

/// A network as the choice between several sees it. All are judged on the same rows.
struct Candidate {
  const HeldOut* held_out = nullptr;
  bool empty = false;           ///< no blocks: the mean
  bool chosen_by_rows = false;  ///< turn by turn on the very rows it is judged on
  bool small = false;           ///< has so few numbers that such choices cannot have flattered it much
};

/// The best of the candidates first, then those whose company makes the average better still by more than
/// `company_gain`, at most `most` in all. One that was chosen by the rows it is judged on beats another only where its
/// gain is sure or large. Of two whose errors are as good as equal the one that is far closer on most rows is the best.
std::vector<std::size_t> best_average(const std::vector<Candidate>& candidates, std::size_t most);

/// Places of members whose errors are within `factor` of the best.
std::vector<std::size_t> good_members(const std::vector<double>& errors, double factor);

/// Mean over rows and outputs of the members' squared distances from their average, in target units: by so much the
/// error of the average is below the mean of the members' errors (Krogh and Vedelsby). `outputs[e]`: rows × outputs.
double spread_of(const std::vector<Matrix>& outputs, const std::vector<double>& weights,
                 const std::vector<double>& scale);

}  // namespace rfnn::training
