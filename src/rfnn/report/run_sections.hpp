#pragma once

// Private header. The sections of a run's report, in their order. One that has nothing to show says why.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rfnn/report/page.hpp"
#include "rfnn/report/run_story.hpp"

namespace rfnn::report {

Section run_opening(const RunStory& story);
Section run_card(const RunStory& story);
Section run_errors(const RunStory& story);
Section run_spectrum(const RunStory& story);
Section run_chain(const RunStory& story);
Section run_predictions(const RunStory& story);
Section run_residuals(const RunStory& story);
/// Without items where the model does not know its errors.
Section run_error_bars(const RunStory& story);
/// Without items where there is one input, or no rows: what it would show is shown elsewhere.
Section run_effects(const RunStory& story);
/// Without items where fewer than two columns vary.
Section run_variance(const RunStory& story);
Section run_conditioning(const RunStory& story);
Section run_commands(const RunStory& story);

// Shared by several sections.

/// The command that makes this report with test rows.
std::string report_with_data(const RunStory& story);

/// Rows of a role have the same colour everywhere.
constexpr Colour colour_of(RowsRole role) {
  return role == RowsRole::training ? Colour::blue : role == RowsRole::validation ? Colour::orange : Colour::purple;
}

/// Outputs shown at most, each on its own; and the sentence that says so where there are more.
inline constexpr std::size_t most_outputs = 4;
std::size_t outputs_shown(const Model& model);
std::string outputs_note(const Model& model);

/// Used inputs by their share in the learned function, largest first, as places among all inputs: the squares of
/// amplitudes, weighted by how far each frequency turns over a standard deviation of the input; of a closed form, the
/// variance of its law in the place of the squares.
std::vector<std::size_t> inputs_by_effect(const Model& model);

/// Does a variable of a branch take more values than 0 and 1? Along the levels of a category, truth values and what
/// says where a cell was missing there are no waves to look at.
bool takes_many_values(const Model& model, const Column& variable);

/// "0 blocks (the mean)", "1 block", "2 blocks"
std::string depth_label(std::size_t blocks);

/// "-2" for the second of several, nothing for an only one: keeps ids unique.
std::string suffix(std::size_t index, std::size_t count);

/// Histograms of the frequencies the chains of a kind of branch accepted: one figure per variable (places among those
/// of the branch), and one of |ω| when there are several.
std::vector<Item> accepted_frequencies(const RunStory& story, BranchKind kind, const std::string& id,
                                       const std::vector<std::size_t>& variables);

/// The laws of the closed forms of a kind of branch: a density over frequency for each variable that plays a part, and
/// a table. Nothing where there are none.
std::vector<Item> frequency_laws(const RunStory& story, BranchKind kind, const std::string& id);

/// The terms of trends as a table. Nothing where there are none.
std::vector<Item> trend_terms(const RunStory& story);

/// Predictions for two inputs as maps, and along single inputs as slices (d ≥ 2).
std::vector<Item> prediction_maps(const RunStory& story, const ShownRows& rows);
std::vector<Item> prediction_slices(const RunStory& story, const ShownRows& rows);

/// Functions drawn from what the model holds possible, with its error bars and the rows: of one input alone.
std::vector<Item> function_samples(const RunStory& story);

/// The picture a person wants: the prediction with all blocks over the data (one input), as a map beside that of the
/// data (two), or predicted against measured values (more).
std::vector<Item> opening_pictures(const RunStory& story, const ShownRows& rows);
std::vector<Item> opening_maps(const RunStory& story, const ShownRows& rows);

/// A figure without its slider: as it is at its last frame, with an id of its own.
Figure at_rest(Figure figure);

/// The median of every input over the rows shown; the training mean of one that is not used.
std::vector<double> medians(const Model& model, const ShownRows& rows);

/// The smallest and the largest value of an input.
std::pair<double, double> range_along(const ShownRows& rows, std::size_t input);

/// Rows that are `base` but for one input, which has these values.
Matrix rows_along(const std::vector<double>& base, std::size_t input, const std::vector<double>& values);

/// The red line of a prediction.
Series prediction_line(const std::vector<double>& x, const Matrix& predictions, std::size_t output);

}  // namespace rfnn::report
