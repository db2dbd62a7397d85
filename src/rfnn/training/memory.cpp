#include "rfnn/training/memory.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "rfnn/core/error.hpp"
#include "rfnn/core/file_pages.hpp"
#include "rfnn/data/split.hpp"
#include "rfnn/finders/grown/grown_finder.hpp"
#include "rfnn/finders/grown/tuning.hpp"
#include "rfnn/finders/lattice/tuning.hpp"
#include "rfnn/finders/wide/closed_size.hpp"
#include "rfnn/finders/wide/drawn_size.hpp"
#include "rfnn/finders/wide/tuning.hpp"
#include "rfnn/options/table.hpp"
#include "rfnn/rows/threads/direct_engine.hpp"
#include "rfnn/training/budget.hpp"
#include "rfnn/training/tuning.hpp"
#include "rfnn/training/ways.hpp"
#include "rfnn/uncertainty/posterior.hpp"

namespace rfnn::training {
namespace {

constexpr double number = sizeof(double);

// What is known by measuring alone, with tests/training/memory_test.cpp: plans of memory are by these, results are not.

/// What the program takes by itself, and with each thread.
constexpr double bytes_of_program = 7e6, bytes_of_thread = 1e6;
/// A plan counts as fitting with so much to spare: estimates are within a quarter. Of the memory that may be taken, the
/// part that putting rows in order plans with.
constexpr double to_spare = 1.25, share_for_sorting = 0.8;
/// Up to so many bytes a matrix that is given back stays with the allocator.
constexpr double kept_by_allocator = 0x1p25;
/// Grown blocks: copies of the pool of candidates, for each network at a time and once. Lattices and series: bytes for
/// each of their points.
constexpr double pools_of_a_network = 3.0, pools_beside = 7.5, bytes_of_point = 800.0;

double whole_tiles(double rows) {
  const auto tile = static_cast<double>(features::tile_rows);
  return std::ceil(rows / tile) * tile;
}

/// Rows of the largest block, and how many of them proposals are weighed on.
struct BlockSizes {
  double rows = 0.0, weighed = 0.0;
  bool listed = false;  ///< the block's rows are some of all, so that they are copied
};

BlockSizes block_sizes(const Options& options, double train) {
  BlockSizes sizes;
  sizes.rows = options.block_rows == BlockRows::disjoint ? std::ceil(train / static_cast<double>(options.blocks))
               : options.block_rows == BlockRows::subset ? std::ceil(train * options.subset_fraction)
                                                         : train;
  sizes.weighed = std::ceil(sizes.rows * options.proposal_fraction);
  sizes.listed = options.block_rows != BlockRows::same;
  return sizes;
}

/// Columns of a block, [kept | proposed], and how the engine treats so many of them.
struct BlockColumns {
  BlockColumns(double kept_columns, double proposed_columns, double outputs, bool on_disk)
      : kept(kept_columns),
        proposed(proposed_columns),
        cache_limit(on_disk ? 0.0 : static_cast<double>(limits.cache)),
        gram_numbers(std::max(kept, proposed) * (all() + outputs)),
        wide(number * gram_numbers > static_cast<double>(limits.wide_gram)) {}

  [[nodiscard]] double all() const { return kept + proposed; }
  /// Cosines and sines: of all rows where they are few enough to be kept, else of a tile per thread, and of a group of
  /// tiles where the Gram matrix is wide.
  [[nodiscard]] double feature_bytes(double rows, double threads) const {
    const double cache = number * whole_tiles(rows) * all();
    if (cache <= cache_limit) return cache;
    const double tile = number * static_cast<double>(features::tile_rows) * all();
    return threads * tile + (wide ? std::max(tile, std::min(cache, static_cast<double>(limits.group))) : 0.0);
  }
  /// Pieces of the rows that are added up apart.
  [[nodiscard]] double chunks(double rows) const {
    const double tiles = whole_tiles(rows) / static_cast<double>(features::tile_rows);
    return std::min(std::clamp(std::floor(0x1p26 / number / gram_numbers), 8.0, 64.0), tiles);
  }

