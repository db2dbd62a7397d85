#include "cli/errors_text.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace rfnn::cli {

std::string with_spread(double value, const std::optional<double>& spread) {
  if (!spread || !(*spread > 0.0) || !(value > 0.0)) return fmt::format("{:.6g}", value);
  const double digits = std::floor(std::log10(value)) - std::floor(std::log10(*spread)) + 2.0;
  const bool whole = *spread >= 10.0 && value < 1e6 && *spread < 1e6;  // 1800 ± 850 rather than 1.8e+03 ± 8.5e+02
  if (whole) return fmt::format("{:.0f} ± {:.0f}", value, *spread);
  return fmt::format("{:.{}g} ± {:.2g}", value, static_cast<int>(std::clamp(digits, 2.0, 6.0)), *spread);
}

std::string errors_text(const Model& model) {
  const ModelErrors errors = final_errors(model);
  std::vector<std::string> known;
  if (errors.validation) {
    const std::string_view where = errors.judge == Judge::leave_one_out      ? "by leave-one-out"
                                   : errors.judge == Judge::cross_fitting    ? "by cross-fitting"
                                   : model.options.validation_fraction > 0.0 ? "on held-out rows"
                                                                             : "on validation rows";
    known.push_back(fmt::format("{} {}", with_spread(*errors.validation, errors.validation_se), where));
  }
  if (errors.train) known.push_back(fmt::format("{:.6g} on training rows", *errors.train));
  return known.empty() ? "" : fmt::format("mean squared error {}", fmt::join(known, ", "));
}

}  // namespace rfnn::cli
