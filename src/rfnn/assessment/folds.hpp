#pragma once

// Private header. Which rows are learnt from and which are predicted in turn: the folds of scikit-learn.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace rfnn::assessment {

/// One division: rows to learn from and rows to predict.
struct FoldRows {
  std::vector<std::size_t> train, test;
};

/// KFold(folds): stretches of the table, the first ones longer by a row where it does not divide evenly. UsageError
/// with fewer than 2 folds or more folds than rows.
std::vector<FoldRows> k_fold(std::size_t rows, std::size_t folds);

/// The same of rows put in an order drawn for (seed, repeat), each order equally likely.
std::vector<FoldRows> shuffled_k_fold(std::size_t rows, std::size_t folds, std::uint64_t seed, std::uint64_t repeat);

/// GroupKFold(folds): the rows of a group stay together; the largest groups first, each to the fold with the fewest
/// rows. `groups`: per row, the number of its group in the order of the groups' names. UsageError with more folds than
/// groups.
std::vector<FoldRows> group_k_fold(std::span<const std::size_t> groups, std::size_t folds);

/// GroupKFold(folds, shuffle=True) with an order of the groups drawn for (seed, repeat): folds have equally many
/// groups, or one more.
std::vector<FoldRows> shuffled_group_k_fold(std::span<const std::size_t> groups, std::size_t folds, std::uint64_t seed,
                                            std::uint64_t repeat);

/// TimeSeriesSplit(folds) of the rows in the order given: each of the last `folds` stretches is predicted from all rows
/// before it.
std::vector<FoldRows> time_series_split(std::span<const std::size_t> order, std::size_t folds);

/// Per row, the number of its group: of numbers where all names are numbers (1 and 1.0 are one group), else of texts.
std::vector<std::size_t> group_numbers(const std::vector<std::string>& names);

/// Rows by their time, equal ones as in the table. Times are numbers or dates of one form that begin with the year
/// (2024-05-01, 2024-05-01T12:30:00Z). InputError where they are neither; `column` names them there, and `rows` has
/// their places in the table (empty: they are all of it).
std::vector<std::size_t> time_order(const std::vector<std::string>& times, const std::string& column,
                                    std::span<const std::size_t> rows = {});

}  // namespace rfnn::assessment
