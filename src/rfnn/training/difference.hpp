#pragma once

// Private header. Learning the difference to a base: a cheaper model, or columns of the table.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rfnn/data/dataset.hpp"
#include "rfnn/model/model.hpp"
#include "rfnn/training/fit.hpp"

namespace rfnn::training {

using FitToTargets = std::function<Model(const DatasetView&, const Options&, const FitExtras&)>;

/// fit() where there is a base, given or that of the network to start from: `fit` is given the differences in the place
/// of the targets, and the model gets the base.
Model fit_difference(const DatasetView& data, const Options& options, const FitExtras& extras, const FitToTargets& fit);

/// A warning where the base, or one that it stands on, was fitted to the rows that are to judge, or, where there are no
/// `validation` rows, to those given: what it leaves of them is less than what it leaves of others.
std::optional<std::string> base_has_seen(const Base& base, const DatasetView& data, const DatasetView* validation);

/// The factor ρ for targets y = ρ·base + difference, of one output: 1 or the best of a least-squares fit, in company of
/// a constant or of a linear trend along the inputs as well, whichever foretells best, by leave-one-out, the rows. Few
/// rows that a trend goes through need it: without it ρ would pretend to be the trend.
double factor_of(const Columns& inputs, std::span<const double> base, const ColumnView& target,
                 std::span<const std::size_t> rows, std::span<const double> weights);

}  // namespace rfnn::training
