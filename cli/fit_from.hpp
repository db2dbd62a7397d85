#pragma once

#include <optional>
#include <string>

#include "cli/columns.hpp"
#include "cli/fit_plan.hpp"

namespace rfnn::cli {

// What `rfnn fit --from MODEL` takes from the model.

/// The defaults of a preset, or the options of the model to go on from where it is of that preset: who goes on goes on
/// as it was trained, but for clock and machine. The options for reading are the model's in any case.
Options options_to_start_from(Preset preset, const Model* start);

/// --blocks counts those that are there; by default as many are added as the model was asked for. Throws where none is
/// left to add.
void count_blocks(ChosenOptions& chosen, const std::string& from);

/// The columns of the model, found in the table, and their layout. Throws where they are not there, or where the
/// arguments ask for others.
Matched columns_to_go_on(const FitArguments& arguments, const TableReader& table, const Model& start, Layout& layout);

/// A warning where rows that are held out now were fitted to by the model before.
std::optional<std::string> rows_seen_before(const FitArguments& arguments, const Model& start, const DatasetView& data);

}  // namespace rfnn::cli
