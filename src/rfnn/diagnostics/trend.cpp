#include "rfnn/diagnostics/trend.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "rfnn/diagnostics/spectrum.hpp"

namespace rfnn {
namespace {

/// Places and units of the variables that a branch sees, as the network has them.
struct Units {
  std::vector<double> mean, sd;
};

Units units_of(const Model& model, BranchKind kind) {
  Units units;
  const Scaler& scaler = model.scaler;
  if (kind != BranchKind::state) units = {scaler.input_mean, scaler.input_sd};
  if (kind == BranchKind::input) return units;
  units.mean.insert(units.mean.end(), scaler.output_mean.begin(), scaler.output_mean.end());
  units.sd.insert(units.sd.end(), scaler.output_sd.begin(), scaler.output_sd.end());
  return units;
}

void add_terms(const Model& model, const Branch& branch, std::size_t member, std::size_t block,
               std::vector<TrendTerm>& terms) {
  const Units units = units_of(model, branch.kind);
  const std::vector<Column> variables = variables_seen(model, branch.kind);
  for (std::size_t row = 0; row < branch.trend.rows(); ++row) {
    TrendTerm term{.member = member, .block = block, .branch = branch.kind, .variable = {}, .coefficient = {}};
    double unit = 1.0;
    if (row > 0) {
      const std::size_t k = (row - 1) % variables.size();
      term.power = 1 + (row - 1) / variables.size();
      term.variable = variables[k].name;
      term.about = units.mean[k];
      unit = std::pow(units.sd[k], static_cast<double>(term.power));
    }
    for (std::size_t o = 0; o < branch.trend.cols(); ++o)
      term.coefficient.push_back(branch.trend(row, o) * model.scaler.output_sd[o] / unit);
    const bool any = std::any_of(term.coefficient.begin(), term.coefficient.end(), [](double c) { return c != 0.0; });
    if (any) terms.push_back(std::move(term));
  }
}

}  // namespace

std::vector<TrendTerm> trends(const Model& model) {
  std::vector<TrendTerm> terms;
  for (std::size_t e = 0; e < model.members.size(); ++e)
    for (std::size_t l = 0; l < model.members[e].blocks.size(); ++l)
      for (const Branch& branch : model.members[e].blocks[l].branches) add_terms(model, branch, e, l + 1, terms);
  return terms;
}

}  // namespace rfnn
