#pragma once

// Private header. Words and small numbers of a run's report.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rfnn::report {

/// A command line that a shell reads back as these words: rfnn fit 'my data.csv' …
std::string shell_line(const std::vector<std::string>& words);

/// A column name as an axis can bear it: UTF-8, one line, at most 40 characters.
std::string label_of(std::string_view name);

/// a, b, c — at most `most` of them.
std::string listed_labels(const std::vector<std::string>& names, std::size_t most = 12);

/// A share of one as a percentage with as many nines as it takes: 99.87 %, 99.9996 %.
std::string percent(double share);

/// 2π / ω, "∞" for 0; of a time, in days, in the unit that fits.
std::string period_text(double frequency, bool days = false);

/// 2024-05-01T12:34:56Z as 2024-05-01 12:34:56 UTC; anything else as it is.
std::string time_text(std::string_view time);

/// 0.42 s, 3:05 min, 1:02:03 h, never broken over two lines.
std::string time_span(double seconds);

/// "0.12 ± 0.01" where the standard error is known.
std::string with_error(double value, std::optional<double> standard_error);

/// The root of a mean squared error in the same way, from the standard error of the latter.
std::string rmse_text(double mse, std::optional<double> standard_error);

/// The sentences that are not empty, with spaces between them.
std::string sentences(const std::vector<std::string>& parts);

}  // namespace rfnn::report
