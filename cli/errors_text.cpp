#include "cli/errors_text.hpp"

#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace rfnn::cli {

std::string errors_text(const Model& model) {
  const ModelErrors errors = final_errors(model);
  std::vector<std::string> known;
  if (errors.validation) {
    const std::string_view where = errors.judge == Judge::leave_one_out      ? "by leave-one-out"
                                   : errors.judge == Judge::cross_fitting    ? "by cross-fitting"
                                   : model.options.validation_fraction > 0.0 ? "on held-out rows"
                                                                             : "on validation rows";
    const std::string spread = errors.validation_se ? fmt::format(" ± {:.2g}", *errors.validation_se) : "";
    known.push_back(fmt::format("{:.6g}{} {}", *errors.validation, spread, where));
  }
  if (errors.train) known.push_back(fmt::format("{:.6g} on training rows", *errors.train));
  return known.empty() ? "" : fmt::format("mean squared error {}", fmt::join(known, ", "));
}

}  // namespace rfnn::cli
