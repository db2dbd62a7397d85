#include "rfnn/uncertainty/far_variance.hpp"

#include <algorithm>
#include <vector>

#include "rfnn/uncertainty/tuning.hpp"

namespace rfnn::uncertainty {
namespace {

/// Of centres `first` … `first + count` − 1, as many as are looked at spread over them; `scale`: of the window, or
/// none.
double expected_among(const ClosedForm& form, std::size_t first, std::size_t count, std::size_t most,
                      const double* scale) {
  const std::size_t some = std::min(count, most), variables = form.centres.cols();
  std::vector<double> difference(variables);
  const auto centre = [&](std::size_t i, std::size_t k) {
    return (scale != nullptr ? scale[k] : 1.0) * form.centres(first + i * count / some, k);
  };
  double pairs = 0.0;
  for (std::size_t i = 0; i < some; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      for (std::size_t k = 0; k < variables; ++k) difference[k] = centre(i, k) - centre(j, k);
      pairs += kernel_value(form.law, difference.data());
    }
  const auto size = static_cast<double>(some);
  const double own = form.law.variance();
  return own - (size * own + 2.0 * pairs) / (size * size);
}

/// Mean over the outputs of the weighted variances of the targets.
double variance_of_targets(const rows::RowState& rows) {
  double all = 0.0;
  for (std::size_t o = 0; o < rows.outputs(); ++o) {
    double weights = 0.0, sum = 0.0, squares = 0.0;
    for (std::size_t i = 0; i < rows.count(); ++i) {
      weights += rows.weight(i);
      sum += rows.weight(i) * rows.target()(i, o);
    }
    for (std::size_t i = 0; i < rows.count(); ++i) {
      const double off = rows.target()(i, o) - sum / weights;
      squares += rows.weight(i) * off * off;
    }
    all += squares / weights;
  }
  return all / static_cast<double>(rows.outputs());
}

}  // namespace

double expected_variance(const ClosedForm& form) {
  const Windows& windows = form.windows;
  if (windows.empty()) return expected_among(form, 0, form.centres.rows(), tuning::centres_of_far, nullptr);
  // Those with more rows count for more.
  double sum = 0.0;
  const std::size_t most = std::max(tuning::centres_of_far / windows.count(), tuning::fewest_of_window);
  for (std::size_t w = 0, first = 0; w < windows.count(); first += windows.rows[w], ++w)
    if (windows.rows[w] > 0)
      sum += static_cast<double>(windows.rows[w]) *
             expected_among(form, first, windows.rows[w], most, windows.scale.data() + w * windows.scale.cols());
  return sum / static_cast<double>(std::max<std::size_t>(form.centres.rows(), 1));
}

std::optional<double> far_variance(const ClosedForm& form, const rows::RowState& rows) {
  if (form.centres.rows() < 2 || rows.count() < 2) return std::nullopt;
  const double expected = expected_variance(form), seen = variance_of_targets(rows);
  if (!(seen > 0.0) || !(expected > tuning::times_seen * seen)) return std::nullopt;
  return form.law.variance() * tuning::times_seen * seen / expected;
}

}  // namespace rfnn::uncertainty
