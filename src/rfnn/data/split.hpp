#pragma once

// Private header. Which rows serve for what. Everything is a function of its arguments, the seed among them.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rfnn/core/random.hpp"
#include "rfnn/data/columns.hpp"
#include "rfnn/options/options.hpp"

namespace rfnn {

/// Row numbers.
struct Split {
  std::vector<std::size_t> train, validation;
};

/// Share of the rows to hold out. Preset auto decides by the rows held out, and a tenth of few rows sees little: it
/// holds out a quarter of them, up to a hundred rows. All rows are fitted to in the end. Of the last rows it is 15 % at
/// the least: a forecast is further than its first steps.
double held_out_share(const Options& options, std::size_t rows);

/// Holds out about `validation_fraction` of the rows listed; both parts keep their order. Rows with equal inputs stay
/// on one side: repeated measurements would tell a network what it is to be tested on. At least one row is left to
/// train on, and where the inputs allow it at least one is held out. The side of a row depends on its inputs, not on
/// its place.
Split holdout_split(const Columns& inputs, std::span<const std::size_t> order, double validation_fraction,
                    std::uint64_t seed);

// What that is made of, for rows that are not all in one place.
/// How many of so many rows to hold out, about; 0: none.
std::size_t rows_to_hold_out(std::size_t rows, double validation_fraction);
/// The numbers that rows draw, in the order listed, which those with equal inputs share.
std::vector<std::uint64_t> holdout_draws(const Columns& inputs, std::span<const std::size_t> order, std::uint64_t seed);
/// Which draws are held out: the smallest.
struct HoldoutCut {
  std::uint64_t threshold = 0;
  bool inclusive = false;
  [[nodiscard]] bool holds_out(std::uint64_t draw) const {
    return draw < threshold || (inclusive && draw == threshold);
  }
};
/// `threshold`: the draw at place `wanted`, from 0, in ascending order; so many of all `rows` are below it, and so many
/// no larger.
HoldoutCut holdout_cut(std::uint64_t threshold, std::size_t below, std::size_t up_to, std::size_t rows,
                       std::size_t wanted);

/// `wanted` of the numbers below `count`, ascending, every subset equally likely; all of them where there are no more.
std::vector<std::size_t> some_of(std::size_t count, std::size_t wanted, const Address& address, Purpose purpose);

/// The input, from 0, along which rows are held out.
inline std::size_t time_input(const Options& options) {
  return options.holdout_by > 0 ? static_cast<std::size_t>(options.holdout_by - 1) : 0;
}

/// Divisions of the rows listed, along input `along`, of which `share`, one row at the least, is held out at a time;
/// parts keep their order, and rows at one place stay together. The first is the one to prepare for.
///   tail  the last rows, all before them to train on; then the same from earlier ends on (rolling origins), as long as
///         enough is left to train on
///   gap   a stretch in the middle; then one in the first and one in the last third
/// Where the input does not vary there is none.
std::vector<Split> splits_along(Holdout holdout, const Columns& inputs, std::size_t along,
                                std::span<const std::size_t> order, double share);

/// The rows of block `block` (from 1) of `blocks`, ascending, out of `rows` training rows; empty: all of them.
///   same      all rows in every block
///   disjoint  a random partition; sizes differ by at most one; UsageError with fewer rows than blocks
///   subset    a random subset of subset_fraction of the rows, at least one, anew for every block
std::vector<std::size_t> block_rows(BlockRows mode, double subset_fraction, std::size_t rows, std::int64_t blocks,
                                    std::int64_t block, std::uint64_t seed);

/// Of the rows of a block, `rows` (empty: all `count` of them), those that proposals are weighed on: a random share, at
/// least one, in the order of the block; anew for every block. Where the share is all of them, `rows` itself.
std::vector<std::size_t> proposal_rows(double fraction, std::size_t count, std::vector<std::size_t> rows,
                                       std::int64_t block, std::uint64_t seed);

}  // namespace rfnn
