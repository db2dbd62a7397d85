#include "rfnn/finders/block_finder.hpp"

#include "rfnn/finders/grown/grown_finder.hpp"
#include "rfnn/finders/lattice/lattice_finder.hpp"
#include "rfnn/finders/lines/lines_finder.hpp"
#include "rfnn/finders/sampled/sampled_finder.hpp"
#include "rfnn/finders/series/series_finder.hpp"
#include "rfnn/finders/wide/kernel_finder.hpp"
#include "rfnn/finders/wide/wide_finder.hpp"
#include "rfnn/finders/windows/windows_finder.hpp"
#include "rfnn/model/fields.hpp"
#include "rfnn/rows/fields.hpp"

namespace rfnn::finders {
namespace {

/// Parts that rows are left out in: more of few rows, as each row less to fit to tells.
constexpr std::size_t parts = 8, parts_of_many = 4, many_rows = 30000;

}  // namespace

// The rows' order says nothing about them: every so manieth is a part like any other.
std::optional<rows::TiledColumns> BlockFinder::left_out(const FoundBlock& found, rows::RowWork& work,
                                                        const rows::RowState& rows, Interrupt& interrupt) const {
  const std::size_t count = rows.count(), folds = std::min(count > many_rows ? parts_of_many : parts, count);
  rows::TiledColumns left(count, rows.outputs());
  for (std::size_t fold = 0; fold < folds; ++fold) {
    std::vector<std::size_t> out, in;
    for (std::size_t i = 0; i < count; ++i) (i % folds == fold ? out : in).push_back(i);
    const std::optional<Block> block = rough_refit(found, work, rows.at(in), interrupt);
    rows::RowState judged = rows.at(out);
    if (!block || !work.advance(*block, judged, interrupt)) return std::nullopt;
    for (std::size_t i = 0; i < out.size(); ++i)
      for (std::size_t o = 0; o < rows.outputs(); ++o) left(out[i], o) = judged.residual(i, o);
  }
  return left;
}

std::optional<FoundBlock> BlockFinder::find_or_recall(const Search& search) {
  if (const std::optional<std::string> bytes = search.journal.bytes()) {
    ArchiveReader archive(*bytes);
    std::optional<FoundBlock> found;
    bool any = false, with_recipe = false;
    archive(any);
    if (any) {
      found.emplace();
      archive(found->block, found->record, found->honest, found->last, found->fitted_to_all, with_recipe);
      if (with_recipe) found->recipe = recipe_from(archive, search);
    }
    load_memory(archive);
    archive.end();
    return found;
  }
  std::optional<FoundBlock> found = find(search);
  if (!search.journal || search.interrupt.stopped() || (found && !found->record.complete)) return found;
  ArchiveWriter archive;
  archive(found.has_value());
  if (found) {
    archive(found->block, found->record, found->honest, found->last, found->fitted_to_all, found->recipe != nullptr);
    if (found->recipe) found->recipe->save(archive);
  }
  save_memory(archive);
  search.journal.keep_bytes(archive.take());
  return found;
}

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
    case Method::windows:
      return std::make_unique<windows::WindowsFinder>();
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