  static constexpr rows::DirectEngine::Limits limits = {};
  double kept, proposed, cache_limit, gram_numbers;
  bool wide;
};

/// What grows with the columns of a block.
void add_columns(const BlockColumns& columns, const BlockSizes& block, Solver solver, const RunSizes& sizes,
                 MemoryNeed& need) {
  // The rows that proposals are weighed on may fit into the cache where all of them do not.
  for (const double rows : {block.rows, block.weighed})
    need.features = std::max(need.features, columns.feature_bytes(rows, static_cast<double>(sizes.threads)));

  const auto m = static_cast<double>(sizes.outputs);
  const double n = columns.kept, p = columns.proposed, chunks = columns.chunks(block.rows);
  const double at_once = columns.wide ? 1.0 : chunks;  // a wide Gram matrix or triangle is had once
  // Matrices that are not large go back to the allocator, not to the system, and are not always taken up again.
  const double kept_back = number * n * n <= kept_by_allocator ? 2.5 * n * n : 0.0;
  switch (solver) {
    case Solver::cholesky:
      need.sums = number * at_once * std::max(n * (n + m), p * (n + p + m));
      // [kept | proposed], kept, the proposal's part, the factor.
      need.solver = number * ((n + p) * (n + p) + 3.0 * n * n + kept_back);
      break;
    case Solver::qr:
    case Solver::svd:
      need.sums = number * at_once * (n + m) * (2.0 * (n + m) + static_cast<double>(features::tile_rows));
      need.solver = number * (5.0 * n * n + kept_back);
      break;
    case Solver::iterative:
      need.sums = number * chunks * n * m;
      need.solver = number * 16.0 * n * m;
      break;
  }
}

/// Is there time for steps of closed forms with all rows? As wide/kernel_finder counts them, for a usual law.
bool steps_with_all(const Options& options, double rows, const RunSizes& sizes) {
  const double entry = 10.0 + 2.0 * static_cast<double>(sizes.inputs);
  const int steps = options.max_time > 0.0 ? wide::tuning::fewest_steps_of_all : wide::tuning::usual_steps;
  return steps * rows * rows / 4.0 * entry <=
         wide::tuning::share_of_fit * operations_for(options, sizes.rows, sizes.threads);
}

/// Closed forms: triangles of the law's rows and of their inverse; then of all rows, or what centres take, as far as
/// there is memory for them. Within a budget laws are learnt from more rows. Triangles that are not large go back to
/// the allocator, not to the system, and are not always taken up again. `train`: of all rows those in the race.
double closed_form_bytes(const Options& options, double train, double rows, const RunSizes& sizes) {
  const bool limited = options.max_time > 0.0;
  const auto m = static_cast<double>(sizes.outputs);
  const double law =
      std::min(rows, limited ? wide::tuning::most_rows_of_law : static_cast<double>(wide::tuning::law_rows_later));
  const double of_law = number * (limited ? 2.0 : 1.2) * law * law;
  const wide::FitSize exactly{};
  if (rows <= static_cast<double>(wide::tuning::most_exact_rows) && wide::has_memory(options, exactly, train, m)) {
    const double triangle = wide::bytes_of(exactly, rows, m);
    return std::max(of_law, triangle <= kept_by_allocator ? 2.0 * triangle : triangle);
  }
  std::vector<wide::FitSize> tried{{wide::tuning::quick_centres, 0}};
  for (const std::size_t centres : wide::tuning::centres) tried.push_back({centres, 0});
  if (steps_with_all(options, rows, sizes))
    tried.push_back({wide::tuning::centres_beside_all, wide::tuning::most_steps_of_all});
  double most = of_law;
  for (const wide::FitSize& size : tried)
    if (wide::has_memory(options, size, train, m)) most = std::max(most, wide::bytes_of(size, rows, m));
  return most;
}

/// Closed forms of windows: a row is in about four of them. There are its number, its variables in the block and once
/// more as the kernels read them, and coefficients and errors left out of two solutions side by side.
double windows_bytes(double rows, const RunSizes& sizes) {
  constexpr double windows_of_a_row = 4.0;
  const auto d = static_cast<double>(sizes.inputs), m = static_cast<double>(sizes.outputs);
  return number * windows_of_a_row * rows * (1.0 + 2.5 * d + 4.0 * m);
}

bool begins_by(Method method, const Options& options, const RunSizes& sizes) {
  const std::vector<Way> ways = ways_to_begin(options, sizes.inputs, sizes.rows);
  return std::any_of(ways.begin(), ways.end(), [&](const Way& way) { return way.first == method; });
}

/// Lattices, and what takes as much where rows are beside a time.
bool finds_spectra(const Options& options, const RunSizes& sizes) {
  return begins_by(Method::lattice, options, sizes) || begins_by(Method::lines, options, sizes) ||
         begins_by(Method::series, options, sizes);
}

/// Frequencies drawn from a law, their amplitudes fitted to so many rows.
double drawn_bytes(const Options& options, double rows, const RunSizes& sizes) {
  const double operations = shares::wide * operations_for(options, sizes.rows, sizes.threads);
  const auto d = static_cast<double>(sizes.inputs), m = static_cast<double>(sizes.outputs);
  const double width =
      std::min(static_cast<double>(wide::affordable_width(operations, rows, d)), static_cast<double>(options.width));
  const double law_rows = std::min(rows, static_cast<double>(wide::law_rows_for(operations)));
  return wide::bytes_of_drawn(width, law_rows, rows, d, m);
}

/// A growing block, where one is tried: its sums over the rows, as rows/threads/growing cuts them.
double growing_bytes(const Options& options, double train, const RunSizes& sizes) {
  double share = 0.0;
  for (const Way& way : ways_to_begin(options, sizes.inputs, sizes.rows))
    if (way.first == Method::sequential) share = way.share;
  if (share == 0.0) return 0.0;
  const double operations =
      share * operations_for(options, sizes.rows, sizes.threads) / grown::tuning::blocks_in_effort;
  const std::size_t variables = std::min(sizes.inputs, grown::tuning::costly_variables);
  auto features = static_cast<double>(grown::affordable_features(
      operations, options.memory, static_cast<std::size_t>(train), variables, sizes.outputs));
  // Over all branches of a later block.
  if (options.width > 0) features = std::min(features, 2.0 * static_cast<double>(options.width));
  const double n = 2.0 * features, q = static_cast<double>(variables) * features,
               numbers = n * n + static_cast<double>(sizes.outputs) * n * (q + 1.0) + q * q;
  const double tiles = whole_tiles(train) / static_cast<double>(features::tile_rows);
  return number * numbers * std::min(tiles, std::clamp(0x1p23 / numbers, 4.0, grown::tuning::sums_at_once));
}

/// Preset auto holds one thing after the other: the list of all rows while it is put in order, a race of networks, the
/// fit to all rows. The counts of arrays are those of the code; where a finder makes several of a size their number was
/// measured (800 × 8 to 10⁷ × 4 rows, 50 × 10⁴: tests/training/memory_test.cpp).
MemoryNeed need_of_auto(const Options& options, const RunSizes& sizes, MemoryNeed need) {
  const auto d = static_cast<double>(sizes.inputs), m = static_cast<double>(sizes.outputs);
  const auto all = static_cast<double>(sizes.rows), given = static_cast<double>(sizes.validation_rows);
  const double used = std::min(all, static_cast<double>(tuning::most_rows));
  const double held_out = given > 0.0 ? 0.0 : used * held_out_share(options, sizes.rows);
  const double train = std::min(used - held_out, static_cast<double>(tuning::most_race_rows));
  const double judging = std::min(held_out, static_cast<double>(tuning::most_judging_rows)) + given;
  const bool few = sizes.rows < tuning::cross_fitted_rows && given == 0.0 && held_out > 0.0;
  const double folds =
      !few ? 1.0 : static_cast<double>(sizes.rows < tuning::very_few_rows ? tuning::folds_of_very_few : tuning::folds);
  const double at_once =
      sizes.rows <= tuning::side_by_side_rows ? std::min(static_cast<double>(sizes.threads), 2.0 * folds) : 1.0;

  // A hash and a row number with its hash for every row; then the numbers of those used, twice.
  const double ordering = 24.0 * all, lists = number * 2.0 * used;
  // θ, target, state and residual, and state and residual once more while a block is weighed.
  const double race = number * (train + judging) * (folds * (d + m) + at_once * 4.0 * m);
  const double last_fit = number * used * (d + 5.0 * m);

  // What finders make: candidates and features over all variables; closed forms, or drawn features with a dual or a
  // preconditioner; transforms of a lattice.
  const double pool = std::clamp(static_cast<double>(grown::tuning::candidates_per_row) * train,
                                 static_cast<double>(grown::tuning::fewest_candidates),
                                 static_cast<double>(grown::tuning::most_candidates)) *
                      (d + m);
  const double wide_at_once = few || sizes.inputs > 2 ? at_once : 1.0;
  double finders = number * (at_once * pools_of_a_network + pools_beside) * pool;
  // Where nothing else is tried a block may grow to its end, and its sums find no room where those of a smaller one
  // were. How far it grows the data say: this is between what easy and hard functions take.
  const bool grown_alone = ways_to_begin(options, sizes.inputs, sizes.rows).size() == 1;
  const double growing = finders + (grown_alone ? 2.0 : 1.0) * growing_bytes(options, train, sizes);
  if (begins_by(Method::kernel, options, sizes))
    finders += wide_at_once * closed_form_bytes(options, train, used, sizes);
  if (begins_by(Method::random, options, sizes)) {
    // One network draws them, beside others; of few rows those of the folds do.
    finders += std::max((few ? at_once : 1.0) * drawn_bytes(options, train, sizes), drawn_bytes(options, used, sizes));
  }
  if (sizes.inputs <= 2 && finds_spectra(options, sizes)) {
    double points =
        std::min(sizes.inputs == 1 ? train : 4.0 * train, static_cast<double>(lattice::tuning::most_points));
    if (options.width > 0) points = std::min(points, static_cast<double>(options.width));
    finders += bytes_of_point * at_once * points;
  }
  if (windows_pay(options, sizes.inputs, sizes.rows)) finders = std::max(finders, windows_bytes(used, sizes));
  finders = std::max(finders, growing);
  // Error bars of a series that has all rows as centres. Beyond the rows another way wins as a rule.
  if (sizes.inputs == 1 && options.width <= 0 && options.holdout == Holdout::random)
    finders = std::max(finders, uncertainty::Posterior::bytes(static_cast<std::size_t>(train)));
  // A lattice is fitted to all rows in the end with their phases in the order of its cells; other blocks are made again
  // with less than finding them took.
  const double last = sizes.inputs <= 2 ? last_fit + 6.0 * number * used : last_fit - finders;
  need.rows = lists + std::max({ordering - lists, race, last, 0.0});
  need.features = ordering - lists > race + finders ? 0.0 : finders;
  return need;
}

/// Preset paper. On disk inputs, targets, states and residuals take no memory but where they are worked on.
MemoryNeed need_of_paper(const Options& options, const RunSizes& sizes, MemoryNeed need, bool on_disk) {
  const auto d = static_cast<double>(sizes.inputs), m = static_cast<double>(sizes.outputs);
  const auto all = static_cast<double>(sizes.rows), given = static_cast<double>(sizes.validation_rows);
  const double held_out = given > 0.0 ? 0.0 : all * held_out_share(options, sizes.rows);
  const double train = all - held_out;
  const BlockSizes block = block_sizes(options, train);

  // θ, target and state of all rows; the residual of a block's, and where they are not all, copies of θ and state.
  const double copied = block.listed ? block.rows : options.proposal_fraction < 1.0 ? block.weighed : 0.0;
  need.rows = number * whole_tiles(copied) * (d + m);
  if (on_disk) {
    // Of every array some stretches per thread; rows that judge once more at the end, those given while put in order.
    const double arrays = 5.0, stretches = 3.0;
    need.rows += arrays * stretches * static_cast<double>(FilePages::stretch) * static_cast<double>(sizes.threads);
    need.rows += number * (held_out + given) * (m + 1.0) + number * 5.0 * given;
    if (copied > 0.0) need.rows += number * whole_tiles(block.rows) * m;
  } else {
    need.rows += number * (whole_tiles(train) + whole_tiles(held_out + given)) * (d + 2.0 * m) +
                 number * whole_tiles(block.rows) * m;
    need.rows += number * (all + given);  // row numbers in their order or split
  }
  // Row numbers of a block, and of all rows while a block's are drawn.
  if (copied > 0.0) need.rows += number * (copied + (block.listed ? train : 0.0));

  // The first block is narrower, so that its features may fit into the cache where later ones do not.
  const double own = 2.0 * static_cast<double>(options.width);
  MemoryNeed first = need, later = need;
  add_columns(BlockColumns(own, own, m, on_disk), block, options.solver, sizes, first);
  if (options.blocks > 1) add_columns(BlockColumns(2.0 * own, own, m, on_disk), block, options.solver, sizes, later);
  return first.total() > later.total() ? first : later;
}

MemoryNeed program_and_data(const RunSizes& sizes) {
  MemoryNeed need;
  need.data = sizes.data_bytes;
  need.program = bytes_of_program + bytes_of_thread * static_cast<double>(sizes.threads);
  return need;
}

bool fits(const MemoryNeed& need, double limit) { return to_spare * need.total() <= limit; }

[[noreturn]] void refuse_limit(const Options& options, double least) {
  throw UsageError("memory " + find_field("memory")->print(options) +
                       " is too little for this run: " + size_text(least) + " is about the least.",
                   "Give more, or fewer columns, a smaller width, or rows that lie in a file of plain numbers.");
}

/// The rows of a table in order, while they are put there: per row of so many numbers what a part of them takes.
double sorting_row_bytes(const RunSizes& sizes) {
  const double width = static_cast<double>(sizes.inputs + sizes.outputs) + 2.0;
  return number * 2.0 * width + 48.0;
}

MemoryPlan plan_on_disk(const Options& options, const RunSizes& sizes) {
  MemoryPlan plan;
  plan.rows = sizes.rows;
  plan.on_disk = true;
  RunSizes in_memory = sizes;
  in_memory.data_bytes -= sizes.file_bytes;
  plan.need = need_of_paper(options, in_memory, program_and_data(in_memory), true);
  // Parts of the table, one in memory while all others are written to: enough of either for parts of a page.
  const auto rows = static_cast<double>(sizes.rows);
  const double parts = std::sqrt(rows * sorting_row_bytes(sizes) / 0x1p14);
  const double least_sorting = 2.5 * parts * 0x1p14 + 4.0 * static_cast<double>(FilePages::stretch);
  const double before_rows = plan.need.data + plan.need.program;
  const double least = to_spare * std::max(plan.need.total(), before_rows + least_sorting);
  if (least > options.memory) refuse_limit(options, least);
  plan.sorting = std::min(share_for_sorting * options.memory - before_rows, std::max(0x1p26, least_sorting));
  const double width = static_cast<double>(sizes.inputs + sizes.outputs);
  plan.disk =
      number * rows * std::max(2.0 * (width + 2.0), 2.0 * width + static_cast<double>(sizes.outputs) * 2.0 + 2.0);
  return plan;
}

/// As many rows as there is memory for.
MemoryPlan plan_with_fewer_rows(const Options& options, const RunSizes& sizes) {
  constexpr double step = 0.9;
  constexpr std::size_t fewest = 100;
  const double width = static_cast<double>(sizes.inputs + sizes.outputs) + 2.0;
  double least = 0.0;
  for (std::size_t rows = std::min(sizes.rows, tuning::most_rows);;
       rows = static_cast<std::size_t>(step * static_cast<double>(rows))) {
    RunSizes drawn = sizes;
    drawn.rows = rows;
    drawn.data_bytes = sizes.data_bytes - sizes.file_bytes + number * width * static_cast<double>(rows);
    MemoryPlan plan;
    plan.rows = rows;
    plan.need = need_of_auto(options, drawn, program_and_data(drawn));
    // Before that they are put in order.
    const double drawing =
        sorting_row_bytes(sizes) * static_cast<double>(rows) - drawn.data_bytes + sizes.data_bytes - sizes.file_bytes;
    plan.need.rows = std::max(plan.need.rows, drawing);
    if (fits(plan.need, options.memory)) return plan;
    least = least > 0.0 ? std::min(least, to_spare * plan.need.total()) : to_spare * plan.need.total();
    if (rows <= fewest) refuse_limit(options, least);
  }
}

}  // namespace

MemoryNeed memory_needed(const Options& options, const RunSizes& sizes) {
  const MemoryNeed need = program_and_data(sizes);
  if (options.blocks == 0) return need;
  return options.preset == Preset::automatic ? need_of_auto(options, sizes, need)
                                             : need_of_paper(options, sizes, need, false);
}

MemoryPlan memory_plan(const Options& options, const RunSizes& sizes) {
  MemoryPlan plan;
  plan.need = memory_needed(options, sizes);
  plan.rows = sizes.rows;
  if (options.memory == 0.0 || fits(plan.need, options.memory)) return plan;
  return options.preset == Preset::automatic ? plan_with_fewer_rows(options, sizes) : plan_on_disk(options, sizes);
}

std::string size_text(double bytes) {
  return bytes < 1e9 ? fmt::format("{:.1f} MB", bytes / 1e6) : fmt::format("{:.2f} GB", bytes / 1e9);
}

}  // namespace rfnn::training
