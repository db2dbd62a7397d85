#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/columns.hpp"
#include "cli/fit_plan.hpp"

namespace rfnn::cli {

// What `rfnn fit --base MODEL` and `--base-column NAME` learn the difference to.

/// The model of --base; null: there is none. Throws where both are given, or one besides --from.
std::shared_ptr<const Model> base_given(const FitArguments& arguments);

/// Where the base sees categories or times, the columns of the table are read as it reads them, so that they are the
/// same to both: the inputs are its columns alone.
Matched columns_of_base(const FitArguments& arguments, const TableReader& table, const Model& base, Layout& layout);

/// The base with its places among the inputs; nothing: there is none. Throws where the table has not what it needs.
std::optional<Base> base_of(const FitArguments& arguments, std::shared_ptr<const Model> model,
                            const std::vector<std::string>& inputs, const Layout& layout);

}  // namespace rfnn::cli
