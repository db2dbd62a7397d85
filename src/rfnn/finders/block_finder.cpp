#include "rfnn/finders/block_finder.hpp"

#include "rfnn/finders/grown/grown_finder.hpp"
#include "rfnn/finders/lattice/lattice_finder.hpp"
#include "rfnn/finders/lines/lines_finder.hpp"
#include "rfnn/finders/sampled/sampled_finder.hpp"
#include "rfnn/finders/series/series_finder.hpp"
#include "rfnn/finders/wide/kernel_finder.hpp"
#include "rfnn/finders/wide/wide_finder.hpp"

namespace rfnn::finders {

std::unique_ptr<BlockFinder> make_finder(Method method, const Setting& setting) {
  switch (method) {
    case Method::sampled:
      return std::make_unique<sampled::SampledFinder>(setting);
    case Method::sequential:
      return std::make_unique<grown::GrownFinder>(setting);
    case Method::random:
      return std::make_unique<wide::WideFinder>(setting);
    case Method::lattice:
      return std::make_unique<lattice::LatticeFinder>(setting);
    case Method::kernel:
      return std::make_unique<wide::KernelFinder>(setting);
    case Method::series:
      return std::make_unique<series::SeriesFinder>();
    case Method::lines:
      return std::make_unique<lines::LinesFinder>(setting);
  }
  return nullptr;
}

std::size_t width_of(const Block& block) {
  std::size_t width = 0;
  for (const Branch& branch : block.branches) width += branch.width();
  return width;
}

BlockRecord record_of(Method method, const Block& block, std::size_t rows, double ridge, bool complete) {
  BlockRecord record;
  record.method = method;
  record.width = static_cast<std::int64_t>(width_of(block));
  record.rows = record.proposal_rows = rows;
  record.complete = complete;
  record.ridge = ridge;
  for (const Branch& branch : block.branches) record.branches.push_back({branch.kind, 0, 0, {}});
  return record;
}

}  // namespace rfnn::finders
