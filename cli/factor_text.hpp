#pragma once

#include <string>
#include <vector>

#include "rfnn/sensitivity/factors.hpp"

namespace rfnn::cli {

/// `INPUT=LOW..HIGH`, `INPUT=VALUE` or `INPUT=LEVEL|LEVEL...` each: narrows (or widens) what an input may be. Dates and
/// times as in tables. Throws UsageError for what is none of these.
void narrow(std::vector<Factor>& factors, const std::vector<std::string>& boxes);

/// `INPUT=MEAN,SD` each: the input is normal then, which it cannot be where one of the `boxes` names it.
void make_normal(std::vector<Factor>& factors, const std::vector<std::string>& laws,
                 const std::vector<std::string>& boxes);

}  // namespace rfnn::cli
