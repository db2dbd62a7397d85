#include "rfnn/training/proposals.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "rfnn/rows/lattice/lattice_block.hpp"
#include "rfnn/sampling/frequency_law.hpp"
#include "rfnn/sampling/refinement.hpp"

namespace rfnn {
namespace {

Matrix copy_of(const TiledColumns& columns, std::size_t count) {
  Matrix copy(columns.rows(), count);
  for (std::size_t i = 0; i < copy.rows(); ++i)
    for (std::size_t k = 0; k < count; ++k) copy(i, k) = columns(i, k);
  return copy;
}

std::vector<double> weights_of(const GrowthRows& rows) {
  std::vector<double> weights(rows.weighted() ? rows.count() : 0);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = rows.weight(i);
  return weights;
}

/// Features of a wide block for so many multiply-adds: the dual costs 2 N² W, conjugate gradients about 50 times over
/// the rows in all, at the price of some hundred for a cosine with its sine.
std::size_t affordable_width(double operations, std::size_t rows) {
  const auto n = static_cast<double>(rows);
  const double width = rows <= most_dual_rows ? operations / (1.0 * n * n) : operations / (5500.0 * n);
  // More features than some per row are the same process to the rows, but longer to write down.
  const double most = rows <= most_dual_rows ? std::clamp(40.0 * n, 2048.0, 32768.0) : 16384.0;
  return static_cast<std::size_t>(std::clamp(width, 256.0, most));
}

/// Share of the held-out error that features of a lattice may have and be left out.
constexpr double negligible = 1e-4;

Block as_block(LatticeBlock&& lattice) {
  Block block;
  block.branches.push_back({BranchKind::input, std::move(lattice.frequencies), std::move(lattice.amplitudes)});
  return block;
}

}  // namespace

std::optional<ProposedBlock> propose_sequential(GrowthPasses& passes, const MemberRows& rows,
                                                const Resolution& resolution, const GrowthPlan& plan,
                                                Interrupt& interrupt) {
  const GrownBlock grown = grow_block(passes, rows.train, rows.held_out, resolution, plan, interrupt);
  if (grown.block.size() == 0) return std::nullopt;
  const std::size_t inputs = rows.train.inputs(), outputs = rows.train.outputs();
  ProposedBlock proposed{grown.block.as_block(inputs, outputs), Method::sequential, grown.ridge, grown.complete, {}};
  proposed.refit = [start = grown.block, ridge = grown.ridge, steps = plan.steps](
                       const GrowthRows& all, GrowthPasses& with, Interrupt& until) -> std::optional<Block> {
    FeatureBlock block = start;
    FeatureSums sums;
    Misfit misfit;
    if (!with.features(all, block.features, sums, until)) return std::nullopt;
    solve_amplitudes(sums, static_cast<double>(all.count()), ridge, block);
    if (!refine(with, all, ridge, steps, 1e-3, block, misfit, until)) return std::nullopt;
    return block.as_block(all.inputs(), all.outputs());
  };
  return proposed;
}

std::optional<ProposedBlock> propose_lattice(GrowthPasses& passes, const MemberRows& rows, std::size_t max_features,
                                             Interrupt& interrupt) {
  const std::size_t inputs = rows.train.inputs(), outputs = rows.train.outputs();
  if (inputs > 2) return std::nullopt;
  const std::size_t threads = passes.workers().threads();
  const Matrix theta = copy_of(rows.train.variables, inputs), residual = copy_of(rows.train.residual, outputs);
  const Matrix held_theta = copy_of(rows.held_out.variables, inputs),
               held_residual = copy_of(rows.held_out.residual, outputs);
  const LatticeWeights weights{weights_of(rows.train), weights_of(rows.held_out)};
  std::optional<LatticePrior> learnt =
      learn_lattice_prior(theta.view(), residual.view(), held_theta.view(), held_residual.view(), max_features, threads,
                          interrupt, weights);
  if (!learnt) return std::nullopt;
  const auto prior = std::make_shared<const LatticePrior>(std::move(*learnt));
  std::optional<LatticeBlock> fitted =
      fit_lattice(*prior, theta.view(), residual.view(), max_features, threads, interrupt, negligible, weights.train);
  if (!fitted) return std::nullopt;
  ProposedBlock proposed;
  proposed.method = Method::lattice;
  proposed.ridge = fitted->ridge;
  proposed.block = as_block(std::move(*fitted));
  proposed.refit = [prior, max_features](const GrowthRows& all, GrowthPasses& with,
                                         Interrupt& until) -> std::optional<Block> {
    const Matrix all_theta = copy_of(all.variables, all.inputs()), all_residual = copy_of(all.residual, all.outputs());
    std::optional<LatticeBlock> again = fit_lattice(*prior, all_theta.view(), all_residual.view(), max_features,
                                                    with.workers().threads(), until, negligible, weights_of(all));
    if (!again) return std::nullopt;
    return as_block(std::move(*again));
  };
  return proposed;
}

std::optional<ProposedBlock> propose_random(GrowthPasses& passes, const MemberRows& rows, std::size_t max_features,
                                            double operations, double rival, std::uint64_t seed, std::uint64_t member,
                                            Interrupt& interrupt) {
  // Rows the law is learnt from: what a likelihood of so many costs is n³ each of some fifty times.
  const auto looked_at = static_cast<std::size_t>(std::clamp(std::cbrt(operations / 150.0), 200.0, 1200.0));
  const std::optional<FrequencyLaw> law = learn_law(rows.train, looked_at, seed + member, passes.workers(), interrupt);
  if (!law) return std::nullopt;
  const std::size_t count = std::min(affordable_width(operations, rows.train.count()), max_features);
  const auto features = std::make_shared<const WideFeatures>(draw_features(*law, count, seed, member));
  std::vector<double> lambdas;
  if (rows.train.count() <= most_dual_rows)
    for (const double factor : {100.0, 30.0, 10.0, 3.0, 1.0, 0.3})
      lambdas.push_back(factor * std::max(law->noise, 1e-8));
  else
    for (double lambda = 2.0; lambdas.empty() || (lambda > 0.3 * law->noise && lambdas.size() < 8); lambda /= 4.0)
      lambdas.push_back(lambda);
  const GrowthRows& judge = rows.held_out.count() > 0 ? rows.held_out : rows.train;
  if (rows.train.count() > most_dual_rows && count > 4096) {
    // λ is found with fewer features, which takes less.
    const WideFeatures fewer = draw_features(*law, count / 4, seed, member);
    const std::optional<WideFit> found = fit_wide(rows.train, judge, fewer, lambdas, seed, passes, interrupt);
    if (!found || found->held_out > 1.7 * rival) return std::nullopt;
    lambdas = {found->lambda};
  }
  const std::optional<WideFit> fitted = fit_wide(rows.train, judge, *features, lambdas, seed, passes, interrupt);
  if (!fitted) return std::nullopt;
  ProposedBlock proposed;
  proposed.method = Method::random;
  proposed.ridge = fitted->lambda;
  proposed.block.branches.push_back({BranchKind::input, features->frequencies, fitted->amplitudes});
  proposed.refit = [features, lambda = fitted->lambda, seed, start = fitted->amplitudes](
                       const GrowthRows& all, GrowthPasses& with, Interrupt& until) -> std::optional<Block> {
    std::optional<WideFit> again = fit_wide(all, all, *features, {lambda}, seed, with, until, &start);
    if (!again) return std::nullopt;
    Block block;
    block.branches.push_back({BranchKind::input, features->frequencies, std::move(again->amplitudes)});
    return block;
  };
  return proposed;
}

}  // namespace rfnn
