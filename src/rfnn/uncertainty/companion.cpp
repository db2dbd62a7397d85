#include "rfnn/uncertainty/companion.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "rfnn/finders/series/series_law.hpp"
#include "rfnn/finders/wide/law_search.hpp"
#include "rfnn/uncertainty/groups.hpp"
#include "rfnn/uncertainty/tuning.hpp"

namespace rfnn::uncertainty {

std::optional<RowLaw> learn_row_law(const rows::RowState& rows, std::uint64_t seed, rows::RowWork& work,
                                    Interrupt& interrupt) {
  if (rows.count() < tuning::least_group) return std::nullopt;
  if (rows.inputs() == 1) {
    const std::optional<series::SeriesLaw> law = series::learn_series_law(series::Series(rows), interrupt);
    if (!law || law->parts.empty()) return std::nullopt;
    return RowLaw{law->parts.front().law, law->parts.front().noise};
  }
  wide::LawSearch laws(work, rows, rows.inputs(), seed, interrupt);
  const std::optional<wide::LearntLaw> law = laws.begin({2, false}, tuning::companion_law_rows);
  if (!law) return std::nullopt;
  return RowLaw{law->law, law->noise};
}

RowLaw law_beyond(const rows::RowState& rows, std::size_t along) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (std::size_t i = 0; i < rows.count(); ++i) {
    low = std::min(low, rows.variable_of(i, along));
    high = std::max(high, rows.variable_of(i, along));
  }
  const double extent = high > low ? high - low : 1.0;
  RowLaw law;
  for (const auto& [reach, order] : {std::pair(tuning::reach_of_wanderer, 0), std::pair(tuning::reach_of_slope, 1)}) {
    FrequencyLaw::Part part;
    part.strength = 0.5;
    part.order = order;
    part.smooth.assign(rows.inputs(), 0.0);
    part.rough.assign(rows.inputs(), 0.0);
    part.rough[along] = 1.0 / (reach * extent);
    law.law.parts.push_back(std::move(part));
  }
  law.noise = tuning::noise_beyond;
  law.along = along;
  return law;
}

Companion companion_of(const rows::RowState& rows, const RowLaw& law) {
  const std::size_t size = std::max(tuning::least_group, rows.count() / tuning::companion_centres);
  const Matrix points = rows::theta_of(rows);
  const std::vector<double> weights = rows.weights();
  Matrix by = points;
  if (law.along) {
    by = Matrix(points.rows(), 1);
    for (std::size_t i = 0; i < by.rows(); ++i) by(i, 0) = points(i, *law.along);
  }
  Companion companion;
  companion.form.law = law.law;
  companion.form.centres = group_rows(by, size).means(points, weights);
  companion.form.coefficients = Matrix(companion.form.centres.rows(), rows.outputs());
  companion.noise = law.noise * static_cast<double>(companion.form.centres.rows()) /
                    static_cast<double>(std::max<std::size_t>(rows.count(), 1));
  return companion;
}

}  // namespace rfnn::uncertainty
