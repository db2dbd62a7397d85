#pragma once

// Private header. Where to look for a block's next frequency. The optimal density of frequencies is |r̂(ω)|, and the
// residual's empirical spectrum can be computed for any list of frequencies: a pool is drawn over everything the data
// can resolve, weighed by the spectrum, and the next frequencies are drawn from it.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "rfnn/core/random.hpp"
#include "rfnn/model/network.hpp"
#include "rfnn/rows/row_work.hpp"

namespace rfnn::grown {

/// What the rows can tell apart, per variable.
struct Resolution {
  std::size_t rows = 0;
  std::vector<double> range;    ///< largest − smallest value
  std::vector<double> highest;  ///< π / the usual distance of neighbouring values

  /// The highest frequency that `together` variables resolve jointly: their cells must not outnumber the rows.
  [[nodiscard]] double highest_of(std::size_t variable, std::size_t together) const;
};
Resolution resolution_of(const rows::RowState& rows);

/// Frequencies of one kind of branch: `count` of them, drawn with numbers of `stream` from `index` on.
/// One variable: stratified on [0, highest]. Several: on one, two, three or many variables, chosen with chances
/// `weight` (per input, at most 1; on many: those that count), the length log-uniform up to what they resolve together.
std::vector<rows::Feature> draw_pool(BranchKind kind, std::size_t inputs, const Resolution& resolution,
                                     const std::vector<double>& weight, std::size_t count, const Stream& stream,
                                     std::uint64_t index);

/// One input: all frequencies of a grid four times as fine as the data's range resolves, up to the highest, and the
/// residual's power at each, by a fast transform. Made once for the rows of a block.
class LineSpectrum {
 public:
  LineSpectrum(rows::RowWork& work, const rows::RowState& rows, const Resolution& resolution);
  /// Those of the frequencies that have any chance to be drawn: a thousandth of the largest power. False when
  /// interrupted. The rows are those of the constructor, `left` what is to be explained there.
  bool strongest(const rows::RowState& rows, const rows::TiledColumns& left, std::vector<rows::Feature>& pool,
                 std::vector<double>& power, Interrupt& interrupt);

 private:
  double spacing_;
  std::size_t count_;
  std::unique_ptr<rows::LatticePoints> points_;
  rows::Coefficients sums_;
};

/// How much features bend along each input, the largest 1: √(Σ |b|² ω²).
std::vector<double> bending(const rows::FeatureBlock& block, std::size_t inputs);

/// `count` of the pool in proportion to |r̂|⁴, none within half a period over the data's range of another.
std::vector<rows::Feature> draw_strongest(const std::vector<rows::Feature>& pool, const std::vector<double>& power,
                                          const Resolution& resolution, std::size_t count, const Stream& stream,
                                          std::uint64_t index);

}  // namespace rfnn::grown
