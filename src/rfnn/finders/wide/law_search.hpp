#pragma once

// Private header. Learning a law of frequencies from some of the rows: the parameters that make them likeliest, given
// priors. A likelihood of n rows costs n³, so few rows come first and more go on from what these have found.

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "rfnn/core/journal_place.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/finders/wide/law_parameters.hpp"
#include "rfnn/model/fields.hpp"
#include "rfnn/rows/row_work.hpp"

namespace rfnn::wide {

struct LearntLaw {
  LawShape shape;
  Eigen::VectorXd x;  ///< LawParameters' numbers
  FrequencyLaw law;
  double noise = 0.0;     ///< σ²
  double cost = 0.0;      ///< −ln of likelihood times prior
  double left_out = 0.0;  ///< mean square by leave-one-out, summed over outputs
  std::size_t rows = 0;   ///< it was learnt from
  double evidence = 0.0;  ///< −cost per row and output
};

template <class Archive>
void fields(Archive& archive, LearntLaw& learnt) {
  archive(learnt.shape.parts, learnt.shape.mapped, learnt.x, learnt.law, learnt.noise, learnt.cost, learnt.left_out,
          learnt.rows, learnt.evidence);
}

/// Multiply-adds of one entry of a kernel: differences and exponents per variable, exponentials per part; the registers
/// do as many at once as those of matrix products.
double entry_cost(std::size_t variables, const LawShape& shape);

class LawSearch {
 public:
  /// Rows are drawn by `seed`. Refers to all it is given. `journal`: of the laws learnt on the way.
  LawSearch(rows::RowWork& work, const rows::RowState& rows, std::size_t variables, std::uint64_t seed,
            Interrupt& interrupt, JournalPlace journal = {})
      : work_(work),
        rows_(rows),
        variables_(variables),
        seed_(seed),
        interrupt_(interrupt),
        journal_(std::move(journal)) {}

  /// From nothing, on at most `count` rows. A likelihood may have two maxima, much noise and little structure or the
  /// reverse: both are looked for. Nothing when interrupted, here and below.
  [[nodiscard]] std::optional<LearntLaw> begin(LawShape shape, std::size_t count);

  /// On from a law that is known, to `shape` and `count` rows.
  [[nodiscard]] std::optional<LearntLaw> go_on(const LearntLaw& known, LawShape shape, std::size_t count);

  /// The rows that a search with `count` looks at, and others that it does not.
  [[nodiscard]] rows::RowState sample(std::size_t count) const;
  [[nodiscard]] rows::RowState others(std::size_t count, std::size_t wanted) const;

  /// Multiply-adds of one likelihood, about, and how many were done per second when the law was last changed.
  [[nodiscard]] double cost_of(const LawShape& shape, std::size_t count) const;
  [[nodiscard]] double rate() const { return rate_; }

 private:
  [[nodiscard]] std::optional<LearntLaw> minimise(const rows::RowState& rows, const LawParameters& parameters,
                                                  const Eigen::VectorXd& start, int steps);
  [[nodiscard]] std::optional<LearntLaw> learn(const rows::RowState& rows, const LawParameters& parameters,
                                               Eigen::VectorXd x, int steps);

  rows::RowWork& work_;
  const rows::RowState& rows_;
  std::size_t variables_;
  std::uint64_t seed_;
  Interrupt& interrupt_;
  JournalPlace journal_;
  double rate_ = 0.0;
};

}  // namespace rfnn::wide
